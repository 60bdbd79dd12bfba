# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics observe`: collisions in recorded joint states."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.command_line import outputs, recorded_bag, robots
from screw_dynamics.command_line.joint_values import add_joint_values, joint_values
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded, is_standard_output, reports_beside
from screw_dynamics.common.scalars import not_negative, positive
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.spring_efforts import SpringEfforts
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.observers import ContactDetector, LoadObserver
from screw_dynamics.recordings.results.results_from_bag import JOINT_STATE, one_topic

if TYPE_CHECKING:
    from screw_dynamics.command_line.bag_loads import LoadSamples
    from screw_dynamics.recordings.bags import Bag

FILES = 'BAG'
DESCRIPTION = (
    'Find collisions in recorded JointState messages with positions, velocities and efforts: '
    'when, on which link, how strong and in which direction (in axes of the base link). External '
    'efforts come from a momentum observer; a collision begins at the sample at which one reaches '
    'floor + deviations * (its standard deviation) + model error * (size of the modelled efforts).'
)
EXAMPLES = (
    'screw_dynamics observe my_bag',
    'screw_dynamics observe my_bag --urdf my_robot.urdf --floor 2 --model-error 0.05 '
    '--plot loads.png',
    'screw_dynamics observe my_bag --elastic my_springs.yaml --motor-states /motor_states',
    'screw_dynamics observe my_bag --elastic my_springs.yaml --payload tool0=1.2 --csv loads.csv',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    recorded_bag.add_bag(parser)
    recorded_bag.add_selection(parser, 'of the JointState messages (default: the only one)')
    robots.add_options(parser)
    robots.add_effort_options(parser, measured=True)
    group = parser.add_argument_group('drives')
    group.add_argument(
        '--elastic',
        metavar='YAML',
        help='motors, friction and springs of the joints: the efforts are those of motors, or of '
        'springs, not of links',
    )
    group.add_argument(
        '--motor-states',
        metavar='TOPIC',
        help='JointState messages of the motors, on the joint side of the gear: the efforts of '
        'springs come from their deflections',
    )
    group = parser.add_argument_group(
        'observer', 'VALUE is a number for all joints, one for each, or JOINT=VALUE.'
    )
    group.add_argument(
        '--bandwidth',
        type=positive,
        metavar='PER_SECOND',
        default=50.0,
        help='rate at which external efforts are followed [1/s] (default: 50)',
    )
    add_joint_values(group, '--floor', 'what friction and others leave [N m or N] (default: 1)')
    add_joint_values(
        group, '--effort-deviation', 'noise of measured efforts [N m or N] (default: 0)'
    )
    add_joint_values(
        group, '--velocity-deviation', 'noise of velocities [rad/s or m/s] (default: 0)'
    )
    for name, default, text in (
        ('--deviations', 5.0, 'standard deviations of this noise below the threshold'),
        ('--model-error', 0.05, 'relative error of the masses and inertias'),
        ('--release', 0.5, 'part of the threshold below which a collision ends'),
        ('--hold', 0.1, 'time below it after which it ends [s]'),
    ):
        group.add_argument(
            name, type=not_negative, metavar='X', default=default,
            help=f'{text} (default: {default:g})',
        )  # fmt: skip
    group.add_argument(
        '--no-check',
        action='store_true',
        help='accept efforts that another content explains better where the robot rests',
    )
    outputs.add_options(parser).add_argument(
        '--html', metavar='FILE', type=Path, help='a page with the robot and its collisions'
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    from screw_dynamics.command_line.bag_loads import loads_report, write_loads
    from screw_dynamics.estimation.observers.recorded_loads import recorded_loads
    from screw_dynamics.recordings.bags import Bag

    outputs.check(
        (options.bag, options.urdf, options.elastic), (options.csv, options.html), options.plot
    )
    with Bag(expanded(options.bag)) as bag:
        described = None if options.urdf else recorded_bag.recorded_robot(bag)
        robot = robots.read_robot(options, described)
        measured = robots.measured_format(options, robot)
        detector = _detector(options, robot, measured)
        topic = one_topic(bag, (JOINT_STATE,), options.topic)
        samples = _samples(bag, topic, robot, measured, options)
    with reports_beside(options.csv) as output:
        loads = recorded_loads(detector, *samples[:4])
        if detector.observer.doubt:
            print(f'warning: {detector.observer.doubt}', file=sys.stderr)
        print(loads_report(samples, loads))
        if is_standard_output(options.csv):
            write_loads(loads, robot.joint_names, output)
        elif options.csv is not None:
            write_loads(loads, robot.joint_names, options.csv)
            print(f'written: {options.csv}')
        if options.plot is not None:
            from screw_dynamics.command_line.loads_figure import save_loads

            title = f'{robot.model.name}: external efforts on {topic} of {options.bag.name}'
            save_loads(loads, robot.tree, options.plot, title)
            print(f'written: {options.plot}')
        if options.html is not None:
            from screw_dynamics.command_line.shown_motions import observed_motion
            from screw_dynamics.viewer import Viewer, read_visuals

            source = expanded(options.urdf) if described is None else described[0].encode()
            motion = observed_motion(samples, loads, robot)
            with Viewer(robot, motion, read_visuals(source)) as viewer:
                viewer.save_html(options.html)
            print(f'written: {options.html}')
    return 0


def _samples(
    bag: Bag, topic: str, robot: Robot, measured: EffortFormat, options: argparse.Namespace
) -> LoadSamples:
    """Return the samples of a topic, with efforts from deflections if motor states are given."""
    from screw_dynamics.command_line.bag_loads import load_samples, with_spring_efforts

    messages = recorded_bag.selected_messages(bag, topic, options)
    where = f'{bag.path}: topic {topic!r}'
    if options.motor_states is None:
        return load_samples(messages, robot.tree, where, bag.start_time)
    if robot.drives is None:
        raise InputError('--motor-states: expected the springs, too: --elastic YAML')
    rigid = SpringEfforts(robot.motors).rigid.any()
    needed = ('position', 'effort') if rigid else ('position',)
    if measured.content == 'external':
        raise InputError(
            '--effort-content: expected full efforts beside --motor-states, got external'
        )
    samples = load_samples(messages, robot.tree, where, bag.start_time, needed)
    places = samples.positions[:, np.newaxis]
    samples = samples._replace(efforts=measured.full_efforts(robot.model, places, samples.efforts))
    motors = one_topic(bag, (JOINT_STATE,), options.motor_states, '--motor-states')
    where = f'{bag.path}: topic {motors!r}'
    return with_spring_efforts(
        samples, recorded_bag.selected_messages(bag, motors, options), robot, where
    )


def _detector(
    options: argparse.Namespace, robot: Robot, measured: EffortFormat
) -> ContactDetector:
    """Return the detector of the options; their errors name the option."""

    def values(name: str, default: float) -> Array:
        entries = getattr(options, name)
        if entries is None:
            return np.full(robot.n, default)
        if len(entries) == 1 and not entries[0][0]:
            return np.full(robot.n, entries[0][1])
        option = f'--{name.replace("_", "-")}'
        named = {joint for joint, _ in entries}
        numbers = joint_values(option, entries, robot.joint_names)
        others = [bool(named - {''}) and joint not in named for joint in robot.joint_names]
        return np.where(others, default, numbers)

    try:
        observer = LoadObserver(
            robot,
            bandwidth=options.bandwidth,
            effort_deviation=values('effort_deviation', 0.0),
            velocity_deviation=values('velocity_deviation', 0.0),
            effort_content=EffortFormat() if options.motor_states else measured,
            check=not options.no_check,
        )
        return ContactDetector(
            observer,
            floor=values('floor', 1.0),
            deviations=options.deviations,
            model_error=options.model_error,
            release=options.release,
            hold=options.hold,
        )
    except InputError as error:
        raise InputError(f'--{error}') from None
