# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Deformation gradients of material points with their partial derivatives by the coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.series.series_array import SeriesArray, as_series_array

_STEP = 1e-30  # of complex steps: exact to rounding


def deformation_gradient(
    places: Callable[[Any, Any], Any], points: Array, q: SeriesArray
) -> SeriesArray:
    """Return df/dx (m, 3, 3) of a map f(x, q) at points (m, 3), as series with partials."""
    if np.iscomplexobj(q.data):
        return _gradient_of_complex_coordinates(places, points, q)
    columns = []
    for axis in np.eye(3):
        moved = as_series_array(places(points + 1j * _STEP * axis, q), q)
        columns.append(moved.data.imag[..., np.newaxis] / _STEP)
    return SeriesArray(np.concatenate(columns, axis=-1))


def _gradient_of_complex_coordinates(
    places: Callable[[Any, Any], Any], points: Array, q: SeriesArray
) -> SeriesArray:
    """Return the gradient at constant coordinates: the time of a series moves the points."""
    if q.order > 0:
        raise InputError('q: expected real series or complex coordinates, got complex series')
    still = SeriesArray(np.concatenate([q.data, np.zeros_like(q.data)]))
    columns = []
    for axis in np.eye(3):
        data = np.zeros((2, q.data.shape[1], *points.shape))
        data[0, 0], data[1, 0] = points, axis
        moved = places(SeriesArray(data), still)
        columns.append(moved.data[1:, ..., np.newaxis])
    return SeriesArray(np.concatenate(columns, axis=-1))


def cofactors(gradient: Any) -> Any:
    """Return the cofactor matrices (..., 3, 3)."""
    a, b, c = (gradient[..., :, i] for i in range(3))
    columns: Any = [np.cross(b, c), np.cross(c, a), np.cross(a, b)]
    return np.stack(columns, axis=-1)


def require_upright(gradient: Array) -> None:
    """Raise InputError if a point is turned inside out: a determinant is not positive."""
    determinants = np.linalg.det(gradient)
    worst = int(np.argmin(determinants.real))
    if not determinants[worst].real > 0.0:
        raise InputError(
            f'q: expected a positive determinant of the deformation gradient, got'
            f' {determinants[worst].real:.6g} at point {worst}'
        )
