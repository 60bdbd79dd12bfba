# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints that brakes hold, whose efforts say nothing about the robot."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import RecordingWarning
from screw_dynamics.estimation.identification.columns import every_column
from screw_dynamics.estimation.identification.least_squares import fit
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.recording_checks import LEAST_RANGE
from screw_dynamics.estimation.measured_motion import MeasuredMotion
from screw_dynamics.model.screw_model import ScrewModel

AT_THE_ENDS = 3.0  # smoothing times about sudden changes, and the ends, that are left out
_LASTS = 0.3  # s, the least time at rest
_STILL = 8.0  # standard deviations of noise, the range of positions at rest
_HOLDS = 2.0  # times Coulomb friction, what friction may hold at rest
_BEYOND = 5.0  # standard deviations
_SHARE = 0.2  # of the samples at rest, those beyond friction
_UNKNOWN = 1e-6  # of a row, the part that no other sample has
_MOST = 2000  # samples, in motion and of a rest, that are compared


def not_held(
    model: ScrewModel, recording: Recording, jets: Array, motion: MeasuredMotion
) -> NDArray[np.bool_]:
    """
    Return the samples (T,) without those of joints that brakes hold, of which it warns.

    While a joint rests, its effort is that of the other samples but for friction. What they tell
    is a fit of all that a rigid robot may have. `jets` are those of links, (T, 3, n).
    """
    times, efforts, noise = recording.times, recording.efforts, motion.noise[: model.n]
    margin = AT_THE_ENDS * float(motion.smoothing_times.max())
    q, n = jets[:, 0], model.n
    held = np.zeros(len(times), dtype=bool)
    width = max(round(_LASTS * len(times) / max(float(np.ptp(times)), _LASTS)), 3)
    span = maximum_filter1d(q, width, axis=0) - minimum_filter1d(q, width, axis=0)
    still = (span <= _STILL * noise) & (np.ptp(q, axis=0) >= LEAST_RANGE)
    rest = maximum_filter1d(still.astype(np.uint8), width, axis=0) > 0
    moving = np.logical_not(rest.any(axis=1))
    columns = every_column(model)
    if moving.all() or n * moving.sum() < len(columns.names):
        return ~held
    some = np.flatnonzero(moving)[:: -(-int(moving.sum()) // _MOST)]
    rows, target = columns.of(jets[some]), efforts[some]
    found = fit(rows.__getitem__, target, np.zeros_like(target), ())
    inverse = np.linalg.pinv(found.root)
    dry = np.array([name.endswith('.coulomb') for name in columns.names])
    friction = _HOLDS * np.maximum(found.values[dry], 0.0)
    for begin, end in _spans(np.logical_not(moving)):
        chosen = slice(begin, end, -(-(end - begin) // _MOST))
        rows = columns.of(jets[chosen])
        unknown = np.linalg.norm(rows - rows @ inverse @ found.root, axis=2)
        told = unknown < _UNKNOWN * np.linalg.norm(rows, axis=2)
        spread = np.hypot(found.noise, np.linalg.norm(rows @ inverse, axis=2))
        beyond = np.abs(efforts[chosen] - rows @ found.values) - friction
        sure = rest[chosen] & told & (beyond > _BEYOND * spread)
        joints = np.flatnonzero(sure.sum(axis=0) > _SHARE * rest[chosen].sum(axis=0))
        if not len(joints):
            continue
        first, last = times[begin], times[end - 1]
        held |= (times >= first - margin) & (times <= last + margin)
        most = np.where(sure, beyond, 0.0).max(axis=0)
        worst = int(joints[np.argmax(most[joints])])
        warnings.warn(
            f'recording: joint {model.joint_names[worst]!r}: expected efforts that friction holds '
            f'at rest, got up to {most[worst]:.3g} N m or N more from {first:.4g} s to '
            f'{last:.4g} s: do brakes hold it? Left out; recording.between (--start, --end) '
            'cuts it',
            RecordingWarning,
            stacklevel=3,
        )
    return ~held


def _spans(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first places, and those after the last, of neighbours that are chosen (T,)."""
    changes = np.flatnonzero(np.diff(chosen, prepend=False, append=False))
    return list(zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True))
