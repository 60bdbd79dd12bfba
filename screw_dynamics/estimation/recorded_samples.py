# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Ordering of recorded samples: time stamps, repeats, gaps, turns of continuous joints."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import InputError, ShapeError, TrajectoryError
from screw_dynamics.trajectory.waypoint_checks import LARGEST

# Limits the cost of gaps, as knots are as close as samples usually are.
_MOST_INTERVALS_PER_SAMPLE = 4
_RARE = 0.01  # fraction of the distances that may be gaps


class GapError(TrajectoryError):
    """The recording contains a gap that is too long; the error states its start and length."""


class RecordedSamples(NamedTuple):
    """
    Samples in the order of their time stamps.

    `times` (N,) [s] do not decrease; `positions` (N, n) are without jumps of continuous joints.
    `disordered` samples arrived after a later one, `repeated` ones were equal and omitted.
    """

    times: Array
    positions: Array
    disordered: int
    repeated: int


def in_order(
    times: ArrayLike, positions: ArrayLike, continuous: Sequence[bool] | None, fewest: int
) -> RecordedSamples:
    """Check and order the samples of a recording; remove whole turns of `continuous` joints."""
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
    if not (np.abs(array) <= LARGEST).all():  # squares of larger numbers overflow
        raise InputError(
            f'{name}: expected at most {LARGEST:g} in size, got {np.abs(array).max():g}'
        )
    return array


def usual_step(stamps: Array) -> float:
    """Return the mean distance of samples [s], without the longest hundredth; 0 of one instant."""
    steps = np.sort(np.diff(stamps))
    steps = steps[steps > 0.0]
    kept = steps[: max(1, len(steps) - math.ceil(_RARE * len(steps)))]
    return float(kept.mean()) if kept.size else 0.0


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
    """Return the error that states the longest gap of a recording."""
    steps = np.diff(stamps)
    longest = int(np.argmax(steps))
    return GapError(
        f'samples are usually {usual_step(stamps):g} s apart, yet nothing was recorded for '
        f'{steps[longest]:g} s after {stamps[longest]:.6f} s: expected a recording without long '
        f'gaps, or one of its parts'
    )
