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
from screw_dynamics.estimation.identification.drive_equations import Jets
from screw_dynamics.estimation.identification.effort_delays import MOST_DELAY
from screw_dynamics.estimation.identification.held_joints import AT_THE_ENDS, not_held
from screw_dynamics.estimation.identification.least_squares import parts
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.seen_motion import ROWS, too_short
from screw_dynamics.estimation.identification.springs import sprung
from screw_dynamics.estimation.measured_motion import MeasuredMotion, measured_motion
from screw_dynamics.model.screw_model import ScrewModel

# standard deviation of the means in smoothing times, their distance and their reach in it
_WIDTH, _APART, _REACH = 2.0, 1.0, 4.0
_HELD = 3  # jets at different delays: one, and those beside it that tell the rates of efforts


@dataclass(frozen=True, eq=False)
class DriveSamples:
    """
    Samples away from the ends of a recording, with motor efforts in N m or N as its efforts.

    `motion` is that of all links, then of the motors of the joints `sprung` (m,); `dead` is the
    longest smoothing time.
    """

    recording: Recording
    motion: MeasuredMotion
    sprung: NDArray[np.int64]
    dead: float

    def samples(self, chosen: NDArray[np.bool_]) -> DriveSamples:
        """Return some of the samples."""
        return replace(self, recording=self.recording.samples(chosen))

    def without_held(
        self, model: ScrewModel, moved: NDArray[np.bool_]
    ) -> tuple[DriveSamples, tuple[Finding, ...]]:
        """Return the samples without those of joints that brakes hold, and what is said."""
        noise = self.motion.noise[: model.n]
        links = self.jets().links
        free, found = not_held(model, self.recording, links, noise, self.dead, moved)
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
        return np.asarray(noise * np.sqrt(self._kernel.multiply(self._kernel).sum(axis=1).mean()))

    def smooth_parts(self, values: Callable[[slice], Array]) -> Array:
        """Return `smooth` of values that are computed part by part."""
        total: Array | float = 0.0
        for part in parts(len(self.recording.times)):
            own = values(part)
            total = total + self._kernel[:, part] @ own.reshape(len(own), -1)
        return np.asarray(total).reshape(len(self.instants), *own.shape[1:])

    def smooth_recording(self, model: ScrewModel) -> Recording:
        """Return the recording with smoothed positions of links and motors, without efforts."""
        turning = [kind == 'continuous' for kind in model.coordinate_types]

        def smooth(positions: Array) -> Array:
            return self.smooth(np.where(turning, np.unwrap(positions, axis=0), positions))

        links, motors = self.recording.positions, self.recording.motor_positions
        behind = None if motors is None else smooth(motors)
        return Recording(model.joint_names, self.instants, smooth(links), None, behind)

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
) -> DriveSamples:
    """Return the samples of a recording with the coordinates of a model."""
    behind = np.flatnonzero(sprung(recording))
    positions, kinds = recording.positions, np.array(model.coordinate_types) == 'continuous'
    if recording.motor_positions is not None:
        positions = np.column_stack((positions, recording.motor_positions[:, behind]))
    motion = measured_motion(
        recording.times,
        positions,
        continuous=[*kinds.tolist(), *kinds[behind].tolist()],
        smoothing_time=smoothing_time,
        on_joint=on_joint,
    )
    dead = float(motion.smoothing_times.max())
    margin = AT_THE_ENDS * dead + MOST_DELAY
    kept = recording.between(motion.start + margin, motion.end - margin)
    if not len(kept.times):
        raise too_short(2.0 * margin, motion.start, motion.end)
    assert kept.motor_efforts is not None
    efforts = reported.reported(kept.motor_efforts)
    return DriveSamples(replace(kept, efforts=efforts), motion, behind, dead)
