# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Workspace`: the arrays of a robot for a loop, and the kernels that fill them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics import dynamics
from screw_dynamics.common.arrays import Array, as_float_array, require_out
from screw_dynamics.common.scalars import require_count
from screw_dynamics.drives.feedforward import (
    NO_EFFORTS,
    elastic_feedforward,
    feedforward_from_efforts,
)
from screw_dynamics.drives.motor_feedforward import JETS, MotorFeedforward
from screw_dynamics.drives.robot import Robot, as_robot, robot_with_drives
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.bodies.layout import BAD_SHAPE, OK
from screw_dynamics.kernels.bodies.quantities import (
    BIAS_FORCES,
    CORIOLIS_MATRIX,
    FORWARD_DYNAMICS,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    MASS_MATRIX,
    REGRESSOR,
)
from screw_dynamics.kernels.bodies.regressor import PARAMETERS
from screw_dynamics.kernels.bodies.state_kernel import not_compiled
from screw_dynamics.kernels.drives.commands import set_commands_of_one
from screw_dynamics.kernels.frames.quantities import FRAME_JACOBIAN, FRAME_POSE
from screw_dynamics.model.joint_frames import KernelTables
from screw_dynamics.model.records import Frame, Representation
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import ScrewModel

_ARRAY = np.ndarray


class Workspace:
    """
    The quantities of a robot in a loop, of one state each, in arrays that are made once.

    A method calls its kernel in C at once, without allocating memory. What the kernel refuses is
    passed on to the function of `sd` of the same name, which converts it or raises; it also
    computes for robots of other kinds than `ScrewModel`. Each method returns its own array, which
    its next call overwrites: copy what has to last. A workspace is for one thread; a copy of it,
    also by pickle, has arrays of its own, and equal `wrenches`.

    Parameters
    ----------
    robot : Robot or RobotModel
        Drives matter to `motor_commands` alone.
    order : int
        Highest time derivative of the efforts, k.
    frames : sequence of str
        Names of the frames on which external wrenches act, without duplicates.
    commands : MotorFeedforward, optional
        Arrays for `motor_commands`, from `Robot.buffers` of a robot with the same joints and
        motors; by default new ones.

    Raises
    ------
    UnknownNameError
        If a frame does not exist.
    InputError
        If a frame is fixed to the base, `robot` is no robot, `order` is negative, or `commands`
        are those of another robot.

    Notes
    -----
    All arguments are C-contiguous float64 arrays: `q`, `qd` and `tau` (n,), `joint_jet`
    (k + 3, n) with the d-th time derivative of the coordinates in row d [rad or m, per s^d]. Other
    arrays of these shapes are converted, slowly. All methods raise what their functions raise,
    and ShapeError for other shapes.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> drive = sd.JointDrive(sd.LinearSpring(200.0), sd.Motor(rotor_inertia=0.1))
    >>> robot = sd.Robot(arm, sd.Drives(dict.fromkeys(arm.joint_names, drive)))
    >>> loop, jet = sd.Workspace(robot), np.full((5, arm.n), 0.1)
    >>> motors = loop.motor_commands(jet)
    >>> np.array_equal(motors.motor_effort, sd.elastic_feedforward(robot, jet).motor_effort)
    True
    >>> loop.motor_commands(jet) is motors, loop.mass_matrix(jet[0]).shape
    (True, (2, 2))
    """

    def __init__(
        self,
        robot: Robot | RobotModel,
        order: int = 2,
        frames: Sequence[str] = (),
        *,
        commands: MotorFeedforward | None = None,
    ) -> None:
        self._robot = as_robot(robot)
        self.model = model = self._robot.model
        n, rows = model.n, require_count('order', order) + 1
        self._efforts, self._gravity_jet, self._weightless_jet = np.empty((3, rows, n))
        self._gravity, self._bias, self._accelerations = np.empty((3, n))
        self._mass, self._coriolis = np.empty((2, n, n))
        columns = PARAMETERS * getattr(model, 'body_count', 0)  # without, there is no regressor
        self._regressor = np.empty((rows, n, columns))
        # by frame, and its representation: parameters of the kernel, None without, and the array
        self._poses: dict[str, tuple[Array | None, Array]] = {}
        self._jacobians: dict[tuple[str, str], tuple[Array | None, Array]] = {}
        self._fill_mass, self._fill_gravity = MASS_MATRIX.compiled(), GRAVITY_FORCES.compiled()
        self._fill_bias, self._fill_coriolis = BIAS_FORCES.compiled(), CORIOLIS_MATRIX.compiled()
        self._fill_accelerations = FORWARD_DYNAMICS.compiled()
        self._fill_pose, self._fill_jacobian = FRAME_POSE.compiled(), FRAME_JACOBIAN.compiled()
        self._fill_regressor = REGRESSOR.compiled(rows + 2)
        self._fill_efforts = INVERSE_DYNAMICS.compiled(rows + 2)
        self.frames = tuple(frames)
        size = (rows + 2) * n  # of a jet, which the kernel reads with the wrenches behind it
        self._jets = np.zeros((1, 1, size + len(self.frames) * rows * 6))
        self._jet = self._jets[0, 0, :size].reshape(rows + 2, n)
        self.wrenches: Array = self._jets[0, 0, size:].reshape(len(self.frames), rows, 6)
        """(m, k + 1, 6) to write to: [torque; force] ON the link in the frame, derivatives."""
        # with None for an array, kernels raise TypeError
        self._kernel_tables: KernelTables | None = None
        self._parameters: Array | None = None
        self._tree: Array | None = None
        self._light: Array | None = None
        self._loaded: Array | None = None
        if type(model) is ScrewModel:
            self._kernel_tables = tables = model.kernel_tables
            self._parameters, self._tree = tables.parameters, tables.tree_parameters
            self._light = model.without_gravity().kernel_tables.parameters
            if self.frames:
                moving = self._moving(model)
                self._loaded = tables.with_frames((frame.body, frame.pose) for frame in moving)
        self._fill_commands = set_commands_of_one.compiled or not_compiled
        if commands is not None:
            vars(self)['commands'] = self._own(commands)

    def _own(self, commands: object) -> MotorFeedforward:
        """Return arrays for motor commands; raise InputError for those of another robot."""
        if not isinstance(commands, MotorFeedforward):
            got = type(commands).__name__
            raise InputError(f'commands: expected a MotorFeedforward, got {got}')
        made = self.commands
        shapes = [require_out(getattr(commands, jet), f'commands.{jet}').shape for jet in JETS]
        expected = [getattr(made, jet).shape for jet in JETS]
        if commands.motor_names != made.motor_names or shapes != expected:
            raise InputError('commands: expected buffers of this robot, got those of another')
        return commands

    def _moving(self, model: ScrewModel) -> list[Frame]:
        """Return the frames with wrenches; raise InputError for one on the base."""
        moving = [model.frame(name) for name in self.frames]
        for name, frame in zip(self.frames, moving, strict=True):
            if frame.body < 0:
                raise InputError(f'frame {name!r}: expected one on a moving link, got the base')
        return moving

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what `copy` and `pickle` make another workspace of, with arrays of its own."""
        order, wrenches = len(self._efforts) - 1, self.wrenches.copy()
        return type(self), (self._robot, order, self.frames), wrenches

    def __setstate__(self, wrenches: Array) -> None:
        """Write the wrenches of the workspace that was copied."""
        self.wrenches[...] = wrenches

    def efforts(self, joint_jet: Array) -> Array:
        """Return `sd.inverse_dynamics` under `wrenches`, (k + 1, n) [N m or N, per s^d]."""
        out, order = self._efforts, len(self._efforts) - 1
        try:
            if not self.frames:
                status = self._fill_efforts(joint_jet, out, self._parameters)
            elif self._loaded is not None and joint_jet.shape == self._jet.shape and out.size:
                self._jet[...] = joint_jet
                status = INVERSE_DYNAMICS.run(order, self._jets, out[np.newaxis], self._loaded)
            else:
                status = BAD_SHAPE
            if status == OK:
                return out
        except (TypeError, AttributeError):
            pass  # not an array for the kernel, or another kind of robot
        jet = as_float_array('joint_jet', joint_jet)
        if jet.shape != (len(out) + 2, out.shape[1]):
            raise ShapeError('joint_jet', f'{(len(out) + 2, out.shape[1])}', jet.shape)
        wrenches = dict(zip(self.frames, self.wrenches, strict=True)) or None
        return self._checked(out, dynamics.inverse_dynamics, jet, wrenches)

    def gravity_forces_jet(self, joint_jet: Array) -> Array:
        """Return `sd.gravity_forces_jet` (k + 1, n) [N m or N, per s^d]."""
        out, rest = self._gravity_jet, self._weightless_jet
        try:
            if (
                self._fill_efforts(joint_jet, out, self._parameters) == OK
                and self._fill_efforts(joint_jet, rest, self._light) == OK
            ):
                out -= rest
                return out
        except TypeError:
            pass
        return self._checked(out, dynamics.gravity_forces_jet, joint_jet)

    def mass_matrix(self, q: Array) -> Array:
        """Return `sd.mass_matrix` (n, n) [kg m^2, kg m, kg]."""
        try:
            if self._fill_mass(q, self._mass, self._parameters) == OK:
                return self._mass
        except TypeError:
            pass
        return self._checked(self._mass, dynamics.mass_matrix, q)

    def gravity_forces(self, q: Array) -> Array:
        """Return `sd.gravity_forces` (n,) [N m or N]."""
        try:
            if self._fill_gravity(q, self._gravity, self._parameters) == OK:
                return self._gravity
        except TypeError:
            pass
        return self._checked(self._gravity, dynamics.gravity_forces, q)

    def bias_forces(self, q: Array, qd: Array) -> Array:
        """Return `sd.bias_forces` (n,) [N m or N]."""
        try:
            if self._fill_bias(q, qd, self._bias, self._parameters) == OK:
                return self._bias
        except TypeError:
            pass
        return self._checked(self._bias, dynamics.bias_forces, q, qd)

    def coriolis_matrix(self, q: Array, qd: Array) -> Array:
        """Return `sd.coriolis_matrix` (n, n) [kg m^2/s, kg m/s, kg/s]."""
        try:
            if self._fill_coriolis(q, qd, self._coriolis, self._parameters) == OK:
                return self._coriolis
        except TypeError:
            pass
        return self._checked(self._coriolis, dynamics.coriolis_matrix, q, qd)

    def regressor(self, joint_jet: Array) -> Array:
        """Return `sd.regressor` (k + 1, n, 10 N) [N m or N, per s^d and parameter]."""
        try:
            # made at first use
            bodies = self._kernel_tables and self._kernel_tables.with_bodies
            if self._fill_regressor(joint_jet, self._regressor, bodies) == OK:
                return self._regressor
        except TypeError:
            pass
        return self._checked(self._regressor, dynamics.regressor, joint_jet)

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        """Return `sd.forward_dynamics` (n,) [rad/s^2 or m/s^2]."""
        try:
            if self._fill_accelerations(q, qd, tau, self._accelerations, self._tree) == OK:
                return self._accelerations
        except TypeError:
            pass
        return self._checked(self._accelerations, dynamics.forward_dynamics, q, qd, tau)

    def frame_pose(self, q: Array, frame: str) -> Array:
        """Return `sd.frame_pose` (4, 4), in an array of this frame."""
        try:
            parameters, pose = self._poses[frame]
            if self._fill_pose(q, pose, parameters) == OK:
                return pose
        except (TypeError, KeyError):
            pass
        pose = self._checked(np.empty((4, 4)), dynamics.frame_pose, q, frame)
        self._poses[frame] = self._frame_parameters(frame, 'body'), pose
        return pose

    def frame_jacobian(
        self, q: Array, frame: str, representation: Representation = 'body'
    ) -> Array:
        """Return `sd.frame_jacobian` (6, n), in an array of this frame and representation."""
        try:
            parameters, jacobian = self._jacobians[frame, representation]
            if self._fill_jacobian(q, jacobian, parameters) == OK:
                return jacobian
        except (TypeError, KeyError):
            pass
        empty = np.empty((6, self.model.n))
        jacobian = self._checked(empty, dynamics.frame_jacobian, q, frame, representation)
        parameters = self._frame_parameters(frame, representation)
        self._jacobians[frame, representation] = parameters, jacobian
        return jacobian

    def _frame_parameters(self, frame: str, representation: Representation) -> Array | None:
        """Return the parameters of the kernels of a known frame; None for other kinds."""
        if type(self.model) is not ScrewModel:
            return None
        return self.model.kernel_tables.frames[frame, representation]

    def _checked(self, out: Array, function: Callable[..., Array], *inputs: object) -> Array:
        """Return what a function of one state computes, in the array `out`."""
        result = function(self.model, *inputs)
        if result.shape != out.shape:
            raise ShapeError('result', f'{out.shape}, of one state', result.shape)
        out[...] = result
        return out

    @cached_property
    def commands(self) -> MotorFeedforward:
        """The motor commands of the last call of `motor_commands`; NaN before."""
        return self._with_drives.buffers(len(self._efforts) + 2)

    @cached_property
    def _with_drives(self) -> Robot:
        return robot_with_drives(self._robot)

    @cached_property
    def _tables(self) -> tuple[Array, NDArray[np.int64], Array] | None:
        return self._robot.kernel_tables

    def motor_commands(
        self, joint_jet: Array, effort_jet: Array | None = None
    ) -> MotorFeedforward:
        """
        Return the motor commands of `elastic_feedforward`, under the values of `wrenches`.

        With `effort_jet` (k + 1, n), known efforts of the links, those of
        `feedforward_from_efforts`: `wrenches` do not count then.
        """
        commands, tables = self.commands, self._tables
        try:
            if type(joint_jet) is _ARRAY and tables is not None:
                # with None for an array, the kernel raises TypeError
                if effort_jet is not None:
                    plain = type(effort_jet) is _ARRAY and effort_jet.size
                    given = effort_jet if plain else None
                else:
                    given = self.efforts(joint_jet) if self.frames else NO_EFFORTS
                status = self._fill_commands(
                    given, joint_jet, *tables, commands.effort_jet,
                    commands.deflection_jet, commands.motor_jet, commands.motor_effort_jet,
                )  # fmt: skip
                if status == OK:
                    return commands
        except TypeError:
            pass  # not arrays for the kernel: the checks below convert or reject them
        if effort_jet is not None:
            return feedforward_from_efforts(self._with_drives, joint_jet, effort_jet, out=commands)
        wrenches = dict(zip(self.frames, self.wrenches, strict=True)) or None
        return elastic_feedforward(self._with_drives, joint_jet, wrenches, out=commands)
