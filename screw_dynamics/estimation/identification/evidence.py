# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Evidence`: what a recording shows of a robot, and what is odd about it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.findings import Finding, Level, by_weight
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.errors import InputError, RecordingWarning, UnknownNameError, listed, shown
from screw_dynamics.estimation.identification import effort_findings
from screw_dynamics.estimation.identification.columns import COULOMB_VELOCITY, columns_of
from screw_dynamics.estimation.identification.content_check import (
    other_contents,
    suspected_load,
    turned_gravity,
)
from screw_dynamics.estimation.identification.held_joints import not_held
from screw_dynamics.estimation.identification.recorded_rows import (
    LEAST_RANGE,
    Rows,
    position_findings,
    rows_of,
    scattered,
)
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.seen_motion import (
    Seen,
    most_telling,
    motion_of,
    seen,
)
from screw_dynamics.model.locked_joints import without_joints
from screw_dynamics.model.screw_model import ScrewModel

_MOST_CHECKED = 2000  # samples


class Evidence(NamedTuple):
    """
    The samples of a recording that tell something.

    `joints` (n,) of the model, whose other coordinates are locked, have parameters; `findings`
    say what was left out and what is wrong.
    """

    model: ScrewModel
    rows: Rows
    seen: Seen
    joints: NDArray[np.bool_]
    findings: tuple[Finding, ...]


class UnusableRecordingError(InputError):
    """A recording that contradicts the model or itself; `findings`, the gravest first, say how."""

    findings: tuple[Finding, ...] = ()


def report(findings: Iterable[Finding], check: bool, stacklevel: int) -> None:
    """Raise the gravest finding if it is wrong and `check`; warn of what is left out or odd."""
    found = by_weight(tuple(findings))
    if check and found and found[0].level == 'wrong':
        error = UnusableRecordingError(found[0].text)
        error.findings = found
        raise error
    for finding in found:
        if finding.level in ('left out', 'odd'):
            warnings.warn(finding.text, RecordingWarning, stacklevel=stacklevel + 1)


def selected(
    model: ScrewModel, recording: Recording
) -> tuple[ScrewModel, Recording, tuple[Finding, ...]]:
    """Return the model with the joints that were recorded, others locked at 0, and its columns."""
    if not isinstance(recording, Recording):
        raise InputError(f'recording: expected a Recording, got {shown(recording)}')
    absent = tuple(name for name in model.joint_names if name not in recording.joint_names)
    if len(absent) == model.n:
        raise UnknownNameError('joint', absent[0], recording.joint_names, 'recording')
    if not absent:
        return model, recording.of(model), ()
    model = without_joints(model, absent)
    unknown = [name for name in recording.joint_names if name not in model.joint_names]
    more = f'; the model has no {listed(unknown)}' if unknown else ''
    text = f'recording: {listed(absent)} of the model are not in it: locked at 0{more}'
    level: Level = 'odd' if unknown else 'remark'
    return model, recording.of(model), (Finding('locked', level, absent, text),)


def evidence_of(
    model: ScrewModel,
    recording: Recording,
    taken: EffortFormat,
    *,
    rotors: NDArray[np.bool_] | bool = True,
    links: bool = False,
    payload: str | None = None,
    smoothing_time: float | None = None,
    check: bool = True,
    on_joint: Callable[[], object] | None = None,
) -> Evidence:
    """Return what a recording of the joints of a model shows; see `identify`."""
    findings = list(position_findings(model, recording)) if check else []
    report([one for one in findings if one.level == 'wrong'], True, 3)
    rows = rows_of(recording, [kind == 'continuous' for kind in model.coordinate_types])
    findings.extend(rows.findings)
    joints, absent = _telling(model, rows.recording)
    findings.extend(absent)
    rows = rows._replace(
        recording=replace(rows.recording, efforts=np.nan_to_num(rows.recording.efforts))
    )
    wide = columns_of(
        model,
        offsets=True,
        friction=True,
        rotors=np.broadcast_to(rotors, model.n),
        links=links,
        payload=payload,
        coulomb_velocity=np.full(model.n, COULOMB_VELOCITY),
        joints=joints,
    )
    motion = motion_of(model, rows, smoothing_time, on_joint)
    if smoothing_time is None:
        motion = most_telling(model, taken, rows, motion, wide.of, wide.known, joints)
    shown_motion = seen(model, taken, rows, motion)
    if not check:
        return Evidence(model, rows, shown_motion, joints, tuple(findings))
    kept = rows.recording
    inside = motion.inside(kept.times, 0.0)
    smooth = motion.jets(kept.times[inside], 1)[:, 0]
    findings.extend(scattered(model, kept.positions[inside], smooth))
    reported = (shown_motion.recording.efforts - shown_motion.lacking)[:, joints]
    findings.extend(effort_findings.clipped(np.array(model.joint_names)[joints], reported))
    good, joints, more = good_samples(model, shown_motion, joints)
    findings.extend(more)
    if not joints.any():
        return Evidence(model, rows, shown_motion, joints, tuple(findings))
    joints, more = _judged(model, taken, good, joints, links or payload is not None, payload)
    return Evidence(model, rows, good, joints, (*findings, *more))


def _telling(
    model: ScrewModel, recording: Recording
) -> tuple[NDArray[np.bool_], tuple[Finding, ...]]:
    """Return the joints (n,) that move and whose efforts were measured; raise without any."""
    measured = ~np.isnan(recording.efforts).any(axis=0)
    if not measured.any():
        raise InputError('recording: expected efforts of the joints, got none (identify_drives?)')
    span = np.ptp(recording.positions, axis=0)
    moves = span >= LEAST_RANGE
    names = np.array(model.joint_names)
    findings = []
    if not moves.all():
        resting = tuple(names[~moves].tolist())
        findings.append(
            Finding(
                'rest',
                'left out' if moves.any() else 'wrong',
                resting,
                f'recording: joint {listed(map(repr, resting))}: expected a motion of at least '
                f'{LEAST_RANGE:g} rad or m, got {span[~moves].max():.2g}: left out',
            )
        )
    if not measured.all():
        absent = tuple(names[~measured].tolist())
        text = f'recording: the efforts of {listed(absent)} were not measured: left out'
        findings.append(Finding('absent', 'remark', absent, text))
    if not (moves & measured).any():
        raise InputError(findings[0].text.removesuffix(': left out'))
    return moves & measured, tuple(findings)


def good_samples(
    model: ScrewModel, samples: Seen, joints: NDArray[np.bool_]
) -> tuple[Seen, NDArray[np.bool_], tuple[Finding, ...]]:
    """Return samples without efforts that are stuck or spikes, or that brakes hold, and joints."""
    findings: list[Finding] = []
    names, times = np.array(model.joint_names), samples.recording.times
    predicted = inverse_dynamics(model, samples.jets)[:, 0]
    reported, modelled = samples.recording.efforts - samples.lacking, predicted - samples.lacking
    stuck = np.zeros(reported.shape, dtype=bool)
    for j in np.flatnonzero(joints):
        stuck[:, j] = effort_findings.stuck_samples(reported[:, j], modelled[:, j])
    findings.extend(effort_findings.stuck(tuple(names.tolist()), times, stuck))
    dead = stuck.mean(axis=0) > effort_findings.LIMITS.mostly
    joints = joints & ~dead
    if not joints.any():
        return samples, joints, tuple(one._replace(level='wrong') for one in findings)
    own = tuple(names[joints].tolist())
    efforts, stuck = samples.recording.efforts[:, joints], stuck[:, joints]
    spikes = effort_findings.effort_spikes(efforts, predicted[:, joints]) & ~stuck
    findings.extend(effort_findings.spikes_found(own, times, efforts, spikes))
    kept = samples.samples(np.logical_not((spikes | stuck).any(axis=1)))
    motion = samples.motion
    free, held = not_held(model, kept.recording, kept.jets, motion.noise, motion.dead, joints)
    return kept.samples(free), joints, (*findings, *held)


def seen_again(evidence: Evidence, taken: EffortFormat, recording: Recording, check: bool) -> Seen:
    """Return the good samples of another recording, smoothed alike."""
    model = evidence.model
    rows = rows_of(recording, [kind == 'continuous' for kind in model.coordinate_types])
    efforts = np.nan_to_num(rows.recording.efforts)
    rows = rows._replace(recording=replace(rows.recording, efforts=efforts))
    samples = seen(model, taken, rows, motion_of(model, rows, evidence.seen.motion.given))
    return good_samples(model, samples, evidence.joints)[0] if check else samples


def _judged(
    model: ScrewModel,
    taken: EffortFormat,
    samples: Seen,
    joints: NDArray[np.bool_],
    sought: bool,
    payload: str | None,
) -> tuple[NDArray[np.bool_], tuple[Finding, ...]]:
    """
    Return the joints whose efforts may be those of the model, and what contradicts it.

    No load is suspected where inertias are `sought`.
    """
    some = slice(None, None, -(-len(samples.jets) // _MOST_CHECKED))
    jets, full = samples.jets[some], samples.recording.efforts[some]
    predicted = inverse_dynamics(model, jets)[:, 0]
    names = np.array(model.joint_names)
    apart: list[Finding] = []
    while True:
        unknown = columns_of(
            model,
            offsets=True,
            friction=True,
            rotors=joints,
            links=False,
            payload=payload,
            coulomb_velocity=np.full(model.n, COULOMB_VELOCITY),
            joints=joints,
        )
        efforts, rows, least = full[:, joints], unknown.of(jets)[:, joints], unknown.least
        known = rows[..., len(unknown.positive) :]
        load, columns = None, rows[..., :0]
        if not sought:
            load, columns = suspected_load(model, efforts, jets, rows, least, joints)
        own = tuple(names[joints].tolist()), efforts, predicted[:, joints], jets[:, :, joints]
        given = efforts, jets, rows, least, columns, joints
        found = [
            *effort_findings.other_units(*own, np.concatenate((known, columns), axis=2)),
            *other_contents(model, taken, *given),
            *(turned_gravity(model, *given) if taken.content == 'full' else ()),
            *effort_findings.swapped(*own),
            *effort_findings.reversed_efforts(*own, known),
            *(() if load is None else (load,)),
        ]
        more = [one for one in found if one.level == 'left out']
        if not more:
            return joints, (*apart, *found)
        apart.extend(more)
        joints = joints & ~np.isin(names, [name for one in more for name in one.joints])
