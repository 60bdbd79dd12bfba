# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Findings about measured efforts, alone and beside those of the model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding, by_weight
from screw_dynamics.errors import InputError, RecordingWarning
from screw_dynamics.estimation.identification.samples import MOST_DELAY

REMEDY = '; check=False (--no-check, no_check) uses the recording as it is'


class Thresholds(NamedTuple):
    """From where on something about a recording is said, and what of it counts."""

    # efforts alone, and beside those of the model
    clipped: float = 0.01  # of the samples, at the same largest value
    clipped_levels: float = 5.0  # times the samples of the next value: no step of a coarse sensor
    telling: float = 0.5  # correlation of measured efforts and those of the model
    opposite: float = 0.8  # the same, of opposite sign
    agree: float = 0.75  # of what tells scales of efforts, for one that all joints share
    shared: float = 3.0  # the least such scale, or its inverse: masses are not that wrong
    by_model: float = 0.3  # the least part of efforts that the model of their robot explains
    factor: float = 15.0  # between measured efforts and those of the model without a payload
    stuck: float = 0.2  # of the range of an effort, by which that of the model changes meanwhile
    mostly: float = 0.5  # of the samples, that tell nothing of a joint which is left out
    spike_samples: int = 7  # of a median, which leaves out spikes of up to 3
    # of the deviation from this median: times its standard deviation, and times the size that 5 %
    # of the samples exceed, as where the motion changes fast between samples
    spike: float = 15.0 / 0.6745
    spike_of_most: float = 5.0
    most: float = 0.95
    spike_range: float = 0.25  # of the range of the effort, measured or of the model
    # another content, sign, scale, gravity or load
    better: float = 4.0  # times smaller is what it leaves of an effort
    worse: float = 1.5  # times larger, at the most, is what it leaves of those of other joints
    explained: float = 0.5  # of an effort, the most that a content leaves that explains it
    scaled: float = 2.0  # the least factor, or its inverse, that is not an error of the model
    scale: float = 1e-3  # the least factor of efforts that are those of the model in some unit
    negligible: float = 0.01  # of an effort
    turned: float = 2.0  # times smaller is what another gravity leaves of a joint, and of all
    slope: float = 0.05  # of an effort, the least left of a joint that a slope explains
    like_gravity: tuple[float, float] = (0.8, 1.25)  # its strength, in that of the model
    tilt: float = 2.0  # degrees
    loaded: float = 2.0  # times smaller is what a load leaves of a joint
    load: float = 0.02  # of the mass of the robot, the least load
    sure_below: float = 3.0  # standard deviations, of friction and a rotor that are below 0
    # motors
    sure: float = 4.0  # standard deviations of what is there
    noisy: float = 3.0  # times the noise, what a drive leaves
    least_load: float = 0.01  # of the mass of the robot
    least_scale: float = 0.03  # of a torque constant
    # springs
    follows: tuple[float, float] = (0.5, 2.0)  # of the motion of a link, that of its motor
    known: float = 3.0  # standard deviations of a stiffness, of a spring and not a shaft
    told: float = 2.0  # times what remains of a deflection, what it has: of a spring that is told
    slipping: float = 3.0  # the same, of slips that are sought
    band: float = 0.3  # of a stiffness, the largest of a spring that is told
    share: float = 0.1  # of the efforts of the joint with the largest, those that links tell
    noise: float = 0.5  # of the squares of a deflection, noise from which no stiffness follows
    explains: float = 0.7  # of what all else leaves, what a backlash or an encoder leaves
    ratio: float = 0.9  # of what another gear ratio leaves, what an eccentric encoder leaves
    slight: float = 0.1  # of a deflection, what links that differ by some per cent leave of it
    follow: float = 0.5  # of what is beyond, what may follow the deflection
    hardens: float = 2.0  # times what another law leaves, what the law does
    clear: float = 0.01  # of a deflection, what counts of it


LIMITS = Thresholds()


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


def stuck(
    names: Sequence[str], times: Array, efforts: Array, predicted: Array
) -> tuple[NDArray[np.bool_], Iterator[Finding]]:
    """
    Return where efforts (T, n) stay the same while those of the model change, and what is said.

    Everywhere if most have one value: the effort is not measured, or has a dead band.
    """
    found = np.zeros(efforts.shape, dtype=bool)
    for place, effort, own in zip(found.T, efforts.T, predicted.T, strict=True):
        least = LIMITS.stuck * np.ptp(effort)
        starts = np.flatnonzero(np.diff(effort, prepend=np.nan) != 0.0)
        ends = np.append(starts[1:], len(effort))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            place[start:end] = np.ptp(own[start:end]) > least
        values, counts = np.unique(effort, return_counts=True)
        same = effort == values[np.argmax(counts)]
        if same.mean() > LIMITS.mostly and np.ptp(own[same]) >= least:
            place[:] = True
    return found, _stuck(names, times, found)


def _stuck(names: Sequence[str], times: Array, places: NDArray[np.bool_]) -> Iterator[Finding]:
    for name, own in zip(names, places.T, strict=True):
        if own.any():
            first, last = times[np.flatnonzero(own)[[0, -1]]]
            share = float(own.mean())
            text = (
                f'recording: joint {name!r}: expected measured efforts, got the same ones while '
                f'those of the model change, in {100.0 * share:.3g} % of the samples from '
                f'{first:.6g} s to {last:.6g} s: '
                + ('the joint is left out' if share > LIMITS.mostly else 'left out')
            )
            yield Finding('stuck', 'left out', (name,), text)


def clipped(names: Sequence[str], reported: Array) -> Iterator[Finding]:
    """Yield the joints whose efforts (T, n) stay at a limit, as reported."""
    for name, effort in zip(names, reported.T, strict=True):
        size = np.abs(effort)
        values, counts = np.unique(
            np.round(size / max(float(size.max()), 1e-300), 9), return_counts=True
        )
        share = float(counts[-1]) / len(size)
        beside = counts[-2] if len(counts) > 1 else counts[-1]
        if share > LIMITS.clipped and counts[-1] > LIMITS.clipped_levels * beside:
            yield Finding(
                'clipped',
                'wrong',
                (name,),
                f'recording: joint {name!r}: expected efforts below a limit, got '
                f'{100.0 * share:.0f} % of the samples at {size.max():.4g}: they are clipped',
            )


def effort_spikes(efforts: Array, predicted: Array) -> NDArray[np.bool_]:
    """
    Return where efforts (T, n) leave those of their neighbours for a moment, (T, n).

    `predicted` (T, n) are efforts of the model, whose changes between samples are no spikes;
    steps, as of friction or of a coarse sensor, are none either.
    """
    size = (LIMITS.spike_samples, 1)
    away = np.minimum(
        *(
            np.abs(values - median_filter(values, size=size, mode='nearest'))
            for values in (efforts, efforts - predicted)
        )
    )
    level = np.maximum(
        LIMITS.spike * np.median(away, axis=0),
        LIMITS.spike_of_most * np.quantile(away, LIMITS.most, axis=0),
    )
    usual = np.quantile((efforts, predicted), (1.0 - LIMITS.most, LIMITS.most), axis=1)
    least = LIMITS.spike_range * np.ptp(usual, axis=0).max(axis=0)
    quantum = np.array([_quantum(effort) for effort in efforts.T])
    spikes: NDArray[np.bool_] = away > np.maximum(np.maximum(level, least), 2.0 * quantum)
    return spikes


def _quantum(effort: Array) -> float:
    """Return the median distance of neighbouring values, the step of a coarse sensor."""
    values = np.unique(effort)
    return float(np.median(np.diff(values))) if len(values) > 1 else 0.0


def spikes_found(
    names: Sequence[str], times: Array, efforts: Array, spikes: NDArray[np.bool_]
) -> Iterator[Finding]:
    """Yield what is said of spikes (T, n) of efforts, which are left out."""
    for i in np.flatnonzero(spikes.any(axis=0)).tolist():
        places = np.flatnonzero(spikes[:, i])
        width = LIMITS.spike_samples // 2
        beside = [
            np.median(efforts[max(place - width, 0) : place + width + 1, i]) for place in places
        ]
        worst = int(np.argmax(np.abs(efforts[places, i] - beside)))
        yield Finding(
            'spikes',
            'left out',
            (names[i],),
            f'recording: joint {names[i]!r}: expected efforts without spikes, got {len(places)}, '
            f'the largest at {times[places[worst]]:.6g} s: {efforts[places[worst], i]:.4g} beside '
            f'about {beside[worst]:.4g}; left out',
        )


def late(names: Sequence[str], delays: Array) -> tuple[Finding, ...]:
    """Return what is said of delays (n,) that are taken out [s], or that are too long."""
    found = np.flatnonzero(delays).tolist()
    if not len(found):
        return ()
    worst = max(found, key=lambda i: abs(delays[i]))
    delay = 1e3 * delays[worst]
    others = f'; so do those of {len(found) - 1} other joints' if len(found) > 1 else ''
    side = f'lag by {delay:.0f} ms' if delay > 0.0 else f'are {-delay:.0f} ms ahead'
    text = (
        f'recording: joint {names[worst]!r}: expected efforts of the instants of the positions, '
        f'got efforts that {side}{others}'
    )
    joints = tuple(names[i] for i in found)
    if abs(delays[worst]) > MOST_DELAY:
        return (Finding('late', 'wrong', joints, text),)
    hint = lead_time_hint(float(delays[worst]))
    return (Finding('late', 'left out', joints, f'{text}; taken out{hint}'),)


def negative_friction(
    joints: Sequence[str], names: Sequence[str], values: Array, deviations: Array
) -> Iterator[Finding]:
    """Yield joints that no parameter of a motor explains: friction and rotor are below 0."""
    surely = dict(
        zip(names, (values + LIMITS.sure_below * deviations < 0.0).tolist(), strict=True)
    )
    for name in joints:
        kinds = [f'{name}.{kind}' for kind in ('viscous', 'coulomb', 'rotor_inertia')]
        sought = [kind for kind in kinds if kind in surely]
        if len(sought) > 1 and all(surely[kind] for kind in sought):
            yield Finding(
                'negative',
                'odd',
                (name,),
                f'recording: joint {name!r}: expected friction and rotor inertia above 0, got all '
                'below: is the sign of its positions reversed?',
            )


def lead_time_hint(delay: float) -> str:
    """Return the text for efforts that are ahead, as commands are; '' for a delay above 0 [s]."""
    return '' if delay > 0.0 else f'; if they are the commands, set lead_time: {-delay:.2g}'
