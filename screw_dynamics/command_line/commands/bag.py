# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics bag`: efforts of recorded trajectories and joint states."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from screw_dynamics.command_line import motions, outputs, recorded_bag, robots
from screw_dynamics.common.paths import expanded, reports_beside
from screw_dynamics.common.scalars import positive, refuse
from screw_dynamics.recordings.results.results_from_bag import JOINT_STATE, TRAJECTORY, one_topic

# letters, digits and underscores, as ROS requires in the parts of topic names
_NAMESPACE = re.compile(r'[A-Za-z_]\w*(/[A-Za-z_]\w*)*', re.ASCII)
FILES = 'BAG'
DESCRIPTION = (
    'Compute efforts and derivatives of recorded JointTrajectory messages, or of '
    'measured JointState positions. Trajectories are followed as a controller would, and '
    'written with their efforts. Measured motions are smoothed as far as their noise asks '
    'for; standard deviations go to CSV columns ending in .sd, to bands in the plot, and to '
    'a topic ending in _deviation. They rest on white noise: what a filter in the driver has '
    'left of it makes them too small, and a warning says by which factor at least.'
)
EXAMPLES = (
    'screw_dynamics bag my_bag --csv efforts.csv',
    'screw_dynamics bag my_bag --output my_bag_with_efforts',
    'screw_dynamics bag my_bag --urdf my_robot.urdf --topic /joint_states '
    '--output measured --plot measured.png',
    'screw_dynamics bag my_bag --urdf my_robot.urdf --copy --elastic my_springs.yaml '
    '--output everything --csv motors.csv',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    recorded_bag.add_bag(parser)
    group = recorded_bag.add_selection(
        parser, 'JointTrajectory or JointState (default: the only one, trajectories first)'
    )
    group.add_argument(
        '--smoothing-time',
        type=positive,
        metavar='S',
        help='measured motion faster than this is noise [s] (default: the data choose)',
    )
    robots.add_options(parser)
    robots.add_effort_options(parser)
    motions.add_options(parser, '250 for trajectories, the recorded instants for joint states')
    group = outputs.add_options(parser)
    group.add_argument('-o', '--output', metavar='FOLDER', type=Path, help='a new bag')
    group.add_argument(
        '--copy', action='store_true', help='copy all messages of the bag to the new one'
    )
    group.add_argument(
        '--namespace',
        type=_namespace,
        default='/offline',
        help='of the new topics feedforward, motor_feedforward, joint_trajectory_effort '
        '(default: /offline)',
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    if options.copy and options.output is None:
        options.error('argument --copy: expected the name of the new bag, too: --output FOLDER')
    inputs = options.bag, options.urdf, options.elastic
    with reports_beside(options.csv) as output:
        from screw_dynamics.command_line.bag_conversion import convert
        from screw_dynamics.recordings.bags import Bag

        outputs.check(inputs, (options.csv,), options.plot, options.output)
        with Bag(expanded(options.bag)) as bag:
            recorded = None if options.urdf else recorded_bag.recorded_robot(bag)
            robot = robots.read_robot(options, recorded)
            topic = one_topic(bag, (TRAJECTORY, JOINT_STATE), options.topic)
            urdf = robots.urdf_text(options) if recorded is None else recorded[0]
            results = convert(bag, topic, robot, urdf, options)
        print(results.summary())
        if options.output is not None:
            print(f'written: {options.output}')
        title = f'{robot.model.name}: {topic} of {options.bag.name}'
        outputs.write_table(results, options, output)
        outputs.draw(results, robot, options, title)
    return 0


def _namespace(text: str) -> str:
    """Return a ROS namespace with a slash before each part, as ``/left/arm``; '' for the root."""
    inner = text.strip('/')
    if inner and not _NAMESPACE.fullmatch(inner):
        refuse('a namespace such as /left/arm', text)
    return f'/{inner}' if inner else ''
