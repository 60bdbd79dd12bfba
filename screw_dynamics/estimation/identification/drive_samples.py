# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The motion of links and motors that a recording shows, beside the efforts of motors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.estimation.effort_uncertainty import propagate_uncertainty
from screw_dynamics.estimation.identification.drive_equations import Jets
from screw_dynamics.estimation.identification.least_squares import parts
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.seen_motion import AT_THE_ENDS, ROWS, too_short
from screw_dynamics.estimation.identification.springs import sprung
from screw_dynamics.estimation.measured_motion import MeasuredMotion, measured_motion
from screw_dynamics.model.screw_model import ScrewModel

MOST_DELAY = 0.05  # s


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

    def jets(self, delay: float = 0.0) -> Jets:
        """Return the jets of links and motors at times that are earlier by a delay."""
        return self._both(self.motion.jets(self.recording.times - delay, ROWS))

    def spread(self, delay: float, efforts: Callable[[Jets], Array]) -> Array:
        """Return the standard deviations (T, n) that the uncertain motion gives the efforts."""
        found = []
        for part in parts(len(self.recording.times)):
            times = self.recording.times[part] - delay
            found.append(
                propagate_uncertainty(
                    lambda rows: efforts(self._both(rows)),
                    self.motion.jets(times, ROWS),
                    self.motion.covariances(times, ROWS),
                )
            )
        return np.concatenate(found)

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
