# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints that brakes hold, whose efforts say nothing about the robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.estimation.identification.columns import every_column
from screw_dynamics.estimation.identification.least_squares import fit
from screw_dynamics.estimation.identification.recorded_rows import LEAST_RANGE
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.model.screw_model import ScrewModel

AT_THE_ENDS = 3.0  # smoothing times about sudden changes, and the ends, that are left out
_LASTS = 0.3  # s, the least time at rest
_STILL = 8.0  # standard deviations of noise, the range of positions at rest
_HOLDS = 2.0  # times Coulomb friction, what friction may hold at rest
_BEYOND, _OF_RANGE = 5.0, 0.1  # standard deviations, and of the range of the effort
_SHARE = 0.2  # of the samples at rest, those beyond friction
_UNKNOWN = 1e-6  # of a row, the part that no other sample has
_MOVING = 0.5  # of the samples, the least that tell what others should be
_MOST = 2000  # samples, in motion and of a rest, that are compared


def not_held(
    model: ScrewModel,
    recording: Recording,
    jets: Array,
    noise: Array,
    dead: float,
    joints: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], tuple[Finding, ...]]:
    """
    Return the samples (T,) without those of joints that brakes hold, and what is said of them.

    While a joint rests, its effort is that of the other samples but for friction. What they tell
    is a fit of all that a rigid robot may have to the efforts of `joints` (n,). `jets` are those
    of links, (T, 3, n), `noise` (n,) of their positions; `dead` is the smoothing time.
    """
    times, efforts, margin = recording.times, recording.efforts[:, joints], AT_THE_ENDS * dead
    q, noise = jets[:, 0, joints], noise[joints]
    names = np.array(model.joint_names)[joints].tolist()
    findings: list[Finding] = []
    held = np.zeros(len(times), dtype=bool)
    width = max(round(_LASTS * len(times) / max(float(np.ptp(times)), _LASTS)), 3)
    span = maximum_filter1d(q, width, axis=0) - minimum_filter1d(q, width, axis=0)
    still = (span <= _STILL * noise) & (np.ptp(q, axis=0) >= LEAST_RANGE)
    rest = maximum_filter1d(still.astype(np.uint8), width, axis=0) > 0
    moving = np.logical_not(rest.any(axis=1))
    columns = every_column(model, joints)
    if moving.all() or moving.mean() < _MOVING:
        return ~held, ()
    some = np.flatnonzero(moving)[:: -(-int(moving.sum()) // _MOST)]
    rows, target = columns.of(jets[some])[:, joints], efforts[some]
    found = fit(rows.__getitem__, target, np.zeros_like(target), ())
    inverse = np.linalg.pinv(found.root)
    dry = np.array([name.endswith('.coulomb') for name in columns.names])
    friction = _HOLDS * np.maximum(found.values[dry], 0.0)
    for begin, end in _spans(np.logical_not(moving)):
        chosen = slice(begin, end, -(-(end - begin) // _MOST))
        rows = columns.of(jets[chosen])[:, joints]
        unknown = np.linalg.norm(rows - rows @ inverse @ found.root, axis=2)
        told = unknown < _UNKNOWN * np.linalg.norm(rows, axis=2)
        spread = np.hypot(found.noise, np.linalg.norm(rows @ inverse, axis=2))
        beyond = np.abs(efforts[chosen] - rows @ found.values) - friction
        least = np.maximum(_BEYOND * spread, _OF_RANGE * np.ptp(efforts, axis=0))
        sure = rest[chosen] & told & (beyond > least)
        places = np.flatnonzero(sure.sum(axis=0) > _SHARE * rest[chosen].sum(axis=0))
        if not len(places):
            continue
        first, last = times[begin], times[end - 1]
        held |= (times >= first - margin) & (times <= last + margin)
        most = np.where(sure, beyond, 0.0).max(axis=0)
        worst = int(places[np.argmax(most[places])])
        text = (
            f'recording: joint {names[worst]!r}: expected efforts that friction holds '
            f'at rest, got up to {most[worst]:.3g} N m or N more from {first:.4g} s to '
            f'{last:.4g} s: do brakes hold it? Left out; recording.between (--start, --end) '
            'cuts it'
        )
        findings.append(Finding('held', 'left out', (names[worst],), text))
    return ~held, tuple(findings)


def _spans(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first places, and those after the last, of neighbours that are chosen (T,)."""
    changes = np.flatnonzero(np.diff(chosen, prepend=False, append=False))
    return list(zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True))
