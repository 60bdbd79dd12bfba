# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Learned`: a body given by any function, for instance a trained network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, read_only_copy, require_finite
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.scalars import require_number
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.bodies.point_body import PointBody

_TIMES, _SHIFTS = 32, 16


class Learned(PointBody):
    """
    A body whose map f(x, q) is any analytic function [P2025, section 3].

    Parameters
    ----------
    function : callable
        (x, q) to the places (m, 3) of points x (m, 3) [m] at coordinates q (n,).
    n : int
        Number of coordinates.
    points, masses, frame_points
        As of `PointBody`.
    radius : float, optional
        None if `function` consists of NumPy operations that accept `SeriesArray`, which then gives
        exact derivatives. A number for functions of complex arrays only: derivatives are Cauchy
        integrals over coordinates at most that far from the real ones, where f is analytic.
    name : str, optional

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> weights = [np.zeros((4, 5)), np.zeros((3, 4))]
    >>> net = sd.soft.Perceptron(weights, [np.zeros(4), np.zeros(3)])
    >>> frame = [[0.0, 0.0, 1.0], [0.1, 0.0, 1.0], [0.0, 0.1, 1.0]]
    >>> sd.soft.Learned(net, 2, [[0.0, 0.0, 0.5]], [1.0], frame).tip_pose(np.zeros(2))[1]
    array([0., 0., 1.])
    """

    def __init__(
        self,
        function: Callable[[Any, Any], Any],
        n: int,
        points: ArrayLike,
        masses: ArrayLike,
        frame_points: ArrayLike,
        *,
        radius: float | None = None,
        name: str | None = None,
    ) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise InputError(f'n: expected a positive integer, got {n!r}')
        super().__init__(points, masses, frame_points, name=name)
        self.function, self.n = function, n
        self.radius = None if radius is None else require_number('radius', radius, above=True)
        shape = np.shape(function(self.points, np.zeros(n)))
        if shape != self.points.shape:
            raise ShapeError('function(points, q)', str(self.points.shape), shape)

    def places(self, points: Any, q: Any) -> Any:
        """Return f(x, q) (m, 3)."""
        if self.radius is None or not isinstance(q, SeriesArray):
            return self.function(points, q)
        return series_by_cauchy(lambda at: self.function(points, at), q, self.radius)


def series_by_cauchy(
    function: Callable[[Array], Array], q: SeriesArray, radius: float
) -> SeriesArray:
    """Return f(q(t)) with partials by q from values of f at complex coordinates."""
    coefficients = q.coefficients
    half = 0.5 * radius
    span = _time_span(np.abs(coefficients).max(axis=1), half)
    turns = np.exp(2j * np.pi * np.arange(_TIMES) / _TIMES)
    motion = (span * turns)[:, np.newaxis] ** np.arange(len(coefficients)) @ coefficients
    values = [np.array([function(at) for at in motion])]
    shifts = half * np.exp(2j * np.pi * np.arange(_SHIFTS) / _SHIFTS)
    for axis in np.eye(q.data.shape[1] - 1):
        rows = [[function(at + s * axis) / s for s in shifts] for at in motion]
        values.append(np.mean(rows, axis=1))
    spectrum = np.fft.fft(np.stack(values, axis=1), axis=0)[: len(coefficients)] / _TIMES
    scale = span ** -np.arange(float(len(coefficients)))
    data = scale.reshape(-1, *(1,) * (spectrum.ndim - 1)) * spectrum
    return SeriesArray(np.ascontiguousarray(data.real))


def _time_span(sizes: Array, radius: float) -> float:
    """Return the time in which a motion with coefficients of these sizes stays within a radius."""
    span = 1.0
    while sum(size * span**k for k, size in enumerate(sizes[1:], 1)) > radius:
        span *= 0.5
    return span


class Perceptron:
    """
    Network of dense layers with tanh between them: ``f = x + net(x, q)``.

    Parameters
    ----------
    weights : sequence of array_like
        Matrices of the layers; the first has 3 + n columns (x, then q), the last three rows [m].
    biases : sequence of array_like
        One vector per layer.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> net = Perceptron([np.ones((3, 4))], [np.zeros(3)])
    >>> net(np.array([[1.0, 0.0, 0.0]]), np.array([0.5]))
    array([[2.5, 1.5, 1.5]])
    """

    def __init__(self, weights: Sequence[ArrayLike], biases: Sequence[ArrayLike]) -> None:
        if len(weights) != len(biases) or not weights:
            raise InputError(
                f'biases: expected one per layer, got {len(biases)} for {len(weights)} layers'
            )
        self.layers: list[tuple[Array, Array]] = []
        for i, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            matrix = require_finite(f'weights[{i}]', read_only_copy(f'weights[{i}]', weight))
            vector = require_finite(f'biases[{i}]', read_only_copy(f'biases[{i}]', bias))
            rows = 3 if i == len(weights) - 1 else vector.size
            columns = len(self.layers[-1][0]) if self.layers else max(3, matrix.shape[-1])
            if matrix.shape != (rows, columns) or vector.shape != (rows,):
                raise ShapeError(f'weights[{i}]', f'({rows}, {columns})', matrix.shape)
            self.layers.append((matrix, vector))

    def __call__(self, points: Any, q: Any) -> Any:
        """Return the places (m, 3) of points x (m, 3) at coordinates (n,)."""
        first, bias = self.layers[0]
        signal = points @ first[:, :3].T + (first[:, 3:] @ q + bias)
        for weight, bias in self.layers[1:]:
            signal = np.tanh(signal) @ weight.T + bias
        return points + signal
