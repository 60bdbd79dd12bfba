# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion arguments of the commands: trajectory, interpolation and sampling."""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from screw_dynamics.command_line.command_parser import EachOnce
from screw_dynamics.command_line.robots import named_value
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.scalars import positive
from screw_dynamics.errors import BagError, InputError, TrajectoryError, UnknownNameError
from screw_dynamics.model import RobotModel
from screw_dynamics.model.screw_model import require_model
from screw_dynamics.recordings.messages.joints import trajectory_points
from screw_dynamics.recordings.results.results_from_bag import TRAJECTORY, is_bag, one_topic
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    TrajectoryPoint,
    Waypoints,
    read_trajectory,
    waypoints_from_points,
)
from screw_dynamics.trajectory.cartesian import cartesian_trajectory, read_poses
from screw_dynamics.trajectory.cartesian.pose_files import has_poses
from screw_dynamics.trajectory.piecewise_polynomial import even_times
from screw_dynamics.trajectory.reference.interpolation import INTERPOLATIONS, shifted

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import BagMessage

ORDERS = (0, 1, 2)
_MOST_SAMPLES = 10_000_000
# Samples between two points in a limit check, fewer if their total would exceed the second number.
_WITHIN, _ALL_WITHIN = 16, 200_000
_ROUNDING = 1e-9  # of the duration
_SLACK = 0.05  # of the range of limits
DEFAULT_RATE = 250.0


def add_options(parser: argparse.ArgumentParser, rate_of: str = '') -> None:
    """Add --interpolation, --rate, --order and --elastic; `rate_of` describes the default rate."""
    group = parser.add_argument_group('motion')
    add_interpolation(group)
    default = rate_of or f'{DEFAULT_RATE:g}'
    group.add_argument(
        '--rate',
        type=positive,
        metavar='HZ',
        default=None if rate_of else DEFAULT_RATE,
        help=f'samples per second (default: {default})',
    )
    group.add_argument(
        '--order',
        type=int,
        choices=ORDERS,
        default=2,
        help='highest derivative of the efforts (default: 2)',
    )
    add_elastic(group)


def add_interpolation(group: argparse._ArgumentGroup) -> None:
    """Add --interpolation."""
    group.add_argument(
        '--interpolation',
        choices=tuple(INTERPOLATIONS),
        default='smooth',
        help='curve through the points: four times differentiable, or that of '
        'joint_trajectory_controller, whose effort derivatives jump (default: smooth)',
    )


def add_elastic(group: argparse._ArgumentGroup) -> None:
    """Add --elastic."""
    group.add_argument(
        '--elastic',
        metavar='YAML',
        help='motors, friction and springs of the joints',
    )


def add_trajectory(
    parser: argparse.ArgumentParser, optional_as: str = '', meaning: str = ''
) -> None:
    """Add the positional argument TRAJECTORY, or an optional one, --topic and --message."""
    parser.add_argument(
        'trajectory',
        metavar=optional_as or 'TRAJECTORY',
        nargs='?' if optional_as else None,
        help=meaning
        or 'CSV or YAML file of points, or of poses of a frame, or a bag (a folder, or an .mcap '
        'file) that holds a JointTrajectory',
    )
    group = parser.add_argument_group('trajectory of a frame')
    group.add_argument(
        '--frame', metavar='LINK', help='link that follows poses (default: that of the file)'
    )
    group.add_argument(
        '--start',
        nargs='+',
        action=EachOnce,
        metavar='JOINT=POSITION',
        type=named_value,
        default=[],
        help='joint positions at the start, or near those of a first pose at time 0; before those '
        'of the file [rad or m] (default: 0)',
    )
    group = parser.add_argument_group('trajectory from a bag')
    group.add_argument('--topic', help='its topic (default: the only one)')
    group.add_argument(
        '--message', type=int, metavar='N', help='which of its messages (default: 0)'
    )


def read_waypoints(options: argparse.Namespace, model: RobotModel) -> Waypoints:
    """Return the points of the trajectory in the options, in the joint order of the model."""
    path = expanded(options.trajectory)
    if is_bag(path):
        return _from_bag(path, options, model)
    if options.topic is not None or options.message is not None:
        raise InputError(f'{path}: --topic and --message choose from a bag, this is a file')
    found = read_trajectory(str(path))
    return _in_model_order(str(path), found.joint_names, found.points, model)


def message_waypoints(found: BagMessage, model: RobotModel) -> Waypoints:
    """Return the points of a JointTrajectory in model order; errors name topic and message."""
    points = trajectory_points(found.message)
    return _in_model_order(origin_of(found), found.message.joint_names, points, model)


def origin_of(found: BagMessage) -> str:
    """Return topic and time of a message, as errors begin."""
    return f'{found.topic}, message received at {found.log_time} ns'


def _in_model_order(
    where: str, joint_names: Sequence[str], points: Sequence[TrajectoryPoint], model: RobotModel
) -> Waypoints:
    """Check points and reorder them to the joints of the model; errors begin with `where`."""
    try:
        return waypoints_from_points(joint_names, points, model.joint_names)
    except TrajectoryError as error:
        others = set(joint_names) != set(model.joint_names)
        hint = '; choose those of the robot by --joints, --tip-link or --locked' if others else ''
        tree: Any = getattr(model, 'rigid', model)  # of a robot with soft segments
        masters = [tree.joint_names[j] for j in tree.coordinates]
        for follower, master in zip(tree.tree_joint_names, masters, strict=True):
            if follower in joint_names and follower not in model.joint_names:
                hint = f'; {follower} follows {master} (mimic): leave it out'
        if others and list(joint_names[:3]) == ['x', 'y', 'z']:
            hint = '; if these are poses, choose the link that follows them by --frame'
        raise TrajectoryError(f'{where}: {error}{hint}') from None


def _from_bag(path: Path, options: argparse.Namespace, model: RobotModel) -> Waypoints:
    # reading bags needs a package that files do not need
    from screw_dynamics.recordings.bags import Bag

    wanted = options.message or 0
    with Bag(path) as bag:
        topic = one_topic(bag, (TRAJECTORY,), options.topic)
        for number, found in enumerate(bag.messages([topic])):
            if number == wanted:
                return message_waypoints(found, model)
    raise BagError(
        f'{path}: topic {topic!r}: --message {wanted}: expected one of its '
        f'{number + 1} messages, counted from 0'
    )


def read_curve(options: argparse.Namespace, model: RobotModel) -> PiecewisePolynomial:
    """Return the curve through the points, or poses, of a trajectory that is not in degrees."""
    path = expanded(options.trajectory)
    if not is_bag(path) and _is_of_poses(path, options):
        return _through_poses(path, options, model)
    for option in ('frame', 'start'):
        if getattr(options, option):
            raise InputError(f'--{option}: expected a file of poses, got {path}')
    waypoints = read_waypoints(options, model)
    require_radians(options.trajectory, model, waypoints.positions)
    return curve_through(waypoints, options.interpolation)


def _is_of_poses(path: Path, options: argparse.Namespace) -> bool:
    """Return True for poses; they have the key of YAML, or a frame is given for a CSV file."""
    if path.suffix.lower() == '.csv':
        return options.frame is not None
    try:
        return has_poses(path.read_text(encoding='utf-8-sig'))
    except (OSError, ValueError):  # reported when it is read as a trajectory
        return False


def _through_poses(
    path: Path, options: argparse.Namespace, model: RobotModel
) -> PiecewisePolynomial:
    """Return the joint motion through the poses of a file; print how near it is to them."""
    if options.interpolation != 'smooth':
        raise InputError(
            f'--interpolation: expected smooth for poses, got {options.interpolation}'
        )
    found = read_poses(path, options.frame or '')
    given = {**found.start, **dict(options.start)}
    for name in given:
        if name not in model.joint_names:
            place = '--start' if name in dict(options.start) else f'{path}, start'
            raise UnknownNameError('joint', name, model.joint_names, place)
    start = [given.get(name, 0.0) for name in model.joint_names]
    waypoints = found.waypoints
    try:
        motion = cartesian_trajectory(
            require_model(model), waypoints, start, components=found.components
        )
    except TrajectoryError as error:
        hint = '' if given else '; choose another start by --start'
        raise TrajectoryError(f'{path}: {error}{hint}') from None
    count = '1 pose' if len(waypoints.times) == 1 else f'{len(waypoints.times)} poses'
    turn = f' and {math.degrees(motion.angle):.1e} degrees' if found.components == 'all' else ''
    print(
        f'{waypoints.frame} through {count}: at most {motion.distance:.1e} m{turn} off the path, '
        f'{len(motion.knots.times)} knots'
    )
    return motion.curve


def curve_through(
    waypoints: Waypoints, interpolation: str, start_jet: Array | None = None
) -> PiecewisePolynomial:
    """Return the curve from the first point, or the state `start_jet` (5, n) at time 0, on."""
    begin = 0.0 if start_jet is not None else float(waypoints.times[0])
    points = shifted(waypoints, slice(None), begin)
    curve = INTERPOLATIONS[interpolation].curve(points, start_jet)
    return replace(curve, breaks=curve.breaks + begin)


def require_radians(where: str, model: RobotModel, positions: Array) -> None:
    """
    Raise InputError if positions (T, n) are far beyond the limits, and degrees would explain it.

    Far beyond is more than the range of the limits, and more than a turn. Joints without limits
    may turn many times.
    """
    limits = model.limits
    reach = limits.upper - limits.lower
    turning = np.isfinite(reach) & (np.array(model.coordinate_types) != 'prismatic')
    outside = np.maximum(limits.lower - positions, positions - limits.upper)
    far = turning & (outside > np.maximum(reach, 2.0 * np.pi))
    as_degrees = np.radians(positions[:, turning])
    slack = _SLACK * reach[turning]
    allowed = (as_degrees > limits.lower[turning] - slack) & (
        as_degrees < limits.upper[turning] + slack
    )
    if far.any() and allowed.all():
        row, j = np.unravel_index(np.argmax(np.where(far, outside, 0.0)), far.shape)
        raise InputError(
            f'{where}: joint {model.joint_names[j]!r}: expected positions in rad near the limits '
            f'{limits.lower[j]:.4g} to {limits.upper[j]:.4g} of the robot, got '
            f'{positions[row, j]:.4g}: are they in degrees?'
        )


def sample_times(start: float, end: float, rate: float) -> Array:
    """Return even sample times (T,) with both ends [s], or raise `InputError` if too many."""
    steps = (end - start) * rate
    if not steps < _MOST_SAMPLES:
        raise InputError(
            f'--rate: expected at most {_MOST_SAMPLES} samples, {rate:g} Hz over '
            f'{end - start:g} s gives {steps:.3g}'
        )
    return even_times(start, end, rate)


def dense_times(curve: PiecewisePolynomial, rate: float) -> Array:
    """Return sample times (T,) [s]: even ones at `rate`, the points, and some between any two."""
    breaks = curve.breaks
    even = sample_times(float(breaks[0]), float(breaks[-1]), rate)
    count = min(_WITHIN, max(_ALL_WITHIN // len(breaks), 1))
    parts = np.arange(count) / count
    within = (breaks[:-1, None] + parts * np.diff(breaks)[:, None]).ravel()
    times = np.unique(np.concatenate((even, within, breaks[-1:])))
    # times that differ only by rounding would coincide when time is scaled
    distinct = np.diff(times, prepend=-np.inf) > _ROUNDING * (times[-1] - times[0])
    kept: Array = times[distinct]
    return kept


def warn_of_gaps(curve: PiecewisePolynomial, rate: float) -> None:
    """Warn on stderr if points are closer together than the sample period."""
    steps = np.diff(curve.breaks)
    if len(steps) and steps.min() * rate < 1.0:
        print(
            f'warning: --rate {rate:g}: some points are {steps.min():.3g} s apart, closer than '
            'samples: peaks between these are not seen',
            file=sys.stderr,
        )


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
