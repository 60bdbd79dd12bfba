# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics excite`: a motion from which drives and a load can be identified."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from screw_dynamics.command_line import motions, outputs, robots
from screw_dynamics.command_line.joint_values import add_joint_values, joint_values
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import is_standard_output, new_file
from screw_dynamics.common.progress import counting
from screw_dynamics.common.scalars import finite_or_nan, positive, refuse
from screw_dynamics.limits.excitation import excitation_motion

FILES = 'URDF'
DESCRIPTION = (
    'Design a smooth motion from rest to rest that tells much about springs, motors, friction and '
    'a load, within the limits of the robot, print the 95 % bands that `identify --drives` is '
    'expected to reach, and write it as a trajectory, for trajectory_sender.'
)
EXAMPLES = (
    'screw_dynamics excite my_robot.urdf --csv excite.csv',
    'screw_dynamics excite my_robot.urdf --elastic my_springs.yaml --load tool0 --duration 20 '
    '--workspace tool0=-1,-1,0.1,1,1,1.5 --csv excite.csv',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    robots.add_urdf(parser)
    robots.add_options(parser)
    group = parser.add_argument_group('motion')
    motions.add_elastic(group)
    group.add_argument('--load', metavar='LINK', help='link that carries an unknown load')
    group.add_argument(
        '--duration', type=positive, metavar='S', default=15.0, help='[s] (default: 15)'
    )
    group.add_argument(
        '--points', type=int, metavar='N', default=12, help='between begin and end (default: 12)'
    )
    group.add_argument(
        '--trials', type=int, metavar='N', default=200, help='motions tried (default: 200)'
    )
    group.add_argument(
        '--seed', type=int, metavar='N', default=0, help='of the motions tried (default: 0)'
    )
    add_joint_values(
        group,
        '--begin',
        'positions at begin and end (default: 0, or the nearest in the middle half of the range) '
        '[rad or m]',
    )
    group = parser.add_argument_group('limits')
    group.add_argument(
        '--share',
        type=positive,
        metavar='PART',
        default=0.8,
        help='of the limits of joints and motors, but those of positions, that may be used '
        '(default: 0.8)',
    )
    group.add_argument(
        '--workspace',
        metavar='LINK=X,Y,Z,X,Y,Z',
        type=_box,
        action='append',
        default=[],
        help='lowest and highest position of the origin of a link, in axes of the base [m]; may '
        'be repeated',
    )
    group = parser.add_argument_group('recording')
    add_joint_values(
        group,
        '--effort-noise',
        'standard deviation of the motor efforts (default: 2 %% of the effort limits) [N m or N]',
    )
    group.add_argument(
        '--encoder-noise',
        type=positive,
        metavar='X',
        default=2e-5,
        help='standard deviation of the positions [rad or m] (default: 2e-5)',
    )
    group.add_argument(
        '--rate', type=positive, metavar='HZ', default=500.0, help='of samples (default: 500)'
    )
    group = parser.add_argument_group('output')
    group.add_argument(
        '--csv',
        metavar='FILE',
        type=Path,
        help='points of the motion, for a smooth interpolation; - for standard output',
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    outputs.check((options.urdf, options.elastic), (options.csv,), None)
    robot = robots.read_robot(options)
    with counting('trying motions', options.trials, 'motion') as count:
        found = excitation_motion(
            robot,
            payload=options.load,
            duration=options.duration,
            points=options.points,
            start=_values('--begin', options.begin, robot.joint_names),
            share=options.share,
            workspace=dict(options.workspace),
            effort_noise=_values('--effort-noise', options.effort_noise, robot.joint_names),
            encoder_noise=options.encoder_noise,
            rate=options.rate,
            trials=options.trials,
            seed=options.seed,
            on_trial=count,
        )
    output = sys.stderr if is_standard_output(options.csv) else sys.stdout
    print(f'{found}\n\n{found.report}', file=output)
    if is_standard_output(options.csv):
        motions.write_waypoints(found.waypoints, sys.stdout)
    elif options.csv is not None:
        with new_file(options.csv) as place, place.open('w', encoding='utf-8') as file:
            motions.write_waypoints(found.waypoints, file)
        print(f'written: {options.csv}')
    return 0


def _values(
    option: str, given: Sequence[tuple[str, float]] | None, names: Sequence[str]
) -> Array | None:
    """Return the values (n,) of an option, one number for all joints; None without the option."""
    if given is None:
        return None
    if len(given) == 1 and not given[0][0]:
        return np.full(len(names), given[0][1])
    return joint_values(option, given, names)


def _box(text: str) -> tuple[str, tuple[list[float], list[float]]]:
    """Parse a link with the lowest and highest position of its origin."""
    link, equals, rest = text.rpartition('=')
    numbers = [finite_or_nan(part) for part in rest.split(',')]
    if not equals or not link or len(numbers) != 6 or any(map(math.isnan, numbers)):
        refuse('LINK=X,Y,Z,X,Y,Z', text)
    return link, (numbers[:3], numbers[3:])
