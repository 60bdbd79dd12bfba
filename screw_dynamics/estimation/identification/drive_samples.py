# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The motion of links and motors that a recording shows, beside the efforts of motors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.estimation.identification.columns import COULOMB_VELOCITY, columns_of
from screw_dynamics.estimation.identification.drive_equations import Jets
from screw_dynamics.estimation.identification.effort_delays import MOST_DELAY
from screw_dynamics.estimation.identification.held_joints import AT_THE_ENDS, not_held
from screw_dynamics.estimation.identification.least_squares import parts
from screw_dynamics.estimation.identification.recorded_rows import LEAST_RANGE, Rows, rows_of
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.seen_motion import (
    ROWS,
    Motion,
    most_telling,
    motion_of,
    too_short,
)
from screw_dynamics.estimation.identification.springs import sprung, with_motors
from screw_dynamics.estimation.measured_motion import measured_motion
from screw_dynamics.estimation.recorded_samples import usual_step
from screw_dynamics.model.screw_model import ScrewModel

# standard deviation of the means in smoothing times, their distance and their reach in it
_WIDTH, _APART, _REACH = 2.0, 1.0, 4.0
_HELD = 3  # jets at different delays: one, and those beside it that tell the rates of efforts


@dataclass(frozen=True, eq=False)
class DriveSamples:
    """
    Samples away from the ends of the parts of a recording, with motor efforts in N m or N.

    `motion` is that of all links, then of the motors of the joints `sprung` (m,); `dead` is the
    longest smoothing time.
    """

    recording: Recording
    motion: Motion
    sprung: NDArray[np.int64]
    dead: float

    @property
    def efforts(self) -> Array:
        """Efforts (T, n) of the motors, 0 where they were not measured."""
        found = self.recording.motor_efforts
        assert found is not None
        return found

    def samples(self, chosen: NDArray[np.bool_]) -> DriveSamples:
        """Return some of the samples."""
        return replace(self, recording=self.recording.samples(chosen))

    def without_held(
        self, model: ScrewModel, moved: NDArray[np.bool_]
    ) -> tuple[DriveSamples, tuple[Finding, ...]]:
        """Return the samples without those of joints that brakes hold, and what is said."""
        noise = self.motion.noise[: model.n]
        links = self.jets().links
        own = replace(self.recording, efforts=self.efforts)
        free, found = not_held(model, own, links, noise, self.dead, moved)
        return self.samples(free), found

    def jets(self, delay: float = 0.0) -> Jets:
        """Return the jets of links and motors at times that are earlier by a delay."""
        if delay not in self._last:
            if len(self._last) == _HELD:
                self._last.clear()
            self._last[delay] = self._both(self.motion.jets(self.recording.times - delay, ROWS))
        return self._last[delay]

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
    def _width(self) -> float:
        return _WIDTH * self.dead

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

    def _both(self, rows: Array) -> Jets:
        """Return links and motors of their jets (T, 3, n + m)."""
        links = rows[..., : len(self.recording.joint_names)].copy()
        motors = links.copy()
        motors[..., self.sprung] = rows[..., links.shape[-1] :]
        return Jets(links, motors)


def drive_samples(
    model: ScrewModel,
    recording: Recording,
    reported: EffortFormat,
    smoothing_time: float | None,
    on_joint: Callable[[], object] | None,
) -> tuple[DriveSamples, tuple[Finding, ...]]:
    """Return the samples of a recording with the coordinates of a model, and what was left out."""
    kinds = np.array(model.coordinate_types) == 'continuous'
    own, parts_of_it, findings = rows_of(with_motors(recording), kinds.tolist())
    behind = np.flatnonzero(sprung(own))
    if smoothing_time is None and not len(behind):
        smoothing_time = _told_by_efforts(model, Rows(own, parts_of_it, findings), reported)
    positions = own.positions
    if own.motor_positions is not None:
        positions = np.column_stack((positions, own.motor_positions[:, behind]))
    motions = tuple(
        measured_motion(
            own.times[part],
            positions[part],
            continuous=[*kinds.tolist(), *kinds[behind].tolist()],
            smoothing_time=smoothing_time,
            on_joint=on_joint,
        )
        for part in parts_of_it
    )
    dead = max(float(motion.smoothing_times.max()) for motion in motions)
    dead = max(dead, usual_step(own.times))
    motion = Motion(motions, dead, smoothing_time)
    margin = AT_THE_ENDS * dead + MOST_DELAY
    kept = own.samples(motion.inside(own.times, margin))
    if not len(kept.times):
        raise too_short(2.0 * margin, *own.times[[0, -1]])
    efforts = np.zeros_like(kept.positions)
    if kept.motor_efforts is not None:
        efforts = np.nan_to_num(reported.reported(kept.motor_efforts))
    return DriveSamples(replace(kept, motor_efforts=efforts), motion, behind, dead), findings


def _told_by_efforts(model: ScrewModel, rows: Rows, reported: EffortFormat) -> float | None:
    """Return the smoothing time with which rigid drives explain held-out efforts, if any."""
    recording = rows.recording
    if recording.motor_efforts is None:
        return None
    used = ~np.isnan(recording.motor_efforts).any(axis=0)
    used &= np.ptp(recording.positions, axis=0) >= LEAST_RANGE
    if not used.any():
        return None
    efforts = np.nan_to_num(reported.reported(recording.motor_efforts))
    rows = rows._replace(recording=replace(recording, efforts=efforts))
    wide = columns_of(
        model,
        offsets=True,
        friction=True,
        rotors=used,
        links=False,
        payload=None,
        coulomb_velocity=np.full(model.n, COULOMB_VELOCITY),
        joints=used,
    )
    likely = motion_of(model, rows, None)
    return most_telling(model, EffortFormat(), rows, likely, wide.of, wide.known, used).given
