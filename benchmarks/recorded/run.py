# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Identify robots from recordings of real ones, beside a plain filtered least squares."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear
from scipy.signal import butter, sosfiltfilt

import screw_dynamics as sd
from benchmarks.recorded.robots import ROBOTS, Recorded, load, of_pinocchio
from benchmarks.report import Report, Requirement
from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError

OPTIONS: dict[str, dict[str, Any]] = {
    '--data': {'type': Path, 'required': True, 'help': 'folder of the recordings and their urdf/'},
    '--only': {'nargs': '+', 'default': None, 'help': 'names of recordings'},
}
CUTOFFS = 2.0, 5.0, 10.0  # Hz, of which the plain fit takes the best
_ORDER = 4
_MOST = 6000  # samples of the plain fit
_NEAR = 20.0  # steps, from a sample to one that is identified from
_SEEN = 0.1  # N m, a joint that leaves less is not compared
_RATIO = 1.1


def plain(text: str, recording: sd.Recording, instants: Array) -> Array:
    """
    Return what a plain fit leaves (n,) of the efforts at the instants [N m or N].

    Repeated rows are dropped, positions resampled evenly, low-passed in both directions,
    differentiated, and taken at the samples again. Offset, and viscous and Coulomb friction and
    rotor of at least 0, are fitted to each joint beside Pinocchio's rigid efforts of the model.
    """
    distinct = np.append(True, np.diff(recording.positions, axis=0).any(axis=1))
    rows = recording.samples(distinct)
    step = float(np.median(np.diff(rows.times)))
    even = np.arange(rows.times[0], rows.times[-1], step)
    positions = np.column_stack([np.interp(even, rows.times, q) for q in rows.positions.T])
    places = np.clip(np.searchsorted(instants, rows.times), 1, len(instants) - 1)
    near = np.minimum(*(np.abs(instants[places - side] - rows.times) for side in (0, 1)))
    used = np.flatnonzero(near < _NEAR * step)
    used = used[:: max(1, len(used) // _MOST)]
    times, measured = rows.times[used], rows.efforts[used]
    left = []
    for cutoff in CUTOFFS:
        low = butter(_ORDER, cutoff, fs=1.0 / step, output='sos')
        q = sosfiltfilt(low, positions, axis=0)
        v = np.gradient(q, step, axis=0)
        every = np.stack((q, v, np.gradient(v, step, axis=0)), axis=1).reshape(len(q), -1)
        jets = np.column_stack([np.interp(times, even, row) for row in every.T])
        jets = jets.reshape(len(times), 3, -1)
        rest = measured - of_pinocchio(text, recording.joint_names, jets)
        left.append(
            np.array([_remaining(jets[:, :, j], rest[:, j]) for j in range(rest.shape[1])])
        )
    return min(left, key=lambda rest: float(np.sum(np.log(rest))))


def _remaining(jet: Array, rest: Array) -> float:
    """Return the rms that offset, friction and rotor of one joint leave of a rest (T,)."""
    v = jet[:, 1]
    columns = np.column_stack((np.ones(len(v)), v, np.sign(v), jet[:, 2]))
    least = [-np.inf, 0.0, 0.0, 0.0]
    found = lsq_linear(columns, rest, (least, np.inf), method='bvls').x
    return float(np.sqrt(np.mean((rest - columns @ found) ** 2)))


def compare(report: Report, folder: Path, recorded: Recorded) -> None:
    """Add what is found of a recording, and what it leaves beside a plain fit."""
    text, recording = load(folder, recorded)
    report.heading(recorded.robot)
    report.text(
        f'`{recorded.name}`: {len(recording.times)} samples over {np.ptp(recording.times):.3g} s.'
    )
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        model = sd.read_urdf(text)
        try:
            found = sd.identify(model, recording, offsets=True, payload=recorded.load)
        except InputError as error:
            report.text(f'Refused: {error}')
            report.require(Requirement(f'{recorded.name}: accepted', 0.0, 1.0, at_least=True))
            return
    beside = plain(text, recording, found.shares.times)
    order = [recording.joint_names.index(name) for name in found.model.joint_names]
    beside, shares = beside[order], found.shares.shares
    rows = [
        [
            name,
            f'{found.before[j]:.3g}',
            f'{found.residuals[j]:.3g}',
            f'{beside[j]:.3g}',
            *(f'{100.0 * share[j]:.1f}' for share in shares.values()),
        ]
        for j, name in enumerate(found.model.joint_names)
    ]
    kinds = [f'{kind} %' for kind in shares]
    report.table(['joint', 'model [N m]', 'identified', 'plain fit', *kinds], rows)
    if found.payload is not None:
        carried = found.payload
        band = 1.96 * carried.mass_deviation
        report.text(f'Load at `{carried.frame}`: {carried.mass:.3f} ± {band:.3f} kg.')
    for finding in found.findings:
        report.text(f'{finding.level}: {finding.text}')
    used = {name.split('.')[0] for name in found.names}
    compared = [
        found.residuals[j] / beside[j]
        for j, name in enumerate(found.model.joint_names)
        if name in used and beside[j] > _SEEN
    ]
    if compared:
        name = f'{recorded.name}: largest ratio to the plain fit'
        report.require(Requirement(name, float(max(compared)), _RATIO))


def measure(data: Path, only: list[str] | None) -> Report:
    """Return the page."""
    report = Report('recorded', 'On recorded robots')
    report.text(
        'Written by `python -m benchmarks recorded`. Every recording is given to `identify` as it '
        'is, with `offsets=True`; the root mean squares of efforts are those of the model alone, '
        'of what is identified, and of a plain fit: the same friction and rotors, held '
        'non-negative, positions low-passed at 2, 5 or 10 Hz, whichever leaves least, and '
        'rigid efforts by Pinocchio. Shares of the squared efforts add to 100 %.'
    )
    report.requirements()
    for recorded in ROBOTS:
        if only is None or recorded.name in only:
            compare(report, data, recorded)
    return report
