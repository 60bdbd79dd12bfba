# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
`ReferenceFilter`: stepwise positions smoothed with known derivatives and delay.

A chain of equal first-order lags, ``Y(s) / U(s) = (w / (s + w))^N``: critically damped, all poles
at -w. With the operator D = d/d(w t) the deviations ``e_k = (1 + D)^k (y - u)`` obey
``e_k' = e_(k+1) - e_k``, and for an input u that is constant since time 0 they are

    e_k(t) = exp(-w t) sum_j e_(k+j)(0) (w t)^j / j!        (k + j < N)

which is the matrix exponential of the chain, for any t. All weights are positive and their sum
is at most 1: no step, however long, amplifies rounding. The derivatives of y are the differences
``D^k y = (E - 1)^k e_0``, with E the shift of the index; at rest all of them are exactly zero.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import (
    Array,
    as_float_array,
    as_vector,
    require_finite,
    require_out,
)
from screw_dynamics.common.scalars import require_count, require_number
from screw_dynamics.common.times import SECOND
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, shown
from screw_dynamics.kernels.curves.motions import advance_filter, sample_filter
from screw_dynamics.trajectory.piecewise_polynomial import JET_ROWS

MIN_ORDER = JET_ROWS  # a step of the input makes the derivative of this order jump
MAX_ORDER = 12


class ReferenceFilter:
    """
    A critically damped low-pass of order N, discretised exactly; output from position to snap.

    The input is the last one set by `follow`, from the instant reached by the last `advance`. The
    output is a function of time alone, C^(N - 1), with a steady-state delay of N / w: a ramp is
    followed with this delay and no further error.

    Parameters
    ----------
    joint_count : int
    order : int
        N, from 5 (C4 output) to 12. At the same bandwidth a higher order has almost the same
        delay and damps steps and noise in jerk and snap more.
    bandwidth : float
        Frequency at which the amplitude is reduced by 3 dB [Hz].

    Raises
    ------
    InputError

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.trajectory import ReferenceFilter
    >>> smooth = ReferenceFilter(1, order=5, bandwidth=10.0)
    >>> round(smooth.delay, 4)
    0.0307
    >>> smooth.start([0.0])
    >>> smooth.follow([1.0])
    >>> smooth.sample(1.0, np.empty((5, 1))).round(6)[0]
    array([1.])
    """

    def __init__(self, joint_count: int, order: int = 8, bandwidth: float = 5.0) -> None:
        joint_count = require_count('joint_count', joint_count)
        if order not in range(MIN_ORDER, MAX_ORDER + 1):
            raise InputError(
                f'order: expected an integer from {MIN_ORDER} to {MAX_ORDER}, got {shown(order)}'
            )
        self.order = int(order)
        self.bandwidth = require_number('bandwidth', bandwidth, above=True)
        # |H| = (1 + (2 pi f / w)^2)^(-N / 2) = 2^(-1 / 2)
        self.pole = 2.0 * math.pi * self.bandwidth / math.sqrt(math.expm1(math.log(2.0) / order))
        # after this time every deviation is 0: exp(-1000) underflows
        self._longest = 1000.0 / self.pole
        self._shape = (JET_ROWS, joint_count)
        self.goal: Array = np.zeros(joint_count)
        self._deviations = np.zeros((self.order, joint_count))
        self._work = np.empty_like(self._deviations)

    @property
    def delay(self) -> float:
        """Delay of the output for a ramp, N / w [s]."""
        return self.order / self.pole

    def start(self, positions: ArrayLike, jet: ArrayLike | None = None) -> None:
        """
        Restart: at rest at the input, or in a given state of the output.

        Parameters
        ----------
        positions : (n,) array_like
            The new input [rad or m].
        jet : (5, n) array_like, optional
            Position to snap of the output now, from which it continues up to snap.

        Raises
        ------
        ShapeError, NotFiniteError, InputError
            The state is unchanged then.
        """
        n = len(self.goal)
        goal = as_vector('positions', positions, n)
        rows = np.zeros((self.order, n))
        if jet is not None:
            state = require_finite('jet', as_float_array('jet', jet))
            if state.shape != (JET_ROWS, n):
                raise ShapeError('jet', f'({JET_ROWS}, {n})', state.shape)
            with np.errstate(over='ignore', invalid='ignore'):
                rows[:JET_ROWS] = state / self.pole ** np.arange(JET_ROWS)[:, None]
                rows[0] -= goal
                # e_k = (1 + D)^k e_0: sums of neighbours, once per power
                for k in range(1, self.order):
                    rows[k:] += rows[k - 1 : -1].copy()
        _require_finite_result(rows)
        self._deviations[...] = rows
        self.goal[...] = goal

    def advance(self, elapsed: float) -> None:
        """
        Advance the state in time.

        Parameters
        ----------
        elapsed : float
            Time step, 0 or more [s].

        Raises
        ------
        InputError
            If the time step is not such a number; the state is unchanged then.
        """
        advance_filter(self._deviations, self.pole * self._time(elapsed), self._deviations)

    def _time(self, elapsed: float) -> float:
        """Return a checked time, limited to when the output rests; fast for floats in range."""
        if type(elapsed) is float and 0.0 <= elapsed <= self._longest:
            return elapsed
        return min(require_number('elapsed', elapsed), self._longest)

    def follow(self, positions: ArrayLike) -> None:
        """
        Set the input from the present instant on.

        Parameters
        ----------
        positions : (n,) array_like
            New input [rad or m].

        Raises
        ------
        ShapeError, NotFiniteError, InputError
            The input is unchanged then.
        """
        goal = as_vector('positions', positions, len(self.goal))
        with np.errstate(over='ignore', invalid='ignore'):
            rows = self._deviations + (self.goal - goal)
        _require_finite_result(rows)
        self._deviations[...] = rows
        self.goal[...] = goal

    def sample(self, elapsed: float, out: Array) -> Array:
        """
        Write the output at a time after the present instant to `out`, and return it.

        Nothing is allocated, and the state does not change.

        Parameters
        ----------
        elapsed : float
            Time after the present instant, 0 or more [s].
        out : (5, n) ndarray
            C-contiguous float64; row d receives the d-th time derivative.

        Raises
        ------
        ShapeError, InputError
            If `out` is not such an array, writable, or the time is not such a number.
        """
        if require_out(out).shape != self._shape:
            raise ShapeError('out', str(self._shape), out.shape)
        elapsed = self._time(elapsed)
        sample_filter(self._deviations, self.goal, self.pole, elapsed, self._work, out)
        return out


def _require_finite_result(rows: Array) -> None:
    if not np.isfinite(rows).all():
        j = int(np.argwhere(~np.isfinite(rows))[0, 1])
        raise NotFiniteError('positions', (j,), math.inf, 'overflow in the reference filter')


_TURN = 2.0 * np.pi


class FilteredPositions:
    """
    Smooth motion, as a function of time, from positions received at irregular times [ns].

    Joints marked by `continuous` (n,) have no limits: their positions are shifted to the nearest
    turn.
    """

    def __init__(self, continuous: NDArray[np.bool_], order: int, bandwidth: float) -> None:
        self._continuous = continuous
        self._filter = ReferenceFilter(len(continuous), order, bandwidth)
        self._instant = 0  # of the latest position [ns]

    @property
    def delay(self) -> float:
        """Steady-state delay [s]."""
        return self._filter.delay

    def retune(self, order: int, bandwidth: float, time: int) -> None:
        """Replace the filter at `time` [ns]; it keeps the state, or rests if it overflows."""
        old = self._filter
        if (old.order, old.bandwidth) == (order, bandwidth):
            return
        jet = self.sample(time, np.empty((JET_ROWS, len(old.goal))))
        self._filter = ReferenceFilter(len(old.goal), order, bandwidth)
        try:
            self._filter.start(old.goal, jet)
        except NotFiniteError:
            self._filter.start(old.goal)
        self._instant = time

    def start(self, positions: Array, time: int, jet: Array | None) -> None:
        """Start at rest at positions (n,), or in the state `jet` (5, n) of another motion."""
        if jet is not None:
            positions = self._nearest_turn(positions, jet[0])
        self._filter.start(positions, jet)
        self._instant = time

    def follow(self, positions: Array, time: int) -> None:
        """Set the input of the filter from an instant on: positions (n,) [rad or m]."""
        self._filter.advance(self._elapsed(time))
        self._instant = max(time, self._instant)
        self._filter.follow(self._nearest_turn(positions, self._filter.goal))

    def sample(self, time: int, out: Array) -> Array:
        """Write the joint jet at an instant to `out` (5, n) and return it; allocates nothing."""
        return self._filter.sample(self._elapsed(time), out)

    def _elapsed(self, time: int) -> float:
        return max(0, time - self._instant) / SECOND

    def _nearest_turn(self, positions: Array, near: Array) -> Array:
        turns = np.round((near - positions) / _TURN)
        shifted: Array = np.where(self._continuous, positions + _TURN * turns, positions)
        return shifted
