# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Evidence`: what a recording shows of a robot, and what is odd about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.common.findings import Finding, Level
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError, listed, shown
from screw_dynamics.estimation.identification import findings as judge
from screw_dynamics.estimation.identification.content_check import (
    other_contents,
    other_scales,
    suspected_load,
    turned_gravity,
)
from screw_dynamics.estimation.identification.equations import Equations
from screw_dynamics.estimation.identification.findings import LIMITS
from screw_dynamics.estimation.identification.recorded_rows import (
    LEAST_RANGE,
    position_findings,
    scattered,
)
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.samples import Reading, Samples
from screw_dynamics.model.locked_joints import without_joints
from screw_dynamics.model.screw_model import ScrewModel

_MOST_CHECKED = 2000  # samples


class Evidence(NamedTuple):
    """
    The samples of a recording that tell something.

    `joints` (n,) of the model, whose other coordinates are locked, have parameters; `findings`
    say what was left out and what is wrong.
    """

    samples: Samples
    joints: NDArray[np.bool_]
    findings: tuple[Finding, ...]


def selected(
    model: ScrewModel, recording: Recording
) -> tuple[ScrewModel, Recording, tuple[Finding, ...]]:
    """Return the model with the joints that were recorded, others locked at 0, and its columns."""
    if not isinstance(recording, Recording):
        raise InputError(f'recording: expected a Recording, got {shown(recording)}')
    absent = tuple(name for name in model.joint_names if name not in recording.joint_names)
    if len(absent) == model.n:
        given = listed(recording.joint_names)
        where = f'recording: none of its joints {given} is in the model, other joint_names'
        raise UnknownNameError('joint', recording.joint_names[0], model.joint_names, where)
    if not absent:
        return model, recording.of(model), ()
    model = without_joints(model, absent)
    unknown = [name for name in recording.joint_names if name not in model.joint_names]
    more = f'; the model has no {listed(unknown)}' if unknown else ''
    text = f'recording: {listed(absent)} of the model are not in it: locked at 0{more}'
    level: Level = 'odd' if unknown else 'remark'
    return model, recording.of(model), (Finding('locked', level, absent, text),)


def chosen_joints(name: str, model: ScrewModel, given: bool | ArrayLike) -> NDArray[np.bool_]:
    """Return the joints (n,) that are chosen; raise ShapeError for other shapes."""
    chosen = np.asarray(given, dtype=bool)
    if chosen.shape not in ((), (model.n,)):
        raise ShapeError(name, f'(), or ({model.n},)', chosen.shape)
    return np.broadcast_to(chosen, model.n)


def coupling_of(
    model: ScrewModel, given: ArrayLike | None, chosen: NDArray[np.bool_]
) -> Array | None:
    """Return the matrix of gears of joints (n,); raise ShapeError for other shapes."""
    if given is None:
        return None
    found = require_finite('coupling', as_float_array('coupling', given))
    if found.shape != (model.n, model.n):
        raise ShapeError('coupling', f'({model.n}, {model.n})', found.shape)
    return found[np.ix_(chosen, chosen)]


def evidence_of(
    reading: Reading,
    recording: Recording,
    equations: Equations,
    on_joint: Callable[[], object] | None,
) -> Evidence:
    """Return what a recording of the joints of a model shows, beside what `equations` predict."""
    model, joints = reading.model, reading.joints
    findings = list(position_findings(model, recording)) if reading.check else []
    judge.report([one for one in findings if one.level == 'wrong'], True, 3)
    rows = reading.rows(recording)
    findings.extend(rows.findings)
    samples = reading.samples(rows, reading.motion(rows, equations.rigid(), on_joint))
    if reading.check:
        positions = samples.recording.positions
        findings.extend(scattered(model, positions, samples.jets().links[:, 0]))
        predicted = equations.as_given(samples.jets())
        samples, joints, more = good_samples(samples, predicted, joints)
        findings.extend(more)
    return Evidence(samples, joints, tuple(findings))


def read_again(reading: Reading, recording: Recording, equations: Equations) -> Samples:
    """Return the good samples of another recording, of a robot that may have other bodies."""
    own = reading._replace(model=equations.robot.tree)
    rows = own.rows(recording.of(own.model))
    samples = own.samples(rows, own.motion(rows))
    if not own.check:
        return samples
    return good_samples(samples, equations.as_given(samples.jets()), own.joints)[0]


def of_joints(model: ScrewModel, names: tuple[str, ...]) -> ScrewModel:
    """Return a model with other coordinates than those of `names` locked at 0."""
    others = [name for name in model.joint_names if name not in names]
    found = without_joints(model, others) if 0 < len(others) < model.n else model
    if found.joint_names != names:
        got = listed(model.joint_names)
        raise InputError(f'model: expected joints {listed(names)}, got {got}')
    return found


def telling(
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
        text = (
            f'recording: joint {listed(map(repr, resting))}: expected a motion of at least '
            f'{LEAST_RANGE:g} rad or m, got {span[~moves].max():.2g}: left out'
        )
        findings.append(Finding('rest', 'left out' if moves.any() else 'wrong', resting, text))
    if not measured.all():
        absent = tuple(names[~measured].tolist())
        text = f'recording: the efforts of {listed(absent)} were not measured: left out'
        findings.append(Finding('absent', 'remark', absent, text))
    if not (moves & measured).any():
        raise InputError(findings[0].text.removesuffix(': left out'))
    return moves & measured, tuple(findings)


def good_samples(
    samples: Samples, predicted: Array, joints: NDArray[np.bool_]
) -> tuple[Samples, NDArray[np.bool_], tuple[Finding, ...]]:
    """
    Return the samples without efforts that are stuck or spikes, and the joints that remain.

    Those of the model are `predicted` (T, n); joints whose efforts are stuck for the most part do
    not remain.
    """
    names, times = samples.recording.joint_names, samples.recording.times
    used = np.flatnonzero(joints)
    reported, modelled = samples.efforts - samples.lacking, predicted - samples.lacking
    own = [names[j] for j in used]
    findings = list(judge.clipped(own, reported[:, used]))
    still, more = judge.stuck(own, times, reported[:, used], modelled[:, used])
    findings.extend(more)
    alive = still.mean(axis=0) <= judge.LIMITS.mostly
    remain = joints.copy()
    remain[used] = alive
    if len(used) and not alive.any():
        return samples, remain, tuple(one._replace(level='wrong') for one in findings)
    used, still = used[alive], still[:, alive]
    spikes = judge.effort_spikes(samples.efforts[:, used], predicted[:, used]) & ~still
    own = [names[j] for j in used]
    findings.extend(judge.spikes_found(own, times, samples.efforts[:, used], spikes))
    good = np.logical_not((spikes | still).any(axis=1))
    return samples.samples(good), remain, tuple(findings)


def judged(
    evidence: Evidence, reading: Reading, equations: Equations
) -> tuple[NDArray[np.bool_], tuple[Finding, ...]]:
    """
    Return the joints whose efforts may be those of the model, and what contradicts it.

    No load is suspected where inertias are sought.
    """
    model, samples, joints = reading.model, evidence.samples, evidence.joints
    some = slice(None, None, -(-len(samples.efforts) // _MOST_CHECKED))
    jets, full = samples.jets().links[some], samples.efforts[some]
    predicted = inverse_dynamics(model, jets)[:, 0]
    names = np.array(model.joint_names)
    apart: list[Finding] = []
    # what a load that is sought may explain is no scale
    sure = LIMITS.shared if equations.payload is None else LIMITS.factor
    while True:
        unknown = equations.rigid(joints=joints, rotors=True, links=False)
        efforts, least = full[:, joints], unknown.least
        rows = unknown.linear(jets)[:, joints, :-1]
        load, of_load = None, rows[..., :0]
        if not equations.links and equations.payload is None:
            load, of_load = suspected_load(model, efforts, jets, rows, least, joints)
        given = efforts, jets, rows, least, of_load, joints
        lacking = samples.lacking[some][:, joints]
        sides = efforts - lacking, predicted[:, joints] - lacking
        own = tuple(names[joints].tolist())
        contents = tuple(other_contents(model, reading.effort_format, *given))
        rival = min((1.0 - one.explains for one in contents), default=np.inf)
        found = [
            *contents,
            *(turned_gravity(model, *given) if reading.effort_format.content == 'full' else ()),
            *other_scales(own, *sides, rows, of_load, sure, LIMITS.scaled, rival),
            *(() if load is None else (load,)),
        ]
        more = [one for one in found if one.level == 'left out']
        if not more:
            return joints, (*apart, *found)
        apart.extend(more)
        joints = joints & ~np.isin(names, [name for one in more for name in one.joints])


def judged_motors(
    evidence: Evidence, reading: Reading, equations: Equations
) -> tuple[Finding, ...]:
    """
    Return what contradicts the efforts of motors.

    Torque constants that are sought are no other unit.
    """
    samples, joints = evidence.samples, evidence.joints
    some = np.zeros(len(samples.efforts), dtype=bool)
    some[:: -(-len(some) // _MOST_CHECKED)] = True
    samples = samples.samples(some)
    jets, gears = samples.jets(), reading.coupling
    known = equations.transmitted(equations.initial_values, jets.links)
    columns = equations.rigid(joints=joints, rotors=True)
    moved = jets.motors if gears is None else jets.links
    to_joints = np.eye(reading.model.n) if gears is None else gears
    efforts, modelled = ((x @ to_joints)[:, joints] for x in (samples.efforts, known))
    names = np.array(reading.model.joint_names)[joints]
    rows = columns.linear(moved)[:, joints, :-1]
    none, sides = np.empty((*efforts.shape, 0)), (efforts, modelled)
    every = other_scales(tuple(names.tolist()), *sides, rows, none, LIMITS.factor)
    found = [one for one in every if one.kind != 'unit' or not equations.constants.any()]
    for turned in turned_gravity(
        reading.model, efforts, jets.links, rows, columns.least, none, joints
    ):  # whichever explains the efforts better
        if all(turned.explains > one.explains for one in found):
            found.append(turned)
    return tuple(found)
