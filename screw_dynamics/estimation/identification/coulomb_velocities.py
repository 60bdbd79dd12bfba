# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Velocities below which Coulomb friction is rounded off, from what a first fit leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.estimation.identification.columns import Columns
from screw_dynamics.estimation.identification.least_squares import Fit, triangle

RANGE = np.array([1e-3, 0.3])  # of the largest velocity of the joint
_TRIED = 30
_MOST = 6000  # samples that are compared
CLEAR = 3.0  # standard deviations of Coulomb friction that shows


def fitted_velocities(
    columns: Columns, jets: Array, found: Fit, joints: NDArray[np.bool_]
) -> Array:
    """
    Return the velocities (n,) with which Coulomb friction explains most, all else as `found`.

    Joints whose friction does not show keep their velocity; residuals are those of `joints`.
    """
    result: Array = columns.coulomb_velocity.copy()
    some = slice(None, None, -(-len(jets) // _MOST))
    jets, residuals = jets[some], found.residuals[some]
    rows = columns.of(jets)
    deviations = np.sqrt(np.diag(found.covariance))

    def with_velocity(part: Array, place: int, rate: Array, velocity: float) -> Array:
        part[:, place] = np.tanh(rate / velocity)
        return part

    for k, i in enumerate(np.flatnonzero(joints).tolist()):
        own = np.flatnonzero(rows[:, i, : len(columns.positive)].any(axis=0)).tolist()
        dry = [p for p in own if columns.names[p].endswith('.coulomb')]
        if not dry or found.values[dry[0]] < CLEAR * deviations[dry[0]]:
            continue
        part, rate = rows[:, i, own], jets[:, 1, i]
        rest = residuals[:, k] + part @ found.values[own]
        of_velocity = partial(with_velocity, part, own.index(dry[0]), rate)
        result[i] = best_velocity(of_velocity, rest, *(np.abs(rate).max() * RANGE))
    return result


def best_velocity(
    columns: Callable[[float], Array],
    rest: Array,
    slowest: float,
    fastest: float,
    positive: int | None = None,
) -> float:
    """
    Return the velocity with which `columns` (T, K) explain most of `rest` (T,).

    One of the columns may have to be `positive`: velocities with which it is not do not count.
    """
    tried = np.log(np.geomspace(slowest, fastest, _TRIED))
    left = np.empty(_TRIED)
    for k, velocity in enumerate(np.exp(tried).tolist()):
        part = columns(velocity)
        part, side = np.split(triangle(np.column_stack((part, rest))), [-1], axis=1)
        found = np.linalg.lstsq(part, side)[0]
        left[k] = np.sum((side - part @ found) ** 2)
        if positive is not None and found[positive] < 0.0:
            left[k] = np.sum(side**2)
    best = min(max(int(np.argmin(left)), 1), _TRIED - 2)
    near = slice(best - 1, best + 2)
    bend, slope, _ = np.polyfit(tried[near] - tried[best], left[near], 2)
    step = tried[1] - tried[0]
    shift = np.clip(-0.5 * slope / bend, -step, step) if bend > 0.0 else 0.0
    return float(np.exp(tried[best] + shift))
