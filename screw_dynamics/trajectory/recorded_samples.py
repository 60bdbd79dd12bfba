# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Put recorded samples in order: stamps, repeats, gaps, turns of continuous joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import InputError, ShapeError, TrajectoryError
from screw_dynamics.trajectory.waypoint_checks import LARGEST

# Knots are as close as samples usually are; this many times the samples is what a gap may cost.
_MOST_INTERVALS_PER_SAMPLE = 4
_RARE = 0.01  # part of the distances that may be gaps


class GapError(TrajectoryError):
    """For too long nothing was recorded; when, and how long, is said."""


class RecordedSamples(NamedTuple):
    """
    Samples in the order of their stamps.

    `times` (N,) [s]; `positions` (N, n).
    """

    times: Array
    positions: Array
    disordered: int
    repeated: int


def in_order(
    times: ArrayLike, positions: ArrayLike, continuous: Sequence[bool] | None, fewest: int
) -> RecordedSamples:
    """
    Check and order the samples of a recording.

    `times` [s].
    """
    stamps = _bounded('times', times)
    values = _bounded('positions', positions)
    if stamps.ndim != 1 or values.ndim != 2 or len(values) != len(stamps):
        raise ShapeError('positions', f'({len(stamps)}, n), a row per time', values.shape)
    disordered = int((np.diff(stamps) < 0.0).sum())
    order = np.argsort(stamps, kind='stable')
    stamps, values = stamps[order], values[order]
    _, first = np.unique(np.column_stack((stamps, values)), axis=0, return_index=True)
    first.sort()
    repeated = len(stamps) - len(first)
    stamps, values = stamps[first], values[first].copy()
    _check_instants(stamps, fewest)
    if continuous is not None:
        turning = np.flatnonzero(continuous)
        values[:, turning] = np.unwrap(values[:, turning], axis=0)
    return RecordedSamples(stamps, values, disordered, repeated)


def _bounded(name: str, values: ArrayLike) -> Array:
    array = require_finite(name, as_float_array(name, values))
    if not (np.abs(array) <= LARGEST).all():  # squares of what is larger overflow
        raise InputError(
            f'{name}: expected at most {LARGEST:g} in size, got {np.abs(array).max():g}'
        )
    return array


def usual_step(stamps: Array) -> float:
    """
    Return the mean distance of samples, the longest hundredth of the distances left out.

    `stamps` (N,) [s]; returns [s].
    """
    steps = np.sort(np.diff(stamps))
    steps = steps[steps > 0.0]
    kept = steps[: len(steps) - math.ceil(_RARE * len(steps))]
    return float(kept.mean())


def _check_instants(stamps: Array, fewest: int) -> None:
    steps = np.diff(stamps)
    found = 1 + int((steps > 0.0).sum()) if len(stamps) else 0
    if found < fewest:
        raise TrajectoryError(
            f'expected samples at {fewest} instants or more to estimate derivatives from, '
            f'got {found}'
        )
    if stamps[-1] - stamps[0] > _MOST_INTERVALS_PER_SAMPLE * len(stamps) * usual_step(stamps):
        raise gap_error(stamps)


def gap_error(stamps: Array) -> GapError:
    """
    Return the error that names the longest gap of a recording.

    `stamps` (N,) [s].
    """
    steps = np.diff(stamps)
    longest = int(np.argmax(steps))
    return GapError(
        f'samples are usually {usual_step(stamps):g} s apart, yet nothing was recorded for '
        f'{steps[longest]:g} s after {stamps[longest]:.6f} s: expected a recording without long '
        f'gaps, or one of its parts'
    )
