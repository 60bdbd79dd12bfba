# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Identify drives from simulated recordings: whether bands hold, and were predicted."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache, partial
from multiprocessing import Pool
from typing import Any

import numpy as np
from helpers.driven_recordings import drawn_drives, driven, with_link_errors, wrong_drives

import screw_dynamics as sd
from benchmarks.report import Report, Requirement
from screw_dynamics.drives import Drives

OPTIONS: dict[str, dict[str, Any]] = {
    '--recordings': {'type': int, 'default': 200, 'help': 'of every kind'},
    '--processes': {'type': int, 'default': 2, 'help': 'that identify'},
}
LINKS = 0.05  # relative standard deviation of masses, first moments and inertias
MASS, COM, INERTIA = 1.0, np.array([0.0, 0.0, 0.05]), 1e-3 * np.eye(3)  # of the load
TOO_LARGE = 1.1  # drives that the identification begins with, over the true ones
RATE, SECONDS = 250.0, 16.0
STRIBECK = 15.0  # rad/s at the motor
NOISE, EXCITED_DELAY = 0.3, 2e-3  # N m and s, of the recordings of the excitation
BAND = 1.96
LEAST, MOST = 93.0, 97.0  # % within bands
LARGEST = 1.3  # rms of errors in standard deviations
BREAKAWAY, LEAST_OF_BREAKAWAY = (1.2, 1.5), 90.0  # times Coulomb friction, % within bands
FIELDS = {
    'rotor_inertia': ('rows', 0),
    'viscous': ('rows', 1),
    'coulomb': ('rows', 2),
    'coulomb_velocity': ('rows', 3),
    'breakaway_excess': ('friction', 0),
    'stribeck_velocity': ('friction', 1),
    'load_friction': ('friction', 2),
}

Truth = dict[str, float]
Errors = list[tuple[str, float, float]]


def planar() -> sd.ScrewModel:
    """Return the arm."""
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


def truth_of(model: sd.ScrewModel, drives: Drives) -> Truth:
    """Return the parameters of drives and of the load at the last link."""
    table = sd.Robot(model, drives).motors
    found = {
        f'{name}.{field}': float(getattr(table, place)[j, column])
        for j, name in enumerate(model.joint_names)
        for field, (place, column) in FIELDS.items()
    }
    found |= {f'{name}.offset': 0.0 for name in model.joint_names}
    found |= {
        f'{name}.stiffness': joint.spring.stiffness  # type: ignore[union-attr]
        for name, joint in drives.joints.items()
    }
    about = INERTIA + MASS * (COM @ COM * np.eye(3) - np.outer(COM, COM))
    entries = zip(('xx', 'xy', 'yy', 'xz', 'yz', 'zz'), about[np.tril_indices(3)], strict=True)
    first = zip('xyz', MASS * COM, strict=True)
    load = {'m': MASS} | {f'm{axis}': value for axis, value in first} | dict(entries)
    return found | {f'payload.{name}': float(value) for name, value in load.items()}


def errors_of(found: sd.DriveIdentification, truth: Truth) -> Errors:
    """Return names, errors and standard deviations of the parameters that the motion tells."""
    return [
        (name, value - truth[name], deviation)
        for name, value, deviation in found.rows
        if np.isfinite(deviation) and name in truth
    ]


def identified(seed: int) -> Errors:
    """Return the errors of a recording with drives, links, motion, delay and noise drawn."""
    warnings.simplefilter('ignore')
    model, random = planar(), np.random.default_rng(seed)
    tip = model.body_names[-1]
    drives = drawn_drives(model, random, breakaway=(1,), load=(0,))
    true = with_link_errors(model, random, LINKS).with_payload(tip, MASS, COM, INERTIA)
    offsets, delay = random.uniform(-0.01, 0.01, model.n), float(random.uniform(0.0, 5e-3))
    recording = driven(
        true, drives, random, seconds=SECONDS, rate=RATE, delay=delay, offsets=offsets
    )
    given = sd.Robot(model, wrong_drives(drives, TOO_LARGE))
    truth = truth_of(model, drives) | {'delay': delay}
    for name, offset in zip(model.joint_names, offsets.tolist(), strict=True):
        truth[f'{name}.encoder_offset'] = offset
    return errors_of(sd.identify_drives(given, recording, payload=tip), truth)


def breaking(seed: int, breakaway: float) -> Errors:
    """Return the errors of a recording with breakaway friction at all joints, drawn as others."""
    warnings.simplefilter('ignore')
    model, random = planar(), np.random.default_rng(seed)
    records = {}
    for name, drive in drawn_drives(model, random).joints.items():
        friction = breakaway * drive.motor.coulomb_friction
        motor = replace(drive.motor, breakaway_friction=friction, stribeck_velocity=STRIBECK)
        records[name] = replace(drive, motor=motor)
    drives, delay = Drives(records), float(random.uniform(0.0, 5e-3))
    true = with_link_errors(model, random, LINKS)
    recording = driven(true, drives, random, seconds=SECONDS, rate=RATE, delay=delay)
    found = sd.identify_drives(sd.Robot(model, wrong_drives(drives, TOO_LARGE)), recording)
    return errors_of(found, truth_of(model, drives) | {'delay': delay})


@cache
def excited() -> tuple[Drives, sd.Excitation]:
    """Return drives and the motion designed for them."""
    model = planar()
    drives = drawn_drives(model, np.random.default_rng(0))
    return drives, sd.excitation_motion(
        sd.Robot(model, drives),
        payload=model.body_names[-1],
        duration=15.0,
        effort_noise=NOISE,
        rate=RATE,
    )


def predicted(seed: int) -> Errors:
    """Return the errors of a recording of the motion that excites."""
    warnings.simplefilter('ignore')
    model, random = planar(), np.random.default_rng(seed)
    tip = model.body_names[-1]
    drives, motion = excited()
    true = with_link_errors(model, random, LINKS).with_payload(tip, MASS, COM, INERTIA)
    recording = driven(
        true,
        drives,
        random,
        seconds=motion.curve.duration,
        rate=RATE,
        delay=EXCITED_DELAY,
        curve=motion.curve,
        effort_noise=np.full(model.n, NOISE),
    )
    found = sd.identify_drives(sd.Robot(model, drives), recording, payload=tip)
    return errors_of(found, truth_of(model, drives) | {'delay': EXCITED_DELAY})


def kind_of(name: str) -> str:
    """Return a parameter without its joint."""
    return name if name.startswith('payload.') or name == 'delay' else name.split('.')[1]


def bands(report: Report, recordings: list[Errors]) -> None:
    """Add the shares of parameters within their bands."""
    ratios: dict[str, list[float]] = {}
    for errors in recordings:
        for name, error, deviation in errors:
            ratios.setdefault(kind_of(name), []).append(error / deviation)
    every = np.concatenate([np.abs(values) for values in ratios.values()])
    share = 100.0 * float(np.mean(every < BAND))
    report.heading('Bands')
    report.text(
        f'{len(recordings)} recordings of a planar arm of two joints with soft springs, '
        f'{SECONDS:g} s at {RATE:g} Hz, integrated by Runge-Kutta steps of 0.25 ms under control '
        'of the motors: drives, links, motion, delay up to 5 ms and noise drawn at random; '
        'breakaway friction at one joint, friction under load at the other; a load of '
        f'{MASS:g} kg that is sought. Noise of the encoders is 2e-5 rad, of the efforts 2 % of '
        'the largest. Masses, first moments and inertias of the links have errors of '
        f'{100.0 * LINKS:g} %, which the identification knows as their standard deviation; it '
        f'begins with drives that are {TOO_LARGE:g} times the true ones, and with half the '
        'velocities of dry friction.'
    )
    rows = [
        [
            name,
            len(values),
            f'{100.0 * inside(values):.1f} %',
            f'{np.sqrt(np.mean(np.square(values))):.2f}',
        ]
        for name, values in ratios.items()
    ]
    rows.append(['**all**', len(every), f'{share:.1f} %', f'{np.sqrt(np.mean(every**2)):.2f}'])
    report.table(
        ['parameter', 'found', 'within 95 % bands', 'rms of error / standard deviation'], rows
    )
    outside = [
        f'{name} {100.0 * inside(values):.1f} %'
        for name, values in ratios.items()
        if not LEAST <= 100.0 * inside(values) <= MOST
    ]
    missed = {
        field: len(recordings) - len(ratios.get(field, []))
        for field in ('breakaway_excess', 'load_friction')
    }
    report.text(
        f'Not within {LEAST:g} % to {MOST:g} % by themselves: {", ".join(outside) or "none"}. '
        f'Breakaway friction does not show in {missed["breakaway_excess"]} recordings, friction '
        f'under load in {missed["load_friction"]}: the band of Coulomb friction then contains it.'
    )
    largest = max(float(np.sqrt(np.mean(np.square(values)))) for values in ratios.values())
    report.require(
        Requirement('parameters within bands, least', share, LEAST, unit=' %', at_least=True),
        Requirement('parameters within bands, most', share, MOST, unit=' %'),
        Requirement('rms of error / standard deviation of a kind', largest, LARGEST),
    )


def with_breakaway(report: Report, recordings: dict[float, list[Errors]]) -> None:
    """Add the shares of parameters of drives that break away."""
    report.heading('Breakaway friction at all joints')
    report.text(
        'As above, with breakaway friction at both joints and without a load, all of it unknown '
        'to the identification:'
    )
    rows: list[list[object]] = []
    for breakaway, found in recordings.items():
        every = [error / deviation for errors in found for _, error, deviation in errors]
        dry = [
            error / deviation
            for errors in found
            for name, error, deviation in errors
            if kind_of(name) in ('coulomb', 'viscous')
        ]
        share = 100.0 * inside(every)
        texts = [f'{part:.1f} %' for part in (share, 100.0 * inside(dry))]
        rows.append([f'{breakaway:g} times Coulomb friction', len(found), *texts])
        name = f'parameters within bands, breakaway {breakaway:g}'
        report.require(Requirement(name, share, LEAST_OF_BREAKAWAY, unit=' %', at_least=True))
    report.table(['breakaway', 'recordings', 'all within bands', 'Coulomb and viscous'], rows)


def inside(values: list[float]) -> float:
    """Return the part of values within a band."""
    return float(np.mean(np.abs(values) < BAND))


def predictions(report: Report, recordings: list[Errors]) -> None:
    """Add the deviations that were predicted beside those that errors have."""
    motion = excited()[1]
    report.heading('Motions that excite')
    report.text(
        f'`excitation_motion` has designed a motion of {motion.curve.duration:g} s for one such '
        f'arm, without breakaway friction. Over {len(recordings)} recordings of it, with links '
        'and noise drawn at random, the errors scatter like this:'
    )
    rows: list[list[object]] = []
    worst = 0.0
    for name, _, deviation in motion.rows:
        errors = [error for found in recordings for key, error, _ in found if key == name]
        if not np.isfinite(deviation) or not errors:
            continue
        scattered = float(np.sqrt(np.mean(np.square(errors))))
        worst = max(worst, abs(scattered / deviation - 1.0))
        rows.append([name, f'{deviation:.3g}', f'{scattered:.3g}', f'{scattered / deviation:.2f}'])
    report.table(['parameter', 'predicted', 'scattered', 'ratio'], rows)
    report.require(
        Requirement('scattered beside predicted deviations', 100.0 * worst, 20.0, unit=' %')
    )


def measure(recordings: int, processes: int) -> Report:
    """Return the page."""
    report = Report('identification', 'Identification of drives')
    report.text(
        'Written by `python -m benchmarks identification`. Guide: '
        '[Identification](../identification.md).'
    )
    report.requirements()
    with Pool(processes) as pool:
        bands(report, pool.map(identified, range(recordings), chunksize=4))
        seeds = range(recordings)
        drawn = {
            factor: pool.map(partial(breaking, breakaway=factor), seeds, chunksize=4)
            for factor in BREAKAWAY
        }
        with_breakaway(report, drawn)
        excited()
        predictions(report, pool.map(predicted, range(recordings), chunksize=4))
    return report
