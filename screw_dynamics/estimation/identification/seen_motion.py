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
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.errors import InputError
from screw_dynamics.estimation import effort_standard_deviations, measured_motion
from screw_dynamics.estimation.identification.held_joints import AT_THE_ENDS, not_held
from screw_dynamics.estimation.identification.least_squares import (
    Window,
    cosine_windows,
    parts,
)
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.recording_checks import effort_spikes
from screw_dynamics.model.screw_model import ScrewModel

_F = TypeVar('_F', bound=Callable[..., Any])
ROWS = 3
# smoothing times between windows of residuals: their bands are then some per cent too wide for
# errors of accelerations alone, which cancel each other; fewer and longer windows tell them less
_SPACING = 10.0
_FEWEST_WINDOWS = 15


def one_thread(function: _F) -> _F:
    """Keep linear algebra in one thread, which is up to ten times faster on busy cores."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # not among the packages of every ROS 2
        return function
    limited: _F = threadpool_limits.wrap(limits=1, user_api='blas')(function)
    return limited


class Seen(NamedTuple):
    """Full efforts away from the ends, jets (T, 3, n), unmeasured part (T, n), smoothing time."""

    recording: Recording
    jets: Array
    lacking: Array
    dead: float

    def samples(self, chosen: NDArray[np.bool_]) -> Seen:
        """Return some of the samples."""
        kept = self.recording.samples(chosen)
        return Seen(kept, self.jets[chosen], self.lacking[chosen], self.dead)


class Motion:
    """The motion of a recording."""

    def __init__(
        self,
        model: ScrewModel,
        taken: EffortFormat,
        smoothing_time: float | None,
        on_joint: Callable[[], object] | None,
    ) -> None:
        self._model, self._taken = model, taken
        self._smoothing_time, self._on_joint = smoothing_time, on_joint

    def of(self, recording: Recording) -> Seen:
        """Return the motion of a recording."""
        self._motion = measured_motion(
            recording.times,
            recording.positions,
            continuous=[kind == 'continuous' for kind in self._model.coordinate_types],
            smoothing_time=self._smoothing_time,
            on_joint=self._on_joint,
        )
        dead = float(self._motion.smoothing_times.max())
        margin = AT_THE_ENDS * dead
        kept = recording.between(self._motion.start + margin, self._motion.end - margin)
        if not len(kept.times):
            raise too_short(2.0 * margin, self._motion.start, self._motion.end)
        jets = self._motion.jets(kept.times, ROWS)
        full = self._taken.full_efforts(self._model, jets, kept.efforts)
        lacking = left_out(self._taken.content, self._model, jets)
        return Seen(replace(kept, efforts=full), jets, lacking, dead)

    def positions(self, times: Array) -> Array:
        """Return the smooth positions (T, n)."""
        return self._motion.jets(times, 1)[:, 0]

    def without_held(self, seen: Seen) -> Seen:
        """Return the samples without those of joints that brakes hold, of which it warns."""
        return seen.samples(not_held(self._model, seen.recording, seen.jets, self._motion))

    def spread(self, times: Array, jets: Array) -> Array:
        """Return the standard deviations (T, n) that the uncertain motion gives the efforts."""
        found = []
        for part in parts(len(times)):
            covariances = self._motion.covariances(times[part], ROWS)
            found.append(effort_standard_deviations(self._model, jets[part], covariances)[:, 0])
        return np.concatenate(found)


def spikes_of(model: ScrewModel, seen: Seen) -> NDArray[np.bool_]:
    """Return where efforts have spikes, (T, n)."""
    return effort_spikes(seen.recording.efforts, inverse_dynamics(model, seen.jets)[:, 0])


def windows_of(times: Array, dead: float, recorded: Array) -> list[Window]:
    """Return the windows of samples; raise InputError if they are too few of those `recorded`."""
    spacing = _SPACING * dead
    if np.ptp(times) < _FEWEST_WINDOWS * spacing:
        least = _FEWEST_WINDOWS * spacing + 2.0 * AT_THE_ENDS * dead
        raise too_short(least, *recorded[[0, -1]])
    return cosine_windows(times, spacing)


def too_short(least: float, start: float, end: float) -> InputError:
    """Return the error of a recording that is too short."""
    return InputError(f'recording: expected more than {least:.3g} s, got {end - start:.3g} s')
