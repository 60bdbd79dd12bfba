# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The motion that a recording shows, with its uncertainty, and its good samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.effort_format import EffortFormat, left_out
from screw_dynamics.errors import InputError
from screw_dynamics.estimation import MeasuredMotion, effort_standard_deviations, measured_motion
from screw_dynamics.estimation.identification.held_joints import AT_THE_ENDS
from screw_dynamics.estimation.identification.least_squares import (
    Window,
    cosine_windows,
    parts,
)
from screw_dynamics.estimation.identification.recorded_rows import LEAST_RANGE, Rows
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.recorded_samples import usual_step
from screw_dynamics.model.screw_model import ScrewModel

_F = TypeVar('_F', bound=Callable[..., Any])
ROWS = 3
# smoothing times between windows of residuals: their bands are then some per cent too wide for
# errors of accelerations alone, which cancel each other; fewer and longer windows tell them less
_SPACING, _FEW_WINDOWS = 10.0, 15
_LEAST_SPACING, _FEWEST_WINDOWS = 3.0, 5  # of short recordings
_LONGEST = 0.2  # s, the longest smoothing time that is tried
_TRIED = 2.0  # ratio of those that are tried
_COMPARED = 2000  # samples of efforts that are held out
_BLOCKS, _FOLDS = 30, 3
_BETTER = 0.95  # of the squares of held-out efforts, what a longer smoothing time leaves


def one_thread(function: _F) -> _F:
    """Keep linear algebra in one thread, which is up to ten times faster on busy cores."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # not among the packages of every ROS 2
        return function
    limited: _F = threadpool_limits.wrap(limits=1, user_api='blas')(function)
    return limited


class Motion(NamedTuple):
    """The motion of the parts of a recording; its longest smoothing time, and a given one [s]."""

    motions: tuple[MeasuredMotion, ...]
    dead: float
    given: float | None

    @property
    def noise(self) -> Array:
        """Standard deviation of the noise of each joint's positions, (n,) [rad or m]."""
        return np.asarray(np.max([motion.noise for motion in self.motions], axis=0))

    def inside(self, times: Array, margin: float) -> NDArray[np.bool_]:
        """Return which times (T,) are so far away from the ends of all parts [s]."""
        found = np.zeros(len(times), dtype=bool)
        for motion in self.motions:
            found |= (times >= motion.start + margin) & (times <= motion.end - margin)
        return found

    def jets(self, times: Array, rows: int = ROWS) -> Array:
        """Return the jets (T, rows, n) at times within parts, in their order."""
        return np.concatenate([motion.jets(own, rows) for motion, own in self._by_part(times)])

    def covariances(self, times: Array, rows: int = ROWS) -> Array:
        """Return the posterior covariances (T, n, rows, rows) of the jets."""
        by_part = self._by_part(times)
        return np.concatenate([motion.covariances(own, rows) for motion, own in by_part])

    def _by_part(self, times: Array) -> list[tuple[MeasuredMotion, Array]]:
        ends = np.searchsorted(times, [motion.end for motion in self.motions[:-1]], 'right')
        pairs = zip(self.motions, np.split(times, ends), strict=True)
        return [pair for pair in pairs if len(pair[1])]

    def spread(self, model: ScrewModel, times: Array, jets: Array) -> Array:
        """Return the standard deviations (T, n) that the uncertain motion gives the efforts."""
        found = []
        for part in parts(len(times)):
            covariances = self.covariances(times[part])
            found.append(effort_standard_deviations(model, jets[part], covariances)[:, 0])
        return np.concatenate(found)


def motion_of(
    model: ScrewModel,
    rows: Rows,
    smoothing_time: float | None,
    on_joint: Callable[[], object] | None = None,
) -> Motion:
    """Return the motion of the parts of a recording, joints at rest among them."""
    recording = rows.recording
    turning = [kind == 'continuous' for kind in model.coordinate_types]
    motions = [
        measured_motion(
            recording.times[part],
            recording.positions[part],
            continuous=turning,
            smoothing_time=smoothing_time,
            on_joint=on_joint,
        )
        for part in rows.parts
    ]
    moving = np.ptp(recording.positions, axis=0) >= LEAST_RANGE
    dead = max(float(motion.smoothing_times[moving].max(initial=0.0)) for motion in motions)
    return Motion(tuple(motions), dead, smoothing_time)


class Seen(NamedTuple):
    """Full efforts away from the ends, jets (T, 3, n), unmeasured part (T, n), and the motion."""

    recording: Recording
    jets: Array
    lacking: Array
    motion: Motion

    def samples(self, chosen: NDArray[np.bool_]) -> Seen:
        """Return some of the samples."""
        kept = self.recording.samples(chosen)
        return Seen(kept, self.jets[chosen], self.lacking[chosen], self.motion)


def seen(model: ScrewModel, taken: EffortFormat, rows: Rows, motion: Motion) -> Seen:
    """Return the samples away from the ends of the parts, with full efforts."""
    recording, margin = rows.recording, AT_THE_ENDS * motion.dead
    kept = recording.samples(motion.inside(recording.times, margin))
    if not len(kept.times):
        raise too_short(2.0 * margin, *recording.times[[0, -1]])
    jets = motion.jets(kept.times)
    full = taken.full_efforts(model, jets, kept.efforts)
    return Seen(replace(kept, efforts=full), jets, left_out(taken.content, model, jets), motion)


def most_telling(
    model: ScrewModel,
    taken: EffortFormat,
    rows: Rows,
    likely: Motion,
    columns: Callable[[Array], Array],
    known: Callable[[Array], Array],
    used: NDArray[np.bool_],
) -> Motion:
    """
    Return the motion, of several smoothing times, that explains efforts best which are held out.

    The likelihood of white noise takes correlated noise, as of stamps that jitter or of encoders
    that are held, for motion. Efforts tell it from motion: `columns` (T, n, P) and `known` (T, n)
    of joint jets explain those of the joints `used`. The `likely` motion is kept unless another
    one explains them clearly better.
    """
    times, step = rows.recording.times, usual_step(rows.recording.times)
    lengths = [np.ptp(times[part]) for part in rows.parts]
    least = 2.0 * AT_THE_ENDS + _FEWEST_WINDOWS * _LEAST_SPACING
    longest = min(_LONGEST, max(lengths) / least)
    first = max(_TRIED * float(np.median([m.smoothing_times for m in likely.motions])), 2.0 * step)
    tried = first * _TRIED ** np.arange(np.ceil(np.log2(max(longest / first, 1e-9))))
    motions = [likely, *(motion_of(model, rows, float(time)) for time in tried if time < longest)]
    margin = AT_THE_ENDS * max(motion.dead for motion in motions)
    inside = np.flatnonzero(likely.inside(times, margin))
    if len(motions) == 1 or len(inside) < _BLOCKS:
        return likely
    some = inside[:: max(1, -(-len(inside) // _COMPARED))]
    instants, measured = times[some], rows.recording.efforts[some]
    left = []
    for motion in motions:
        jets = motion.jets(instants)
        rest = taken.full_efforts(model, jets, measured) - known(jets)
        left.append(_held_out(columns(jets)[:, used], rest[:, used]))
    shares = np.exp(np.mean(np.log(np.maximum(left, 1e-300)), axis=1))
    return motions[int(np.argmax(_BETTER * shares <= shares.min()))]


def _held_out(rows: Array, rest: Array) -> Array:
    """Return mean squares (n,) of what rows (T, n, P) leave of held-out blocks of (T, n)."""
    blocks = np.arange(len(rest)) * _BLOCKS // len(rest) % _FOLDS
    sizes = np.maximum(np.sqrt(np.mean(rest**2, axis=0)), 1e-300)  # as weights
    scaled = rows / sizes[:, np.newaxis]
    scale = np.maximum(np.sqrt(np.sum(scaled**2, axis=(0, 1))), 1e-300)
    both = np.concatenate((scaled / scale, (rest / sizes)[..., np.newaxis]), axis=2)
    grams = [
        np.einsum('tip,tiq->pq', both[blocks == fold], both[blocks == fold])
        for fold in range(_FOLDS)
    ]
    left = np.empty_like(rest)
    for fold in range(_FOLDS):
        gram = sum(grams[other] for other in range(_FOLDS) if other != fold)
        values = np.linalg.lstsq(gram[:-1, :-1], gram[:-1, -1], rcond=1e-10)[0]
        own = both[blocks == fold]
        left[blocks == fold] = own[..., -1] - own[..., :-1] @ values
    return np.asarray(np.mean((left * sizes) ** 2, axis=0))


def windows_of(times: Array, dead: float, recorded: Array) -> list[Window]:
    """Return the windows of samples; raise InputError if they are too few of those `recorded`."""
    span = float(np.ptp(times))
    spacing = min(_SPACING * dead, max(span / _FEW_WINDOWS, _LEAST_SPACING * dead))
    if span < _FEWEST_WINDOWS * spacing:
        least = _FEWEST_WINDOWS * _LEAST_SPACING + 2.0 * AT_THE_ENDS
        raise too_short(least * dead, *recorded[[0, -1]])
    return cosine_windows(times, spacing)


def too_short(least: float, start: float, end: float) -> InputError:
    """Return the error of a recording that is too short."""
    return InputError(f'recording: expected more than {least:.3g} s, got {end - start:.3g} s')
