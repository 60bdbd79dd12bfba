# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A plain filtered least squares, with the rigid efforts of Pinocchio."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr
from scipy.optimize import lsq_linear
from scipy.signal import butter, sosfiltfilt

import screw_dynamics as sd
from benchmarks.recorded.robots import of_pinocchio
from screw_dynamics.common.arrays import Array

CUTOFFS = 2.0, 5.0, 10.0  # Hz, of which the plain fit takes the best
_ORDER = 4
_MOST = 6000  # samples of the plain fit
_NEAR = 20.0  # steps, from a sample to one that is identified from


def filtered(recording: sd.Recording, values: Array, cutoff: float, order: int) -> Array:
    """
    Return values (T, n) low-passed, and their derivatives, at the samples: (T, order + 1, n).

    They are resampled evenly, filtered in both directions, and differentiated by differences.
    """
    times = recording.times
    step = float(np.median(np.diff(times)))
    even = np.arange(times[0], times[-1], step)
    low = butter(_ORDER, cutoff, fs=1.0 / step, output='sos')
    rows = sosfiltfilt(low, np.column_stack([np.interp(even, times, x) for x in values.T]), axis=0)
    found = []
    for _ in range(order + 1):
        found.append(np.column_stack([np.interp(times, even, x) for x in rows.T]))
        rows = np.gradient(rows, step, axis=0)
    return np.stack(found, axis=1)


def moving(recording: sd.Recording) -> sd.Recording:
    """Return the recording without the rows that repeat the one before."""
    changed = np.append(True, np.diff(recording.positions, axis=0).any(axis=1))
    return recording.samples(changed)


def plain(text: str, recording: sd.Recording, instants: Array, load: str | None = None) -> Array:
    """
    Return what a plain fit leaves (n,) of the efforts near the instants [N m or N].

    Offset, and viscous and Coulomb friction and rotor of at least 0, of each joint, and the ten
    parameters of a load, beside Pinocchio's rigid efforts of the model.
    """
    rows = moving(recording)
    step = float(np.median(np.diff(rows.times)))
    places = np.clip(np.searchsorted(instants, rows.times), 1, len(instants) - 1)
    near = np.minimum(*(np.abs(instants[places - side] - rows.times) for side in (0, 1)))
    used = np.flatnonzero(near < _NEAR * step)
    used = used[:: max(1, len(used) // _MOST)]
    left = []
    for cutoff in CUTOFFS:
        jets = filtered(rows, rows.positions, cutoff, 2)[used]
        known, columns = of_pinocchio(text, rows.joint_names, jets, load)
        left.append(_remaining(jets, rows.efforts[used] - known, columns))
    return min(left, key=lambda rest: float(np.sum(np.log(rest))))


def _remaining(jets: Array, rest: Array, columns: Array) -> Array:
    """Return the rms (n,) that offsets, friction, rotors and a load leave of a rest (T, n)."""
    one, v = np.ones_like(rest), jets[:, 1]
    own = [
        column[..., np.newaxis] * np.eye(rest.shape[1])
        for column in (one, v, np.sign(v), jets[:, 2])
    ]
    every = np.concatenate((columns, *own), axis=2)
    free = columns.shape[2] + rest.shape[1]
    least = np.append(np.full(free, -np.inf), np.zeros(every.shape[2] - free))
    turned, triangle = qr(every.reshape(rest.size, -1), mode='economic')
    found = lsq_linear(triangle, turned.T @ rest.ravel(), (least, np.inf), method='bvls').x
    return np.asarray(np.sqrt(np.mean((rest - every @ found) ** 2, axis=0)))
