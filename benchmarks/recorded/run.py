# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Identify robots from recordings of real ones, beside a plain filtered least squares."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import screw_dynamics as sd
from benchmarks.recorded.plain_fit import filtered, moving, plain
from benchmarks.recorded.robots import ROBOTS, Recorded, load
from benchmarks.report import Report, Requirement
from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OPTIONS: dict[str, dict[str, Any]] = {
    '--data': {'type': Path, 'required': True, 'help': 'folder of the recordings and their urdf/'},
    '--only': {'nargs': '+', 'default': None, 'help': 'names of recordings'},
}
_SEEN = 0.1  # N m, a joint that leaves less is not compared
_RATIO = 1.1
_CUTOFF = 2.0  # Hz, of what is differentiated
_END = 1.0  # s, at each end, that the filter spoils
_DRAWN = {
    'ur10_currents': 'shoulder_lift_joint',
    'franka_panda_1khz': 'panda_joint4',
    'hebi_arm_free': 'J2',
}

INTRODUCTION = (
    'Written by `python -m benchmarks recorded --data FOLDER`. Every recording is given to '
    '`identify` as it is, with `offsets=True`; links are those of the URDF. Efforts are root '
    'mean squares: what the *model* of the URDF leaves alone, what is left once it is '
    '*identified*, in the *unseen* first quarter if only the others are used, and by a *plain '
    'fit*: the same friction, rotors, offsets and load by least squares, friction and rotors '
    'held non-negative, positions low-passed at 2, 5 or 10 Hz, whichever leaves least, rigid '
    'efforts by Pinocchio. Shares of the squared efforts add to 100 %; they are those of '
    '[what explains the efforts](../identification.md#what-explains-the-efforts). Findings '
    'are named by their kinds, with joints: [what happens to '
    'recordings](../identification.md#motions-and-recordings). Four of these recordings are '
    'installed with the package, in `examples/recorded`; of the others only results are here.'
)
RATES = (
    'The rate of the efforts that sensors measure, low-passed at 2 Hz in both directions, and '
    "what is left of it by the rate tau' that is computed from positions to jerks, filtered "
    'alike: of the rigid links of the URDF alone, and with what is identified. The rates of the '
    'HEBI arms, which move slowly, are near the noise, and hardly explained; those of the FER '
    'come from positions 33 ms apart.'
)
WIND_UP = (
    'The deflection that the modules measure in the first third of the motion, and what is left '
    'of it by the deflection that the trajectory alone predicts: efforts of the links of the '
    'URDF, and with offsets that the other two thirds tell, over the stiffness. The stiffness is '
    'no second opinion: the modules compute efforts from deflections.'
)
TOGETHER = (
    'Several recordings of one robot, or parts of a longer one, in one fit by `fleet.identify`, '
    'offsets shared. Each is left out in turn: root mean squares over joints of what *its own* '
    'fit leaves of it, the *others alone* (the median of their fits, and the worst), and *all '
    'others* in one fit. *Bands* of the fit of all are this share (median) of those of each alone.'
)
# and in how many parts
_DIVIDED = {'ur10_currents': 3, 'franka_panda_1khz': 4, 'double_pendulum': 5}


class Case(NamedTuple):
    """A recording, and what is identified from it."""

    recorded: Recorded
    text: str
    recording: sd.Recording
    found: sd.Identification


def found_of(text: str, recording: sd.Recording, load: str | None) -> sd.Identification:
    """Return what is identified."""
    return sd.identify(sd.read_urdf(text), recording, offsets=True, payload=load)


def unseen(case: Case) -> Array | None:
    """Return what is left (n,) of the first quarter by the others; None if they are refused."""
    times = case.recording.times
    split = times[0] + np.ptp(times) / 4.0
    try:
        found = found_of(case.text, case.recording.between(split, np.inf), case.recorded.load)
        left = found.validate(case.recording.between(-np.inf, split))
    except InputError:
        return None
    places = dict(zip(found.model.joint_names, left, strict=True))
    return np.array([places.get(name, np.nan) for name in case.found.model.joint_names])


def compare(report: Report, case: Case, others: Mapping[str, Case]) -> None:
    """Add what is found of a recording, and what it leaves beside a plain fit."""
    recorded, text, recording, found = case
    names = found.model.joint_names
    beside = plain(text, recording, found.shares.times, recorded.load)
    beside = beside[[recording.joint_names.index(name) for name in names]]
    used = {name.split('.')[0] for name in found.names}
    ahead = unseen(case)
    shares = found.shares.shares
    rows = [
        [
            name,
            f'{found.before[j]:.3g}',
            *(
                (
                    f'{found.residuals[j]:.3g}',
                    '-' if ahead is None else f'{ahead[j]:.3g}',
                    f'{beside[j]:.3g}',
                    *(f'{100.0 * share[j]:.0f}' for share in shares.values()),
                )
                if name in used
                else ['left out', '-', f'{beside[j]:.3g}', *('-' for _ in shares)]
            ),
        ]
        for j, name in enumerate(names)
    ]
    kinds = [f'{kind} %' for kind in shares]
    report.table(['joint', 'model [N m]', 'identified', 'unseen', 'plain fit', *kinds], rows)
    if found.payload is not None:
        carried = found.payload
        band = 1.96 * carried.mass_deviation
        report.text(f'Load at `{carried.frame}`: {carried.mass:.3f} ± {band:.3f} kg.')
    if recorded.other in others:
        left = found.validate(others[recorded.other].recording)
        text = ', '.join(f'{value:.2g}' for value in left)
        report.text(f'In `{recorded.other}` it leaves {text} N m.')
    report.text(f'Findings: {findings(found)}.')
    ratios = [
        found.residuals[j] / beside[j]
        for j, name in enumerate(names)
        if name in used and beside[j] > _SEEN
    ]
    if ratios:
        name = f'{recorded.name}: largest ratio to the plain fit'
        report.require(Requirement(name, float(max(ratios)), _RATIO))


def findings(found: sd.Identification) -> str:
    """Return the kinds of the findings with their joints, in a line."""
    every: dict[str, Counter[str]] = {}
    for finding in found.findings:
        every.setdefault(finding.kind, Counter()).update(finding.joints)
    return ', '.join(
        f'{kind} ({", ".join(joints)})' if 0 < len(joints) < 9 else kind
        for kind, joints in every.items()
    ) or 'none'  # fmt: skip


def rates(case: Case) -> list[list[str]]:
    """Return rows: the rate of the measured efforts, and what models leave of it."""
    recorded, _, recording, found = case
    rows = moving(recording)
    columns = [rows.joint_names.index(name) for name in found.model.joint_names]
    jets = filtered(rows, rows.positions[:, columns], _CUTOFF, 3)
    measured = filtered(rows, rows.efforts[:, columns], _CUTOFF, 1)[:, 1]
    rigid = sd.inverse_dynamics(found.model, jets)[:, 1]
    robot = found.robot()
    assert robot.drives is not None
    drives = {name: replace(one, spring=None) for name, one in robot.drives.joints.items()}
    identified = sd.actuator_efforts(sd.Robot(robot.model, sd.Drives(drives)), jets)[:, 1]
    models = [filtered(rows, rate, _CUTOFF, 0)[:, 0] for rate in (rigid, identified)]
    begin = max(recorded.begin, _END) + rows.times[0]
    inside = (rows.times > begin) & (rows.times < rows.times[-1] - _END)
    sizes = [rms(rate[inside]) for rate in (measured, *(model - measured for model in models))]
    return [
        [f'`{recorded.name}`', name, *(f'{size[j]:.2f}' for size in sizes)]
        for j, name in enumerate(found.model.joint_names)
    ]


def wind_up(case: Case) -> Iterator[list[str]]:
    """Yield rows: the deflection of a spring in a third that is not used, and what is left."""
    recorded, _, recording, whole = case
    begin, end = recording.times[0] + recorded.begin, recording.times[-1]
    split = begin + (end - begin) / 3.0
    names = whole.model.joint_names
    used = recording.between(split, np.inf)
    found = sd.identify(whole.model, used, offsets=True, friction=False, payload=recorded.load)
    shares, deflections = found.explain(recording.between(begin, split)), recording.deflections
    assert deflections is not None
    rigid = sd.inverse_dynamics(found.model, shares.jets)[:, 0]
    for spring in whole.springs:
        j = names.index(spring.joint)
        column = deflections[:, recording.joint_names.index(spring.joint)]
        measured = np.interp(shares.times, recording.times, column)
        left = [
            f'{1e3 * rms(effort / spring.stiffness - measured):.2g}'
            for effort in (0.0 * measured, rigid[:, j], (shares.measured - shares.rest)[:, j])
        ]
        yield [f'`{recorded.name}`', spring.joint, f'{spring.stiffness:.4g}', *left]


def together(name: str, text: str, recordings: list[sd.Recording], load: str | None) -> list[Any]:
    """Return rows: what fits leave of each of some recordings, of its own and of the others."""
    options: dict[str, Any] = {'offsets': True, 'payload': load}
    whole = sd.fleet.identify(text, recordings, jobs=1, per_recording=(), **options)
    if whole.failed:
        return [[f'`{name}`', whole.failed[0].error, *('' for _ in range(4))]]
    found, parts = [found_of(text, one, load) for one in recordings], whole.records
    bands = [
        deviation / part.values[f'{parameter}.alone_sd']
        for parameter, _, deviation in whole.rows
        for part in parts
        if part.values.get(f'{parameter}.alone_sd', 0.0) < np.inf
    ]
    rows = []
    for k, one in enumerate(recordings):
        others = [j for j in range(len(parts)) if j != k]
        alone = [float(rms(found[j].validate(one))) for j in others]
        joint = sd.fleet.combine([parts[j] for j in others], per_recording=())
        fitted = joint.identification(text, recordings[others[0]], **options)
        left = float(rms(found[k].residuals)), float(np.median(alone)), max(alone)
        numbers = [f'{value:.3g}' for value in (*left, float(rms(fitted.validate(one))))]
        rows.append([f'`{name}` {k + 1}', *numbers, f'{np.median(bands):.2f}' if not k else ''])
    return rows


def rms(values: Array) -> Array:
    """Return the root mean squares of values along their first axis."""
    return np.asarray(np.sqrt(np.mean(values**2, axis=0)))


def draw(figure: Figure, cases: Sequence[Case]) -> None:
    """Draw efforts of a joint of each robot, measured and predicted, and what is left."""
    for axes, case in zip(np.atleast_1d(figure.subplots(1, len(cases))), cases, strict=True):
        shares, joint = case.found.shares, _DRAWN[case.recorded.name]
        j = case.found.model.joint_names.index(joint)
        rest = shares.rest[:, j]
        axes.plot(shares.times, shares.measured[:, j], color='0.7', label='measured')
        axes.plot(shares.times, shares.measured[:, j] - rest, lw=0.8, label='identified')
        axes.plot(shares.times, rest, color='tab:red', lw=0.8, label='left')
        axes.set_title(f'{case.recorded.robot.partition(",")[0]}, {joint}', fontsize=9)
        axes.set(xlabel='time [s]', ylabel='effort [N m]')
    figure.axes[0].legend(frameon=False, fontsize=8)


def measure(data: Path, only: list[str] | None) -> Report:
    """Return the page."""
    report = Report('recorded', 'On recorded robots')
    report.text(INTRODUCTION)
    report.requirements()
    cases: dict[str, Case] = {}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for recorded in ROBOTS:
            if only is not None and recorded.name not in only:
                continue
            text, recording = load(data, recorded)
            try:
                found = found_of(text, recording, recorded.load)
            except InputError as error:
                report.text(f'`{recorded.name}` is refused: {error}')
                report.require(Requirement(f'{recorded.name}: accepted', 0.0, 1.0, at_least=True))
                continue
            cases[recorded.name] = Case(recorded, text, recording, found)
        drawn = [cases[name] for name in _DRAWN if name in cases]
        if drawn:
            caption = 'Measured efforts of three robots, what is identified, and what is left'
            report.figure(caption, lambda figure: draw(figure, drawn), (11.0, 3.2))
        for case in cases.values():
            report.heading(case.recorded.robot)
            length = np.ptp(case.recording.times)
            report.text(
                f'`{case.recorded.name}`: {len(case.recording.times)} samples, {length:.3g} s.'
            )
            compare(report, case, cases)
            if case.recorded.remark:
                report.text(case.recorded.remark)
        report.heading('Rates of efforts')
        report.text(RATES)
        header = ['recording', 'joint', 'rate [N m/s]', 'model leaves', 'identified leaves']
        measured = [case for case in cases.values() if case.recorded.rates]
        report.table(header, [row for case in measured for row in rates(case)])
        report.heading('Wind-up of springs')
        report.text(WIND_UP)
        header = ['recording', 'joint', 'stiffness [N m/rad]', 'wind-up [mrad]', 'model leaves']
        sprung = [case for case in measured if case.found.springs]
        report.table(
            [*header, 'identified leaves'],
            [row for case in sprung for row in wind_up(case)],
        )
        report.heading('Several recordings in one fit')
        report.text(TOGETHER)
        fleets = []
        if {'kinova_gen3_testing1', 'kinova_gen3_testing2'} <= cases.keys():
            logs = [cases[f'kinova_gen3_testing{k}'] for k in (1, 2)]
            own = [log.recording for log in logs]
            fleets += together('kinova_gen3_testing', logs[0].text, own, logs[0].recorded.load)
        for name, count in _DIVIDED.items():
            if name in cases:
                ends = np.linspace(*cases[name].recording.times[[0, -1]], count + 1)
                pairs = zip(ends[:-1], ends[1:], strict=True)
                own = [cases[name].recording.between(*pair) for pair in pairs]
                fleets += together(name, cases[name].text, own, None)
        header = ['recording', 'its own [N m]', 'others alone', 'worst of them', 'all others']
        report.table([*header, 'bands'], fleets)
    return report
