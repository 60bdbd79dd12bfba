# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Workspace`: motor commands of a control loop in arrays that are made once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_count
from screw_dynamics.drives.feedforward import elastic_feedforward, feedforward_from_efforts
from screw_dynamics.drives.motor_feedforward import JETS, MotorFeedforward
from screw_dynamics.drives.robot import Robot, as_robot, robot_with_drives
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.drives.commands import set_motor_commands
from screw_dynamics.kernels.drives.deflections import OK
from screw_dynamics.kernels.taylor.compiled import single_kernel
from screw_dynamics.model import ScrewModel


class Workspace:
    """
    Calls of a control loop for one robot, with arrays that are made once.

    Results are arrays of the workspace, which the next call of the same method overwrites;
    arguments must not share memory with them.

    Parameters
    ----------
    robot : Robot or ScrewModel
    order : int
        Highest time derivative of the efforts, k: joint jets have k + 3 rows.

    Raises
    ------
    InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> drive = sd.JointDrive(sd.LinearSpring(200.0), sd.Motor(rotor_inertia=0.1))
    >>> robot = sd.Robot(arm, sd.Drives(dict.fromkeys(arm.joint_names, drive)))
    >>> workspace, jet = sd.Workspace(robot), np.full((5, arm.n), 0.1)
    >>> motors = workspace.motor_commands(jet)
    >>> np.array_equal(motors.motor_effort, sd.elastic_feedforward(robot, jet).motor_effort)
    True
    """

    def __init__(self, robot: Robot | ScrewModel, order: int = 2) -> None:
        self.order = require_count('order', order)
        self._fill_efforts = single_kernel(self.order).run
        self._fill_commands = set_motor_commands.run
        self._use(as_robot(robot))

    def _use(self, robot: Robot) -> None:
        self.robot = robot
        self._jet = self._batch = np.empty(0)  # the jet seen last, and as a batch of one
        vars(self).pop('_arguments', None)

    def set_robot(self, robot: Robot) -> None:
        """
        Continue with another model, in the same arrays.

        Raise InputError if its joints or motors are others.
        """
        tables = robot.motors, self.robot.motors
        shapes, others = (table.jet_shapes(self.order + 3) for table in tables)
        names, known = ((table.joint_names, table.names) for table in tables)
        if (names, shapes) != (known, others):
            raise InputError('robot: expected one with the same joints and motors, got others')
        self._use(robot)

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
                    parameters = self.robot.model.joint_frame_parameters.parameters
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
