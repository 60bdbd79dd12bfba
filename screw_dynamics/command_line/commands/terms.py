# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics terms`: matrices, efforts, frames and accelerations at one state."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import numpy as np

from screw_dynamics.command_line import joint_values, motions, outputs, robots
from screw_dynamics.command_line.state_terms import (
    State,
    state_terms,
    term_text,
    write_terms_csv,
    write_terms_json,
)
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import is_standard_output, new_file, reports_beside
from screw_dynamics.errors import InputError
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import REPRESENTATIONS

FILES = 'URDF'
DESCRIPTION = (
    "Compute the terms of the equation of motion M q'' + C q' + g = tau at one state; the pose, "
    'twist and Jacobian of a frame; and the motion that given efforts cause. Values of joints '
    'are numbers, one for every coordinate, or JOINT=VALUE for some; others are 0.'
)
EXAMPLES = (
    'screw_dynamics terms my_robot.urdf --position 0.3 -0.5 --velocity 1 2',
    'screw_dynamics terms my_robot.urdf --position joint_2=0.5 --velocity joint_1=1 '
    '--frame tool --representation hybrid --order 2',
    'screw_dynamics terms my_robot.urdf --effort joint_1=5 --json terms.json',
)
_MOTION = ('position', 'velocity', 'acceleration', 'jerk', 'snap')
_EFFORTS = ('effort', 'effort-dot', 'effort-ddot')
_RATES = ('', ' per s', ' per s^2', ' per s^3', ' per s^4')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    robots.add_urdf(parser)
    robots.add_options(parser)
    group = parser.add_argument_group('state')
    for names, unit, text in (
        (_MOTION, 'rad or m', 'default: all 0'),
        (_EFFORTS, 'N m or N', 'if given, the motion that efforts cause is computed'),
    ):
        for name, power in zip(names, _RATES, strict=False):
            joint_values.add_joint_values(group, f'--{name}', f'[{unit}{power}] ({text})')
    group = parser.add_argument_group('terms')
    group.add_argument('--frame', metavar='LINK', help='its pose, twist and Jacobian are computed')
    group.add_argument(
        '--representation',
        choices=REPRESENTATIONS,
        default=REPRESENTATIONS[0],
        help=f'axes and point of the twist (default: {REPRESENTATIONS[0]})',
    )
    group.add_argument(
        '--order',
        type=int,
        choices=motions.ORDERS,
        default=0,
        help='highest time derivative of efforts, twist, Jacobian and accelerations (default: 0)',
    )
    group = parser.add_argument_group('output')
    for kind, text in (('csv', 'one row per number'), ('json', 'all terms by name')):
        group.add_argument(
            f'--{kind}', metavar='FILE', type=Path, help=f'{text}; - for standard output'
        )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    files = (options.csv, options.json)
    standard = next((path for path in files if is_standard_output(path)), None)
    with reports_beside(standard) as output:
        outputs.check((options.urdf,), files)
        model = robots.read_robot(options).tree
        state = _state(options, model)
        terms = state_terms(model, state)
        print('\n\n'.join(map(term_text, terms)))
        _write(options.csv, output, lambda file: write_terms_csv(terms, file))
        _write(options.json, output, lambda file: write_terms_json(model, state, terms, file))
    return 0


def _state(options: argparse.Namespace, model: ScrewModel) -> State:
    efforts = None
    given = [d for d, name in enumerate(_EFFORTS) if _given(options, name) is not None]
    if given:
        if given[-1] > options.order:
            raise InputError(
                f'--{_EFFORTS[given[-1]]}: expected --order {given[-1]} or more with it, got '
                f'{options.order}'
            )
        efforts = _rows(options, _EFFORTS, model)[: options.order + 1]
    motion = _rows(options, _MOTION, model)
    motions.require_radians('--position', model, motion[:1])
    return State(
        motion,
        efforts,
        options.order,
        options.frame,
        options.representation,
    )


def _rows(options: argparse.Namespace, names: tuple[str, ...], model: ScrewModel) -> Array:
    return np.array(
        [
            joint_values.joint_values(f'--{name}', _given(options, name), model.joint_names)
            for name in names
        ]
    )


def _given(options: argparse.Namespace, name: str) -> list[tuple[str, float]] | None:
    values: list[tuple[str, float]] | None = getattr(options, name.replace('-', '_'))
    return values


def _write(path: Path | None, output: TextIO, write: Callable[[TextIO], None]) -> None:
    if path is None:
        return
    if is_standard_output(path):
        write(output)
        return
    with new_file(path) as place, place.open('w', encoding='utf-8', newline='') as file:
        write(file)
    print(f'\nwritten: {path}')
