# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Position to snap from noisy positions, with uncertainty."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import InputError, ShapeError, TrajectoryError, shown
from screw_dynamics.estimation.recorded_samples import gap_error, in_order, usual_step
from screw_dynamics.estimation.smoothing_spline import DEGREE, SmoothingSpline, smoothing_splines
from screw_dynamics.trajectory.piecewise_polynomial import JET_ROWS

_FEWEST_SAMPLES = 2 * (DEGREE + 1)
_ROUNDING = 1e-9  # of the duration: tolerance for times outside of it


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """
    A motion estimated from measured positions, as `measured_motion` returns it.

    Parameters
    ----------
    start, end : float
        First and last instant of the motion [s].
    splines : tuple of SmoothingSpline
        One per joint.
    sample_count : int
        Number of samples used.
    disordered, repeated : int
        Number of samples that arrived out of order, and of repeats that were omitted.
    correlations : (n,) ndarray
        Correlation of neighbouring residuals of the estimate. Near or below 0 for white noise.
        If it is r > 0.1, the noise is not white or a given smoothing time too long, and the
        standard deviations are too small by at least the factor sqrt((1 + r) / (1 - r)).
    """

    start: float
    end: float
    splines: tuple[SmoothingSpline, ...]
    sample_count: int
    disordered: int
    repeated: int
    correlations: Array

    @property
    def noise(self) -> Array:
        """Standard deviation of the noise of each joint's positions, (n,) [rad or m]."""
        return np.array([spline.noise for spline in self.splines])

    @property
    def smoothing_times(self) -> Array:
        """Time scale of each joint below which motion counts as noise on average, (n,) [s]."""
        return np.array([spline.smoothing_time for spline in self.splines])

    def jets(self, times: ArrayLike, rows: int = JET_ROWS) -> Array:
        """
        Return the joint jets with the highest posterior probability.

        Parameters
        ----------
        times : (T,) array_like
            Within start and end [s].
        rows : int
            Number of rows, position and rows - 1 derivatives; at most 5.

        Returns
        -------
        (T, rows, n) ndarray
            Entry [i, d] is the d-th time derivative at times[i].

        Raises
        ------
        InputError, ShapeError, NotFiniteError
        """
        instants = self._checked(times, rows)
        return np.stack([spline.jets(instants, rows) for spline in self.splines], axis=2)

    def covariances(self, times: ArrayLike, rows: int = JET_ROWS) -> Array:
        """Return the posterior covariance of each joint's jet, (T, n, rows, rows); see `jets`."""
        instants = self._checked(times, rows)
        return np.stack([spline.covariances(instants, rows) for spline in self.splines], axis=1)

    def standard_deviations(self, times: ArrayLike, rows: int = JET_ROWS) -> Array:
        """Return the posterior standard deviation of the joint jets, (T, rows, n); see `jets`."""
        variances = np.diagonal(self.covariances(times, rows), axis1=2, axis2=3)
        return np.asarray(np.sqrt(np.maximum(variances, 0.0)).transpose(0, 2, 1).copy())

    def _checked(self, times: ArrayLike, rows: int) -> Array:
        instants = require_finite('times', as_float_array('times', times))
        if instants.ndim != 1:
            raise ShapeError('times', '(T,)', instants.shape)
        if rows not in range(1, JET_ROWS + 1):
            raise InputError(f'rows: expected 1 to {JET_ROWS}, got {shown(rows)}')
        slack = _ROUNDING * (self.end - self.start)
        outside = (instants < self.start - slack) | (instants > self.end + slack)
        if outside.any():
            raise InputError(
                f'times: expected {self.start:g} to {self.end:g} s, within the recording, '
                f'got {instants[outside][0]:g} s'
            )
        return instants


def measured_motion(
    times: ArrayLike,
    positions: ArrayLike,
    *,
    continuous: Sequence[bool] | None = None,
    smoothing_time: float | None = None,
    on_joint: Callable[[], object] | None = None,
) -> MeasuredMotion:
    """
    Estimate a motion and its derivatives from measured positions.

    Each joint is the spline that minimises the squared distances to the samples plus lambda times
    the squared integral of its fifth derivative. This is the mean of a Bayesian model: white
    measurement noise, and a snap that is a Wiener process [W1978]. The unknown intensities of both
    are those for which the recording is most likely (restricted maximum likelihood) [W1985]; that
    of the snap then follows the motion, as far as some smoothing times of it tell [M1992].
    `standard_deviations` is the posterior of that model. Time and memory grow linearly with the
    number of samples.

    Parameters
    ----------
    times : (N,) array_like
        Time stamps [s], in any order and at any distances. Different samples at one instant count
        as several measurements; exact repeats count once.
    positions : (N, n) array_like
        Measured positions [rad or m].
    continuous : sequence of n bool, optional
        Whether positions of a joint may jump by whole turns, as those of a continuous joint that
        is measured from -pi to pi. Between two samples it must move by less than half a turn.
    smoothing_time : float, optional
        Motion much faster than this counts as noise [s]; by default estimated from the data for
        each joint, and shorter where the motion is violent.
    on_joint : callable, optional
        Called without arguments after each joint: long recordings take seconds.

    Returns
    -------
    MeasuredMotion

    Raises
    ------
    TrajectoryError
        If there are fewer than 12 instants, or a long gap.
    ShapeError, NotFiniteError, InputError

    Notes
    -----
    The standard deviations are valid as far as the model is. Noise that is not white (a filter in
    the driver, the steps of a coarse encoder at low speed) is treated as motion: set a smoothing
    time then. `MeasuredMotion.correlations` reveals filters, but not an encoder that rests.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.trajectory import measured_motion
    >>> t = np.linspace(0.0, 2.0, 401)
    >>> noise = 1e-4 * np.random.default_rng(0).normal(size=401)
    >>> motion = measured_motion(t, (np.sin(t) + noise)[:, None])
    >>> velocity = motion.jets([1.0])[0, 1, 0]
    >>> deviation = motion.standard_deviations([1.0])[0, 1, 0]
    >>> bool(abs(velocity - np.cos(1.0)) < 3 * deviation < 0.01)
    True
    """
    if smoothing_time is not None and not 0.0 < smoothing_time < math.inf:
        raise InputError(
            f'smoothing_time: expected a positive number, got {shown(smoothing_time)} s'
        )
    samples = in_order(times, positions, continuous, _FEWEST_SAMPLES)
    start, end = float(samples.times[0]), float(samples.times[-1])
    if smoothing_time is not None:
        least = usual_step(samples.times)
        if not least <= smoothing_time <= end - start:
            raise TrajectoryError(
                f'smoothing_time: expected {least:.3g} s, the distance of the samples, to '
                f'{end - start:.3g} s, the length of the recording, got {smoothing_time:g} s'
            )
    try:
        splines = smoothing_splines(samples.times, samples.positions, smoothing_time, on_joint)
    except np.linalg.LinAlgError:  # the samples do not determine the spline in a gap
        raise gap_error(samples.times) from None
    correlations = _correlations(splines, samples.times, samples.positions)
    counts = len(samples.times), samples.disordered, samples.repeated
    return MeasuredMotion(start, end, tuple(splines), *counts, correlations)


def _correlations(splines: list[SmoothingSpline], times: Array, positions: Array) -> Array:
    estimate = np.column_stack([spline.jets(times, 1)[:, 0] for spline in splines])
    left = positions - estimate
    # scaled, as squares of rounding errors may underflow
    left = left / np.maximum(np.abs(left).max(axis=0), np.finfo(float).tiny)
    squares = (left**2).sum(axis=0)
    return np.asarray((left[1:] * left[:-1]).sum(axis=0) / np.maximum(squares, 1.0))
