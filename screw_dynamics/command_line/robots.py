# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot arguments of the commands, and the model built from them."""

import argparse
import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from screw_dynamics.command_line.command_parser import EachOnce
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.scalars import finite, finite_or_nan, refuse
from screw_dynamics.drives import Drives
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.effort_format import CONTENTS, MEASURED_CONTENTS, EffortFormat
from screw_dynamics.errors import (
    InputError,
    ModelError,
    ModelWarning,
    TrajectoryError,
    UnknownNameError,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.urdf import read_urdf
from screw_dynamics.soft.segments.append_segments import append_segments
from screw_dynamics.trajectory import read_trajectory
from screw_dynamics.trajectory.cartesian import read_poses

YAML_ENDINGS = ('.yaml', '.yml')


def add_urdf(parser: argparse.ArgumentParser) -> None:
    """Add the positional argument URDF."""
    parser.add_argument(
        'urdf',
        metavar='URDF',
        help='robot description (URDF), or a model that `model --yaml` wrote',
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select joints and links, and modify the robot."""
    group = parser.add_argument_group('robot')
    group.add_argument(
        '--joints',
        nargs='+',
        action=EachOnce,
        metavar='JOINT',
        help='coordinates and their order (default: all)',
    )
    group.add_argument('--tip-link', metavar='LINK', help='take the chain to this link only')
    group.add_argument('--base-link', metavar='LINK', help='link that stands still')
    group.add_argument(
        '--locked',
        nargs='+',
        action=EachOnce,
        metavar='JOINT=POSITION',
        type=named_value,
        default=[],
        help='joints that are fixed, and where [rad or m]',
    )
    group.add_argument(
        '--gravity',
        nargs=3,
        type=finite,
        metavar=('X', 'Y', 'Z'),
        help='in axes of the base link [m/s^2] (default: 0 0 -9.81)',
    )
    group.add_argument(
        '--payload',
        metavar='LINK=MASS[,X,Y,Z]',
        type=_payload,
        action='append',
        default=[],
        help='point mass fixed to a link [kg], and where in its frame [m]; may be repeated',
    )


def add_effort_options(parser: argparse.ArgumentParser, *, measured: bool = False) -> None:
    """Add the options that say how the robot takes efforts, or what the `measured` ones are."""
    group = parser.add_argument_group(
        'efforts as the robot reports them' if measured else 'efforts as the robot takes them'
    )
    group.add_argument(
        '--effort-content',
        choices=MEASURED_CONTENTS if measured else CONTENTS,
        default='full',
        help="all; all but gravity (Universal Robots); or external loads, as the robot's own "
        'model tells them (default: full)'
        if measured
        else 'all; all but gravity, for a robot that adds gravity itself; or gravity only '
        '(default: full)',
    )
    for name, text in (
        ('sign', '-1 where the drive counts in the opposite sense'),
        ('scale', 'factor from the effort to the value of the drive'),
        ('offset', 'added after sign and scale'),
    ):
        group.add_argument(
            f'--effort-{name}',
            nargs='+',
            action=EachOnce,
            metavar='JOINT=VALUE',
            type=named_value,
            default=[],
            help=text,
        )


def add_soft_segments(parser: argparse.ArgumentParser) -> None:
    """Add the option for soft segments behind the chain."""
    parser.add_argument(
        '--soft-segments',
        metavar='FILE',
        help='YAML file of soft segments behind the last link (docs/soft_segments.md)',
    )


def measured_format(options: argparse.Namespace, robot: Robot) -> EffortFormat:
    """Return the format of the options; raise InputError if it does not fit the robot."""
    lists = {}
    for name, neutral in (('sign', 1.0), ('scale', 1.0), ('offset', 0.0)):
        values = dict(getattr(options, f'effort_{name}'))
        for joint in values:
            if joint not in robot.joint_names:
                raise UnknownNameError(f'--effort-{name}: joint', joint, robot.joint_names)
        lists[name] = [values.get(joint, neutral) for joint in robot.joint_names]
    try:
        taken = EffortFormat(options.effort_content, **lists)
    except InputError as error:
        raise InputError(f'--effort-{error}') from None
    return taken


def effort_format(options: argparse.Namespace, robot: Robot) -> EffortFormat:
    """Return the format of efforts that are sent, to one motor per joint, or raise InputError."""
    taken = measured_format(options, robot)
    if robot.drives is not None and not taken.trivial and len(robot.motors.names) != robot.n:
        raise InputError(
            '--elastic: expected one motor per joint with options --effort-*, got the motors '
            f'{", ".join(robot.motors.names)}'
        )
    return taken


def read_text(text: str, where: str, **chosen: Any) -> ScrewModel:
    """Return the model of a URDF text by options of `read_urdf`; errors name its origin."""
    try:
        # a str that does not begin with markup would be read as a path
        markup = text.lstrip('\ufeff \t\r\n').startswith('<')
        return read_urdf(text if markup else text.encode(), **chosen)
    except ModelError as error:
        raise ModelError(f'{where}: {error}') from None


def read_robot(options: argparse.Namespace, recorded: tuple[str, str] | None = None) -> Robot:
    """Return the robot of the options, or of `recorded_robot`; print warnings on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', ModelWarning)
        model = _model(options, recorded)
    for warning in caught:
        print(f'warning: {" ".join(str(warning.message).split())}', file=sys.stderr)
    for link, mass, com in options.payload:
        model = model.with_payload(link, mass, com)
    elastic, segments = (getattr(options, key, None) for key in ('elastic', 'soft_segments'))
    if segments is not None:
        if elastic is not None:
            raise InputError(f'--soft-segments: expected no file beside --elastic, got {segments}')
        # another kind of robot, which some commands refuse
        return Robot(append_segments(model, expanded(segments)))
    robot = Robot(model, None if elastic is None else Drives.from_yaml(expanded(elastic)))
    if robot.drives is not None:
        _ = robot.motors  # raises if they do not match the model
    return robot


def urdf_text(options: argparse.Namespace) -> str:
    """Return the URDF of the options; empty for a model file, or a text that is not UTF-8."""
    path = expanded(options.urdf)
    try:
        return '' if path.suffix.lower() in YAML_ENDINGS else path.read_text(encoding='utf-8-sig')
    except UnicodeDecodeError:
        return ''


def _model(options: argparse.Namespace, recorded: tuple[str, str] | None) -> ScrewModel:
    selection = {
        'base_link': options.base_link,
        'tip_link': options.tip_link,
        'joints': options.joints,
        'locked': dict(options.locked) or None,
    }
    chosen = {name: value for name, value in selection.items() if value is not None}
    if options.gravity is not None:
        chosen['gravity'] = options.gravity
    if recorded is not None:
        return read_text(*recorded, **chosen)
    path = expanded(options.urdf)
    is_model = path.suffix.lower() in YAML_ENDINGS
    if is_model and chosen:
        raise InputError(
            f'{path}: --{next(iter(chosen)).replace("_", "-")} selects from a URDF; '
            f'give the URDF, not the model'
        )
    with path_in_errors(
        path, ': URDF stands before TRAJECTORY' if 'trajectory' in options else ''
    ):
        return ScrewModel.from_yaml(path) if is_model else read_urdf(path, **chosen)


@contextmanager
def path_in_errors(path: Path, hint: str = '') -> Iterator[None]:
    """Let errors of the block name the file, and a trajectory as such, with a hint."""
    try:
        yield
    except ModelError as error:
        if _is_trajectory(path):
            raise InputError(f'{path}: expected a robot, got a trajectory{hint}') from None
        if str(path) in str(error):
            raise
        raise ModelError(f'{path}: {error}') from None


def _is_trajectory(path: Path) -> bool:
    """Return whether a file can be read as points of joints or poses of a frame."""
    for read in (read_trajectory, partial(read_poses, frame='any')):
        with suppress(TrajectoryError):
            read(path)
            return True
    return False


def named_value(text: str) -> tuple[str, float]:
    """Parse a name and a number, as in ``gripper=0.02``."""
    name, equals, value = text.rpartition('=')
    number = finite_or_nan(value)
    if not equals or not name or math.isnan(number):
        refuse('NAME=VALUE, with a number as VALUE', text)
    return name, number


def _payload(text: str) -> tuple[str, float, tuple[float, float, float]]:
    """Parse link, mass [kg] and centre of mass [m]: ``tool0=1.2`` or ``tool0=1.2,0,0,0.06``."""
    link, equals, rest = text.rpartition('=')
    numbers = [finite_or_nan(part) for part in rest.split(',')]
    good = equals and link and len(numbers) in (1, 4) and not any(map(math.isnan, numbers))
    if not good:
        refuse('LINK=MASS or LINK=MASS,X,Y,Z', text)
    x, y, z = numbers[1:] or (0.0, 0.0, 0.0)
    return link, numbers[0], (x, y, z)
