# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Workspace`: that of a model in `dynamics`, with the motor commands of a robot with drives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.feedforward import elastic_feedforward, feedforward_from_efforts
from screw_dynamics.drives.motor_feedforward import JETS, MotorFeedforward
from screw_dynamics.drives.robot import Robot, as_robot, robot_with_drives
from screw_dynamics.dynamics import ModelWorkspace
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.drives.commands import set_motor_commands
from screw_dynamics.model.robot_model import RobotModel


class Workspace(ModelWorkspace):
    """
    The quantities of a robot in a loop, of one state each, in arrays that are made once.

    A method calls its kernel in C at once, without allocating memory. What the kernel refuses is
    passed on to the function of `sd` of the same name, which converts it or raises; it also
    computes for robots of other kinds than `ScrewModel`. Each method returns its own array, which
    its next call overwrites: copy what has to last. A workspace is for one thread.

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
        self._fill_commands = set_motor_commands.run
        self._seen = self._batch = np.empty(0)  # the jet seen last, and as a batch of one
        if commands is not None:
            made = self.commands
            shapes, expected = ([getattr(c, jet).shape for jet in JETS] for c in (commands, made))
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
    def _arguments(self) -> tuple[NDArray[Any], ...]:
        """The arguments of the kernel; none if the commands take more than it."""
        table = self._with_drives.motors
        if self._with_drives.coupling is not None or table.damped_names:
            return ()
        efforts, *motors = (getattr(self.commands, name)[np.newaxis] for name in JETS)
        return efforts, *table.blocks, *motors

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
        commands = self.commands
        try:
            if joint_jet is self._seen or self._fits(joint_jet):
                efforts, known = commands.effort_jet, effort_jet
                if effort_jet is None and self.frames:
                    known = self.efforts(joint_jet)
                if known is None:
                    filled = self._fill_efforts(joint_jet, efforts, self._parameters) == OK
                else:
                    filled = (
                        known is not efforts
                        and known.shape == efforts.shape
                        and known.dtype == efforts.dtype
                    )
                    if filled:
                        efforts[...] = known
                if filled and self._fill_commands(self._batch, *self._arguments) == OK:
                    return commands
        except (TypeError, AttributeError):
            pass  # not arrays for the kernel: the checks below convert or reject them
        if effort_jet is not None:
            return feedforward_from_efforts(self._with_drives, joint_jet, effort_jet, out=commands)
        wrenches = dict(zip(self.frames, self.wrenches, strict=True)) or None
        return elastic_feedforward(self._with_drives, joint_jet, wrenches, out=commands)

    def _fits(self, jet: Array) -> bool:
        """Return True if the kernel takes a jet, which a control loop has one of."""
        if not self._arguments or type(jet) is not np.ndarray:
            return False
        if jet.shape != (len(self._efforts) + 2, self.model.n):
            return False
        if any(np.may_share_memory(jet, getattr(self.commands, name)) for name in JETS):
            return False
        self._seen, self._batch = jet, jet[np.newaxis]
        return True
