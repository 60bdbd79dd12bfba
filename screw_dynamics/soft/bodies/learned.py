# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Learned`: a body given by any function, for instance a trained network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, read_only_copy, require_finite
from screw_dynamics.common.scalars import require_count, require_number
from screw_dynamics.errors import InputError, ShapeError, short
from screw_dynamics.series.series_array import SeriesArray, as_series_array
from screw_dynamics.soft.bodies.point_body import PointBody
from screw_dynamics.soft.checks import as_tuple, require_function

_TIMES, _SHIFTS = 32, 16
_LEAST = 1e-8  # of the values: negative powers of a function that is not analytic
_STEP, _ROUGH = 1e-5, 1e-5  # of differences that a Jacobian is checked by, and their error


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
    jacobian : callable, optional
        (x, q) to df/dq (m, 3, n), a function of what `function` is a function of. Without it, the
        partial derivatives are those of `function`.
    radius : float, optional
        None if `function` consists of NumPy operations that accept `SeriesArray`, which then gives
        exact derivatives. A number for functions of complex arrays only: derivatives are Cauchy
        integrals over coordinates at most that far from the real ones, where f is analytic; if
        it is not, an error says so.
    name : str, optional

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
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
        jacobian: Callable[[Any, Any], Any] | None = None,
        radius: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(points, masses, frame_points, name=name)
        self.function, self.jacobian = function, jacobian
        self.n = require_count('n', n, 1)
        self.radius = None if radius is None else require_number('radius', radius, above=True)
        shape = np.shape(self._values('function', function, self.points, np.zeros(self.n)))
        if shape != self.points.shape:
            raise ShapeError('function(points, q)', str(self.points.shape), shape)
        if jacobian is not None:
            self._check_jacobian()

    def _check_jacobian(self) -> None:
        """Raise an error if the Jacobian at 0 is not that of central differences."""
        none, steps = np.zeros(self.n), _STEP * np.eye(self.n)
        got = self._values('jacobian', self.jacobian, self.points, none)
        if np.shape(got) != (*self.points.shape, self.n):
            expected = str((*self.points.shape, self.n))
            raise ShapeError('jacobian(points, q)', expected, np.shape(got))
        ahead, behind = (
            np.array([self._values('function', self.function, self.points, end) for end in ends])
            for ends in (steps, -steps)
        )
        slopes = np.moveaxis(ahead - behind, 0, -1) / (2.0 * _STEP)
        error = float(abs(got - slopes).max(initial=0.0))
        if not error <= _ROUGH * (1.0 + float(abs(slopes).max(initial=0.0))):
            raise InputError(
                f'jacobian: expected the derivatives of function by q, got a difference of '
                f'{error:.3g} at q = 0'
            )

    def _values(self, name: str, function: Any, points: Any, q: Any) -> Any:
        """Return what a function returns; its errors become an InputError with its name."""
        require_function(name, function)
        try:
            return function(points, q)
        except InputError:
            raise
        except Exception as error:
            reason = ' '.join(f'{type(error).__name__}: {error}'.split())
            series = isinstance(q, SeriesArray)
            wanted = f'a function of points (m, 3) and coordinates ({self.n},)'
            what = 'NumPy operations that series know' if series else wanted
            hint = '; with radius, complex arrays suffice' if series else ''
            raise InputError(f'{name}: expected {what}, got {short(reason, 200)}{hint}') from error

    def places(self, points: Any, q: Any) -> Any:
        """Return f(x, q) (m, 3)."""
        function, slopes = (
            partial(self._values, name, function, points)
            for name, function in (('function', self.function), ('jacobian', self.jacobian))
        )
        if not isinstance(q, SeriesArray) or (self.radius is None and self.jacobian is None):
            return function(q)
        if self.radius is None:
            plain = q.plain()
            series, gradient = (as_series_array(f(plain), plain) for f in (function, slopes))
        else:
            if self.jacobian is None:
                slopes = partial(shifted_slopes, function, radius=0.5 * self.radius)
            series, gradient = series_by_cauchy((function, slopes), q, self.radius)
        data = np.empty((len(series.data), q.data.shape[1], *series.shape), series.data.dtype)
        data[:, :1] = series.data
        data[:, 1:] = np.moveaxis((gradient @ q.gradient().T).coefficients, -1, 1)
        return SeriesArray(data)


def series_by_cauchy(
    functions: Sequence[Callable[[Array], Any]], q: SeriesArray, radius: float
) -> list[SeriesArray]:
    """Return functions of q(t) as series without partials, by their values at complex times."""
    coefficients = q.coefficients
    span = _time_span(np.abs(coefficients).max(axis=1), 0.5 * radius)
    turns = np.exp(2j * np.pi * np.arange(_TIMES) / _TIMES)
    motion = (span * turns)[:, np.newaxis] ** np.arange(len(coefficients)) @ coefficients
    series = []
    for function in functions:
        spectrum = _spectrum(np.array([function(at) for at in motion]), radius)
        scale = span ** -np.arange(float(len(coefficients)))
        data = scale.reshape(-1, *(1,) * (spectrum.ndim - 1)) * spectrum[: len(coefficients)]
        series.append(SeriesArray(np.ascontiguousarray(data.real[:, np.newaxis])))
    return series


def shifted_slopes(function: Callable[[Array], Any], at: Array, radius: float) -> Any:
    """Return the partial derivatives (..., n) of a function at complex coordinates (n,)."""
    shifts = radius * np.exp(2j * np.pi * np.arange(_SHIFTS) / _SHIFTS)
    columns = [
        _spectrum(np.array([function(at + shift * axis) for shift in shifts]), 2.0 * radius)[1]
        for axis in np.eye(len(at))
    ]
    return np.stack(columns, axis=-1) / radius


def _spectrum(values: Any, radius: float) -> Any:
    """Return the Fourier coefficients of values on a circle, those of a Taylor series."""
    spectrum = np.fft.fft(values, axis=0) / len(values)
    negative, largest = abs(spectrum[-2:]).max(initial=0.0), abs(values).max(initial=0.0)
    if not negative <= _LEAST * largest:
        raise InputError(
            f'function: expected an analytic function of coordinates up to {radius:g} from the '
            'real ones, got another: give a smaller radius'
        )
    return spectrum


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
    >>> import numpy as np
    >>> from screw_dynamics.soft import Perceptron
    >>> net = Perceptron([np.ones((3, 4))], [np.zeros(3)])
    >>> net(np.array([[1.0, 0.0, 0.0]]), np.array([0.5]))
    array([[2.5, 1.5, 1.5]])
    """

    def __init__(self, weights: Sequence[ArrayLike], biases: Sequence[ArrayLike]) -> None:
        weights = as_tuple('weights', weights, 'matrices')
        biases = as_tuple('biases', biases, 'vectors')
        if len(weights) != len(biases) or not weights:
            raise InputError(
                f'biases: expected one per layer, got {len(biases)} for {len(weights)} layers'
            )
        self.layers: list[tuple[Array, Array]] = []
        for i, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            matrix = require_finite(f'weights[{i}]', read_only_copy(f'weights[{i}]', weight))
            vector = require_finite(f'biases[{i}]', read_only_copy(f'biases[{i}]', bias))
            rows = 3 if i == len(weights) - 1 else vector.size
            given = matrix.shape[1] if matrix.ndim == 2 else 3
            columns = len(self.layers[-1][0]) if self.layers else max(3, given)
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
