# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Workspace`: that of a model in `dynamics`, with the motor commands of a robot with drives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array, require_out
from screw_dynamics.drives.feedforward import (
    NO_EFFORTS,
    elastic_feedforward,
    feedforward_from_efforts,
)
from screw_dynamics.drives.motor_feedforward import JETS, MotorFeedforward
from screw_dynamics.drives.robot import Robot, as_robot, robot_with_drives
from screw_dynamics.dynamics import ModelWorkspace
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.state_kernel import not_compiled
from screw_dynamics.kernels.drives.commands import set_commands_of_one
from screw_dynamics.model.robot_model import RobotModel

_ARRAY = np.ndarray


class Workspace(ModelWorkspace):
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
        super().__init__(self._robot.model, order, frames)
        self._fill_commands = set_commands_of_one.compiled or not_compiled
        if commands is not None:
            given: object = commands
            if not isinstance(given, MotorFeedforward):
                got = type(given).__name__
                raise InputError(f'commands: expected a MotorFeedforward, got {got}')
            made = self.commands
            shapes = [require_out(getattr(commands, jet), f'commands.{jet}').shape for jet in JETS]
            expected = [getattr(made, jet).shape for jet in JETS]
            if commands.motor_names != made.motor_names or shapes != expected:
                raise InputError('commands: expected buffers of this robot, got those of another')
            vars(self)['commands'] = commands

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what `copy` and `pickle` make another workspace of, with arrays of its own."""
        order, wrenches = len(self._efforts) - 1, self.wrenches.copy()
        return type(self), (self._robot, order, self.frames), wrenches

    def motor_commands(
        self, joint_jet: Array, effort_jet: Array | None = None
    ) -> MotorFeedforward:
        """
        Return positions and efforts of the motors, under the current values of `wrenches`.

        Parameters
        ----------
        joint_jet : (k + 3, n) ndarray
        effort_jet : (k + 1, n) ndarray, optional
            Efforts of the links, if they are known; `wrenches` do not count then.

        Returns
        -------
        MotorFeedforward
            `commands`; as `elastic_feedforward`, or `feedforward_from_efforts`.

        Raises
        ------
        SpringRangeError
            See `elastic_feedforward`.
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
