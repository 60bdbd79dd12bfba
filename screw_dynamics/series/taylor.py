# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Series`: truncated Taylor series as a scalar, so that one formula yields all derivatives."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from screw_dynamics.lie.scalars import Scalar, ScalarArray, atan, cos, sin, sqrt
from screw_dynamics.series.jets import jet_of_coefficients, taylor_coefficients


class Series:
    """
    A polynomial, the sum of a_k t^k for k = 0 to K, modulo t^(K + 1); a_k of any scalar type.

    Results of two series have the smaller of their orders K; other numbers are constants. A
    function needs a constant term at which it is analytic.

    Parameters
    ----------
    coefficients : iterable of scalars
        a_0, ..., a_K.

    Examples
    --------
    >>> from screw_dynamics.series import Series
    >>> t = Series([0.5, 1.0, 0.0])
    >>> (t * t).coefficients
    (0.25, 1.0, 1.0)
    """

    __slots__ = ('coefficients',)

    def __init__(self, coefficients: Iterable[Scalar]) -> None:
        self.coefficients = tuple(coefficients)

    @property
    def order(self) -> int:
        """K, the number of derivatives."""
        return len(self.coefficients) - 1

    @property
    def constant(self) -> Scalar:
        """a_0, the value at t = 0."""
        return self.coefficients[0]

    def __repr__(self) -> str:
        """Return the coefficients."""
        return f'Series({list(self.coefficients)})'

    def __eq__(self, other: object) -> bool:
        """Return whether all coefficients are equal."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        a, b = self._pair(other)
        return a == b

    def __hash__(self) -> int:
        """Return a hash of the coefficients; that of the number for a constant."""
        if any(self.coefficients[1:]):
            return hash(self.coefficients)
        return hash(self.constant)

    def __bool__(self) -> bool:
        """Return whether any coefficient is not zero."""
        return any(self.coefficients)

    def __neg__(self) -> Series:
        """Return -a."""
        return Series(-a for a in self.coefficients)

    def __pos__(self) -> Series:
        """Return a."""
        return self

    def __add__(self, other: Scalar) -> Series:
        """Return a + b."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        a, b = self._pair(other)
        return Series(x + y for x, y in zip(a, b, strict=True))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Series:
        """Return a - b."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.__add__(-other)

    def __rsub__(self, other: Scalar) -> Series:
        """Return b - a."""
        return (-self).__add__(other)

    def __mul__(self, other: Scalar) -> Series:
        """Return a b, the Cauchy product."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, Series):
            return Series(a * other for a in self.coefficients)
        a, b = self._pair(other)
        return Series(sum(a[s] * b[k - s] for s in range(k + 1)) for k in range(len(a)))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Series:
        """Return a / b."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, Series):
            return Series(a / other for a in self.coefficients)
        a, b = self._pair(other)
        quotient: list[Scalar] = []
        for k in range(len(a)):
            known = sum(quotient[s] * b[k - s] for s in range(k))
            quotient.append((a[k] - known) / b[0])
        return Series(quotient)

    def __rtruediv__(self, other: Scalar) -> Series:
        """Return b / a."""
        return Series([other, *(0 * a for a in self.coefficients[1:])]) / self

    def __pow__(self, exponent: int) -> Series:
        """Return a^n with a whole number n >= 0."""
        power = Series([0 * a for a in self.coefficients]) + 1
        for _ in range(exponent):
            power = power * self
        return power

    def sin(self) -> Series:
        """Return the sine."""
        return self._sines()[0]

    def cos(self) -> Series:
        """Return the cosine."""
        return self._sines()[1]

    def _sines(self) -> tuple[Series, Series]:
        """Integrate s' = c a', c' = -s a'."""
        a = self.coefficients
        s, c = [sin(a[0])], [cos(a[0])]
        for k in range(1, len(a)):
            s.append(sum(j * a[j] * c[k - j] for j in range(1, k + 1)) / k)
            c.append(-sum(j * a[j] * s[k - j] for j in range(1, k + 1)) / k)
        return Series(s), Series(c)

    def sqrt(self) -> Series:
        """Return the square root."""
        a = self.coefficients
        root = [sqrt(a[0])]
        for k in range(1, len(a)):
            known = sum(root[s] * root[k - s] for s in range(1, k))
            root.append((a[k] - known) / (2 * root[0]))
        return Series(root)

    def atan(self) -> Series:
        """Return the arc tangent, the integral of a' / (1 + a^2)."""
        a = self.coefficients
        if len(a) == 1:
            return Series([atan(a[0])])
        rate = Series(k * a[k] for k in range(1, len(a)))
        integrand = (rate / (1 + self * self)).coefficients
        return Series([atan(a[0]), *(integrand[k] / (k + 1) for k in range(len(integrand)))])

    def _pair(self, other: object) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """Return the coefficients of both operands, of the same number."""
        a = self.coefficients
        if isinstance(other, Series):
            count = min(len(a), len(other.coefficients))
            return a[:count], other.coefficients[:count]
        return a, (other, *(0 * entry for entry in a[1:]))


def series_of_jet(jet: ScalarArray) -> ScalarArray:
    """
    Return an array of series from a quantity and its derivatives.

    Parameters
    ----------
    jet : (K + 1, ...) ndarray
        Row d is the d-th derivative.

    Returns
    -------
    (...) ndarray of `Series`

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.series import series_of_jet
    >>> series_of_jet(np.array([[1.0], [2.0], [3.0]]))[0].coefficients
    (1.0, 2.0, 1.5)
    """
    coefficients = taylor_coefficients(jet)
    series = np.empty(jet.shape[1:], object)
    for index in np.ndindex(series.shape):
        series[index] = Series(coefficients[(slice(None),) + index].tolist())
    return series


def jet_of_series(series: ScalarArray, order: int) -> ScalarArray:
    """
    Return a quantity and its derivatives from an array of series.

    Parameters
    ----------
    series : (...) ndarray
        Entries of other types are constants.
    order : int
        K, the highest derivative; at most that of any series.

    Returns
    -------
    (K + 1, ...) ndarray
        Of object type.
    """
    coefficients = np.zeros((order + 1, *series.shape), object)
    for index in np.ndindex(series.shape):
        entry = series[index]
        terms = entry.coefficients[: order + 1] if isinstance(entry, Series) else (entry,)
        for k, term in enumerate(terms):
            coefficients[(k,) + index] = term
    return jet_of_coefficients(coefficients)
