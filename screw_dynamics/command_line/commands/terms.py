# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics terms`: matrices, efforts, frames and accelerations at one state."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from screw_dynamics.command_line.argument_types import Named, values_of
from screw_dynamics.command_line.motions import Order
from screw_dynamics.command_line.outputs import writing
from screw_dynamics.command_line.records import Options, option, optional, per_joint
from screw_dynamics.command_line.robots import RobotSource
from screw_dynamics.dynamics.state_terms import (
    State,
    state_terms,
    term_text,
    write_terms_csv,
    write_terms_json,
)
from screw_dynamics.errors import InputError
from screw_dynamics.limits.degrees import require_radians
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import Representation
from screw_dynamics.trajectory import JET_ROWS

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
_GIVEN = 'if given, the motion that efforts cause is computed'


@dataclass(frozen=True)
class StateOptions(Options, heading='state'):
    """A state: motion and efforts of the joints."""

    position: tuple[Named, ...] = per_joint('[rad or m] (default: all 0)')
    velocity: tuple[Named, ...] = per_joint('[rad or m per s] (default: all 0)')
    acceleration: tuple[Named, ...] = per_joint('[rad or m per s^2] (default: all 0)')
    jerk: tuple[Named, ...] = per_joint('[rad or m per s^3] (default: all 0)')
    snap: tuple[Named, ...] = per_joint('[rad or m per s^4] (default: all 0)')
    effort: tuple[Named, ...] = per_joint(f'[N m or N] ({_GIVEN})')
    effort_dot: tuple[Named, ...] = per_joint(f'[N m or N per s] ({_GIVEN})')
    effort_ddot: tuple[Named, ...] = per_joint(f'[N m or N per s^2] ({_GIVEN})')


@dataclass(frozen=True)
class TermOptions(Options, heading='terms'):
    """What is computed at the state."""

    frame: str | None = optional('its pose, twist and Jacobian are computed', metavar='LINK')
    representation: Representation = option('body', 'axes and point of the twist')
    order: Order = option(
        0, 'highest time derivative of efforts, twist, Jacobian and accelerations'
    )


@dataclass(frozen=True)
class Files(Options, heading='output'):
    """Where the terms are written."""

    csv: Path | None = optional('one row per number; - for standard output')
    json: Path | None = optional('all terms by name; - for standard output')


def run(robot: RobotSource, values: StateOptions, chosen: TermOptions, files: Files) -> int:
    """Run the command; return 0."""
    with writing((robot.urdf,), files.csv, files.json) as write:
        model = robot.model()
        state = _state(values, chosen, model)
        terms = state_terms(model, state)
        print('\n\n'.join(map(term_text, terms)))
        write(files.csv, lambda file: write_terms_csv(terms, file))
        write(files.json, lambda file: write_terms_json(model, state, terms, file))
    return 0


def _state(values: StateOptions, chosen: TermOptions, model: ScrewModel) -> State:
    given = {f'--{name.replace("_", "-")}': entries for name, entries in vars(values).items()}
    efforts = list(given.items())[JET_ROWS:]
    for d, (name, entries) in enumerate(efforts):
        if entries and d > chosen.order:
            raise InputError(f'{name}: expected --order {d} or more with it, got {chosen.order}')
    rows = [values_of(name, entries, model.joint_names) for name, entries in given.items()]
    every = np.array([np.zeros(model.n) if row is None else row for row in rows])
    require_radians('--position', model, every[:1])
    known = any(entries for _, entries in efforts)
    sent = every[JET_ROWS : JET_ROWS + chosen.order + 1] if known else None
    return State(every[:JET_ROWS], sent, chosen.order, chosen.frame, chosen.representation)
