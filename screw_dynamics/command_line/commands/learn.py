# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics learn`: a repeated motion, corrected by the errors of its last run."""

from __future__ import annotations

import argparse
from pathlib import Path

from screw_dynamics.command_line import motions, outputs, recorded_bag, robots
from screw_dynamics.command_line.joint_values import add_joint_values, joint_values
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded, new_file
from screw_dynamics.common.scalars import not_negative, positive
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.learning import LearnedMotion, learn_motion
from screw_dynamics.learning.learned_motion import has_history
from screw_dynamics.trajectory import PiecewisePolynomial

FILES = 'BAG ... TRAJECTORY'
DESCRIPTION = (
    'Correct a repeated motion by the errors of the links in its last run, and write it as a '
    'trajectory that trajectory_sender sends and the nodes follow. The file remembers the wanted '
    'motion and all runs: send it, record, and call this command with both again, until it says '
    'that the motion is finished.'
)
EXAMPLES = (
    'screw_dynamics learn first_run my_trajectory.yaml --elastic my_springs.yaml '
    '--output learned.yaml',
    'screw_dynamics learn second_run learned.yaml --elastic my_springs.yaml --output learned.yaml',
    'screw_dynamics learn run_1 run_2 run_3 learned.yaml --output learned.yaml --delay 0.005',
)
# between the reference and the file, which begins where the robot was [rad or m]
_SAME, _NEAR = 1e-6, 1e-3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        'bags',
        metavar='BAG',
        nargs='+',
        type=Path,
        help='folder of a bag, or an .mcap file, with runs of the trajectory; errors of several '
        'runs are averaged',
    )
    parser.add_argument(
        'trajectory',
        metavar='TRAJECTORY',
        help='the trajectory that was sent: CSV or YAML file of points, or of poses of a frame, '
        'or what this command has written',
    )
    parser.set_defaults(topic=None, message=None)  # of a trajectory in a bag
    parser.add_argument(
        '--urdf',
        metavar='URDF',
        help='robot description (default: the one that the first bag has recorded)',
    )
    group = parser.add_argument_group('what is read')
    group.add_argument(
        '--joint-states',
        metavar='TOPIC',
        help='JointState messages with the positions of the links (default: the only ones)',
    )
    group.add_argument(
        '--reference',
        metavar='TOPIC',
        help='FeedforwardTorque or JointTrajectory messages that tell when the trajectory began '
        '(default: the only ones, of the first type before the other)',
    )
    robots.add_options(parser)
    group = parser.add_argument_group('motion')
    motions.add_interpolation(group)
    motions.add_elastic(group)
    group.add_argument('--frame', metavar='LINK', help='link that follows poses')
    group.add_argument(
        '--start',
        nargs='+',
        metavar='JOINT=POSITION',
        type=robots.named_value,
        default=[],
        help='joint positions at the start of poses [rad or m]',
    )
    group = parser.add_argument_group(
        'uncertainty', 'From which the smoothing time and the step follow.'
    )
    group.add_argument(
        '--uncertainty',
        type=not_negative,
        metavar='PART',
        default=0.1,
        help='largest relative error of masses, stiffness, rotors and friction (default: 0.1)',
    )
    group.add_argument(
        '--delay',
        type=not_negative,
        metavar='S',
        default=0.002,
        help='unknown delay from commands to the motion [s] (default: 0.002)',
    )
    for option, unit in (('--kp', 'stiffness'), ('--kd', 'damping')):
        add_joint_values(
            group,
            option,
            f'{unit} of the PD on the motors, on the joint side of the gear (default: motors '
            'follow exactly)',
        )
    group.add_argument(
        '--smoothing-time',
        type=positive,
        metavar='S',
        help='errors faster than this are not corrected [s]',
    )
    group.add_argument(
        '--step', type=positive, metavar='PART', help='of an error that is corrected, at most 1'
    )
    group = parser.add_argument_group('output')
    group.add_argument(
        '--output',
        metavar='FILE',
        type=Path,
        help='YAML file of the corrected trajectory; it may replace TRAJECTORY if that is one '
        '(default: only the errors are printed)',
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    from screw_dynamics.command_line.recorded_runs import recorded_runs
    from screw_dynamics.recordings.bags import Bag

    path = expanded(options.trajectory)
    learned = has_history(path)
    kept = () if learned else (options.trajectory,)
    outputs.check((*options.bags, options.urdf, options.elastic, *kept), (options.output,))
    if options.output is not None and options.output.suffix not in robots.YAML_ENDINGS:
        raise InputError(f'--output: expected a name that ends in .yaml, got {options.output}')
    recordings = []
    robot: Robot | None = None
    for place in options.bags:
        with Bag(expanded(place)) as bag:
            if robot is None:
                described = None if options.urdf else recorded_bag.recorded_robot(bag)
                robot = robots.read_robot(options, described)
                motion = _motion(options, robot, path if learned else None)
            curve = motion.curve if isinstance(motion, LearnedMotion) else motion
            tolerance = _SAME if learned else _NEAR
            recordings += recorded_runs(
                bag, curve, robot.tree, tolerance, options.joint_states, options.reference
            )
    assert robot is not None
    found = learn_motion(
        robot,
        motion,
        recordings,
        uncertainty=options.uncertainty,
        delay=options.delay,
        gains=_gains(options, robot),
        smoothing_time=options.smoothing_time,
        step=options.step,
    )
    count = f'{len(recordings)} runs' if len(recordings) > 1 else '1 run'
    print(f'{count} of {options.trajectory}\n\n{found}')
    if options.output is not None:
        with new_file(options.output) as place:
            found.to_yaml(place)
        print(f'written: {options.output}')
    return 0


def _motion(
    options: argparse.Namespace, robot: Robot, learned: Path | None
) -> PiecewisePolynomial | LearnedMotion:
    """Return the motion of the trajectory in the options."""
    if learned is None:
        return motions.read_curve(options, robot.model)
    motion = LearnedMotion.from_yaml(learned)
    if motion.joint_names != robot.joint_names:
        raise InputError(
            f'{learned}: joint_names: expected those of the robot in its order, '
            f'{", ".join(robot.joint_names)}, got {", ".join(motion.joint_names)}'
        )
    return motion


def _gains(options: argparse.Namespace, robot: Robot) -> tuple[Array, Array] | None:
    """Return the gains of the options, one of them for all joints or one for each."""
    if options.kp is None and options.kd is None:
        return None
    gains: list[Array] = []
    for option in ('kp', 'kd'):
        given = getattr(options, option)
        if given is None:
            raise InputError(f'--{option}: expected one beside the other gain, got none')
        if len(given) == 1 and not given[0][0]:
            given = given * robot.n
        gains.append(joint_values(f'--{option}', given, robot.joint_names))
    return gains[0], gains[1]
