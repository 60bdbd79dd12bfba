# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Maps of a body that keep its volume: stretch, bend, shear, twist and source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, read_only_copy, require_finite
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.series.series_array import SeriesArray

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_UNIT_NODES, _UNIT_WEIGHTS = 0.5 * (_NODES + 1.0), 0.5 * _WEIGHTS
Point = tuple[Any, Any, Any]


@dataclass(frozen=True, eq=False)
class VolumePrimitive:
    """
    One map of determinant 1, governed by modes along z [P2025, Table 4].

    Each coordinate has one mode, a polynomial in z; the function of the map is their sum:

    - 'stretch': e, (x, y, z) to (x / sqrt(H'), y / sqrt(H'), H), H = z + int e, H' = 1 + e > 0
    - 'twist': the angle about z [rad]
    - 'bend_x', 'bend_y': the curvature kappa [1/m] towards x or y, 2 kappa x < 1
    - 'shear_x', 'shear_y': the displacement [m]
    - 'source': a [m^2], r^2 to r^2 + a > 0 about the z axis; points must keep away from it

    Parameters
    ----------
    kind : str
    modes : (n, d) array_like
        Coefficients of 1, z, z^2, ..., one row per coordinate, z in metres.

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> sd.soft.VolumePrimitive('twist', [[0.0, 10.0]]).n
    1
    """

    kind: str
    modes: ArrayLike

    def __post_init__(self) -> None:
        """Check the kind and the modes."""
        require_choice('kind', self.kind, _MAPS)
        modes = require_finite('modes', read_only_copy('modes', self.modes))
        if modes.ndim != 2 or modes.size == 0:
            raise ShapeError('modes', '(n, d) with n, d >= 1', modes.shape)
        object.__setattr__(self, 'modes', modes)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(np.asarray(self.modes))

    def apply(self, point: Point, q: Any) -> Point:
        """Return the moved points, given and returned as x, y, z of shape (m,)."""
        coefficients = np.asarray(self.modes).T @ q
        moved: Point = _MAPS[self.kind](point, coefficients)
        return moved


def _polynomial(coefficients: Any, z: Any) -> Any:
    total = coefficients[len(coefficients) - 1] + 0.0 * z
    for k in range(len(coefficients) - 2, -1, -1):
        total = total * z + coefficients[k]
    return total


def _integral(coefficients: Any, z: Any) -> Any:
    """Return the integral of a polynomial from 0 to z."""
    return z * _polynomial(coefficients / np.arange(1.0, len(coefficients) + 1.0), z)


def _require_positive(what: str, values: Any) -> None:
    numbers = np.real(values.value if isinstance(values, SeriesArray) else values)
    if numbers.size and not np.min(numbers) > 0.0:
        raise InputError(f'q: expected {what} > 0 in the whole body, got {np.min(numbers):.6g}')


def _stretch(point: Point, coefficients: Any) -> Point:
    x, y, z = point
    slope = 1.0 + _polynomial(coefficients, z)
    _require_positive("1 + e(z) of 'stretch'", slope)
    root = np.sqrt(slope)
    return x / root, y / root, z + _integral(coefficients, z)


def _twist(point: Point, coefficients: Any) -> Point:
    x, y, z = point
    angle = _polynomial(coefficients, z)
    sine, cosine = np.sin(angle), np.cos(angle)
    return x * cosine - y * sine, x * sine + y * cosine, z


def _bend_x(point: Point, coefficients: Any, name: str = 'bend_x') -> Point:
    x, y, z = point
    curvature, angle = _polynomial(coefficients, z), _integral(coefficients, z)
    inside = 1.0 - 2.0 * curvature * x
    _require_positive(f"1 - 2 kappa x of '{name}'", inside)
    offset = 2.0 * x / (1.0 + np.sqrt(inside))
    angles = _integral(coefficients, z[..., np.newaxis] * _UNIT_NODES)
    along_x = z * np.sum(np.sin(angles) * _UNIT_WEIGHTS, axis=-1)
    along_z = z * np.sum(np.cos(angles) * _UNIT_WEIGHTS, axis=-1)
    return along_x + offset * np.cos(angle), y, along_z - offset * np.sin(angle)


def _bend_y(point: Point, coefficients: Any) -> Point:
    x, y, z = point
    y, x, z = _bend_x((y, x, z), coefficients, 'bend_y')
    return x, y, z


def _shear_x(point: Point, coefficients: Any) -> Point:
    x, y, z = point
    return x + _polynomial(coefficients, z), y, z


def _shear_y(point: Point, coefficients: Any) -> Point:
    x, y, z = point
    return x, y + _polynomial(coefficients, z), z


def _source(point: Point, coefficients: Any) -> Point:
    x, y, z = point
    square = x * x + y * y
    _require_positive("r^2 of 'source'", square)
    factor = 1.0 + _polynomial(coefficients, z) / square
    _require_positive("1 + a / r^2 of 'source'", factor)
    root = np.sqrt(factor)
    return x * root, y * root, z


_MAPS = {
    'stretch': _stretch,
    'twist': _twist,
    'bend_x': _bend_x,
    'bend_y': _bend_y,
    'shear_x': _shear_x,
    'shear_y': _shear_y,
    'source': _source,
}


def published_primitives(length: float) -> list[VolumePrimitive]:
    """Return the six primitives of P2025, Table 4, in the order of its rows; 8 coordinates."""
    one = 1.0 / length
    bend: Array = np.array([[one, 0.0], [0.0, one]])
    return [
        VolumePrimitive('stretch', [[0.0, one, -one * one]]),
        VolumePrimitive('bend_x', bend),
        VolumePrimitive('bend_y', bend),
        VolumePrimitive('twist', [[0.0, one]]),
        VolumePrimitive('shear_x', [[0.0, one]]),
        VolumePrimitive('shear_y', [[0.0, one]]),
    ]
