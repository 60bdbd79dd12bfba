# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Series of a module along a motion, by series arithmetic on its functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.given_series import PointSeries, given_series
from screw_dynamics.soft.module import Module


def module_series(module: Module, jet: Array) -> Array:
    """Return the series of a module for the kernels, from the jet (count, n) of its motion."""
    q = SeriesArray.variables(jet)
    rotation, origin = (_as_series(x, q) for x in module.tip_pose(q))
    points = _as_series(module.positions(q), q)
    stress = _as_series(module.elastic_efforts(q), q).data[:, 0].copy()
    if len(jet) > 1:
        slow = SeriesArray(q.data[:-1])
        damping = _as_series(module.damping_efforts(slow, q.derivative()), slow)
        stress[:-1] += damping.data[:, 0]
    turn, shift = _columns(rotation, origin)
    series = PointSeries(
        rotation.data[:, 0], origin.data[:, 0], turn, shift, points.data[:, 0],
        points.partials(), stress,
    )  # fmt: skip
    return given_series(series, module.masses)


def _as_series(value: Any, like: SeriesArray) -> SeriesArray:
    return value if isinstance(value, SeriesArray) else like.constant(value)


def _columns(rotation: SeriesArray, origin: SeriesArray) -> tuple[Array, Array]:
    """Return the columns (count, n, 3) of the distal frame in its axes: vee(R^T R_j), R^T t_j."""
    back = np.swapaxes(rotation.data[:, 0], 1, 2)
    turn, shift = [], []
    for j in range(rotation.partials().shape[1]):
        spin = _matrix_product(back, rotation.partials()[:, j])
        skew = 0.5 * (spin - np.swapaxes(spin, 1, 2))
        turn.append(skew[:, [2, 0, 1], [1, 2, 0]])
        shift.append(_matrix_product(back, origin.partials()[:, j, :, np.newaxis])[:, :, 0])
    shape = (len(back), 0, 3)
    if not turn:
        return np.zeros(shape), np.zeros(shape)
    return np.stack(turn, axis=1), np.stack(shift, axis=1)


def _matrix_product(a: Array, b: Array) -> Array:
    """Return the Cauchy product of series of matrices."""
    count = len(a)
    return np.array([sum(a[m] @ b[k - m] for m in range(k + 1)) for k in range(count)])
