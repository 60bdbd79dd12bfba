# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`RobotText`: a robot as text, which processes and machines read once."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple, TypeAlias

from screw_dynamics.bridges.load import described_robot
from screw_dynamics.drives import Drives
from screw_dynamics.drives.robot import Robot
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.model.urdf.urdf_source import UrdfSource


class RobotText(NamedTuple):
    """A model and its drives as YAML, the second empty for a rigid robot."""

    model: str
    drives: str
    limits_motors: bool

    @property
    def robot(self) -> Robot:
        """The robot, read at the first use in a process."""
        return _robot(self)


AnyRobot: TypeAlias = 'RobotText | Robot | ScrewModel | UrdfSource'


def as_text(robot: AnyRobot) -> RobotText:
    """
    Return a robot as text, which pickles to a few kB.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF, MJCF or RobotText
        Of URDF and MJCF the text or the path.

    Returns
    -------
    RobotText
        Every number is reproduced exactly.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> text = sd.fleet.as_text(sd.share_path('urdf/planar_2r.urdf'))
    >>> text.robot.joint_names
    ('joint_1', 'joint_2')
    """
    if isinstance(robot, RobotText):
        return robot
    if not isinstance(robot, (Robot, ScrewModel)):
        robot = described_robot(robot).robot()
    if isinstance(robot, Robot):
        drives = '' if robot.drives is None else robot.drives.to_yaml()
        return RobotText(robot.tree.to_yaml(), drives, robot.limits_motors)
    return RobotText(robot.to_yaml(), '', False)


@cache
def _robot(text: RobotText) -> Robot:
    drives = Drives.from_yaml(text.drives) if text.drives else None
    return Robot(ScrewModel.from_yaml(text.model), drives, text.limits_motors)
