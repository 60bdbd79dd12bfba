# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings that cannot be used: opposite signs, swapped joints, units, clipping, rest."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.model.screw_model import ScrewModel

_CLIPPED = 0.01  # of the samples, at the same largest value
_LEAST_RANGE = 0.05  # of a position [rad or m]
_TELLING = 0.5  # correlation of measured efforts and those of the model
_SWAPPED = 0.5  # of what a joint leaves of its efforts, another one leaves
_FACTOR = 15.0  # between measured efforts and those of the model, which may lack a payload
_DEGREES = 2.0  # times beyond the range of the limits


def check_positions(model: ScrewModel, positions: Array) -> None:
    """Raise InputError for joints that do not move, or whose positions may be degrees."""
    span = np.ptp(positions, axis=0)
    for name, moved in zip(model.joint_names, span, strict=True):
        if moved < _LEAST_RANGE:
            raise InputError(
                f'recording: joint {name!r}: expected a motion of at least {_LEAST_RANGE:g} '
                f'rad or m, got {moved:.2g}'
            )
    limits = model.limits
    with np.errstate(invalid='ignore'):
        allowed = limits.upper - limits.lower
    beyond = (span > _DEGREES * allowed) & (np.array(model.coordinate_types) != 'prismatic')
    for name, moved, own in zip(
        np.array(model.joint_names)[beyond], span[beyond], allowed[beyond], strict=True
    ):
        raise InputError(
            f'recording: joint {name!r}: expected positions in rad within a range of {own:.3g}, '
            f'got a range of {moved:.3g}: are they in degrees?'
        )


def check_efforts(model: ScrewModel, efforts: Array, predicted: Array, jets: Array) -> None:
    """
    Raise InputError for efforts that contradict the model: sign, joint, unit, clipping.

    `predicted` (T, n) are those of the model without friction.
    """
    names = model.joint_names
    for i, name in enumerate(names):
        largest = np.abs(efforts[:, i]).max()
        share = float((np.abs(efforts[:, i]) == largest).mean())
        if largest > 0.0 and share > _CLIPPED:
            raise InputError(
                f'recording: joint {name!r}: expected efforts below a limit, got '
                f'{100.0 * share:.0f} % of the samples at {largest:.4g}: they are clipped'
            )
    left = np.array(
        [
            [_left(efforts[:, i], predicted[:, j], jets[:, :, j]) for j in range(model.n)]
            for i in range(model.n)
        ]
    )
    best = np.argmin(left, axis=1)
    for i, j in enumerate(best.tolist()):
        if j != i and best[j] == i and max(left[i, j], left[j, i]) < _SWAPPED * left[i, i]:
            raise InputError(
                f'recording: joint {names[i]!r}: expected its own efforts, got some that fit '
                f'{names[j]!r}, and the reverse: the two are swapped'
            )
    for i, name in enumerate(names):
        measured = _without_friction(efforts[:, i], jets[:, :, i])
        own = _without_friction(predicted[:, i], jets[:, :, i])
        factor, alike = _slope(measured, own), _correlation(measured, own)
        if alike < -_TELLING:
            raise InputError(
                f'recording: joint {name!r}: expected efforts with the sign of its axis, got '
                f'{factor:.2g} times those of the model: the joint is reversed'
            )
        if alike > _TELLING and not 1.0 / _FACTOR < factor < _FACTOR:
            raise InputError(
                f'recording: joint {name!r}: expected efforts of the joint in N m or N, got '
                f'{factor:.3g} times those of the model: another unit, or the side of the motor?'
            )


def _left(effort: Array, predicted: Array, jet: Array) -> float:
    """Return the part of an effort that a joint, with friction, rotor and offset, leaves."""
    columns = np.column_stack((predicted, _friction_columns(jet)))
    rest = effort - columns @ np.linalg.lstsq(columns, effort, rcond=None)[0]
    return float(np.linalg.norm(rest)) / max(float(np.linalg.norm(effort)), 1e-300)


def _without_friction(effort: Array, jet: Array) -> Array:
    """Return an effort without what friction, rotor and offset may explain."""
    columns = _friction_columns(jet)
    found: Array = effort - columns @ np.linalg.lstsq(columns, effort, rcond=None)[0]
    return found


def _friction_columns(jet: Array) -> Array:
    return np.column_stack((np.ones(len(jet)), jet[:, 1], np.sign(jet[:, 1]), jet[:, 2]))


def _correlation(a: Array, b: Array) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0.0 else 0.0


def _slope(a: Array, b: Array) -> float:
    return float(a @ b) / max(float(b @ b), 1e-300)
