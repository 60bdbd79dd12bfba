# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SeriesArray`: arrays of truncated Taylor series in time with partials to coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.series import value_series as values

_Numbers = NDArray[Any]


class SeriesArray(NDArrayOperatorsMixin):
    """
    Array of Taylor series in time with first partials to n coordinates.

    ``data`` (K + 1, 1 + n, ...): ``data[k, 0]`` is coefficient k of the values along a motion,
    ``data[k, 1 + j]`` that of the partial to coordinate j. NumPy functions apply to it as to a
    plain array of the last dimensions; comparisons are not defined, branch on `value`.

    Examples
    --------
    >>> q = SeriesArray.variables(np.array([[0.5], [1.0], [0.0]]))
    >>> (q * q).jet()[:, 0]
    array([0.25, 1.  , 2.  ])
    >>> np.sin(q).partials()[0, 0] == np.cos(0.5)
    array([ True])
    """

    __array_priority__ = 1000

    def __init__(self, data: _Numbers) -> None:
        self.data = data

    @classmethod
    def variables(cls, jet: ArrayLike) -> SeriesArray:
        """Return the coordinates (n,) of a motion with jet (K + 1, n)."""
        rows = np.asarray(jet)
        count, n = rows.shape
        data = np.zeros((count, 1 + n, n), dtype=np.result_type(rows, np.float64))
        for k in range(count):
            data[k, 0] = rows[k] / factorial(k)
        data[0, 1:] = np.eye(n)
        return cls(data)

    def constant(self, array: ArrayLike) -> SeriesArray:
        """Return a constant with as many coefficients and partials."""
        plain = np.asarray(array)
        dtype = np.result_type(plain, self.data)
        data = np.zeros((*self.data.shape[:2], *plain.shape), dtype=dtype)
        data[0, 0] = plain
        return SeriesArray(data)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array that this stands for."""
        return self.data.shape[2:]

    @property
    def ndim(self) -> int:
        """Number of its dimensions."""
        return self.data.ndim - 2

    @property
    def value(self) -> _Numbers:
        """Constant coefficients, `shape`."""
        return np.asarray(self.data[0, 0])

    @property
    def T(self) -> SeriesArray:
        """Transposed array."""
        return self._linear(np.transpose)

    def jet(self) -> _Numbers:
        """Return the time derivatives (K + 1, ...)."""
        return np.array([factorial(k) * row for k, row in enumerate(self.data[:, 0])])

    def partials(self) -> _Numbers:
        """Return the Taylor coefficients (K + 1, n, ...) of the partials."""
        return self.data[:, 1:]

    def derivative(self) -> SeriesArray:
        """Return the time derivative, of order K - 1."""
        k = np.arange(1, len(self.data)).reshape(-1, *[1] * (self.data.ndim - 1))
        return SeriesArray(k * self.data[1:])

    def truncated(self, count: int) -> SeriesArray:
        """Return the first coefficients only."""
        return SeriesArray(self.data[:count])

    def reshape(self, *shape: Any) -> SeriesArray:
        """Return the same entries in another shape."""
        new = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return self._linear(np.reshape, new)

    def sum(self, axis: Any = None) -> SeriesArray:
        """Return the sum over an axis."""
        return self._linear(np.sum, axis=axis)

    def __len__(self) -> int:
        """Return the first dimension."""
        return self.shape[0]

    def __repr__(self) -> str:
        """Return shape and numbers of coefficients and partials."""
        count, partials = self.data.shape[:2]
        return f'SeriesArray(shape {self.shape}, {count} coefficients, {partials - 1} partials)'

    def __getitem__(self, index: Any) -> SeriesArray:
        """Return entries, as of a plain array."""
        whole = slice(None)
        entries = (whole, whole, *(index if isinstance(index, tuple) else (index,)))
        return SeriesArray(self.data[entries])

    def _linear(self, function: Callable[..., Any], *args: Any, **options: Any) -> SeriesArray:
        rows = [[function(entry, *args, **options) for entry in row] for row in self.data]
        return SeriesArray(np.array(rows))

    def _with_slope(self, value: _Numbers, slope: _Numbers) -> SeriesArray:
        """Return a function from its value series and the value series of its derivative."""
        parts = [value]
        parts += [values.product(slope, self.data[:, j]) for j in range(1, self.data.shape[1])]
        return SeriesArray(np.stack(parts, axis=1))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a ufunc, if it is known."""
        if method != '__call__' or options:
            return NotImplemented
        if ufunc in _BILINEAR:
            return _bilinear(ufunc, *inputs)
        if ufunc in (np.add, np.subtract):
            return _sum(ufunc, *inputs)
        if ufunc in (np.divide, np.true_divide):
            return inputs[0] * np.reciprocal(_series(inputs[1], inputs[0]))
        if ufunc is np.negative:
            return SeriesArray(-self.data)
        if ufunc is np.positive:
            return self
        if ufunc is np.square:
            return self * self
        if ufunc is np.power:
            return _power(*inputs)
        if ufunc is np.tan:
            return np.sin(self) / np.cos(self)
        if ufunc in values.FUNCTIONS:
            return self._with_slope(*values.FUNCTIONS[ufunc](self.data[:, 0]))
        return NotImplemented

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        """Apply a function of NumPy, if it is known."""
        if function in _LINEAR:
            return args[0]._linear(function, *args[1:], **options)
        if function in (np.stack, np.concatenate):
            return _joined(function, args[0], *args[1:], **options)
        if function is np.where:
            mask = args[0]
            return _joined(lambda pair: np.where(mask, *pair), list(args[1:]))
        if function is np.einsum and len(args) == 3:
            return _bilinear(lambda a, b: np.einsum(args[0], a, b, **options), *args[1:])
        if function is np.einsum and len(args) == 2:
            return args[1]._linear(lambda a: np.einsum(args[0], a, **options))
        if function in (np.cross, np.dot, np.outer, np.inner, np.tensordot):
            return _bilinear(lambda a, b: function(a, b, *args[2:], **options), *args[:2])
        if function is np.linalg.norm:
            return np.sqrt((args[0] * args[0]).sum(*args[1:], **options))
        return NotImplemented


_BILINEAR = {np.multiply, np.matmul}
_LINEAR = {
    np.sum, np.moveaxis, np.transpose, np.reshape, np.swapaxes, np.broadcast_to, np.ravel,
    np.squeeze, np.expand_dims, np.trace, np.diagonal, np.flip, np.roll, np.cumsum, np.take,
    np.mean, np.zeros_like,
}  # fmt: skip


def _series(value: Any, like: Any) -> SeriesArray:
    return value if isinstance(value, SeriesArray) else like.constant(value)


def _sum(ufunc: Any, a: Any, b: Any) -> SeriesArray:
    like = a if isinstance(a, SeriesArray) else b
    a, b = _series(a, like), _series(b, like)
    ndim = max(a.ndim, b.ndim)
    return SeriesArray(ufunc(_padded(a.data, ndim), _padded(b.data, ndim)))


def _padded(data: _Numbers, ndim: int) -> _Numbers:
    return data.reshape(*data.shape[:2], *[1] * (ndim + 2 - data.ndim), *data.shape[2:])


def _bilinear(function: Callable[..., Any], a: Any, b: Any) -> SeriesArray:
    """Return a function that is linear in both arguments."""
    if not isinstance(b, SeriesArray):
        return SeriesArray(np.array([[function(x, b) for x in row] for row in a.data]))
    if not isinstance(a, SeriesArray):
        return SeriesArray(np.array([[function(a, x) for x in row] for row in b.data]))
    x, y = a.data, b.data
    rows = []
    for k in range(len(x)):
        row = [sum(function(x[m, 0], y[k - m, 0]) for m in range(k + 1))]
        row += [
            sum(function(x[m, 0], y[k - m, j]) + function(x[m, j], y[k - m, 0])
                for m in range(k + 1))
            for j in range(1, x.shape[1])
        ]  # fmt: skip
        rows.append(row)
    return SeriesArray(np.array(rows))


def _joined(
    function: Callable[..., Any], parts: Sequence[Any], *args: Any, **options: Any
) -> SeriesArray:
    like = next(part for part in parts if isinstance(part, SeriesArray))
    datas = [_series(part, like).data for part in parts]
    rows = [
        [function([data[k, j] for data in datas], *args, **options)
         for j in range(like.data.shape[1])]
        for k in range(len(like.data))
    ]  # fmt: skip
    return SeriesArray(np.array(rows))


def _power(base: Any, exponent: Any) -> Any:
    """Return a power with a constant exponent; whole ones by products, safe at zero."""
    if float(exponent).is_integer() and exponent >= 0:
        result = base.constant(np.ones(base.shape))
        for _ in range(int(exponent)):
            result = result * base
        return result
    return base._with_slope(*values.power(base.data[:, 0], float(exponent)))
