# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Samples`: the motion of links and motors in a recording, beside the efforts to explain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.effort_format import EffortFormat, left_out
from screw_dynamics.errors import InputError
from screw_dynamics.estimation import MeasuredMotion, effort_standard_deviations, measured_motion
from screw_dynamics.estimation.identification.equations import Equations
from screw_dynamics.estimation.identification.least_squares import (
    Window,
    cosine_windows,
    parts,
)
from screw_dynamics.estimation.identification.motor_terms import Jets
from screw_dynamics.estimation.identification.recorded_rows import LEAST_RANGE, Rows, rows_of
from screw_dynamics.estimation.identification.recording import Recording, sprung, with_motors
from screw_dynamics.estimation.recorded_samples import usual_step
from screw_dynamics.model.screw_model import ScrewModel

_F = TypeVar('_F', bound=Callable[..., Any])
MOST_DELAY = 0.05  # s, of efforts behind positions
_ROWS = 3
_AT_THE_ENDS = 3.0  # smoothing times about the ends of parts that are left out
# smoothing times between windows of residuals: their bands are then some per cent too wide for
# errors of accelerations alone, which cancel each other; fewer and longer windows tell them less
_SPACING, _FEW_WINDOWS = 10.0, 15
_LEAST_SPACING, _FEWEST_WINDOWS = 3.0, 5  # of short recordings
_LONGEST = 0.2  # s, the longest smoothing time that is tried
_TRIED = 2.0  # ratio of those that are tried
_COMPARED = 2000  # samples of efforts that are held out
_BLOCKS, _FOLDS = 30, 3
_BETTER = 0.95  # of the squares of held-out efforts, what a longer smoothing time leaves
# standard deviation of the means in smoothing times, their distance and their reach in it
_WIDTH, _APART, _REACH = 2.0, 1.0, 4.0
_MOST_MEANS = 2000
_DENSE = 10  # samples in a standard deviation of the means; of more, neighbours are averaged
_HELD = 3  # jets at different delays: one, and those beside it that tell the rates of efforts


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

    def inside(self, times: Array, margin: float) -> NDArray[np.bool_]:
        """Return which times (T,) are so far away from the ends of all parts [s]."""
        found = np.zeros(len(times), dtype=bool)
        for motion in self.motions:
            found |= (times >= motion.start + margin) & (times <= motion.end - margin)
        return found

    def jets(self, times: Array, rows: int = _ROWS) -> Array:
        """Return the jets (T, rows, n) at times within parts, in their order."""
        return np.concatenate([motion.jets(own, rows) for motion, own in self._by_part(times)])

    def _by_part(self, times: Array) -> list[tuple[MeasuredMotion, Array]]:
        ends = np.searchsorted(times, [motion.end for motion in self.motions[:-1]], 'right')
        pairs = zip(self.motions, np.split(times, ends), strict=True)
        return [pair for pair in pairs if len(pair[1])]

    def spread(self, model: ScrewModel, times: Array, jets: Array) -> Array:
        """Return the standard deviations (T, n) that the uncertain motion gives the efforts."""
        found = []
        for part in parts(len(times)):
            by_part = self._by_part(times[part])
            rows = np.concatenate([motion.covariances(own, _ROWS) for motion, own in by_part])
            found.append(effort_standard_deviations(model, jets[part], rows)[:, 0])
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class Samples:
    """
    Samples away from the ends of the parts of a recording, with the `efforts` (T, n) to explain.

    These are full ones, of which `lacking` (T, n) was not measured [N m or N]. `motion` is that of
    all links, then of the motors of the joints `sprung` (m,); others turn by `coupling` (n, n).
    """

    recording: Recording
    efforts: Array
    lacking: Array
    motion: Motion
    sprung: NDArray[np.int64]
    coupling: Array | None = None

    @property
    def dead(self) -> float:
        """The longest smoothing time [s]."""
        return self.motion.dead

    def samples(self, chosen: NDArray[np.bool_]) -> Samples:
        """Return some of the samples."""
        kept = self.recording.samples(chosen)
        found = replace(
            self, recording=kept, efforts=self.efforts[chosen], lacking=self.lacking[chosen]
        )
        if 0.0 in self._last:
            found._last[0.0] = Jets(*(jets[chosen] for jets in self._last[0.0]))
        return found

    def jets(self, delay: float = 0.0) -> Jets:
        """Return the jets of links and motors at times that are earlier by a delay."""
        if delay not in self._last:
            if len(self._last) == _HELD:
                self._last.clear()
            rows = self.motion.jets(self.recording.times - delay)
            links = rows[..., : len(self.recording.joint_names)].copy()
            motors = links if self.coupling is None else links @ self.coupling.T
            if len(self.sprung):
                motors = links.copy()
                motors[..., self.sprung] = rows[..., links.shape[-1] :]
            self._last[delay] = Jets(links, motors)
        return self._last[delay]

    def on_time(self, delays: Array) -> Array:
        """Return the efforts (T, n) without the delays (n,) of what was measured of them."""
        if not delays.any():
            return self.efforts
        times, reported = self.recording.times, (self.efforts - self.lacking).T
        late = [np.interp(times + d, times, e) for d, e in zip(delays, reported, strict=True)]
        return np.column_stack(late) + self.lacking

    @cached_property
    def _last(self) -> dict[float, Jets]:
        """The last jets, by their delay."""
        return {}

    @cached_property
    def fastest(self) -> Array:
        """The largest speeds (n,) of the motors."""
        return np.asarray(np.abs(self.jets().motors[:, 1]).max(axis=0))

    @cached_property
    def instants(self) -> Array:
        """Times (M,) of the means that `smooth` returns [s]."""
        times, width = self.recording.times, self._width
        count = max(int(np.ptp(times) / (_APART * width)), 1) + 1
        found = np.linspace(times[0], times[-1], count)
        first, last = np.searchsorted(times, [found - width, found + width])
        return np.asarray(found[first < last])  # not where samples are left out

    @property
    def averaged(self) -> float:
        """The time below which means tell nothing: the smoothing time, more of long motions."""
        return max(self.dead, float(np.ptp(self.recording.times)) / (_WIDTH * _MOST_MEANS))

    @property
    def _width(self) -> float:
        return _WIDTH * self.averaged

    def thinned(self) -> Samples:
        """Return means of as many neighbours as change no means of `smooth`, in an odd number."""
        times = self.recording.times
        count = int(self._width / max(usual_step(times), 1e-9) / _DENSE) // 2 * 2 + 1
        if count < 2:
            return self
        starts = np.arange(0, len(times) - count + 1, count)
        gaps = times[starts + count - 1] - times[starts] > 2.0 * count * usual_step(times)
        blocks = starts[~gaps][:, np.newaxis] + np.arange(count)
        recording = self.recording
        fields = ('positions', 'efforts', 'motor_positions', 'motor_efforts', 'deflections')
        given = {name: getattr(recording, name) for name in fields}
        means = {name: v[blocks].mean(axis=1) for name, v in given.items() if v is not None}
        kept = replace(recording, times=times[blocks].mean(axis=1), **means)
        efforts, lacking = (v[blocks].mean(axis=1) for v in (self.efforts, self.lacking))
        return replace(self, recording=kept, efforts=efforts, lacking=lacking)

    @cached_property
    def _kernel(self) -> csr_matrix:
        """The weights (M, T) of the means: normal distributions about their times."""
        times = self.recording.times
        reach = _REACH * self._width
        first, last = np.searchsorted(times, [self.instants - reach, self.instants + reach])
        rows = np.repeat(np.arange(len(first)), last - first)
        columns = np.concatenate([np.arange(*ends) for ends in zip(first, last, strict=True)])
        away = (times[columns] - self.instants[rows]) / self._width
        weights = np.exp(-0.5 * away**2)
        weights /= np.bincount(rows, weights, len(first))[rows]
        return csr_matrix((weights, (rows, columns)), (len(first), len(times)))

    def smooth(self, values: Array) -> Array:
        """
        Return means (M, ...) of values (T, ...) over times longer than the motion's smoothing.

        What the estimated motion lacks near sudden changes is then lacking nowhere: sides of an
        equation that are both smoothed alike stay equal.
        """
        flat = self._kernel @ values.reshape(len(values), -1)
        return np.asarray(flat).reshape(len(self.instants), *values.shape[1:])

    def smooth_noise(self, values: Array) -> Array:
        """Return the rms (n,) of means of values (T, n) if only neighbours were alike."""
        apart = max(round(self._width * len(values) / np.ptp(self.recording.times)), 1)
        noise = np.sqrt(0.5 * np.mean((values[apart:] - values[:-apart]) ** 2, axis=0))
        return np.asarray(noise * np.sqrt(self.gain))

    @property
    def gain(self) -> float:
        """The variance of means of white noise, in that of the noise."""
        return float(self._kernel.multiply(self._kernel).sum(axis=1).mean())

    def smooth_parts(self, values: Callable[[slice], Array]) -> Array:
        """Return `smooth` of values that are computed part by part."""
        total: Array | float = 0.0
        for part in parts(len(self.recording.times)):
            own = values(part)
            total = total + self._kernel[:, part] @ own.reshape(len(own), -1)
        return np.asarray(total).reshape(len(self.instants), *own.shape[1:])


class Reading(NamedTuple):
    """
    How recordings of a robot are read.

    Their efforts are those of joints, or of their `motors`, in a format; `joints` (n,) are used.
    The smoothing time is that of the motion, None if each recording chooses [s]. `check` leaves
    out samples that tell nothing. Motors turn by `coupling` (n, n) of the joints.
    """

    model: ScrewModel
    joints: NDArray[np.bool_]
    effort_format: EffortFormat
    smoothing_time: float | None
    check: bool
    motors: bool = False
    coupling: Array | None = None

    def rows(self, recording: Recording) -> Rows:
        """Return the rows of a recording that count, with the positions of motors."""
        turning = [kind == 'continuous' for kind in self.model.coordinate_types]
        return rows_of(with_motors(recording) if self.motors else recording, turning)

    def _efforts(self, recording: Recording) -> Array:
        """Return the efforts (T, n) as they were reported, 0 where they were not measured."""
        given = recording.motor_efforts if self.motors else recording.efforts
        return np.zeros_like(recording.positions) if given is None else np.nan_to_num(given)

    def _sprung(self, recording: Recording) -> NDArray[np.int64]:
        return np.flatnonzero(sprung(recording) & self.motors)

    def motion(
        self,
        rows: Rows,
        rigid: Equations | None = None,
        on_joint: Callable[[], object] | None = None,
    ) -> Motion:
        """
        Return the motion of the parts of a recording.

        Without a smoothing time it is that of several with which the equations of a rigid robot
        explain best efforts that are held out.
        """
        found = self._smoothed(rows, self.smoothing_time, on_joint)
        if rigid is None or self.smoothing_time is not None or len(self._sprung(rows.recording)):
            return found
        return self._most_telling(rows, found, rigid) if rigid.joints.any() else found

    def _smoothed(
        self, rows: Rows, time: float | None, on_joint: Callable[[], object] | None = None
    ) -> Motion:
        recording = rows.recording
        behind, positions = self._sprung(recording), recording.positions
        if len(behind) and recording.motor_positions is not None:
            positions = np.column_stack((positions, recording.motor_positions[:, behind]))
        turning = np.array([kind == 'continuous' for kind in self.model.coordinate_types])
        motions = tuple(
            measured_motion(
                recording.times[part],
                positions[part],
                continuous=[*turning.tolist(), *turning[behind].tolist()],
                smoothing_time=time,
                on_joint=on_joint,
            )
            for part in rows.parts
        )
        moving = np.ptp(positions, axis=0) >= LEAST_RANGE
        dead = max(float(motion.smoothing_times[moving].max(initial=0.0)) for motion in motions)
        if self.motors:  # means of some samples
            dead = max(dead, usual_step(recording.times))
        return Motion(motions, dead, time)

    def samples(self, rows: Rows, motion: Motion) -> Samples:
        """Return the samples away from the ends of the parts, with full efforts."""
        recording, margin = rows.recording, _AT_THE_ENDS * motion.dead
        if self.motors:
            margin += MOST_DELAY
        kept = recording.samples(motion.inside(recording.times, margin))
        if not len(kept.times):
            raise _too_short(2.0 * margin, *recording.times[[0, -1]])
        jets = motion.jets(kept.times)[..., : self.model.n]
        full = self.effort_format.full_efforts(self.model, jets, self._efforts(kept))
        lacking = left_out(self.effort_format.content, self.model, jets)
        return Samples(kept, full, lacking, motion, self._sprung(kept), self.coupling)

    def _most_telling(self, rows: Rows, likely: Motion, rigid: Equations) -> Motion:
        """
        Return the motion, of several smoothing times, that explains held-out efforts best.

        The likelihood of white noise takes correlated noise, as of stamps that jitter or of
        encoders that are held, for motion. Efforts tell it from motion. The `likely` motion is
        kept unless another one explains them clearly better.
        """
        times, step = rows.recording.times, usual_step(rows.recording.times)
        lengths = [np.ptp(times[part]) for part in rows.parts]
        longest = float(max(lengths)) / (2.0 * _AT_THE_ENDS + _FEWEST_WINDOWS * _LEAST_SPACING)
        longest = min(_LONGEST, longest)
        first = _TRIED * float(np.median([m.smoothing_times for m in likely.motions]))
        first = max(first, 2.0 * step)
        tried = first * _TRIED ** np.arange(np.ceil(np.log2(max(longest / first, 1e-9))))
        motions = [likely, *(self._smoothed(rows, float(t)) for t in tried if t < longest)]
        margin = _AT_THE_ENDS * max(motion.dead for motion in motions)
        inside = np.flatnonzero(likely.inside(times, margin))
        if len(motions) == 1 or len(inside) < _BLOCKS:
            return likely
        some = inside[:: max(1, -(-len(inside) // _COMPARED))]
        instants, measured = times[some], self._efforts(rows.recording)[some]
        if self.motors and self.coupling is not None:
            measured = measured @ self.coupling
        left = []
        for motion in motions:
            jets = motion.jets(instants)
            rest = self.effort_format.full_efforts(self.model, jets, measured)
            columns, known = np.split(rigid.linear(jets)[:, rigid.joints], [-1], axis=2)
            left.append(_held_out(columns, rest[:, rigid.joints] - known[..., 0]))
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
    """Return the windows of `times`; raise InputError if they are too few of those `recorded`."""
    span = float(np.ptp(times))
    spacing = min(_SPACING * dead, max(span / _FEW_WINDOWS, _LEAST_SPACING * dead))
    if span < _FEWEST_WINDOWS * spacing:
        least = _FEWEST_WINDOWS * _LEAST_SPACING + 2.0 * _AT_THE_ENDS
        raise _too_short(least * dead, *recorded[[0, -1]])
    return cosine_windows(times, spacing)


def _too_short(least: float, start: float, end: float) -> InputError:
    """Return the error of a recording that is too short."""
    return InputError(f'recording: expected more than {least:.3g} s, got {end - start:.3g} s')
