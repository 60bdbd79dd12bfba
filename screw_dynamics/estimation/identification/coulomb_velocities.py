# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Velocities below which Coulomb friction is rounded off, from what a first fit leaves."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.estimation.identification.columns import Columns
from screw_dynamics.estimation.identification.least_squares import Fit

_SLOWEST, _FASTEST = 1e-3, 0.3  # of the largest velocity of the joint
_TRIED = 30
_MOST = 6000  # samples that are compared
_CLEAR = 3.0  # standard deviations of Coulomb friction that shows


def fitted_velocities(columns: Columns, jets: Array, found: Fit) -> Array:
    """
    Return the velocities (n,) with which Coulomb friction explains most, all else as `found`.

    Parameters of the same joint are fitted anew with each of them. Joints whose friction does not
    show keep their velocity.
    """
    result: Array = columns.coulomb_velocity.copy()
    some = slice(None, None, -(-len(jets) // _MOST))
    jets, residuals = jets[some], found.residuals[some]
    rows = columns.of(jets)
    deviations = np.sqrt(np.diag(found.covariance))
    for i in range(len(result)):
        own = np.flatnonzero(rows[:, i, : len(columns.positive)].any(axis=0))
        dry = [p for p in own if columns.names[p].endswith('.coulomb')]
        rate = jets[:, 1, i]
        if not dry or found.values[dry[0]] < _CLEAR * deviations[dry[0]]:
            continue
        rest = residuals[:, i] + rows[:, i, own] @ found.values[own]
        part = rows[:, i, own]
        fastest = np.abs(rate).max()
        tried = np.log(np.geomspace(_SLOWEST * fastest, _FASTEST * fastest, _TRIED))
        left = np.empty(_TRIED)
        for k, velocity in enumerate(np.exp(tried)):
            part[:, own == dry[0]] = np.tanh(rate / velocity)[:, np.newaxis]
            values = np.linalg.lstsq(part, rest)[0]
            left[k] = np.sum((rest - part @ values) ** 2)
        best = min(max(int(np.argmin(left)), 1), _TRIED - 2)
        bend, slope, _ = np.polyfit(
            tried[best - 1 : best + 2] - tried[best], left[best - 1 : best + 2], 2
        )
        step = tried[1] - tried[0]
        shift = np.clip(-0.5 * slope / bend, -step, step) if bend > 0.0 else 0.0
        result[i] = np.exp(tried[best] + shift)
    return result
