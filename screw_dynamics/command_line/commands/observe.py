# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics observe`: collisions in recorded joint states."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from screw_dynamics import fleet
from screw_dynamics.command_line.argument_types import Named, one_or_each
from screw_dynamics.command_line.many import Many, only_of_one, robot_of
from screw_dynamics.command_line.motions import Bags, RecordingOfMotors
from screw_dynamics.command_line.outputs import OutputFiles, save, writing
from screw_dynamics.command_line.records import (
    Options,
    flag,
    not_negative,
    optional,
    per_joint,
    positive,
)
from screw_dynamics.command_line.robots import MeasuredEfforts, RecordedRobot
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import save_panels
from screw_dynamics.common.paths import expanded
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.observers import ContactDetector, LoadObserver
from screw_dynamics.estimation.observers.recorded_loads import recorded_loads
from screw_dynamics.recordings.motions.joint_states import observed_samples
from screw_dynamics.recordings.motions.recording import recorded_robot
from screw_dynamics.recordings.results.results_from_bag import JOINT_STATE, one_topic

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
    'screw_dynamics observe my_bag --drives my_springs.yaml --motor-states /motor_states',
    'screw_dynamics observe my_bag --drives my_springs.yaml --payload tool0=1.2 --csv loads.csv',
    'screw_dynamics observe bags/* --output loads --jobs 8',
)


@dataclass(frozen=True)
class ObservedRobot(RecordedRobot):
    """A robot whose motors, springs or links measure efforts."""

    drives: str | None = optional(
        'motors, friction and springs of the joints: the efforts are those of motors, or of '
        'springs, not of links',
        metavar='YAML',
    )


@dataclass(frozen=True)
class Observer(
    Options,
    heading='observer',
    text='VALUE is a number for all joints, one for each, or JOINT=VALUE.',
):
    """When an external effort is a collision."""

    bandwidth: float = positive(
        50.0,
        'rate at which external efforts are followed [1/s]',
        metavar='PER_SECOND',
    )
    floor: tuple[Named, ...] = per_joint('what friction and others leave [N m or N] (default: 1)')
    effort_deviation: tuple[Named, ...] = per_joint(
        'noise of measured efforts [N m or N] (default: 0)'
    )
    velocity_deviation: tuple[Named, ...] = per_joint(
        'noise of velocities [rad/s or m/s] (default: 0)'
    )
    deviations: float = not_negative(
        5.0,
        'standard deviations of this noise below the threshold',
        metavar='X',
    )
    model_error: float = not_negative(
        0.05, 'relative error of the masses and inertias', metavar='X'
    )
    release: float = not_negative(
        0.5,
        'part of the threshold below which a collision ends',
        metavar='X',
    )
    hold: float = not_negative(0.1, 'time below it after which it ends [s]', metavar='X')
    no_check: bool = flag(
        'accept efforts that another content explains better where the robot rests'
    )


@dataclass(frozen=True)
class Files(OutputFiles):
    """A table, a figure, and a page."""

    html: Path | None = optional('a page with the robot and its collisions')


def run(
    recordings: Bags,
    source: ObservedRobot,
    part: RecordingOfMotors,
    efforts: MeasuredEfforts,
    observer: Observer,
    files: Files,
    many: Many,
) -> int:
    """Run the command; return 0."""
    if many.asked(recordings.bags):
        return _of_many(recordings.bags, source, part, efforts, observer, files, many)
    from screw_dynamics.recordings.bags import Bag

    (bag,) = recordings.bags
    read = bag, source.urdf, source.drives
    with writing(read, files.csv, files.html, figure=files.plot) as write:
        with Bag(expanded(bag)) as opened:
            recorded = None if source.urdf else recorded_robot(opened)
            robot = source.robot(recorded)
            measured = efforts.format_for(robot)
            known = measured if part.motor_states is None else EffortFormat()
            detector = _detector(observer, robot, known)
            samples = observed_samples(
                opened, robot, measured, motor_states=part.motor_states, **part.span
            )
            topic = one_topic(opened, (JOINT_STATE,), part.topic)
        loads = recorded_loads(detector, *samples[:4])
        if detector.observer.doubt:
            print(f'warning: {detector.observer.doubt}', file=sys.stderr)
        print(samples)
        if samples.estimated:
            print('velocities: estimated from the positions, some messages have none')
        print(loads)
        write(files.csv, loads.write_csv)
        title = f'{robot.model.name}: external efforts on {topic} of {bag.name}'
        save(files.plot, lambda path: save_panels(path, robot.n, title, loads.draw))

        def show(path: Path) -> None:
            from screw_dynamics.viewer import Viewer, read_visuals
            from screw_dynamics.viewer.recorded_motion import observed_motion

            motion = observed_motion(samples, loads, robot)
            with Viewer(robot, motion, read_visuals(source.description(recorded))) as viewer:
                viewer.save_html(path)

        save(files.html, show)
    return 0


def _of_many(
    paths: tuple[Path, ...],
    source: ObservedRobot,
    part: RecordingOfMotors,
    efforts: MeasuredEfforts,
    observer: Observer,
    files: Files,
    many: Many,
) -> int:
    """Find collisions in many bags; return the exit code."""
    only_of_one(csv=files.csv, plot=files.plot, html=files.html)
    robot = robot_of(source, paths)
    return many.run(
        fleet.observe,
        robot,
        paths,
        motor_states=part.motor_states,
        **part.span,
        effort_content=efforts.format_for(robot),
        **_options(observer, robot),
    )


def _options(chosen: Observer, robot: Robot) -> dict[str, dict[str, Any]]:
    """Return the options of `LoadObserver` and `ContactDetector`."""

    def values(option: str, given: tuple[Named, ...], default: float) -> Array:
        found = one_or_each(option, given, robot.joint_names, default)
        return np.full(robot.n, default) if found is None else found

    return {
        'observer': {
            'bandwidth': chosen.bandwidth,
            'effort_deviation': values('--effort-deviation', chosen.effort_deviation, 0.0),
            'velocity_deviation': values('--velocity-deviation', chosen.velocity_deviation, 0.0),
            'check': not chosen.no_check,
        },
        'detector': {
            'floor': values('--floor', chosen.floor, 1.0),
            **chosen.of('deviations', 'model_error', 'release', 'hold'),
        },
    }


def _detector(chosen: Observer, robot: Robot, measured: EffortFormat) -> ContactDetector:
    """Return the detector of the options; their errors name the option."""
    options = _options(chosen, robot)
    try:
        observer = LoadObserver(robot, effort_content=measured, **options['observer'])
        return ContactDetector(observer, **options['detector'])
    except InputError as error:
        raise InputError(f'--{error}') from None
