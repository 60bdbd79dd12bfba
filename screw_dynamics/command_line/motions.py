# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motions as arguments: trajectories of joints or of a frame, and parts of recordings."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

import numpy as np

from screw_dynamics.command_line.argument_types import Named
from screw_dynamics.command_line.records import (
    Options,
    argument,
    by_joint,
    option,
    optional,
)
from screw_dynamics.common.paths import expanded
from screw_dynamics.errors import InputError, TrajectoryError, UnknownNameError
from screw_dynamics.limits.degrees import require_radians
from screw_dynamics.model import RobotModel
from screw_dynamics.model.screw_model import require_model
from screw_dynamics.recordings.motions.trajectories import curve_through, read_waypoints
from screw_dynamics.recordings.results.results_from_bag import is_bag
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints
from screw_dynamics.trajectory.cartesian import cartesian_trajectory, read_poses
from screw_dynamics.trajectory.cartesian.pose_files import has_poses
from screw_dynamics.trajectory.reference.interpolation import INTERPOLATIONS

Order = Literal[0, 1, 2]
ROBOT_FIRST = ': URDF stands before TRAJECTORY'


@dataclass(frozen=True)
class TrajectorySource(Options, heading='motion'):
    """A trajectory of all joints, or of a frame."""

    trajectory: str = argument(
        'CSV or YAML file of points, or of poses of a frame, or a bag (a folder, or an .mcap '
        'file) that holds a JointTrajectory',
        metavar='TRAJECTORY',
    )
    interpolation: str = option(
        'smooth',
        'curve through the points: four times differentiable, or that of '
        'joint_trajectory_controller, whose effort derivatives jump',
        choices=tuple(INTERPOLATIONS),
    )
    frame: str | None = optional(
        'link that follows poses (default: that of the file)', metavar='LINK'
    )
    begin: tuple[Named, ...] = by_joint(
        'of poses: joint positions at the start, or near those of a first pose at time 0; before '
        'those of the file [rad or m] (default: 0)',
        'JOINT=POSITION',
    )
    topic: str | None = optional('of a bag (default: the only one)')
    message: int | None = optional('which message of the topic (default: 0)')

    def curve(self, model: RobotModel) -> PiecewisePolynomial:
        """Return the curve through points, or poses, that are not in degrees."""
        path = expanded(self.trajectory)
        if not is_bag(path) and self._is_of_poses(path):
            return self._through_poses(path, model)
        for name, given in (('frame', self.frame), ('begin', self.begin)):
            if given:
                raise InputError(f'--{name}: expected a file of poses, got {path}')
        if not is_bag(path) and (self.topic is not None or self.message is not None):
            raise InputError(f'{path}: --topic and --message choose from a bag, this is a file')
        waypoints = read_waypoints(path, model, self.topic, self.message or 0)
        require_radians(self.trajectory, model, waypoints.positions)
        return curve_through(waypoints, self.interpolation)

    def _is_of_poses(self, path: Path) -> bool:
        """Return True for poses; they have the key of YAML, or a frame is given for a CSV file."""
        if path.suffix.lower() == '.csv':
            return self.frame is not None
        try:
            return has_poses(path.read_text(encoding='utf-8-sig'))
        except (OSError, ValueError):  # reported when it is read as a trajectory
            return False

    def _through_poses(self, path: Path, model: RobotModel) -> PiecewisePolynomial:
        """Return the joint motion through the poses of a file; print how near it is to them."""
        if self.interpolation != 'smooth':
            raise InputError(
                f'--interpolation: expected smooth for poses, got {self.interpolation}'
            )
        found = read_poses(path, self.frame or '')
        chosen = dict(self.begin)
        given = {**found.start, **chosen}
        for name in given:
            if name not in model.joint_names:
                place = '--begin' if name in chosen else f'{path}, start'
                raise UnknownNameError('joint', name, model.joint_names, place)
        start = [given.get(name, 0.0) for name in model.joint_names]
        waypoints = found.waypoints
        try:
            tree = require_model(model)
            motion = cartesian_trajectory(tree, waypoints, start, components=found.components)
        except TrajectoryError as error:
            hint = '' if given else '; choose another start by --begin'
            raise TrajectoryError(f'{path}: {error}{hint}') from None
        count = '1 pose' if len(waypoints.times) == 1 else f'{len(waypoints.times)} poses'
        turn = (
            f' and {math.degrees(motion.angle):.1e} degrees' if found.components == 'all' else ''
        )
        print(
            f'{waypoints.frame} through {count}: at most {motion.distance:.1e} m{turn} off the '
            f'path, {len(motion.knots.times)} knots'
        )
        return motion.curve


@dataclass(frozen=True)
class RecordingPart(Options, heading='what is read'):
    """What is read of a recording."""

    topic: str | None = optional('of the JointState messages (default: the only one)')
    start: float = option(-np.inf, 'leave out what was recorded before [s]', metavar='S')
    end: float = option(np.inf, 'leave out what was recorded after [s]', metavar='S')

    @property
    def span(self) -> dict[str, Any]:
        """Of `read_recording`."""
        return self.of('topic', 'start', 'end')


@dataclass(frozen=True)
class RecordingOfMotors(RecordingPart):
    """What is read of a recording of links and motors."""

    motor_states: str | None = optional(
        'JointState messages of the motors, on the joint side of the gear, for the deflections of '
        'springs',
        metavar='TOPIC',
    )


RECORDING_FILE = (
    'bag (folder, .mcap or .db3) of JointState messages, or a table (.csv, .parquet, .npz)'
)


@dataclass(frozen=True)
class Bags(Options):
    """Bags."""

    bags: tuple[Path, ...] = argument('folder of a bag, or an .mcap or .db3 file', metavar='BAG')


def write_waypoints(waypoints: Waypoints, file: TextIO) -> None:
    """Write points as CSV that `read_trajectory` reads, with the derivatives that they have."""
    header, columns = ['time'], [waypoints.times[:, np.newaxis]]
    for suffix, values in (
        ('', waypoints.positions),
        ('.velocity', waypoints.velocities),
        ('.acceleration', waypoints.accelerations),
    ):
        if not np.isnan(values).any():
            header += [f'{name}{suffix}' for name in waypoints.joint_names]
            columns.append(values)
    writer = csv.writer(file, lineterminator='\n')
    writer.writerow(header)
    for row in np.hstack(columns).tolist():
        writer.writerow([repr(value) for value in row])
