# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots as arguments: where they are described, and which part of them is taken."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from screw_dynamics.bridges.load import described_robot, is_mjcf, load
from screw_dynamics.command_line.argument_types import Named, named_numbers
from screw_dynamics.command_line.records import (
    Options,
    argument,
    by_joint,
    option,
    optional,
    several,
)
from screw_dynamics.common.paths import expanded
from screw_dynamics.drives import Drives
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.effort_format import (
    Content,
    EffortFormat,
    MeasuredContent,
    SentContent,
)
from screw_dynamics.errors import (
    InputError,
    ModelError,
    ModelWarning,
    TrajectoryError,
    UnknownNameError,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.joint_limits import read_joint_limits
from screw_dynamics.recordings.motions.recording import recorded_robot
from screw_dynamics.soft.segments.append_segments import append_segments
from screw_dynamics.trajectory import read_trajectory
from screw_dynamics.trajectory.cartesian import read_poses

YAML_ENDINGS = ('.yaml', '.yml')
Payload = tuple[str, list[float]]  # mass [kg], and centre of mass [m] if given
Recorded = tuple[str, str]  # a URDF and its origin


def _payload(text: str) -> Payload:
    return named_numbers(text, (1, 4), 'LINK=MASS or LINK=MASS,X,Y,Z')


@dataclass(frozen=True)
class RobotSource(Options, heading='robot'):
    """A rigid robot."""

    urdf: str = argument(
        'robot description (URDF or MJCF), or a model that `model --yaml` wrote',
        metavar='URDF',
    )
    joints: tuple[str, ...] = several(
        'coordinates and their order (default: all)', metavar='JOINT'
    )
    tip_link: str | None = optional('take the chain to this link only', metavar='LINK')
    base_link: str | None = optional('link that stands still', metavar='LINK')
    locked: tuple[Named, ...] = by_joint(
        'joints that are fixed, and where [rad or m]', 'JOINT=POSITION'
    )
    gravity: tuple[float, float, float] | None = optional(
        'in axes of the base link [m/s^2] (default: 0 0 -9.81, or that of an MJCF)',
        metavar=('X', 'Y', 'Z'),
    )
    joint_limits: str | None = optional(
        'joint_limits.yaml of MoveIt, whose limits replace those of the robot', metavar='YAML'
    )
    payload: tuple[Payload, ...] = several(
        'point mass fixed to a link [kg], and where in its frame [m]; may be repeated',
        metavar='LINK=MASS[,X,Y,Z]',
        parse=_payload,
        repeated=True,
    )

    def robot(self, recorded: Recorded | None = None, hint: str = '') -> Robot:
        """Return the robot, or that of a `recorded` URDF; errors of its file end in `hint`."""
        return Robot(self.model(recorded, hint))

    def model(self, recorded: Recorded | None = None, hint: str = '') -> ScrewModel:
        """Return the rigid robot; print warnings on stderr."""
        return self.described(recorded, hint).tree

    def described(self, recorded: Recorded | None, hint: str) -> Robot:
        """Return the robot with the drives that its description has; print warnings on stderr."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always', ModelWarning)
            robot = self._read(recorded, hint)
        for warning in caught:
            print(f'warning: {" ".join(str(warning.message).split())}', file=sys.stderr)
        if self.joint_limits:
            limits = read_joint_limits(expanded(self.joint_limits), robot.tree)
            robot = robot.with_model(replace(robot.tree, limits=limits))
        for link, (mass, *com) in self.payload:
            model = robot.tree.with_payload(link, mass, com or (0.0, 0.0, 0.0))
            robot = robot.with_model(model)
        return robot

    def _read(self, recorded: Recorded | None, hint: str) -> Robot:
        selection = {
            'base_link': self.base_link,
            'tip_link': self.tip_link,
            'joints': self.joints or None,
            'locked': dict(self.locked) or None,
            'gravity': self.gravity,
        }
        chosen: dict[str, Any] = {k: value for k, value in selection.items() if value is not None}
        if recorded is not None:
            return read_text(*recorded, **chosen)
        path = expanded(self.urdf)
        is_model = path.suffix.lower() in YAML_ENDINGS
        if is_model and chosen:
            raise InputError(
                f'{path}: --{next(iter(chosen)).replace("_", "-")} selects from a URDF; '
                f'give the URDF, not the model'
            )
        with path_in_errors(path, hint):
            return Robot(ScrewModel.from_yaml(path)) if is_model else load(path, **chosen)

    def description(self, recorded: Recorded | None) -> Path | bytes:
        """Return the file of the robot, or the text that is recorded."""
        return expanded(self.urdf) if recorded is None else recorded[0].encode()

    def urdf_text(self) -> str:
        """Return the URDF; empty for MJCF, a model file, or a text that is not UTF-8."""
        path = expanded(self.urdf)
        is_other = path.suffix.lower() in YAML_ENDINGS or is_mjcf(path)
        try:
            return '' if is_other else path.read_text(encoding='utf-8-sig')
        except UnicodeDecodeError:
            return ''


@dataclass(frozen=True)
class DrivenRobot(RobotSource):
    """A robot with drives."""

    drives: str | None = optional(
        'motors, friction and springs of the joints (default: those of an MJCF)', metavar='YAML'
    )

    def robot(self, recorded: Recorded | None = None, hint: str = '') -> Robot:
        """Return the robot, or that of a `recorded` URDF; errors of its file end in `hint`."""
        robot = self.described(recorded, hint)
        if self.drives:
            robot = Robot(robot.model, Drives.from_yaml(expanded(self.drives)))
            _ = robot.motors  # raises if they do not match the model
        return robot


@dataclass(frozen=True)
class AnyRobot(DrivenRobot):
    """A robot with drives, or with soft segments."""

    soft_segments: str | None = optional(
        'YAML file of soft segments behind the last link (docs/soft_segments.md)',
        metavar='FILE',
    )

    def robot(self, recorded: Recorded | None = None, hint: str = '') -> Robot:
        """Return the robot, or that of a `recorded` URDF; errors of its file end in `hint`."""
        if self.soft_segments is None:
            return super().robot(recorded, hint)
        if self.drives is not None:
            raise InputError(
                f'--soft-segments: expected no file beside --drives, got {self.soft_segments}'
            )
        segments = append_segments(self.model(recorded, hint), expanded(self.soft_segments))
        return Robot(segments)  # another kind of robot


@dataclass(frozen=True)
class RecordedRobot(DrivenRobot):
    """A robot that a bag has recorded, or another one."""

    urdf: str = option(
        '', 'robot description (default: the one that the bag has recorded)', metavar='URDF'
    )

    def recorded(self, bag: Path) -> Recorded | None:
        """Return the robot that a bag has recorded, None if another one is given."""
        if self.urdf:
            return None
        from screw_dynamics.recordings.bags import Bag

        with Bag(expanded(bag)) as opened:
            return recorded_robot(opened)


@dataclass(frozen=True)
class EffortOptions(Options):
    """How the efforts of drives differ from those of joints."""

    effort_content: Content
    effort_sign: tuple[Named, ...] = by_joint('-1 where the drive counts in the opposite sense')
    effort_scale: tuple[Named, ...] = by_joint('factor from the effort to the value of the drive')
    effort_offset: tuple[Named, ...] = by_joint('added after sign and scale')

    def format_for(self, robot: Robot) -> EffortFormat:
        """Return the format of efforts; raise InputError if it does not fit the robot."""
        given = {
            'sign': (self.effort_sign, 1.0),
            'scale': (self.effort_scale, 1.0),
            'offset': (self.effort_offset, 0.0),
        }
        lists = {}
        for name, (entries, neutral) in given.items():
            values = dict(entries)
            for joint in values:
                if joint not in robot.joint_names:
                    raise UnknownNameError(f'--effort-{name}: joint', joint, robot.joint_names)
            lists[name] = [values.get(joint, neutral) for joint in robot.joint_names]
        try:
            return EffortFormat(self.effort_content, **lists)
        except InputError as error:
            raise InputError(f'--effort-{error}') from None


@dataclass(frozen=True)
class SentEfforts(EffortOptions, heading='efforts as the robot takes them'):
    """How the robot takes efforts."""

    effort_content: SentContent = option(
        'full', 'all; all but gravity, for a robot that adds gravity itself; or gravity only'
    )

    def format_for(self, robot: Robot) -> EffortFormat:
        """Return the format of efforts to one motor per joint; raise InputError."""
        found = super().format_for(robot)
        if robot.drives is not None and not found.trivial and len(robot.motors.names) != robot.n:
            raise InputError(
                '--drives: expected one motor per joint with options --effort-*, got the motors '
                f'{", ".join(robot.motors.names)}'
            )
        return found


@dataclass(frozen=True)
class MeasuredEfforts(EffortOptions, heading='efforts as the robot reports them'):
    """How the robot reports efforts."""

    effort_content: MeasuredContent = option(
        'full',
        "all; all but gravity (Universal Robots); or external loads, as the robot's own model "
        'tells them',
    )


def read_text(text: str, where: str, **chosen: Any) -> Robot:
    """Return the robot of a text by options of `read_urdf`; errors name its origin."""
    try:
        # a str that does not begin with markup would be read as a path
        markup = text.lstrip('\ufeff \t\r\n').startswith('<')
        return described_robot(text if markup else text.encode()).robot(**chosen)
    except ModelError as error:
        raise ModelError(f'{where}: {error}') from None


@contextmanager
def path_in_errors(path: Path, hint: str = '') -> Iterator[None]:
    """Let errors of the block name the file, and a trajectory as such, with a hint."""
    try:
        yield
    except ModelError as error:
        if _is_trajectory(path):
            raise InputError(f'{path}: expected a robot, got a trajectory{hint}') from None
        if str(path) in str(error):
            raise
        raise ModelError(f'{path}: {error}') from None


def _is_trajectory(path: Path) -> bool:
    """Return whether a file can be read as points of joints or poses of a frame."""
    for read in (read_trajectory, partial(read_poses, frame='any')):
        with suppress(TrajectoryError):
            read(path)
            return True
    return False
