# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Terms of a robot at one state: matrices, efforts, frames, accelerations; as text, CSV, JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TextIO

import numpy as np

from screw_dynamics.common.arrays import Array, require_finite
from screw_dynamics.common.text_table import text_table
from screw_dynamics.dynamics import (
    bias_forces,
    coriolis_matrix,
    forward_dynamics_jet,
    frame_jacobian_jet,
    frame_pose,
    frame_twist,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import Representation

_NOISE = 1e-14  # of the largest number of a table
_TWIST = ('wx', 'wy', 'wz', 'vx', 'vy', 'vz')


class Term(NamedTuple):
    """A table of numbers with names."""

    name: str  # as in files
    heading: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Array  # (rows, columns)


class State(NamedTuple):
    """The state that terms belong to, and the choice of them."""

    joint_jet: Array  # (5, n), position to snap
    efforts: Array | None  # (order + 1, n)
    order: int
    frame: str | None
    representation: Representation


def state_terms(model: ScrewModel, state: State) -> list[Term]:
    """Return the terms of a state; raise ScrewDynamicsError."""
    terms = [
        *_terms_of_the_equation(model, state),
        *(_terms_of_a_frame(model, state, state.frame) if state.frame else ()),
        *(_caused_motion(model, state, state.efforts) if state.efforts is not None else ()),
    ]
    for term in terms:
        require_finite(term.name, term.values)  # velocities above 1e150 overflow
    return terms


def _terms_of_the_equation(model: ScrewModel, state: State) -> Iterator[Term]:
    q, qd = state.joint_jet[:2]
    names, gravity = model.joint_names, gravity_forces(model, q)
    yield Term(
        'mass_matrix', 'mass matrix M [kg m^2, kg m, kg]', names, names, mass_matrix(model, q)
    )
    heading = 'Coriolis matrix C [kg m^2/s, kg m/s, kg/s]'
    matrix = coriolis_matrix(model, q, qd)
    yield Term('coriolis_matrix', heading, names, names, matrix)
    efforts = inverse_dynamics(model, state.joint_jet[: state.order + 3])
    parts = np.vstack([bias_forces(model, q, qd) - gravity, gravity, efforts])
    columns = ('coriolis', 'gravity', *_derivatives('effort', len(efforts)))
    heading = "efforts C q', g and of this motion [N m or N, per s^d]"
    yield Term('efforts', heading, names, columns, parts.T)


def _terms_of_a_frame(model: ScrewModel, state: State, frame: str) -> Iterator[Term]:
    jet = state.joint_jet[: state.order + 2]
    pose = frame_pose(model, jet[0], frame)
    yield Term('pose', f'pose of {frame} [-, m]', 'xyz', ('x', 'y', 'z', 'origin'), pose[:3])
    twists = frame_twist(model, jet, frame, state.representation)
    heading = f'twist of {frame}, {state.representation} [rad/s, m/s, per s^d]'
    yield Term('twist', heading, _TWIST, _derivatives('twist', len(twists)), twists.T)
    jacobians = frame_jacobian_jet(model, jet[:-1], frame, state.representation)
    names = _derivatives('jacobian', len(jacobians))
    for name, jacobian in zip(names, jacobians, strict=True):
        heading = f'{name} of {frame}, {state.representation}'
        yield Term(name, heading, _TWIST, model.joint_names, jacobian)


def _caused_motion(model: ScrewModel, state: State, efforts: Array) -> Iterator[Term]:
    jet = forward_dynamics_jet(model, state.joint_jet[0], state.joint_jet[1], efforts)
    names = ('acceleration', 'jerk', 'snap')[: state.order + 1]
    heading = 'motion that the given efforts cause [rad or m, per s^d]'
    yield Term('forward_dynamics', heading, model.joint_names, names, jet[2:].T)


def _derivatives(name: str, count: int) -> tuple[str, ...]:
    return tuple(f'{name}{ending}' for ending in ('', '_dot', '_ddot')[:count])


def term_text(term: Term) -> str:
    """Return a term as a table that fits the terminal."""
    # without what rounding has left of zeros
    noise = _NOISE * np.abs(term.values).max(initial=0.0)
    shown = np.where(np.abs(term.values) <= noise, 0.0, term.values)
    rows = [('', *term.columns)]
    for name, values in zip(term.rows, shown, strict=True):
        rows.append((name, *(f'{value:.6g}' for value in values)))
    return f'{term.heading}\n{text_table(rows)}'


def write_terms_csv(terms: Sequence[Term], file: TextIO) -> None:
    """Write one line per number, without loss: term, row, column, value."""
    writer = csv.writer(file, lineterminator='\n')
    writer.writerow(('term', 'row', 'column', 'value'))
    for term in terms:
        for row, values in zip(term.rows, term.values.tolist(), strict=True):
            for column, value in zip(term.columns, values, strict=True):
                writer.writerow((term.name, row, column, repr(value)))


def write_terms_json(model: ScrewModel, state: State, terms: Sequence[Term], file: TextIO) -> None:
    """Write the state and its terms as one JSON object, without loss."""
    content = {
        'robot': model.name,
        'joint_names': list(model.joint_names),
        'joint_jet': state.joint_jet.tolist(),
        'effort_jet': None if state.efforts is None else state.efforts.tolist(),
        'frame': state.frame,
        'representation': state.representation,
        'terms': {
            term.name: {
                'rows': list(term.rows),
                'columns': list(term.columns),
                'values': term.values.tolist(),
            }
            for term in terms
        },
    }
    json.dump(content, file)
    file.write('\n')
