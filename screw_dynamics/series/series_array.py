# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SeriesArray`: arrays of Taylor series in time with their first partial derivatives."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike

from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.series import array_functions as plain
from screw_dynamics.series.jets import jet_of_coefficients, taylor_coefficients

Operation = Callable[[ScalarArray, ScalarArray], ScalarArray]


class SeriesArray(NDArrayOperatorsMixin):
    """
    An array whose entries are truncated Taylor series with partial derivatives.

    ``data[k, 0]`` is coefficient k of the value, ``data[k, 1 + j]`` that of its partial derivative
    with respect to variable j. Along a motion q(t), ``data[:, 1 + j]`` thereby is the series of
    column j of a Jacobian. NumPy's arithmetic, elementary functions and most functions that only
    rearrange entries accept these arrays, so that a formula for floats yields its derivatives.

    Parameters
    ----------
    data : (K + 1, 1 + n, ...) ndarray
        Float or complex.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.series.series_array import SeriesArray
    >>> q = SeriesArray.variables(np.array([[0.5], [2.0], [0.0]]))  # q = 0.5, q' = 2, q'' = 0
    >>> length = np.sin(q[0]) * 2.0
    >>> length.jet().round(4)  # 2 sin(q), 2 cos(q) q', -2 sin(q) q'^2
    array([ 0.9589,  3.5103, -3.8354])
    >>> length.partials().round(4)[0]  # 2 cos(q)
    array([1.7552])
    """

    __slots__ = ('data',)

    def __init__(self, data: ScalarArray) -> None:
        self.data = data

    @classmethod
    def variables(cls, jet: ArrayLike) -> SeriesArray:
        """Return the variables (n,) along a motion from its jet (K + 1, n)."""
        coefficients = taylor_coefficients(np.asarray(jet))
        rows, n = coefficients.shape
        data = np.zeros((rows, 1 + n, n), coefficients.dtype)
        data[:, 0] = coefficients
        data[0, 1:] = np.eye(n)
        return cls(data)

    @property
    def order(self) -> int:
        """K, the highest power of time."""
        return len(self.data) - 1

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.data.shape[2:]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.data.ndim - 2

    @property
    def value(self) -> ScalarArray:
        """The values at t = 0."""
        value: ScalarArray = self.data[0, 0]
        return value

    @property
    def coefficients(self) -> ScalarArray:
        """The coefficients of the values, (K + 1, ...)."""
        coefficients: ScalarArray = self.data[:, 0]
        return coefficients

    def jet(self) -> ScalarArray:
        """Return the values and their time derivatives, (K + 1, ...)."""
        return jet_of_coefficients(self.coefficients)

    def partials(self) -> ScalarArray:
        """Return the coefficients of the partial derivatives, (K + 1, ..., n)."""
        return np.moveaxis(self.data[:, 1:], 1, -1)

    def plain(self) -> SeriesArray:
        """Return the same series without partial derivatives."""
        return SeriesArray(self.data[:, :1])

    def gradient(self) -> SeriesArray:
        """Return the partial derivatives (n, ...) as series without partials of their own."""
        return SeriesArray(self.data[:, np.newaxis, 1:])

    def derivative(self) -> SeriesArray:
        """Return the derivative with respect to time, of order K - 1."""
        return SeriesArray(plain.derivative(self.data))

    def truncated(self, order: int) -> SeriesArray:
        """Return the series up to a lower order."""
        return SeriesArray(self.data[: order + 1])

    @property
    def T(self) -> SeriesArray:  # noqa: N802, the name of NumPy
        """The transpose."""
        return self.transpose()

    def transpose(self) -> SeriesArray:
        """Return the transpose."""
        axes = range(2, self.data.ndim)
        return SeriesArray(self.data.transpose(0, 1, *reversed(axes)))

    def swapped(self) -> SeriesArray:
        """Return the transposes of matrices (..., i, j)."""
        return SeriesArray(np.swapaxes(self.data, -1, -2))

    def reshape(self, *shape: int) -> SeriesArray:
        """Return the same entries in another shape."""
        return SeriesArray(self.data.reshape(*self.data.shape[:2], *shape))

    def sum(self, axis: int | None = None) -> SeriesArray:
        """Return the sum over an axis, or over all entries."""
        axes = tuple(range(2, self.data.ndim)) if axis is None else _axis(axis)
        return SeriesArray(self.data.sum(axis=axes))

    def __getitem__(self, index: Any) -> SeriesArray:
        """Return entries as for any array."""
        entries = index if isinstance(index, tuple) else (index,)
        return SeriesArray(self.data[(slice(None), slice(None)) + entries])

    def __len__(self) -> int:
        """Return the length of the first axis."""
        return len(self.value)

    def __repr__(self) -> str:
        """Return the values and the sizes."""
        return f'SeriesArray({self.value!r}, order={self.order}, n={self.data.shape[1] - 1})'

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a universal function of NumPy."""
        function = _FUNCTIONS.get(ufunc.__name__)
        if method != '__call__' or function is None or options:
            return NotImplemented
        return function(*inputs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Apply a function of NumPy that rearranges or adds entries."""
        function = _REARRANGEMENTS.get(func.__name__)
        return NotImplemented if function is None else function(*args, **kwargs)


def as_series_array(value: Any, like: SeriesArray) -> SeriesArray:
    """Return constants as an array of series with the order and variables of another one."""
    if isinstance(value, SeriesArray):
        return value
    constant = np.asarray(value)
    data = np.zeros((*like.data.shape[:2], *constant.shape), np.result_type(constant, like.data))
    data[0, 0] = constant
    return SeriesArray(data)


def stumpff(x: Any, highest: int) -> list[Any]:
    """Return Stumpff's c_0(x), ..., c_highest(x), entry by entry, of an array of any kind."""
    if not isinstance(x, SeriesArray):
        return plain.stumpff_values(x, highest)
    c = plain.stumpff(x.coefficients, highest + 2)
    functions = []
    for n in range(highest + 1):
        slope = 0.5 * (n * c[n + 2] - c[n + 1])
        functions.append(_with_slope(x, c[n], slope))
    return functions


def bilinear(operation: Operation, a: Any, b: Any) -> SeriesArray:
    """Return a product of arrays; `operation` must accept further axes in front."""
    if not isinstance(a, SeriesArray):
        return SeriesArray(operation(np.asarray(a), b.data))
    if not isinstance(b, SeriesArray):
        return SeriesArray(operation(a.data, np.asarray(b)))
    x, y = a.data, b.data
    order = min(len(x), len(y))
    rows = []
    for k in range(order):
        value = sum(operation(x[s, 0], y[k - s, 0]) for s in range(k + 1))
        row = np.empty((x.shape[1], *np.shape(value)), np.result_type(x, y))
        row[0] = value
        if len(row) > 1:
            row[1:] = sum(
                operation(x[s, :1], y[k - s, 1:]) + operation(x[s, 1:], y[k - s, :1])
                for s in range(k + 1)
            )
        rows.append(row)
    return SeriesArray(np.array(rows))


def _value(x: Any) -> Any:
    return x.value if isinstance(x, SeriesArray) else x


def _ndim(x: Any) -> int:
    return x.ndim if isinstance(x, SeriesArray) else np.ndim(x)


def _with_dimensions(x: Any, ndim: int) -> Any:
    """Return an array of series with axes of length 1 in front, for broadcasting."""
    if not isinstance(x, SeriesArray) or x.ndim >= ndim:
        return x
    return x.reshape(*(1,) * (ndim - x.ndim), *x.shape)


def _aligned(a: Any, b: Any) -> tuple[Any, Any]:
    ndim = max(_ndim(a), _ndim(b))
    return _with_dimensions(a, ndim), _with_dimensions(b, ndim)


def _add(a: Any, b: Any) -> SeriesArray:
    a, b = _aligned(a, b)
    if isinstance(a, SeriesArray) and isinstance(b, SeriesArray):
        order = min(len(a.data), len(b.data))
        return SeriesArray(a.data[:order] + b.data[:order])
    series, constant = (a, b) if isinstance(a, SeriesArray) else (b, a)
    constant = np.asarray(constant)
    shape = np.broadcast_shapes(series.shape, constant.shape)
    data = np.empty((*series.data.shape[:2], *shape), np.result_type(series.data, constant))
    data[...] = series.data
    data[0, 0] += constant
    return SeriesArray(data)


def _subtract(a: Any, b: Any) -> SeriesArray:
    return _add(a, -b)


def _multiply(a: Any, b: Any) -> SeriesArray:
    return bilinear(operator.mul, *_aligned(a, b))


def _divide(a: Any, b: Any) -> SeriesArray:
    if not isinstance(b, SeriesArray):
        return _multiply(a, 1.0 / np.asarray(b))
    return _multiply(a, _reciprocal(b))


def _matmul(a: Any, b: Any) -> SeriesArray:
    left, right = _ndim(a) == 1, _ndim(b) == 1
    if left:
        a = a.reshape(1, *a.shape)
    if right:
        b = b.reshape(*b.shape, 1)
    product = bilinear(operator.matmul, *_aligned(a, b))
    if right:
        product = product[..., 0]
    if left:
        product = product[..., 0] if right else product[..., 0, :]
    return product


def _unary(function: Callable[[ScalarArray], tuple[ScalarArray, ScalarArray]]) -> Any:
    """Return a function of series from one that returns the series of f(a) and f'(a)."""

    def apply(a: SeriesArray) -> SeriesArray:
        return _with_slope(a, *function(a.coefficients))

    return apply


def _with_slope(a: SeriesArray, value: ScalarArray, slope: ScalarArray) -> SeriesArray:
    """Return f(a) from the series of its values and of f'(a)."""
    data = np.empty(a.data.shape, np.result_type(value, a.data))
    data[:, 0] = value
    for j in range(1, a.data.shape[1]):
        data[:, j] = plain.product(slope, a.data[:, j])
    return SeriesArray(data)


_reciprocal = _unary(plain.reciprocal)


def _power(a: SeriesArray, exponent: Any) -> SeriesArray:
    if isinstance(a, SeriesArray) and np.ndim(exponent) == 0:
        return _unary(lambda x: plain.power(x, exponent))(a)  # type: ignore[no-any-return]
    raise TypeError('expected the power of a series to a number')


_FUNCTIONS: dict[str, Any] = {
    'add': _add,
    'subtract': _subtract,
    'multiply': _multiply,
    'divide': _divide,
    'matmul': _matmul,
    'power': _power,
    'negative': lambda a: SeriesArray(-a.data),
    'positive': lambda a: a,
    'square': lambda a: a * a,
    'reciprocal': _reciprocal,
    'sqrt': lambda a: _power(a, 0.5),
    # comparisons decide between branches: by the values at t = 0
    'less': lambda a, b: _value(a) < _value(b),
    'less_equal': lambda a, b: _value(a) <= _value(b),
    'greater': lambda a, b: _value(a) > _value(b),
    'greater_equal': lambda a, b: _value(a) >= _value(b),
    'isfinite': lambda a: np.isfinite(a.value),
    **{
        name: _unary(getattr(plain, name))
        for name in ('sin', 'cos', 'tan', 'exp', 'log', 'sinh', 'cosh', 'tanh', 'arctan')
    },
}


def _axis(axis: int) -> int:
    """Return the axis of the data for one of the array."""
    return axis + 2 if axis >= 0 else axis


def _join(function: Any) -> Any:
    def apply(arrays: Sequence[Any], axis: int = 0) -> SeriesArray:
        like = next(array for array in arrays if isinstance(array, SeriesArray))
        parts = [as_series_array(array, like).data for array in arrays]
        order = min(len(part) for part in parts)
        return SeriesArray(function([part[:order] for part in parts], axis=_axis(axis)))

    return apply


def _where(condition: Any, a: Any, b: Any) -> SeriesArray:
    like = a if isinstance(a, SeriesArray) else b
    a, b = _aligned(as_series_array(a, like), as_series_array(b, like))
    order = min(len(a.data), len(b.data))
    return SeriesArray(np.where(condition, a.data[:order], b.data[:order]))


def cross(a: Any, b: Any) -> SeriesArray:
    """Return the cross product of vectors (..., 3), of which at least one is of series."""
    return bilinear(plain.cross, *_aligned(a, b))


def _broadcast_to(a: SeriesArray, shape: Any) -> SeriesArray:
    target = (shape,) if isinstance(shape, int) else tuple(shape)
    data = _with_dimensions(a, len(target)).data
    return SeriesArray(np.broadcast_to(data, (*data.shape[:2], *target)))


def _norm(a: SeriesArray, axis: int | None = None) -> SeriesArray:
    return _power((a * a).sum(axis), 0.5)


_REARRANGEMENTS: dict[str, Any] = {
    'stack': _join(np.stack),
    'concatenate': _join(np.concatenate),
    'sum': lambda a, axis=None: a.sum(axis),
    'where': _where,
    'cross': cross,
    'broadcast_to': _broadcast_to,
    'transpose': lambda a: a.transpose(),
    'moveaxis': lambda a, source, to: SeriesArray(np.moveaxis(a.data, _axis(source), _axis(to))),
    'swapaxes': lambda a, one, two: SeriesArray(np.swapaxes(a.data, _axis(one), _axis(two))),
    'reshape': lambda a, shape: a.reshape(*((shape,) if isinstance(shape, int) else shape)),
    'norm': _norm,
    'dot': _matmul,
    'shape': lambda a: a.shape,
    'ndim': lambda a: a.ndim,
}
