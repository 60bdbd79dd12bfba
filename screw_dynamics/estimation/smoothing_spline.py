# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Smoothing spline of one signal, with a smoothness estimated from the data."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.estimation.recorded_samples import usual_step
from screw_dynamics.estimation.spline_system import SmoothingSystem, UniformKnots, band_of_inverse

# The fifth derivative is penalised, so that the snap is continuous and has a finite variance.
DEGREE = 5
# Smoothing time times pi, in interval lengths: the resolution of the knots. Above the largest
# value double precision is too low; at half of it, the uncertainty of the snap is estimated some
# 7 % too small (that of the jerk and below by less than 1 %).
_LEAST, _MOST = 0.6, 32.0
_GIVEN = 24.0  # for a given smoothing time
_FEWEST_INTERVALS = 8
_GRID = 9
_TOLERANCE = 0.02  # of log(resolution); the penalty is its tenth power
# local smoothness: standard deviation of the window in smoothing times, the degrees of freedom
# that the whole recording counts for in it, and rounds, after which bands hardly change
_WINDOW, _WHOLE, _ROUNDS = 3.0, 0.3, 4


@dataclass(frozen=True, eq=False)
class SmoothingSpline:
    """
    Estimate of one signal and its derivatives, with the posterior covariance.

    `offset` is the mean of the samples; the `coefficients` (K + 5,) are those of the difference,
    whose high derivatives its rounding would spoil. Row k of `covariance` (6, K + 5) has the
    entries [j + k, j]. `noise` is the standard deviation of the measurement; `smoothing_time` is
    that of the whole recording.
    """

    knots: UniformKnots
    offset: float
    coefficients: Array
    covariance: Array
    noise: float
    smoothing_time: float

    def jets(self, times: Array, rows: int) -> Array:
        """Return the estimate and its derivatives, (T, rows); at most 5 rows."""
        index, part = self.knots.intervals_of(times)
        local = self.coefficients[index[:, None] + np.arange(DEGREE + 1)]
        jets: Array = np.einsum('dta,ta->td', self.knots.weights(part, rows), local)
        jets[:, 0] += self.offset
        return jets

    def covariances(self, times: Array, rows: int) -> Array:
        """Return the posterior covariance of the estimate and its derivatives, (T, rows, rows)."""
        index, part = self.knots.intervals_of(times)
        a = np.arange(DEGREE + 1)
        distance, first = np.abs(a[:, None] - a), np.minimum(a[:, None], a)
        local = self.covariance[distance, index[:, None, None] + first]
        weights = self.knots.weights(part, rows).transpose(1, 0, 2)
        return np.asarray(weights @ local @ weights.transpose(0, 2, 1))


def smoothing_splines(
    times: Array,
    samples: Array,
    smoothing_time: float | None = None,
    on_joint: Callable[[], object] | None = None,
) -> list[SmoothingSpline]:
    """
    Return each of the n signals, `samples` (N, n), as a smoothing spline.

    The knots are first as close as the samples and are then thinned out to the resolution needed
    at the maximum of the restricted likelihood. `times` [s] increase, with ties.
    """
    duration = float(times[-1] - times[0])
    mean = samples.mean(axis=0)
    centred = samples - mean
    splines: dict[int, SmoothingSpline] = {}
    waiting = np.arange(samples.shape[1])
    intervals = _first_intervals(times, smoothing_time)
    while len(waiting):
        knots = UniformKnots(float(times[0]), duration / intervals, intervals, DEGREE)
        system = SmoothingSystem(knots, times, centred[:, waiting])
        scale = len(times) / intervals
        if smoothing_time is None:
            resolutions = np.geomspace(_LEAST, _MOST, _GRID)
            every = [np.full(intervals, _penalty(r, scale)) for r in resolutions]
            deviances = np.array([system.deviance(smoothing) for smoothing in every])
            best = deviances.argmin(axis=0)
            settled = (best < _GRID - 1) | (intervals <= _FEWEST_INTERVALS)
        else:
            resolutions = np.array([np.pi * smoothing_time / knots.spacing])
            best = np.zeros(len(waiting), dtype=int)
            settled = np.ones(len(waiting), dtype=bool)
        for place in np.flatnonzero(settled):
            j = int(waiting[place])
            alone = SmoothingSystem(knots, times, centred[:, [j]])
            resolution = _refined(alone, resolutions, int(best[place]), scale)
            smoothing = np.full(intervals, _penalty(resolution, scale))
            time = resolution / np.pi * knots.spacing
            if smoothing_time is None:
                smoothing = _local(alone, smoothing, time, scale)
            splines[j] = _spline(alone, smoothing, time, float(mean[j]))
            if on_joint is not None:
                on_joint()
        waiting = waiting[~settled]
        intervals = max(intervals // 2, _FEWEST_INTERVALS)
    return [splines[j] for j in range(samples.shape[1])]


def _first_intervals(times: Array, smoothing_time: float | None) -> int:
    duration = float(times[-1] - times[0])
    if smoothing_time is not None:
        return max(int(np.ceil(duration * _GIVEN / (np.pi * smoothing_time))), 1)
    return max(int(np.ceil(duration / usual_step(times))), _FEWEST_INTERVALS)


def _penalty(resolution: float, scale: float) -> float:
    """Return lambda for a resolution, given the samples per interval."""
    return float((resolution / np.pi) ** (2 * DEGREE) * scale)


def _refined(system: SmoothingSystem, grid: Array, best: int, scale: float) -> float:
    """Return the most likely resolution near the best one of a grid."""
    if not 0 < best < len(grid) - 1:
        return float(grid[best])
    # imported here because it takes longer than the rest of the package
    from scipy.optimize import minimize_scalar

    every = np.ones(system.knots.intervals)
    found = minimize_scalar(
        lambda log: float(system.deviance(_penalty(np.exp(log), scale) * every)[0]),
        bounds=(float(np.log(grid[best - 1])), float(np.log(grid[best + 1]))),
        method='bounded',
        options={'xatol': _TOLERANCE},
    )
    return float(np.exp(found.x))


def _local(system: SmoothingSystem, whole: Array, time: float, scale: float) -> Array:
    """
    Return the penalties (K,) that follow the motion, or those `whole` (K,) of the recording.

    The intensity of the fifth derivative is such that within a window its squares are as many
    times their expectation as the samples determine degrees of freedom there [M1992]. It is left
    alike everywhere unless the likelihood grows by more than one number per window makes it.
    """
    from scipy.ndimage import gaussian_filter1d

    width = _WINDOW * time / system.knots.spacing
    count = np.sqrt(2.0 * np.pi) * width  # of intervals in the window
    smoothing = whole
    for _ in range(_ROUNDS):
        factor = system.factor(smoothing)
        coefficients, minimum = system.solve(smoothing, factor)
        variance = max(float(system.noise_variance(minimum)[0]), np.finfo(float).tiny)
        unknown = smoothing * system.difference_variances(band_of_inverse(factor))
        squares = np.diff(coefficients[:, 0], DEGREE) ** 2 / variance
        free, told = (
            count * gaussian_filter1d(values, width, mode='nearest')
            for values in (np.clip(1.0 - unknown, 0.0, 1.0), squares)
        )
        smoothing = (free + _WHOLE) / (told + _WHOLE / whole)
        smoothing = np.clip(smoothing, _penalty(_LEAST, scale), _penalty(_MOST, scale))
    gain = float((system.deviance(whole) - system.deviance(smoothing))[0])
    return smoothing if gain > 2.0 * len(whole) / count else whole


def _spline(
    system: SmoothingSystem, smoothing: Array, time: float, mean: float
) -> SmoothingSpline:
    factor = system.factor(smoothing)
    coefficients, minimum = system.solve(smoothing, factor)
    variance = float(system.noise_variance(minimum)[0])
    covariance, noise = variance * band_of_inverse(factor), float(np.sqrt(variance))
    return SmoothingSpline(system.knots, mean, coefficients[:, 0], covariance, noise, time)
