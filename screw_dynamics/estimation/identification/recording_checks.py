# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Recordings that cannot be used.

Opposite signs, swapped joints, units, clipping, rest, jumps, spikes, delays, and efforts that were
not measured.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError, RecordingWarning
from screw_dynamics.model.screw_model import ScrewModel

_CLIPPED = 0.01  # of the samples, at the same largest value
LEAST_RANGE = 0.05  # of a position [rad or m]
_TELLING = 0.5  # correlation of measured efforts and those of the model
_SWAPPED = 0.5  # of what a joint leaves of its efforts, another one leaves
_FACTOR = 15.0  # between measured efforts and those of the model, which may lack a payload
_REMEDY = '; check=False (--no-check, no_check) uses the recording as it is'
_DEGREES = 2.0  # times beyond the range of the limits
_LARGEST_STEP = 0.2  # s, between samples
_SCATTER = 0.02  # of the range of a position: deviations from a smooth motion
# change of the deviation from a smooth motion between two samples, in root mean squares: a gear
# that crosses its play rings, but does not jump; of 10^9 normal ones the largest has 6
_JUMP = 15.0
_ROUNDING = 1e-9  # of the range of a position, of an effort: what is smaller tells nothing
_STUCK = 0.2  # of the range of an effort, by which that of the model changes meanwhile
_SPIKE_SAMPLES = 7  # of a median, which leaves out spikes of up to 3
# of the deviation from this median: times its standard deviation, and times the size that 5 % of
# the samples exceed, as where the motion changes fast between samples
_SPIKE, _SPIKE_OF_MOST, _MOST = 15.0, 5.0, 0.95
_SPIKE_RANGE = 0.02  # of the range of the effort, measured or of the model
_MEDIAN_OF_NORMAL = 0.6745  # standard deviations
_FEW_SPIKES = 0.01  # of the samples
_LEAST_DELAY, MOST_DELAY = 1e-3, 0.05  # s
_SURE_DELAY = 6.0  # standard deviations


def check_positions(model: ScrewModel, positions: Array) -> None:
    """Raise InputError for joints that do not move, or whose positions may be degrees."""
    span = np.ptp(positions, axis=0)
    for name, moved in zip(model.joint_names, span, strict=True):
        if moved < LEAST_RANGE:
            raise InputError(
                f'recording: joint {name!r}: expected a motion of at least {LEAST_RANGE:g} '
                f'rad or m, got {moved:.2g}'
            )
    check_angles(model, positions)


def check_angles(model: ScrewModel, positions: Array) -> None:
    """Raise InputError for joints whose positions may be degrees, or millimetres."""
    span, limits = np.ptp(positions, axis=0), model.limits
    with np.errstate(invalid='ignore'):
        allowed = limits.upper - limits.lower
    for name, kind, moved, own in zip(
        model.joint_names, model.coordinate_types, span, allowed, strict=True
    ):
        if moved > _DEGREES * own:
            unit, other = ('m', 'mm') if kind == 'prismatic' else ('rad', 'degrees')
            raise InputError(
                f'recording: joint {name!r}: expected positions in {unit} within a range of '
                f'{own:.3g}, got a range of {moved:.3g}: are they in {other}?'
            )


def check_smoothness(model: ScrewModel, times: Array, positions: Array, smooth: Array) -> None:
    """Raise InputError for positions (T, n) that jump or scatter about a smooth motion (T, n)."""
    step = float(np.median(np.diff(times)))
    if step > _LARGEST_STEP:
        raise InputError(
            f'recording: expected samples at most {_LARGEST_STEP:g} s apart, got {step:.3g} s: '
            'are the times in s?'
        )
    turning = np.array(model.coordinate_types) == 'continuous'
    left = positions - smooth
    left[:, turning] -= 2.0 * np.pi * np.round(left[:, turning] / (2.0 * np.pi))
    scatter = np.sqrt(np.mean(left**2, axis=0))
    for i, name in enumerate(model.joint_names):
        if np.ptp(smooth[:, i]) < LEAST_RANGE:
            continue
        if scatter[i] > _SCATTER * np.ptp(smooth[:, i]):
            raise InputError(
                f'recording: joint {name!r}: expected positions of one motion, got some that '
                f'scatter by {scatter[i]:.2g} rad or m: do the time stamps jump back?'
            )
        steps = np.abs(np.diff(left[:, i]))
        worst, usual = int(np.argmax(steps)), float(np.sqrt(np.mean(steps**2)))
        if steps[worst] > max(_JUMP * usual, _ROUNDING * np.ptp(smooth[:, i])):
            raise InputError(
                f'recording: joint {name!r}: expected positions of a smooth motion, got a jump at '
                f'{times[worst + 1]:.6g} s: samples or time stamps are missing, held or wrong'
            )


def check_values(model: ScrewModel, times: Array, reported: Array, modelled: Array) -> None:
    """Raise InputError for efforts (T, n) that are clipped or stay the same, as reported."""
    for i, name in enumerate(model.joint_names):
        largest = np.abs(reported[:, i]).max()
        share = float((np.abs(reported[:, i]) == largest).mean())
        if _CLIPPED < share < 1.0:
            raise InputError(
                f'recording: joint {name!r}: expected efforts below a limit, got '
                f'{100.0 * share:.0f} % of the samples at {largest:.4g}: they are clipped'
            )
        _check_stuck(name, times, reported[:, i], modelled[:, i])


def check_efforts(
    model: ScrewModel, efforts: Array, predicted: Array, jets: Array, sought: Array, load: Array
) -> None:
    """
    Raise InputError for efforts that contradict the model: sign, joint, unit.

    `predicted` (T, n) are those of the model without friction; `sought` (T, n, L) are the columns
    of a load that is sought, which may have any part in the efforts, `load` those of one that is
    suspected, which may change their size, not their sign.
    """
    names = model.joint_names
    left = np.array(
        [
            [_left(efforts[:, i], predicted[:, j], jets[:, :, j]) for j in range(model.n)]
            for i in range(model.n)
        ]
    )
    best = np.argmin(left, axis=1)
    for i, j in enumerate(best.tolist()):
        if j != i and best[j] == i and max(left[i, j], left[j, i]) < _SWAPPED * left[i, i]:
            raise InputError(
                f'recording: joint {names[i]!r}: expected its own efforts, got some that fit '
                f'{names[j]!r}, and the reverse: the two are swapped{_REMEDY}'
            )
    measured, own = _comparable(efforts, predicted, jets, sought)
    for name, a, b in zip(names, measured.T, own.T, strict=True):
        if np.linalg.norm(b) > _ROUNDING and _correlation(a, b) < -_TELLING:
            raise InputError(
                f'recording: joint {name!r}: expected efforts with the sign of its axis, got '
                f'{_slope(a, b):.2g} times those of the model: the joint is reversed (effort_sign)'
                f'{_REMEDY}'
            )
    measured, own = _comparable(efforts, predicted, jets, np.concatenate((sought, load), axis=2))
    for name, a, b in zip(names, measured.T, own.T, strict=True):
        factor, alike = _slope(a, b), _correlation(a, b)
        size, expected = np.linalg.norm(a), np.linalg.norm(b)
        if expected < _ROUNDING:  # the load explains all
            continue
        if _FACTOR * size < expected:
            raise InputError(
                f'recording: joint {name!r}: expected efforts of the joint in N m or N, got '
                f'{size / expected:.2g} times the size of those of the model: another unit '
                f'(effort_scale), or no measured efforts?{_REMEDY}'
            )
        if alike > _TELLING and not 1.0 / _FACTOR < factor < _FACTOR:
            raise InputError(
                f'recording: joint {name!r}: expected efforts of the joint in N m or N, got '
                f'{factor:.3g} times those of the model: another unit or the side of the motor '
                f'(effort_scale), or a load that is not sought (payload)?{_REMEDY}'
            )


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


def effort_spikes(efforts: Array, predicted: Array) -> NDArray[np.bool_]:
    """
    Return where efforts (T, n) leave those of their neighbours for a moment, (T, n).

    `predicted` (T, n) are efforts of the model, whose changes between samples are no spikes;
    steps, as of friction, are none either.
    """
    rest = efforts - predicted
    away = np.abs(rest - median_filter(rest, size=(_SPIKE_SAMPLES, 1), mode='nearest'))
    level = np.maximum(
        _SPIKE / _MEDIAN_OF_NORMAL * np.median(away, axis=0),
        _SPIKE_OF_MOST * np.quantile(away, _MOST, axis=0),
    )
    usual = np.quantile((efforts, predicted), (1.0 - _MOST, _MOST), axis=1)  # (2, 2, n)
    spikes: NDArray[np.bool_] = away > np.maximum(
        level, _SPIKE_RANGE * np.ptp(usual, axis=0).max(axis=0)
    )
    return spikes


def check_spikes(
    model: ScrewModel, times: Array, efforts: Array, spikes: NDArray[np.bool_]
) -> None:
    """Warn of spikes (T, n) of efforts that are left out, or raise InputError if they are many."""
    for i in np.flatnonzero(spikes.any(axis=0)).tolist():
        places = np.flatnonzero(spikes[:, i])
        width = _SPIKE_SAMPLES // 2
        beside = [
            np.median(efforts[max(place - width, 0) : place + width + 1, i]) for place in places
        ]
        worst = int(np.argmax(np.abs(efforts[places, i] - beside)))
        text = (
            f'recording: joint {model.joint_names[i]!r}: expected efforts without spikes, got '
            f'{len(places)}, the largest at {times[places[worst]]:.6g} s: '
            f'{efforts[places[worst], i]:.4g} beside about {beside[worst]:.4g}'
        )
        if len(places) > _FEW_SPIKES * len(times):
            raise InputError(text)
        warnings.warn(f'{text}; left out', RecordingWarning, stacklevel=3)


def certain_delays(delays: Array, deviations: Array) -> Array:
    """
    Return the delays (n,) of efforts that are certain, 0 for others [s].

    If one delay, the mean weighted by certainty, explains all, joints whose own is not certain
    have that one.
    """
    weights = deviations**-2.0
    common, deviation = (weights @ delays) / weights.sum(), weights.sum() ** -0.5
    alike = np.abs(delays - common) < _SURE_DELAY * deviations + _LEAST_DELAY
    rest = common if alike.all() and _is_certain(common, deviation) else 0.0
    return np.where(_is_certain(delays, deviations), delays, rest)


def _is_certain(delay: Array, deviation: Array) -> NDArray[np.bool_]:
    size = np.abs(delay)
    return (size > _LEAST_DELAY) & (size > _SURE_DELAY * deviation)


def check_delays(model: ScrewModel, delays: Array) -> None:
    """Warn of delays (n,) that are taken out [s]; raise InputError for long ones."""
    found = np.flatnonzero(delays)
    if not len(found):
        return
    worst = found[np.argmax(np.abs(delays[found]))]
    delay = 1e3 * delays[worst]
    others = f'; so do those of {len(found) - 1} other joints' if len(found) > 1 else ''
    side = f'lag by {delay:.0f} ms' if delay > 0.0 else f'are {-delay:.0f} ms ahead'
    text = (
        f'recording: joint {model.joint_names[worst]!r}: expected efforts of the instants of the '
        f'positions, got efforts that {side}{others}'
    )
    if abs(delays[worst]) > MOST_DELAY:
        raise InputError(text)
    hint = lead_time_hint(float(delays[worst]))
    warnings.warn(f'{text}; taken out{hint}', RecordingWarning, stacklevel=3)


def lead_time_hint(delay: float) -> str:
    """Return the text for efforts that are ahead, as commands are; '' for a delay above 0 [s]."""
    return '' if delay > 0.0 else f'; if they are the commands, set lead_time: {-delay:.2g}'


def _check_stuck(name: str, times: Array, effort: Array, predicted: Array) -> None:
    """Raise InputError for an effort that stays the same while that of the model changes."""
    starts = np.flatnonzero(np.diff(effort, prepend=np.nan) != 0.0)
    counts = np.diff(starts, append=len(effort))
    longest = int(np.argmax(counts))
    part = slice(starts[longest], starts[longest] + counts[longest])
    if np.ptp(effort) == 0.0 or np.ptp(predicted[part]) > _STUCK * np.ptp(effort):
        first, last = times[part][[0, -1]]
        raise InputError(
            f'recording: joint {name!r}: expected measured efforts, got {effort[part][0]:.4g} '
            f'all the time from {first:.6g} s to {last:.6g} s'
        )


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
