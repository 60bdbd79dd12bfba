# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: efforts along a motion, computed or recorded, and its limits."""

from __future__ import annotations

import re
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from screw_dynamics.command_line.exit_codes import one_line
from screw_dynamics.command_line.motions import RATE, ROBOT_FIRST, Order, TrajectorySource
from screw_dynamics.command_line.outputs import OutputFiles, Write, writing
from screw_dynamics.command_line.records import UsageError, argument, option
from screw_dynamics.command_line.robots import AnyRobot, Recorded, SentEfforts, read_text
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded, new_file
from screw_dynamics.common.scalars import refuse
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InfeasibleError, InputError, ScrewDynamicsError
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.slow_down import slow_down
from screw_dynamics.recordings.results.evaluation import evaluate_samples, sampled_jets
from screw_dynamics.recordings.results.results import Results
from screw_dynamics.recordings.results.results_csv import has_results, read_csv, write_csv
from screw_dynamics.recordings.results.results_from_bag import (
    FEEDFORWARD,
    JOINT_STATE,
    TRAJECTORY,
    is_bag,
    one_topic,
    read_bag,
)
from screw_dynamics.trajectory import PiecewisePolynomial
from screw_dynamics.trajectory.piecewise_polynomial import dense_times, sample_times

INFEASIBLE = 3
# letters, digits and underscores, as ROS requires in the parts of topic names
_NAMESPACE = re.compile(r'[A-Za-z_]\w*(/[A-Za-z_]\w*)*', re.ASCII)
DESCRIPTION = (
    'Compute the efforts of a motion with their time derivatives, the motor commands of elastic '
    'joints, and what the motion needs of the limits of the robot. Trajectories of a bag are '
    'followed as a controller would; measured positions are smoothed as far as their noise asks '
    'for, with standard deviations in CSV columns ending in .sd, in bands of the figure and in a '
    'topic ending in _deviation. They rest on white noise: what a filter in the driver has left '
    'of it makes them too small, and a warning says by which factor at least. Efforts in a file '
    f'or bag are shown as they are. Exit code {INFEASIBLE} where --limits finds one exceeded.'
)
EXAMPLES = (
    'screw_dynamics evaluate my_robot.urdf my_trajectory.yaml',
    'screw_dynamics evaluate my_robot.urdf my_trajectory.csv --rate 1000 --csv efforts.csv',
    'screw_dynamics evaluate my_robot.urdf my_trajectory.yaml --limits --slow-down',
    'screw_dynamics evaluate my_robot.urdf my_trajectory.yaml --drives my_springs.yaml '
    '--plot motors.png',
    'screw_dynamics evaluate my_robot.urdf my_trajectory.yaml --drives my_springs.yaml '
    '--gains gains.yaml --frequency 6 --delay 0.0015',
    'screw_dynamics evaluate my_bag --bag my_bag_with_efforts --copy',
    'screw_dynamics evaluate my_robot.urdf my_bag --topic /joint_states --plot measured.png',
    'screw_dynamics evaluate efforts.csv --joints joint_1 joint_2 --plot two_joints.png',
)


def _namespace(text: str) -> str:
    """Return a ROS namespace with a slash before each part, as ``/left/arm``; '' for the root."""
    inner = text.strip('/')
    if inner and not _NAMESPACE.fullmatch(inner):
        refuse('a namespace such as /left/arm', text)
    return f'/{inner}' if inner else ''


@dataclass(frozen=True)
class EvaluatedRobot(AnyRobot):
    """The first of the files of the motion, or the robot that a bag has recorded."""

    urdf: str = ''


@dataclass(frozen=True)
class EvaluatedMotion(TrajectorySource):
    """A motion, or efforts, and which part of it is read."""

    trajectory: str = ''  # the last of the files
    files: tuple[str, ...] = argument(
        'robot description (URDF), or a model that `model --yaml` wrote (default: the one that '
        'the bag has recorded); CSV or YAML file of points, or of poses of a frame, results of '
        'this command (CSV), or a bag (a folder, or an .mcap or .db3 file)',
        default=(),
        metavar='[URDF] MOTION',
    )
    topic: str | None = option(
        None,
        'of a bag: FeedforwardTorque, JointTrajectory or JointState messages (default: the only '
        'ones, in this order)',
    )
    message: int | None = option(
        None, 'one trajectory of the topic (default: all, as a controller would follow them)'
    )
    start: float = option(-np.inf, 'of a bag: leave out what was recorded before [s]', metavar='S')
    end: float = option(np.inf, 'of a bag: leave out what was recorded after [s]', metavar='S')
    smoothing_time: float | None = option(
        None,
        'of joint states: motion faster than this is noise [s] (default: the data choose)',
        above=0.0,
        metavar='S',
    )


@dataclass(frozen=True)
class Sampling:
    """At which instants, and to which derivative, a motion is evaluated."""

    heading: ClassVar = ('samples',)

    rate: float | None = option(
        None,
        f'samples per second (default: {RATE:g}, the recorded instants for joint states)',
        above=0.0,
        metavar='HZ',
    )
    order: Order = option(2, 'highest derivative of the efforts')


@dataclass(frozen=True)
class Limits:
    """What is told of limits."""

    heading: ClassVar = (
        'limits',
        'Between samples nothing is seen: --rate is their least number per second.',
    )

    limits: bool = option(False, 'compare a trajectory with every limit of the robot')
    slow_down: bool = option(
        False, 'find the least factor of slowing down that keeps all limits, too'
    )
    max_factor: float = option(
        100.0, 'largest factor tried', above=1.0, within=(-np.inf, 1e9), metavar='X'
    )


@dataclass(frozen=True)
class Loops:
    """Loops around the motors."""

    heading: ClassVar = ('loops around the motors',)

    gains: Path | None = option(
        None,
        'parameter file of their gains: of feedback by links and motors along the motion for '
        'feedforward_controller, kp and kd halfway for drive_commands; needs --drives',
    )
    frequency: float = option(6.0, 'of the loops', above=0.0, metavar='HZ')
    delay: float = option(
        0.0,
        'from a measurement to the middle of the hold of its command',
        within=(0.0, np.inf),
        metavar='S',
    )


@dataclass(frozen=True)
class Files(OutputFiles):
    """A table, a figure, and a new bag."""

    title: str | None = option(None, 'headline of the figure (default: robot and motion)')
    bag: Path | None = option(None, 'a new bag of FeedforwardTorque messages', metavar='FOLDER')
    copy: bool = option(False, 'copy all messages of the bag MOTION to the new one')
    namespace: str = option(
        '/offline',
        'of the topics with efforts of a bag: feedforward, motor_feedforward, '
        'joint_trajectory_effort',
        parse=_namespace,
    )


def run(
    source: EvaluatedRobot,
    motion: EvaluatedMotion,
    efforts: SentEfforts,
    samples: Sampling,
    limits: Limits,
    loops: Loops,
    files: Files,
) -> int:
    """Run the command; return 0, or `INFEASIBLE` if a limit is exceeded."""
    *before, last = motion.files
    path, checked = expanded(last), limits.limits or limits.slow_down
    if len(before) > 1:
        raise UsageError(f'argument [URDF] MOTION: expected one or two files, got {last}, too')
    known = has_results(path) or (not before and path.suffix.lower() == '.csv')
    if not before and not is_bag(path) and not known:
        if not path.exists():
            raise InputError(f'{last}: expected a bag, or results of this command')
        raise UsageError(
            f'argument [URDF] MOTION: expected both, got {last} alone, which is no bag, nor '
            'results of this command'
        )
    source = replace(source, urdf=before[0] if before else '')
    motion = replace(motion, trajectory=last)
    if files.copy and (files.bag is None or not is_bag(path)):
        raise UsageError(
            'argument --copy: expected the name of the new bag, too: --bag FOLDER'
            if is_bag(path)
            else f'argument --copy: expected a bag as MOTION, got {last}'
        )
    inputs = source.urdf, last, source.drives
    with writing(inputs, files.csv, loops.gains, figure=files.plot, folder=files.bag) as write:
        if is_bag(path) and not checked and loops.gains is None and motion.message is None:
            return _of_bag(path, source, motion, efforts, samples, files, write)
        if known:
            _refuse(files.bag, checked, loops.gains)
            return _known(read_csv(path), path, source, files, write)
        robot = source.robot(None if source.urdf else _recorded(path), ROBOT_FIRST)
        if loops.gains is not None and robot.drives is None:
            raise InputError('--gains: expected --drives beside it')
        taken = efforts.format_for(robot)
        curve = motion.curve(robot.model)
        rate = samples.rate or RATE
        if not checked:
            _warn_of_gaps(curve, rate)
        times = sample_times(float(curve.breaks[0]), float(curve.breaks[-1]), rate)
        jets = sampled_jets(curve, times, robot)
        results = evaluate_samples(robot, times, jets, samples.order, taken)
        count = '1 sample' if len(times) == 1 else f'{len(times)} samples'
        print(f'{count} over {times[-1] - times[0]:g} s\n{results.summary()}')
        code = _told_limits(robot, curve, rate, limits) if checked else 0
        write(files.csv, lambda file: write_csv(results, file))
        if files.bag is not None:
            from screw_dynamics.recordings.results.results_bag import write_bag

            urdf = source.urdf_text() if source.urdf else _recorded(path)[0]
            write_bag(results, files.bag, curve.continuity, urdf, robot.model)
            print(f'written: {files.bag}')
        if loops.gains is not None:
            from screw_dynamics.simulation.gain_file import write_gains

            with new_file(loops.gains) as place:
                write_gains(robot, curve, loops.frequency, loops.delay, place)
            print(f'written: {loops.gains}')
        title = f'{robot.model.name}: {Path(last).name}'
        _draw(results, robot, files, title, taken.trivial, curve.breaks.tolist())
    return code


def _of_bag(
    path: Path,
    source: EvaluatedRobot,
    motion: EvaluatedMotion,
    efforts: SentEfforts,
    samples: Sampling,
    files: Files,
    write: Write,
) -> int:
    """Compute the efforts of the motions in a bag, or show those that it has."""
    from screw_dynamics.recordings.bags import Bag
    from screw_dynamics.recordings.motions import bag_efforts

    with Bag(path) as bag:
        topic = one_topic(bag, (FEEDFORWARD, TRAJECTORY, JOINT_STATE), motion.topic)
        if bag.topics[topic].type == FEEDFORWARD:
            _refuse(files.bag)
            return _known(read_bag(path, topic), path, source, files, write)
        recorded = None if source.urdf else _recorded(path)
        robot = source.robot(recorded, ROBOT_FIRST)
        taken = efforts.format_for(robot)
        found = bag_efforts(
            bag,
            robot,
            topic=topic,
            start=motion.start,
            end=motion.end,
            interpolation=motion.interpolation,
            rate=samples.rate,
            order=samples.order,
            effort_format=taken,
            smoothing_time=motion.smoothing_time,
        )
        print('\n'.join(filter(None, (found.report, found.results.summary()))))
        if files.bag is not None:
            urdf = source.urdf_text() if recorded is None else recorded[0]
            found.write(files.bag, urdf, files.namespace, bag if files.copy else None)
            print(f'written: {files.bag}')
    write(files.csv, lambda file: write_csv(found.results, file))
    title = f'{robot.model.name}: {topic} of {path.name}'
    _draw(found.results, robot, files, title, taken.trivial)
    return 0


def _known(
    results: Results, path: Path, source: EvaluatedRobot, files: Files, write: Write
) -> int:
    """Show efforts that are known, with the limits of the robot if that is known, too."""
    robot = None
    if source.urdf:
        robot = replace(source, joints=()).robot()
    elif is_bag(path):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')  # of a damaged bag once more, of the robot
                robot = Robot(read_text(*_recorded(path)))
        except ScrewDynamicsError:  # no description
            pass
    if robot is not None and not set(results.joint_names) <= set(robot.joint_names):
        robot = None
    if robot is not None:
        kinds = dict(zip(robot.joint_names, robot.model.coordinate_types, strict=True))
        slides = tuple(kinds[joint] == 'prismatic' for joint in results.joint_names)
        results = replace(results, slides=slides)
    if source.joints:
        results = results.of_joints(source.joints)
    count = len(results.times)
    span = results.times[-1] - results.times[0]
    print(f'{count} samples over {span:g} s\n{results.summary()}')
    write(files.csv, lambda file: write_csv(results, file))
    _draw(results, robot, files, path.name)
    return 0


def _recorded(path: Path) -> Recorded:
    """Return the robot that a bag has recorded."""
    from screw_dynamics.recordings.bags import Bag
    from screw_dynamics.recordings.motions.recording import recorded_robot

    with Bag(path) as bag:
        return recorded_robot(bag)


def _refuse(*given: object) -> None:
    """Raise InputError for what needs a motion whose efforts are computed."""
    if any(given):
        raise InputError(
            '--bag, --limits, --gains: expected a motion, got its efforts: choose a trajectory '
            'or joint states of a bag by --topic'
        )


def _told_limits(robot: Robot, curve: PiecewisePolynomial, rate: float, limits: Limits) -> int:
    """Print how near a motion is to the limits, and return the exit code."""
    times = dense_times(curve, rate)
    jets = sampled_jets(curve, times, robot)
    report = check_feasibility(robot, jets, times)
    print(f'\n{report if report.checks else "the robot has no limits: nothing was checked"}')
    if report.feasible:
        return 0
    if limits.slow_down:
        print(f'\n{_slowed_down(robot, times, jets, limits.max_factor)}')
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


def _warn_of_gaps(curve: PiecewisePolynomial, rate: float) -> None:
    """Warn on stderr if points are closer together than the sample period."""
    steps = np.diff(curve.breaks)
    if len(steps) and steps.min() * rate < 1.0:
        print(
            f'warning: --rate {rate:g}: some points are {steps.min():.3g} s apart, closer than '
            'samples: peaks between these are not seen',
            file=sys.stderr,
        )


def _draw(
    results: Results,
    robot: Robot | None,
    files: Files,
    title: str,
    of_efforts: bool = True,
    marks: list[float] | None = None,
) -> None:
    """Draw the figure, with limits of the robot and marks at some times [s]."""
    if files.plot is not None:
        from screw_dynamics.recordings.results.results_plot import limits_of, save_plot

        limits = {} if robot is None else limits_of(robot, results, of_efforts)
        save_plot(results, files.plot, files.title or title, limits, marks or ())
        print(f'written: {files.plot}')
