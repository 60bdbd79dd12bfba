# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics feasibility`: limits along a trajectory, and the slow-down that keeps them."""

import argparse

from screw_dynamics.command_line import motions, robots
from screw_dynamics.command_line.exit_codes import one_line
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import finite_or_nan, refuse
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InfeasibleError
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.slow_down import slow_down
from screw_dynamics.recordings.results.evaluation import sampled_jets

INFEASIBLE = 3
_LARGEST_FACTOR = 1e9
FILES = 'URDF TRAJECTORY'
DESCRIPTION = (
    'Compare a trajectory with every limit of the robot, and find the least '
    'factor of slowing down that keeps all. Between samples nothing is seen: --rate is their '
    f'least number per second. Exit code {INFEASIBLE} where a limit is exceeded.'
)
EXAMPLES = (
    'screw_dynamics feasibility my_robot.urdf my_trajectory.yaml',
    'screw_dynamics feasibility my_robot.urdf my_trajectory.yaml --elastic '
    'my_springs.yaml --slow-down',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    robots.add_urdf(parser)
    motions.add_trajectory(parser)
    robots.add_options(parser)
    robots.add_soft_segments(parser)
    motions.add_options(parser)
    group = parser.add_argument_group('slowing down')
    group.add_argument(
        '--slow-down',
        action='store_true',
        help='find the least factor that makes the trajectory feasible',
    )
    group.add_argument(
        '--max-factor',
        type=_slow_down_factor,
        default=100.0,
        metavar='X',
        help='largest factor tried (default: 100)',
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0, or `INFEASIBLE` if a limit is exceeded."""
    robot = robots.read_robot(options)
    curve = motions.read_curve(options, robot.model)
    times = motions.dense_times(curve, options.rate)
    jets = sampled_jets(curve, times, robot)
    report = check_feasibility(robot, jets, times)
    print(report if report.checks else 'the robot has no limits: nothing was checked')
    if report.feasible:
        return 0
    if options.slow_down:
        print(f'\n{_slowed_down(robot, times, jets, options.max_factor)}')
    return INFEASIBLE


def _slowed_down(robot: Robot, times: Array, jets: Array, most: float) -> str:
    """Return the result of slowing down as text, also if no factor is feasible."""
    try:
        slow = slow_down(robot, jets, times, max_factor=most)
    except InfeasibleError as error:
        return f'infeasible up to --max-factor {most:g}: {one_line(error)}'
    text = (
        f'feasible when slowed {slow.factor:.6g} times, to '
        f'{slow.times[-1] - slow.times[0]:.6g} s; what limits: {slow.limiting}'
    )
    if not slow.slower_is_feasible:
        text += '\nbeware: some slower speeds that were tried exceed a limit again'
    return text


def _slow_down_factor(text: str) -> float:
    """Parse the upper bound of the slow-down factors to try, a number above 1."""
    value = finite_or_nan(text)
    if not 1.0 < value <= _LARGEST_FACTOR:
        refuse(f'a number above 1, at most {_LARGEST_FACTOR:g}', text)
    return value
