# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics learn`: a repeated motion, corrected by the errors of its last run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from screw_dynamics.command_line.argument_types import Named, one_or_each
from screw_dynamics.command_line.motions import TrajectorySource
from screw_dynamics.command_line.outputs import check, save
from screw_dynamics.command_line.records import (
    Options,
    argument,
    not_negative,
    optional,
    per_joint,
)
from screw_dynamics.command_line.robots import YAML_ENDINGS, RecordedRobot
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.learning import LearnedMotion, learn_motion
from screw_dynamics.learning.learned_motion import has_history
from screw_dynamics.recordings.motions import recorded_runs
from screw_dynamics.trajectory import PiecewisePolynomial

DESCRIPTION = (
    'Correct a repeated motion by the errors of the links in its last run, and write it as a '
    'trajectory that trajectory_sender sends and the nodes follow. The file remembers the wanted '
    'motion and all runs: send it, record, and call this command with both again, until it says '
    'that the motion is finished.'
)
EXAMPLES = (
    'screw_dynamics learn first_run my_trajectory.yaml --drives my_springs.yaml '
    '--output learned.yaml',
    'screw_dynamics learn second_run learned.yaml --drives my_springs.yaml --output learned.yaml',
    'screw_dynamics learn run_1 run_2 run_3 learned.yaml --output learned.yaml --delay 0.005',
)
# between the reference and the file, which begins where the robot was [rad or m]
_SAME, _NEAR = 1e-6, 1e-3


@dataclass(frozen=True)
class Bags(Options, heading='what is read'):
    """Recorded runs."""

    bags: tuple[Path, ...] = argument(
        'folder of a bag, or an .mcap file, with runs of the trajectory; errors of several runs '
        'are averaged',
        metavar='BAG',
    )
    joint_states: str | None = optional(
        'JointState messages with the positions of the links (default: the only ones)',
        metavar='TOPIC',
    )
    reference: str | None = optional(
        'FeedforwardTorque or JointTrajectory messages that tell when the trajectory began '
        '(default: the only ones, of the first type before the other)',
        metavar='TOPIC',
    )


@dataclass(frozen=True)
class SentTrajectory(TrajectorySource):
    """A trajectory in a file."""

    trajectory: str = argument(
        'the trajectory that was sent: CSV or YAML file of points, or of poses of a frame, or '
        'what this command has written',
        metavar='TRAJECTORY',
    )
    topic: None = None
    message: None = None


@dataclass(frozen=True)
class Uncertainty(
    Options, heading='uncertainty', text='From which the smoothing time and the step follow.'
):
    """What is not known of the robot."""

    uncertainty: float = not_negative(
        0.1,
        'largest relative error of masses, stiffness, rotors and friction',
        metavar='PART',
    )
    delay: float = not_negative(
        0.002,
        'unknown delay from commands to the motion [s]',
        metavar='S',
    )
    kp: tuple[Named, ...] = per_joint(
        'stiffness of the PD on the motors, on the joint side of the gear (default: motors '
        'follow exactly)'
    )
    kd: tuple[Named, ...] = per_joint('damping of this PD')
    smoothing_time: float | None = optional(
        'errors faster than this are not corrected [s]', above=0.0, metavar='S'
    )
    step: float | None = optional(
        'of an error that is corrected, at most 1', above=0.0, metavar='PART'
    )

    def gains(self, robot: Robot) -> tuple[Array, Array] | None:
        """Return gains (n,), one of them for all joints or one for each; None without."""
        found = []
        for name, given in (('--kp', self.kp), ('--kd', self.kd)):
            gains = one_or_each(name, given, robot.joint_names)
            if gains is None and (self.kp or self.kd):
                raise InputError(f'{name}: expected one beside the other gain, got none')
            found.append(gains)
        kp, kd = found
        return None if kp is None or kd is None else (kp, kd)


@dataclass(frozen=True)
class Output(Options, heading='output'):
    """Where the motion is written."""

    output: Path | None = optional(
        'YAML file of the corrected trajectory; it may replace TRAJECTORY if that is one '
        '(default: only the errors are printed)',
    )


def run(
    read: Bags,
    sent: SentTrajectory,
    source: RecordedRobot,
    unknown: Uncertainty,
    files: Output,
) -> int:
    """Run the command; return 0."""
    from screw_dynamics.recordings.bags import Bag

    path = expanded(sent.trajectory)
    learned = has_history(path)
    kept = () if learned else (sent.trajectory,)
    check((*read.bags, source.urdf, source.drives, *kept), (files.output,))
    if files.output is not None and files.output.suffix not in YAML_ENDINGS:
        raise InputError(f'--output: expected a name that ends in .yaml, got {files.output}')
    robot = source.robot(source.recorded(read.bags[0]))
    motion: PiecewisePolynomial | LearnedMotion
    motion = _learned(path, robot) if learned else sent.curve(robot.model)
    curve = motion.curve if isinstance(motion, LearnedMotion) else motion
    recordings = []
    for place in read.bags:
        with Bag(expanded(place)) as bag:
            recordings += recorded_runs(
                bag,
                curve,
                robot.tree,
                _SAME if learned else _NEAR,
                read.joint_states,
                read.reference,
            )
    found = learn_motion(
        robot,
        motion,
        recordings,
        gains=unknown.gains(robot),
        **unknown.of('uncertainty', 'delay', 'smoothing_time', 'step'),
    )
    count = f'{len(recordings)} runs' if len(recordings) > 1 else '1 run'
    print(f'{count} of {sent.trajectory}\n\n{found}')
    save(files.output, found.to_yaml, whole=True)
    return 0


def _learned(path: Path, robot: Robot) -> LearnedMotion:
    """Return the motion in a file of this command."""
    motion = LearnedMotion.from_yaml(path)
    if motion.joint_names != robot.joint_names:
        raise InputError(
            f'{path}: joint_names: expected those of the robot in its order, '
            f'{", ".join(robot.joint_names)}, got {", ".join(motion.joint_names)}'
        )
    return motion
