# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`JointEffort`: an effort on one coordinate."""

from __future__ import annotations

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import UnknownNameError
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.actuators.actuator import Actuator
from screw_dynamics.soft.soft_robot import SoftRobot


class JointEffort(Actuator):
    """
    An effort on one coordinate of a robot, as that of a motor on a joint.

    Parameters
    ----------
    robot : SoftRobot
    name : str
        One of its `joint_names`.

    Raises
    ------
    UnknownNameError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.soft.SoftRobot([sd.soft.Joint('revolute'), sd.soft.Joint('prismatic')])
    >>> sd.soft.JointEffort(arm, 'joint_2').effort_jet([[0.1, 0.2]])
    array([[0., 1.]])
    """

    def __init__(self, robot: SoftRobot, name: str) -> None:
        super().__init__(robot)
        if name not in robot.joint_names:
            raise UnknownNameError('coordinate', name, robot.joint_names)
        self.index = robot.joint_names.index(name)

    def parts(self, jet: Array) -> list[tuple[slice, SeriesArray]]:
        """Return the coordinate."""
        own = slice(self.index, self.index + 1)
        return [(own, SeriesArray.variables(jet[:, own])[0])]
