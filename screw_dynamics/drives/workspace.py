# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Workspace`: what a control loop computes of a robot, in arrays that are made once."""

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
from screw_dynamics.kernels.drives.commands import set_motor_commands
from screw_dynamics.kernels.drives.deflections import OK
from screw_dynamics.kernels.taylor.compiled import single_kernel
from screw_dynamics.model import ScrewModel


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
    order : int
        Highest time derivative of the efforts, k.
    frames : sequence of str
        Names of the frames on which external wrenches act, without duplicates.

    Raises
    ------
    UnknownNameError
        If a frame does not exist.
    InputError
        If a frame is fixed to the base, `robot` is no robot, or `order` is negative.

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
    >>> np.array_equal(loop.efforts(jet), sd.inverse_dynamics(arm, jet))
    True
    >>> motors = loop.motor_commands(jet)
    >>> np.array_equal(motors.motor_effort, sd.elastic_feedforward(robot, jet).motor_effort)
    True

    A weight of 10 N that hangs on the tool:

    >>> loop = sd.Workspace(arm, order=0, frames=['tool'])
    >>> loop.wrenches[0, 0] = [0, 0, 0, 0, 0, -10.0]
    >>> jet = np.zeros((3, arm.n))
    >>> loop.efforts(jet) is loop.efforts(jet), loop.mass_matrix(jet[0]).shape
    (True, (2, 2))
    """

    def __init__(
        self, robot: Robot | ScrewModel, order: int = 2, frames: Sequence[str] = ()
    ) -> None:
        self.robot = as_robot(robot)
        super().__init__(self.robot.model, order, frames)
        self.order = order
        self._fill_efforts = single_kernel(order).run
        self._fill_commands = set_motor_commands.run
        self._forget_jet()

    def _forget_jet(self) -> None:
        self._jet = self._batch = np.empty(0)  # the jet seen last, and as a batch of one
        vars(self).pop('_arguments', None)

    def set_robot(self, robot: Robot) -> None:
        """
        Continue with another robot; `commands` stays the same record.

        Raise InputError if its joints or motors are others.
        """
        tables = robot.motors, self.robot.motors
        shapes, others = (table.jet_shapes(self.order + 3) for table in tables)
        names, known = ((table.joint_names, table.names) for table in tables)
        if (names, shapes) != (known, others):
            raise InputError('robot: expected one with the same joints and motors, got others')
        self.robot = robot
        super().__init__(robot.model, self.order, self.frames)
        self._forget_jet()

    @cached_property
    def commands(self) -> MotorFeedforward:
        """The motor commands of the last call of `motor_commands`; NaN before."""
        return robot_with_drives(self.robot).buffers(self.order + 3)

    @cached_property
    def _arguments(self) -> tuple[NDArray[Any], ...]:
        """The arguments of the kernel; none if the commands take more than it."""
        table = self.robot.motors
        if self.robot.coupling is not None or table.damped_names:
            return ()
        efforts, *motors = (getattr(self.commands, name)[np.newaxis] for name in JETS)
        return efforts, *table.blocks, *motors

    def motor_commands(
        self, joint_jet: Array, effort_jet: Array | None = None
    ) -> MotorFeedforward:
        """
        Return what `elastic_feedforward` returns.

        Parameters
        ----------
        joint_jet : (k + 3, n) ndarray
        effort_jet : (k + 1, n) ndarray, optional
            Efforts of the links, if they are known; see `feedforward_from_efforts`.

        Returns
        -------
        MotorFeedforward
            `commands`.

        Raises
        ------
        SpringRangeError, ShapeError, NotFiniteError, InputError
            See `elastic_feedforward`.
        """
        commands = self.commands
        try:
            if joint_jet is self._jet or self._fits(joint_jet):
                efforts, known = commands.effort_jet, effort_jet is None
                if effort_jet is None:
                    parameters = self._parameters
                    known = self._fill_efforts(joint_jet, efforts, parameters) == OK
                elif (
                    effort_jet is not efforts
                    and effort_jet.shape == efforts.shape
                    and effort_jet.dtype == efforts.dtype
                ):
                    efforts[...] = effort_jet
                    known = True
                if known and self._fill_commands(self._batch, *self._arguments) == OK:
                    return commands
        except (TypeError, AttributeError):
            pass  # not arrays for the kernel: the checks below convert or reject them
        if effort_jet is None:
            return elastic_feedforward(self.robot, joint_jet, out=commands)
        return feedforward_from_efforts(self.robot, joint_jet, effort_jet, out=commands)

    def _fits(self, jet: Array) -> bool:
        """Return True if the kernel takes a jet, which a control loop has one of."""
        if not self._arguments or type(jet) is not np.ndarray:
            return False
        if jet.shape != (self.order + 3, self.robot.n):
            return False
        if any(np.may_share_memory(jet, getattr(self.commands, name)) for name in JETS):
            return False
        self._jet, self._batch = jet, jet[np.newaxis]
        return True
