# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics excite`: a motion from which drives and a load can be identified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from screw_dynamics.command_line.argument_types import (
    Named,
    named_numbers,
    one_or_each,
)
from screw_dynamics.command_line.motions import write_waypoints
from screw_dynamics.command_line.outputs import writing
from screw_dynamics.command_line.records import (
    Options,
    option,
    optional,
    per_joint,
    positive,
    several,
)
from screw_dynamics.command_line.robots import DrivenRobot
from screw_dynamics.common.progress import counting
from screw_dynamics.limits.excitation import excitation_motion

Box = tuple[str, list[float]]

DESCRIPTION = (
    'Design a smooth motion from rest to rest that tells much about springs, motors, friction and '
    'a load, within the limits of the robot, print the 95 % bands that `identify --drives` is '
    'expected to reach, and write it as a trajectory, for trajectory_sender.'
)
EXAMPLES = (
    'screw_dynamics excite my_robot.urdf --csv excite.csv',
    'screw_dynamics excite my_robot.urdf --drives my_springs.yaml --load tool0 --duration 20 '
    '--workspace tool0=-1,-1,0.1,1,1,1.5 --csv excite.csv',
)


def _box(text: str) -> Box:
    return named_numbers(text, (6,), 'LINK=X,Y,Z,X,Y,Z')


@dataclass(frozen=True)
class Designed(Options, heading='motion'):
    """What the motion is for, and among how many it is chosen."""

    load: str | None = optional('link that carries an unknown load', metavar='LINK')
    duration: float = positive(15.0, '[s]', metavar='S')
    points: int = option(12, 'between begin and end')
    trials: int = option(200, 'motions tried')
    seed: int = option(0, 'of the motions tried')
    begin: tuple[Named, ...] = per_joint(
        'positions at begin and end (default: 0, or the nearest in the middle half of the range) '
        '[rad or m]'
    )


@dataclass(frozen=True)
class Bounds(Options, heading='limits'):
    """What the motion keeps."""

    share: float = positive(
        0.8,
        'of the limits of joints and motors, but those of positions, that may be used',
        metavar='PART',
    )
    workspace: tuple[Box, ...] = several(
        'lowest and highest position of the origin of a link, in axes of the base [m]; may be '
        'repeated',
        metavar='LINK=X,Y,Z,X,Y,Z',
        parse=_box,
        repeated=True,
    )


@dataclass(frozen=True)
class Measurement(Options, heading='recording'):
    """How the motion will be recorded."""

    effort_noise: tuple[Named, ...] = per_joint(
        'standard deviation of the motor efforts (default: 2 % of the effort limits) [N m or N]'
    )
    encoder_noise: float = positive(
        2e-5, 'standard deviation of the positions [rad or m]', metavar='X'
    )
    rate: float = positive(500.0, 'of samples', metavar='HZ')


@dataclass(frozen=True)
class Output(Options, heading='output'):
    """Where the motion is written."""

    csv: Path | None = optional(
        'points of the motion, for a smooth interpolation; - for standard output'
    )


def run(
    source: DrivenRobot, wanted: Designed, bounds: Bounds, measured: Measurement, files: Output
) -> int:
    """Run the command; return 0."""
    with writing((source.urdf, source.drives), files.csv) as write:
        robot = source.robot()
        names = robot.joint_names
        with counting('trying motions', wanted.trials, 'motion') as count:
            found = excitation_motion(
                robot,
                payload=wanted.load,
                duration=wanted.duration,
                points=wanted.points,
                start=one_or_each('--begin', wanted.begin, names),
                share=bounds.share,
                workspace={link: (box[:3], box[3:]) for link, box in bounds.workspace},
                effort_noise=one_or_each('--effort-noise', measured.effort_noise, names),
                encoder_noise=measured.encoder_noise,
                rate=measured.rate,
                trials=wanted.trials,
                seed=wanted.seed,
                on_trial=count,
            )
        print(f'{found}\n\n{found.report}')
        write(files.csv, lambda file: write_waypoints(found.waypoints, file))
    return 0
