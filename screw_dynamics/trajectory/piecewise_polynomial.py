# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`PiecewisePolynomial`: joint positions over time, sampled with their time derivatives."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import (
    Array,
    as_float_array,
    read_only_copy,
    require_finite,
    require_out,
)
from screw_dynamics.common.results import SampledResult, Samples
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, shown
from screw_dynamics.kernels.curves.motions import sample_polynomial, sample_polynomial_batch

JET_ROWS = 5  # q, q', q'', q''', q'''': required for tau, tau', tau''

_DRAWN = 401  # instants of figures and tables, beside the breaks
_ROUNDING = 1e-6  # of a period: a remainder below it gets no sample of its own
_MOST_SAMPLES = 10_000_000
# Samples between two breaks of dense ones, fewer if their total would exceed the second number.
_WITHIN, _ALL_WITHIN = 16, 200_000
_DISTINCT = 1e-9  # of the duration


@dataclass(frozen=True, eq=False)
class PiecewisePolynomial(SampledResult):
    """
    Joint positions as polynomials between breaks; at rest before the first and after the last.

    On segment i, with h_i = breaks[i + 1] - breaks[i] and the normalised time
    u = (t - breaks[i]) / h_i in [0, 1), q(t) = sum_k coefficients[i, k] u^k. For t < breaks[0]
    the joints rest at q(breaks[0]), for t >= breaks[-1] at `end`.

    Parameters
    ----------
    breaks : (S + 1,) ndarray
        Strictly increasing times [s]; S = 0 (one break, no segment) is a constant position.
    coefficients : (S, degree + 1, n) ndarray
        Coefficients of powers of u [rad or m].
    end : (n,) ndarray
        Positions after the last break [rad or m].
    continuity : int
        Highest k such that the positions are C^k, including the transitions from and to rest
        (from rest only if no start jet was given). At most 4.
    joint_names : tuple of str
        Names of the n joints in figures and tables; empty if they are not known.

    Raises
    ------
    ShapeError, InputError
        If the shapes are inconsistent or the breaks do not increase.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.trajectory import PiecewisePolynomial
    >>> ramp = PiecewisePolynomial(np.array([0.0, 2.0]), np.array([[[1.0], [4.0]]]),
    ...                            np.array([5.0]), continuity=0)
    >>> ramp.jets([1.0], rows=2)[0].ravel()
    array([3., 2.])
    """

    breaks: Array
    coefficients: Array
    end: Array
    continuity: int
    joint_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the numbers of segments and joints, the duration and the continuity."""
        first, last = self.breaks[0], self.breaks[-1]
        return (
            f'PiecewisePolynomial({len(self.breaks) - 1} segments, {first:g} to {last:g} s; '
            f'{len(self.end)} joints, C{self.continuity})'
        )

    def _samples(self) -> tuple[Array, dict[str, Samples]]:
        times = np.unique(
            np.append(self.breaks, np.linspace(self.breaks[0], self.breaks[-1], _DRAWN))
        )
        # the last instant belongs to the last segment, not to the rest after it
        jets = self.jets(np.append(times[:-1], np.nextafter(times[-1], times[0])))
        return times, {'position': Samples(jets, names=self.joint_names)}

    def __post_init__(self) -> None:
        """Check shapes and make the arrays read-only."""
        for name, ndim in (('breaks', 1), ('coefficients', 3), ('end', 1)):
            array = read_only_copy(name, getattr(self, name))
            if array.ndim != ndim:
                raise ShapeError(name, f'{ndim} dimensions', array.shape)
            object.__setattr__(self, name, require_finite(name, array))
        segments, n = len(self.breaks) - 1, len(self.end)
        shape = self.coefficients.shape
        if segments < 0 or (shape[0], shape[2]) != (segments, n) or shape[1] < 1:
            raise ShapeError('coefficients', f'({segments}, degree + 1, {n})', shape)
        if (np.diff(self.breaks) <= 0.0).any():
            raise InputError('breaks: expected strictly increasing times')

    @property
    def duration(self) -> float:
        """Time from the first break to the last [s]."""
        return float(self.breaks[-1] - self.breaks[0])

    def sample(self, t: float, out: Array) -> Array:
        """
        Write the joint jet at time t into `out` and return it; nothing is allocated.

        Parameters
        ----------
        t : float
            Time on the axis of `breaks` [s]; may be infinite.
        out : (rows, n) ndarray
            C-contiguous float64; row d receives the d-th time derivative. Usually 5 rows.

        Raises
        ------
        ShapeError
            If `out` does not have n columns and at least one row.
        NotFiniteError
            If the time is NaN.
        InputError
            If the time is not a number, or `out` not a writable, C-contiguous float64 array.
        """
        try:
            if math.isnan(t):
                raise NotFiniteError('t', (), t)
        except (TypeError, OverflowError):
            raise InputError(f't: expected a time in s, got {shown(t)}') from None
        if require_out(out).ndim != 2 or not out.shape[0] or out.shape[1] != self.end.shape[0]:
            raise ShapeError('out', f'(rows, {self.end.shape[0]}) with rows >= 1', out.shape)
        sample_polynomial(self.breaks, self.coefficients, self.end, t, out)
        return out

    def jets(self, times: ArrayLike, rows: int = JET_ROWS) -> Array:
        """
        Return the joint jets (T, rows, n) at many times; row d has the d-th time derivatives.

        Parameters
        ----------
        times : (T,) array_like
            Times in any order [s].
        rows : int
            Number of rows per jet: position and rows - 1 derivatives, exact for any count.

        Raises
        ------
        ShapeError, NotFiniteError, InputError
        """
        times = require_finite('times', as_float_array('times', times))
        if times.ndim != 1:
            raise ShapeError('times', '(T,)', times.shape)
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 1:
            raise InputError(f'rows: expected an integer of at least 1, got {shown(rows)}')
        out = np.empty((len(times), rows, len(self.end)))
        sample_polynomial_batch(self.breaks, self.coefficients, self.end, times, out)
        return out


def sample_count(start: float, end: float, rate: float) -> int:
    """Return how many samples `even_times` returns; raise OverflowError if they are infinite."""
    return max(int(np.ceil((end - start) * rate - _ROUNDING)), int(end > start)) + 1


def even_times(start: float, end: float, rate: float) -> Array:
    """Return evenly spaced times (T,) [s] from `start` to `end`, with both, at a `rate` [1/s]."""
    times: Array = start + np.arange(sample_count(start, end, rate)) / rate
    times[-1] = end
    return times


def sample_times(start: float, end: float, rate: float) -> Array:
    """Return even sample times (T,) with both ends [s], or raise `InputError` if too many."""
    steps = (end - start) * rate
    if not steps < _MOST_SAMPLES:
        raise InputError(
            f'rate: expected at most {_MOST_SAMPLES} samples, {rate:g} Hz over '
            f'{end - start:g} s gives {steps:.3g}'
        )
    return even_times(start, end, rate)


def dense_times(curve: PiecewisePolynomial, rate: float) -> Array:
    """Return sample times (T,) [s]: even ones at `rate`, the points, and some between any two."""
    breaks = curve.breaks
    even = sample_times(float(breaks[0]), float(breaks[-1]), rate)
    count = min(_WITHIN, max(_ALL_WITHIN // len(breaks), 1))
    parts = np.arange(count) / count
    within = (breaks[:-1, None] + parts * np.diff(breaks)[:, None]).ravel()
    times = np.unique(np.concatenate((even, within, breaks[-1:])))
    # times that differ only by rounding would coincide when time is scaled
    distinct = np.diff(times, prepend=-np.inf) > _DISTINCT * (times[-1] - times[0])
    kept: Array = times[distinct]
    return kept
