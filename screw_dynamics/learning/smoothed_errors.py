# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of recorded runs, smoothed, and the points of a reference that they correct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.estimation import measured_motion
from screw_dynamics.estimation.identification import Recording
from screw_dynamics.estimation.recorded_samples import usual_step
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints, smooth_trajectory

MARGIN = 8.0  # smoothing times before and after a motion, in which corrections fade to rest
_PADDING = 5.0  # smoothing times beyond the margin
_REST = 0.25  # of a smoothing time at either end of a recording, whose mean is the error at rest
_PER_KNOT = 3.0  # knots in a smoothing time
_ROUNDING = 1e-6  # of a number of knots
_CLOSEST = 1e-3  # s between breaks of the wanted motion that are both knots
_LEAST_STEPS = 3.0  # between samples, in a smoothing time
_TURN = 2.0 * np.pi
_MOVING = 0.1  # of the velocity of the fastest joint, that of a joint that tells a shift of time
_LEAST = np.finfo(float).tiny


class RunErrors(NamedTuple):
    """Errors (T, n) of a run at times (T,), those within the wanted motion where `inside`."""

    times: Array
    errors: Array
    inside: Array


def run_errors(
    recording: Recording, wanted: PiecewisePolynomial, continuous: Sequence[bool]
) -> RunErrors:
    """Return the errors of a recording; raise InputError unless it has the whole motion."""
    times = recording.times
    begin, end = wanted.breaks[[0, -1]]
    step = usual_step(times)
    if times[0] > begin + _LEAST_STEPS * step or times[-1] < end - _LEAST_STEPS * step:
        raise InputError(
            f'recordings: expected samples of the whole motion, from {begin:g} to {end:g} s on '
            f'the axis of the curve, got those from {times[0]:g} to {times[-1]:g} s'
        )
    errors = recording.positions - wanted.jets(times, 1)[:, 0]
    turning = np.flatnonzero(continuous)
    errors[:, turning] -= _TURN * np.round(errors[:, turning] / _TURN)
    return RunErrors(times, errors, (times >= begin) & (times <= end))


def time_shift(runs: Sequence[RunErrors], wanted: PiecewisePolynomial) -> tuple[float, float]:
    """
    Return the time by which links are late in the mean of all joints [s], and what it explains.

    Links that are late by s have the errors -s q'. Errors count as times, as parts of the usual
    velocity of their joint; of their squares, the second value is the share that goes with s.
    """
    errors = np.concatenate([run.errors[run.inside] for run in runs])
    times = np.concatenate([run.times[run.inside] for run in runs])
    rates = wanted.jets(times, 2)[:, 1]
    usual = np.sqrt(np.square(rates).mean(axis=0))
    moving = usual > _MOVING * usual.max()
    errors, rates = errors[:, moving] / usual[moving], rates[:, moving] / usual[moving]
    late = -float((errors * rates).sum() / max(np.square(rates).sum(), _LEAST))
    left = np.square(errors + late * rates).sum()
    return late, float(1.0 - left / max(np.square(errors).sum(), _LEAST))


def least_smoothing_time(runs: Sequence[RunErrors]) -> float:
    """Return the shortest smoothing time that the samples resolve [s]."""
    return _LEAST_STEPS * max(usual_step(run.times) for run in runs)


def knots_of(wanted: PiecewisePolynomial, smoothing_time: float) -> Array:
    """
    Return times of points (K,), the first two and the last at rest [s].

    They are the breaks of the wanted motion, and divide the times between these evenly: uneven
    ones would force snaps into the curve through the points.
    """
    margin, spacing = MARGIN * smoothing_time, smoothing_time / _PER_KNOT
    breaks = [float(wanted.breaks[0]) - margin]
    for time in wanted.breaks.tolist():
        if time - breaks[-1] >= _CLOSEST:
            breaks.append(time)
    breaks.append(float(wanted.breaks[-1]) + margin)
    knots = [np.array([breaks[0] - spacing])]
    for begin, end in pairwise(breaks):
        count = int(np.ceil((end - begin) / spacing - _ROUNDING))
        knots.append(np.linspace(begin, end, count, endpoint=False))
    # whole nanoseconds, as messages have them
    times: Array = np.append(np.concatenate(knots), breaks[-1])
    return np.round(times, 9)


def smoothed_errors(
    run: RunErrors, wanted: PiecewisePolynomial, knots: Array, smoothing_time: float
) -> tuple[Array, Array]:
    """Return smoothed errors and their rates (K, n) at the knots, which begin and end at rest."""
    step, reach = usual_step(run.times), _PADDING * smoothing_time
    used = (run.times > knots[0] - reach) & (run.times < knots[-1] + reach)
    times, errors = run.times[used], run.errors[used]
    first, last = times[[0, -1]]
    ends = times <= first + _REST * smoothing_time, times >= last - _REST * smoothing_time
    rests = [errors[end].mean(axis=0) for end in ends]
    before = np.arange(first - step, knots[0] - reach, -step)[::-1]
    after = np.arange(last + step, knots[-1] + reach, step)
    constant = [
        np.tile(rest, (len(at), 1)) for rest, at in zip(rests, (before, after), strict=True)
    ]
    motion = measured_motion(
        np.concatenate((before, times, after)),
        np.vstack((constant[0], errors, constant[1])),
        smoothing_time=smoothing_time,
    )
    jets = motion.jets(knots, 2)
    begin, end = wanted.breaks[[0, -1]]
    margins = begin - knots[1], knots[-1] - end
    fades = (knots - knots[1]) / margins[0], (knots[-1] - knots) / margins[1]
    for rest, fade, margin in zip(rests, fades, (margins[0], -margins[1]), strict=True):
        u = np.clip(fade, 0.0, 1.0)[:, np.newaxis]
        # from 0 to 1, with four derivatives of 0 at both ends
        share = u**5 * (126.0 + u * (-420.0 + u * (540.0 + u * (-315.0 + 70.0 * u))))
        rate = 630.0 * u**4 * (1.0 - u) ** 4 / margin
        jets[:, 1] = share * jets[:, 1] + rate * (jets[:, 0] - rest)
        jets[:, 0] = rest + share * (jets[:, 0] - rest)
    return jets[:, 0], jets[:, 1]


def curve_through(
    joint_names: Sequence[str], knots: Array, positions: Array, velocities: Array
) -> PiecewisePolynomial:
    """Return the C4 curve through points, as a receiver of their trajectory fits it."""
    free = np.full_like(positions, np.nan)
    waypoints = Waypoints(tuple(joint_names), knots - knots[0], positions, velocities, free)
    curve = smooth_trajectory(waypoints, rest_at_ends=True)
    return replace(curve, breaks=knots)
