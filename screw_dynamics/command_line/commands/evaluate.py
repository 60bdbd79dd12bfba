# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: efforts along a motion, computed or recorded, and its limits."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from screw_dynamics import fleet
from screw_dynamics.command_line.limits import INFEASIBLE, Limits, told_limits
from screw_dynamics.command_line.many import Many, only_of_one, robot_of
from screw_dynamics.command_line.motions import ROBOT_FIRST, Order, TrajectorySource
from screw_dynamics.command_line.outputs import OutputFiles, save, writing
from screw_dynamics.command_line.records import (
    Options,
    UsageError,
    argument,
    flag,
    not_negative,
    option,
    optional,
    positive,
)
from screw_dynamics.command_line.robots import AnyRobot, Recorded, SentEfforts, read_text
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.scalars import refuse
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import BagError, InputError, ModelError
from screw_dynamics.recordings.motions.recording import is_table, recorded_robot
from screw_dynamics.recordings.results.evaluation import RATE, evaluate_samples, sampled_jets
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
from screw_dynamics.trajectory.piecewise_polynomial import sample_times

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
    'screw_dynamics evaluate my_robot.urdf bags/* --output efforts --jobs 8',
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
        metavar='[URDF] MOTION ...',
    )
    topic: str | None = optional(
        'of a bag: FeedforwardTorque, JointTrajectory or JointState messages (default: the only '
        'ones, in this order)',
    )
    message: int | None = optional(
        'one trajectory of the topic (default: all, as a controller would follow them)'
    )
    start: float = option(-np.inf, 'of a bag: leave out what was recorded before [s]', metavar='S')
    end: float = option(np.inf, 'of a bag: leave out what was recorded after [s]', metavar='S')
    smoothing_time: float | None = optional(
        'of joint states: motion faster than this is noise [s] (default: the data choose)',
        above=0.0,
        metavar='S',
    )
    rate: float | None = optional(
        f'samples per second (default: {RATE:g}, the recorded instants for joint states)',
        above=0.0,
        metavar='HZ',
    )
    order: Order = option(2, 'highest derivative of the efforts')

    @property
    def evaluation(self) -> dict[str, Any]:
        """Of `bag_efforts`."""
        names = 'topic', 'start', 'end', 'interpolation', 'rate', 'order', 'smoothing_time'
        return self.of(*names)


@dataclass(frozen=True)
class Loops(Options, heading='loops around the motors'):
    """Loops around the motors."""

    gains: Path | None = optional(
        'parameter file of their gains: of feedback by links and motors along the motion for '
        'feedforward_controller, kp and kd halfway for drive_commands; needs --drives',
    )
    frequency: float = positive(6.0, 'of the loops', metavar='HZ')
    delay: float = not_negative(
        0.0,
        'from a measurement to the middle of the hold of its command',
        metavar='S',
    )


@dataclass(frozen=True)
class Files(OutputFiles):
    """A table, a figure, and a new bag."""

    title: str | None = optional('headline of the figure (default: robot and motion)')
    bag: Path | None = optional('a new bag of FeedforwardTorque messages', metavar='FOLDER')
    copy: bool = flag('copy all messages of the bag MOTION to the new one')
    namespace: str = option(
        '/offline',
        'of the topics with efforts of a bag: feedforward, motor_feedforward, '
        'joint_trajectory_effort',
        parse=_namespace,
    )


class Evaluated(NamedTuple):
    """Results, and what is told and drawn with them."""

    results: Results
    robot: Robot | None  # whose limits are drawn
    title: str
    report: str = ''
    taken: EffortFormat = EffortFormat()
    curve: PiecewisePolynomial | None = None
    write: Callable[[Path], None] | None = None  # a bag


def run(
    source: EvaluatedRobot,
    motion: EvaluatedMotion,
    efforts: SentEfforts,
    limits: Limits,
    loops: Loops,
    files: Files,
    many: Many,
) -> int:
    """Run the command; return 0, or `INFEASIBLE` if a limit is exceeded."""
    if many.asked(motion.files[1:]):  # a robot, and one motion
        return _of_many(source, motion, efforts, limits, loops, files, many)
    source, motion = _separated(source, motion, files)
    path, checked = expanded(motion.trajectory), limits.limits or limits.slow_down
    inputs = source.urdf, path, source.drives
    with writing(inputs, files.csv, loops.gains, figure=files.plot, folder=files.bag) as write:
        if has_results(path) or not source.urdf and not is_bag(path):
            found = _known(read_csv(path), source, path, None)
        elif is_bag(path):
            whole = not checked and loops.gains is None and motion.message is None
            found = _of_bag(path, source, motion, efforts, files, whole)
        else:
            found = _computed(source, motion, efforts, None)
        if (files.bag and not found.write) or ((checked or loops.gains) and not found.curve):
            raise InputError(
                '--bag, --limits, --gains: expected a motion, got its efforts: choose a '
                'trajectory or joint states of a bag by --topic'
            )
        results, robot = found.results, found.robot
        if loops.gains is not None and robot is not None and robot.drives is None:
            raise InputError('--gains: expected --drives beside it')
        if found.curve is not None and not checked:
            _warn_of_gaps(found.curve, motion.rate or RATE)
        print(f'{found.report or _counted(results)}\n{results.summary()}')
        code = 0
        if found.curve is not None and robot is not None and checked:
            code = told_limits(robot, found.curve, motion.rate or RATE, limits)
        write(files.csv, lambda file: write_csv(results, file))
        if found.write is not None:
            save(files.bag, found.write)
        if found.curve is not None and robot is not None:
            save(loops.gains, partial(_write_gains, robot, found.curve, loops), whole=True)
        save(files.plot, partial(_plot, found, files.title))
    return code


def _of_many(
    source: EvaluatedRobot,
    motion: EvaluatedMotion,
    efforts: SentEfforts,
    limits: Limits,
    loops: Loops,
    files: Files,
    many: Many,
) -> int:
    """Compute the efforts of many recordings; return the exit code."""
    only_of_one(csv=files.csv, plot=files.plot, bag=files.bag, gains=loops.gains)
    only_of_one(limits=limits.limits, slow_down=limits.slow_down, message=motion.message)
    first, *rest = motion.files
    described = not (is_bag(expanded(first)) or is_table(first))
    paths = rest if described else motion.files
    source = replace(source, urdf=first if described else '')
    robot = robot_of(source, paths)
    return many.run(
        fleet.evaluate,
        robot,
        paths,
        effort_format=efforts.format_for(robot),
        **motion.evaluation,
    )


def _separated(
    source: EvaluatedRobot, motion: EvaluatedMotion, files: Files
) -> tuple[EvaluatedRobot, EvaluatedMotion]:
    """Return robot and motion with the files of the arguments."""
    *before, last = motion.files
    path, place = expanded(last), 'argument [URDF] MOTION'
    if len(before) > 1:
        raise UsageError(f'{place}: expected one or two files, got {last}, too')
    if not before and not is_bag(path) and path.suffix.lower() != '.csv':
        if not path.exists():
            raise InputError(f'{last}: expected a bag, or results of this command')
        raise UsageError(f'{place}: expected both, got {last} alone, which is no bag, nor results')
    if files.copy and not is_bag(path):
        raise UsageError(f'argument --copy: expected a bag as MOTION, got {last}')
    if files.copy and files.bag is None:
        raise UsageError('argument --copy: expected the name of the new bag, too: --bag FOLDER')
    return replace(source, urdf=''.join(before)), replace(motion, trajectory=last)


def _computed(
    source: EvaluatedRobot,
    motion: EvaluatedMotion,
    efforts: SentEfforts,
    recorded: Recorded | None,
) -> Evaluated:
    """Evaluate a trajectory."""
    robot = source.robot(recorded, ROBOT_FIRST)
    taken = efforts.format_for(robot)
    curve = motion.curve(robot.model)
    begin, end = float(curve.breaks[0]), float(curve.breaks[-1])
    times = sample_times(begin, end, motion.rate or RATE)
    jets = sampled_jets(curve, times, robot)
    results = evaluate_samples(robot, times, jets, motion.order, taken)

    def write(path: Path) -> None:
        from screw_dynamics.recordings.results.results_bag import write_bag

        urdf = source.urdf_text() if recorded is None else recorded[0]
        write_bag(results, path, curve.continuity, urdf, robot.model)

    title = f'{robot.model.name}: {Path(motion.trajectory).name}'
    return Evaluated(results, robot, title, taken=taken, curve=curve, write=write)


def _of_bag(
    path: Path,
    source: EvaluatedRobot,
    motion: EvaluatedMotion,
    efforts: SentEfforts,
    files: Files,
    whole: bool,
) -> Evaluated:
    """Evaluate the `whole` motions in a bag, or one trajectory, or show recorded efforts."""
    from screw_dynamics.recordings.bags import Bag
    from screw_dynamics.recordings.motions import bag_efforts

    with Bag(path) as bag:
        types = (FEEDFORWARD, TRAJECTORY, JOINT_STATE) if whole else (TRAJECTORY,)
        topic = one_topic(bag, types, motion.topic)
        if bag.topics[topic].type == FEEDFORWARD:
            recorded = None
            with suppress(BagError):
                recorded = recorded_robot(bag)
            return _known(read_bag(path, topic), source, path, recorded)
        recorded = None if source.urdf else recorded_robot(bag)
        if not whole:
            return _computed(source, motion, efforts, recorded)
        robot = source.robot(recorded, ROBOT_FIRST)
        taken = efforts.format_for(robot)
        found = bag_efforts(
            bag, robot, effort_format=taken, **{**motion.evaluation, 'topic': topic}
        )

    def write(place: Path) -> None:
        urdf = source.urdf_text() if recorded is None else recorded[0]
        with Bag(path) if files.copy else nullcontext() as copied:
            found.write(place, urdf, files.namespace, copied)

    title = f'{robot.model.name}: {topic} of {path.name}'
    return Evaluated(found.results, robot, title, found.report, taken, write=write)


def _known(
    results: Results, source: EvaluatedRobot, path: Path, recorded: Recorded | None
) -> Evaluated:
    """Show efforts that are known, with the limits of the robot if that is known, too."""
    robot = None
    if source.urdf:
        robot = replace(source, joints=()).robot()
    elif recorded is not None:
        with suppress(ModelError), warnings.catch_warnings():
            warnings.simplefilter('ignore')
            robot = read_text(*recorded)
    if robot is not None and not set(results.joint_names) <= set(robot.joint_names):
        robot = None
    if robot is not None:
        kinds = dict(zip(robot.joint_names, robot.model.coordinate_types, strict=True))
        slides = tuple(kinds[joint] == 'prismatic' for joint in results.joint_names)
        results = replace(results, slides=slides)
    if source.joints:
        results = results.of_joints(source.joints)
    return Evaluated(results, robot, path.name)


def _counted(results: Results) -> str:
    """Return the number and the span of samples."""
    times = results.times
    count = '1 sample' if len(times) == 1 else f'{len(times)} samples'
    return f'{count} over {times[-1] - times[0]:g} s'


def _warn_of_gaps(curve: PiecewisePolynomial, rate: float) -> None:
    """Warn on stderr if points are closer together than the sample period."""
    steps = np.diff(curve.breaks)
    if len(steps) and steps.min() * rate < 1.0:
        print(
            f'warning: --rate {rate:g}: some points are {steps.min():.3g} s apart, closer than '
            'samples: peaks between these are not seen',
            file=sys.stderr,
        )


def _plot(found: Evaluated, title: str | None, path: Path) -> None:
    """Draw the figure."""
    from screw_dynamics.recordings.results.results_plot import limits_of, save_plot

    marks = [] if found.curve is None else found.curve.breaks.tolist()
    results, robot = found.results, found.robot
    shown = {} if robot is None else limits_of(robot, results, found.taken.trivial)
    save_plot(results, path, title or found.title, shown, marks)


def _write_gains(robot: Robot, curve: PiecewisePolynomial, loops: Loops, path: Path) -> None:
    """Write the gains of loops around the motors."""
    from screw_dynamics.simulation.feedback_gains import write_gains

    write_gains(robot, curve, loops.frequency, loops.delay, path)
