# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Findings about measured efforts, alone and beside those of the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding, Level

REMEDY = '; check=False (--no-check, no_check) uses the recording as it is'


class Thresholds(NamedTuple):
    """What is odd about efforts, as parts of what is said."""

    clipped: float = 0.01  # of the samples, at the same largest value
    clipped_levels: float = 5.0  # times the samples of the next value: no step of a coarse sensor
    telling: float = 0.5  # correlation of measured efforts and those of the model
    swapped: float = 0.5  # of what a joint leaves of its efforts, another one leaves
    factor: float = 15.0  # between measured efforts and those of the model without a payload
    stuck: float = 0.2  # of the range of an effort, by which that of the model changes meanwhile
    mostly: float = 0.5  # of the samples, that tell nothing of a joint which is left out
    rounding: float = 1e-9  # of an effort: what is smaller tells nothing
    spike_samples: int = 7  # of a median, which leaves out spikes of up to 3
    # of the deviation from this median: times its standard deviation, and times the size that 5 %
    # of the samples exceed, as where the motion changes fast between samples
    spike: float = 15.0 / 0.6745
    spike_of_most: float = 5.0
    most: float = 0.95
    spike_range: float = 0.25  # of the range of the effort, measured or of the model


LIMITS = Thresholds()


def stuck_samples(effort: Array, predicted: Array) -> NDArray[np.bool_]:
    """
    Return which samples (T,) of an effort stay the same while that of the model changes.

    All of them if most have one value: the effort is not measured, or has a dead band.
    """
    found = np.zeros(len(effort), dtype=bool)
    least = LIMITS.stuck * np.ptp(effort)
    starts = np.flatnonzero(np.diff(effort, prepend=np.nan) != 0.0)
    counts = np.diff(starts, append=len(effort))
    for start, count in zip(starts[counts > 1].tolist(), counts[counts > 1].tolist(), strict=True):
        part = slice(start, start + count)
        found[part] = np.ptp(predicted[part]) > least
    values, counts = np.unique(effort, return_counts=True)
    same = effort == values[np.argmax(counts)]
    if same.mean() > LIMITS.mostly and np.ptp(predicted[same]) >= least:
        found[:] = True
    return found


def stuck(names: tuple[str, ...], times: Array, places: NDArray[np.bool_]) -> Iterator[Finding]:
    """Yield what is said of efforts that stay the same at `places` (T, n)."""
    for name, own in zip(names, places.T, strict=True):
        if own.any():
            first, last = times[np.flatnonzero(own)[[0, -1]]]
            share = float(own.mean())
            yield Finding(
                'stuck',
                'left out',
                (name,),
                f'recording: joint {name!r}: expected measured efforts, got the same ones while '
                f'those of the model change, in {100.0 * share:.2g} % of the samples from '
                f'{first:.6g} s to {last:.6g} s: '
                + ('the joint is left out' if share > LIMITS.mostly else 'left out'),
            )


def clipped(names: Iterable[str], reported: Array) -> Iterator[Finding]:
    """Yield the joints whose efforts (T, n) stay at a limit, as reported."""
    for name, effort in zip(map(str, names), reported.T, strict=True):
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
    names: tuple[str, ...], times: Array, efforts: Array, spikes: NDArray[np.bool_]
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


def swapped(
    names: tuple[str, ...], efforts: Array, predicted: Array, jets: Array
) -> Iterator[Finding]:
    """Yield pairs of joints whose efforts (T, n) fit each other's."""
    count = len(names)
    left = np.array(
        [
            [_left(efforts[:, i], predicted[:, j], jets[:, :, j]) for j in range(count)]
            for i in range(count)
        ]
    )
    best = np.argmin(left, axis=1)
    for i, j in enumerate(best.tolist()):
        if i < j and best[j] == i and max(left[i, j], left[j, i]) < LIMITS.swapped * left[i, i]:
            yield Finding(
                'swapped',
                'wrong',
                (names[i], names[j]),
                f'recording: joint {names[i]!r}: expected its own efforts, got some that fit '
                f'{names[j]!r}, and the reverse: the two are swapped{REMEDY}',
                1.0 - float(left[i, j] / left[i, i]) ** 2,
            )


def reversed_efforts(
    names: tuple[str, ...], efforts: Array, predicted: Array, jets: Array, sought: Array
) -> Iterator[Finding]:
    """Yield joints whose efforts (T, n) have the opposite sign of those of the model."""
    measured, own = _comparable(efforts, predicted, jets, sought)
    for name, a, b in zip(names, measured.T, own.T, strict=True):
        alike, slope = _correlation(a, b), _slope(a, b)
        if alike < -LIMITS.telling and slope < -1.0 / LIMITS.factor:
            yield Finding(
                'reversed',
                'wrong',
                (name,),
                f'recording: joint {name!r}: expected efforts with the sign of its axis, got '
                f'{slope:.2g} times those of the model: the joint is reversed '
                f'(effort_sign){REMEDY}',
                alike**2,
            )


def other_units(
    names: tuple[str, ...], efforts: Array, predicted: Array, jets: Array, load: Array
) -> tuple[Finding, ...]:
    """
    Return the joints whose efforts (T, n) have another size than those of the model.

    If others have its size, they are left out, else all are wrong. `load` (T, n, L) are columns
    of a load that may have any part in the efforts.
    """
    measured, own = _comparable(efforts, predicted, jets, load)
    found = []
    for i, (name, a, b) in enumerate(zip(names, measured.T, own.T, strict=True)):
        factor, alike = _slope(a, b), _correlation(a, b)
        size, expected = np.linalg.norm(a), np.linalg.norm(b)
        if expected < LIMITS.rounding:  # the load explains all
            continue
        whole, modelled = np.linalg.norm(efforts[:, i]), np.linalg.norm(predicted[:, i])
        got = ''
        if LIMITS.factor * size < expected or LIMITS.factor * whole < modelled and not load.size:
            share = min(float(size / expected), float(whole / modelled))
            got = f'{share:.2g} times the size of those of the model: another unit or scale'
        elif alike > LIMITS.telling and not 1.0 / LIMITS.factor < factor < LIMITS.factor:
            got = (
                f'{factor:.3g} times those of the model: another unit or the side of the motor, '
                'or a load that is not sought (payload)'
            )
        if got:
            found.append(
                Finding(
                    'unit',
                    'wrong',
                    (name,),
                    f'recording: joint {name!r}: expected efforts of the joint in N m or N, got '
                    f'{got} (effort_scale), or no measured efforts?',
                )
            )
    if len(found) == len(names):
        return tuple(one._replace(text=one.text + REMEDY) for one in found)
    level: Level = 'left out'
    return tuple(one._replace(level=level, text=f'{one.text} Left out') for one in found)


def _comparable(efforts: Array, predicted: Array, jets: Array, load: Array) -> tuple[Array, Array]:
    """Return efforts (T, n) of both kinds without what friction, rotor, offset, load explain."""
    both = np.concatenate((np.stack((efforts, predicted), axis=2), load), axis=2)
    for i in range(both.shape[1]):
        columns = _friction_columns(jets[:, :, i])
        both[:, i] -= columns @ np.linalg.lstsq(columns, both[:, i], rcond=None)[0]
        both[:, i] /= max(float(np.linalg.norm(both[:, i, 0])), 1e-300)
    rows = both.reshape(-1, both.shape[2])
    rest = rows[:, :2] - rows[:, 2:] @ np.linalg.lstsq(rows[:, 2:], rows[:, :2], rcond=None)[0]
    measured, own = np.moveaxis(rest.reshape(*efforts.shape, 2), 2, 0)
    return measured, own


def _left(effort: Array, predicted: Array, jet: Array) -> float:
    """Return the part of an effort that a joint, with friction, rotor and offset, leaves."""
    columns = np.column_stack((predicted, _friction_columns(jet)))
    rest = effort - columns @ np.linalg.lstsq(columns, effort, rcond=None)[0]
    return float(np.linalg.norm(rest)) / max(float(np.linalg.norm(effort)), 1e-300)


def _friction_columns(jet: Array) -> Array:
    return np.column_stack((np.ones(len(jet)), jet[:, 1], np.sign(jet[:, 1]), jet[:, 2]))


def _correlation(a: Array, b: Array) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0.0 else 0.0


def _slope(a: Array, b: Array) -> float:
    return float(a @ b) / max(float(b @ b), 1e-300)
