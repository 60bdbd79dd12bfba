# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of a recording that count, at the instants of their samples, in parts without jumps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding, Level
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.recorded_samples import usual_step
from screw_dynamics.model.screw_model import ScrewModel

_DEGREES = 2.0  # times beyond the range of the limits
_LARGEST_STEP = 0.2  # s, between samples
_SCATTER = 0.1  # of the range of a position: off a smooth motion; of springs pulled by hand 0.03
LEAST_RANGE = 0.05  # of a position, of a joint that moves [rad or m]
_MOVES = 3.0  # steps of an encoder, the least between samples in motion
_LONGEST_GAP, _STEPS = 0.5, 50.0  # s and usual steps, across which no motion is estimated
_FEWEST_ROWS = 24  # of a part
# a step that is so many root mean squares, and so much of the range, off those beside it, in no
# more than so many usual steps
_JUMP, _OF_RANGE, _AT_ONCE = 15.0, 0.02, 3.0
_ROUNDING = 1e-9  # of the range of a position
_FEW = 0.01  # of the rows, behind which positions jump; more are noise
_BESIDE = 4  # steps on either side of one, whose median is the usual speed
_WINDOW, _WINDOWS, _DEGREE = 9, 3000, 4  # samples beside a polynomial, to compare clocks
_SMOOTHER = 0.9  # times as rough are positions at the instants of another clock
_TRACKED = 0.05  # of what a stamp differs, by which the clock that follows it moves


class Rows(NamedTuple):
    """Distinct samples of a recording at their instants, and the slices of its parts."""

    recording: Recording
    parts: tuple[slice, ...]
    findings: tuple[Finding, ...]


def rows_of(recording: Recording, turning: Sequence[bool]) -> Rows:
    """
    Return the samples of a recording that count.

    Samples that repeat all positions of the one before, in motion, were held and are left out.
    Stamps become instants of an even clock if the positions are smoother then. Where nothing was
    recorded for long, and where positions jump, one part ends and another begins; what is too
    short for a part is left out. `turning` (n,) joints may have whole turns between samples.
    """
    findings: list[Finding] = []
    moving = np.ptp(recording.positions, axis=0) >= LEAST_RANGE
    held = _held(recording.times, recording.positions)
    if held.any():
        findings.append(
            _finding(
                'held', 'remark', f'{held.sum()} samples that repeat the one before: left out'
            )
        )
        recording = recording.samples(np.logical_not(held))
    q = recording.positions.copy()
    q[:, np.flatnonzero(turning)] = np.unwrap(q[:, np.flatnonzero(turning)], axis=0)
    instants = _instants(recording.times, q[:, moving])
    if instants is not None:
        away = np.std(recording.times - instants)
        findings.append(
            _finding(
                'clock',
                'remark',
                f'stamps that scatter by {1e3 * away:.2g} ms about an even clock, at '
                'whose instants the positions are smoother: taken at these instants',
            )
        )
        recording = recording.at(instants)
    times = recording.times
    cuts, texts = [], []
    steps = np.diff(times)
    gaps = np.flatnonzero(steps > max(_LONGEST_GAP, _STEPS * usual_step(times)))
    if len(gaps):
        worst = gaps[np.argmax(steps[gaps])]
        texts.append(
            f'{len(gaps)} gaps, the longest {steps[worst]:.3g} s after {times[worst]:.6g} s'
        )
        cuts.extend((gaps + 1).tolist())
    for name, moves, places in zip(recording.joint_names, moving, _jumps(times, q), strict=True):
        if moves and len(places):
            texts.append(f'jumps of {name!r} at ' + _listed(times[places + 1]))
            cuts.extend((places + 1).tolist())
    edges = np.unique([0, *cuts, len(times)])
    parts = [slice(*pair) for pair in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]
    long = tuple(part for part in parts if part.stop - part.start >= _FEWEST_ROWS)
    if texts and long:
        lost = len(times) - sum(part.stop - part.start for part in long)
        findings.append(
            _finding(
                'cut',
                'left out',
                f'{"; ".join(texts)}: cut into {len(long)} parts there, {lost} samples left out',
            )
        )
    return Rows(recording, long or (slice(0, len(times)),), tuple(findings))


def position_findings(model: ScrewModel, recording: Recording) -> Iterator[Finding]:
    """Yield what is wrong with times and positions: their units, or stamps that jump back."""
    step = float(np.median(np.diff(recording.times))) if len(recording.times) > 1 else 0.0
    if step > _LARGEST_STEP:
        text = (
            f'recording: expected samples at most {_LARGEST_STEP:g} s apart, got {step:.3g} s: '
            'are the times in s?'
        )
        yield Finding('times', 'wrong', (), text)
    span, limits = np.ptp(recording.positions, axis=0), model.limits
    with np.errstate(invalid='ignore'):
        allowed = limits.upper - limits.lower
    for name, kind, moved, own in zip(
        model.joint_names, model.coordinate_types, span, allowed, strict=True
    ):
        if moved > _DEGREES * own:
            unit, other = ('m', 'mm') if kind == 'prismatic' else ('rad', 'degrees')
            text = (
                f'recording: joint {name!r}: expected positions in {unit} within a range of '
                f'{own:.3g}, got a range of {moved:.3g}: are they in {other}?'
            )
            yield Finding(other, 'wrong', (name,), text)


def scattered(model: ScrewModel, positions: Array, smooth: Array) -> Iterator[Finding]:
    """Yield the joints whose positions (T, n) scatter about a smooth motion (T, n)."""
    turning = np.array(model.coordinate_types) == 'continuous'
    left = positions - smooth
    left[:, turning] -= 2.0 * np.pi * np.round(left[:, turning] / (2.0 * np.pi))
    scatter, span = np.sqrt(np.mean(left**2, axis=0)), np.ptp(smooth, axis=0)
    for i, name in enumerate(model.joint_names):
        if span[i] >= LEAST_RANGE and scatter[i] > _SCATTER * span[i]:
            text = (
                f'recording: joint {name!r}: expected positions of one motion, got some that '
                f'scatter by {scatter[i]:.2g} rad or m: do the time stamps jump back?'
            )
            yield Finding('scatter', 'wrong', (name,), text)


def _finding(kind: str, level: Level, got: str) -> Finding:
    text = f'recording: expected samples of one motion at even times, got {got}'
    return Finding(kind, level, (), text)


def _listed(times: Array) -> str:
    more = f' s and {len(times) - 3} more' if len(times) > 3 else ' s'
    return ', '.join(f'{time:.6g}' for time in times[:3]) + more


def _held(times: Array, positions: Array) -> NDArray[np.bool_]:
    """Return which rows (T,) repeat all positions of the row before, in motion or at once."""
    steps = np.abs(np.diff(positions, axis=0))
    same = np.concatenate(([False], np.logical_not(steps.any(axis=1))))
    held = np.zeros(len(positions), dtype=bool)
    if not same.any():
        return held
    quanta = np.array([_quantum(column) for column in positions.T])
    moves = np.asarray((steps > _MOVES * quanta).any(axis=1))
    edges = np.append(same, False)
    changes = np.flatnonzero(edges[1:] != edges[:-1])  # before the first, and last repeats
    for first, last in zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True):
        before, after = moves[max(first - 1, 0)], moves[min(last, len(moves) - 1)]
        at_end = last == len(positions) - 1
        held[first + 1 : last + 1] = before if at_end else after and (before or first == 0)
    return np.asarray(held | (same & (np.diff(times, prepend=-np.inf) == 0.0)))


def _quantum(values: Array) -> float:
    """Return the usual smallest distance of different values."""
    apart = np.diff(np.unique(values))
    return float(np.quantile(apart, 0.05)) if len(apart) else 0.0


def _instants(times: Array, positions: Array) -> Array | None:
    """Return the instants (T,) of an even clock at which positions are smoother, if any are."""
    if len(times) < 2 * _WINDOW or not positions.shape[1] or not np.diff(times).any():
        return None
    usual, found = _roughness(times, positions), None
    least = _SMOOTHER * usual
    for counts in (_tracked(times), np.arange(len(times), dtype=float)):
        period, start = np.polyfit(counts, times, 1)
        instants = start + period * counts
        if np.abs(instants - times).max() < _ROUNDING * np.ptp(times):
            continue
        if (rough := _roughness(instants, positions)) < least:
            least, found = rough, instants
    return found


def _tracked(times: Array) -> Array:
    """Return the number (T,) of each sample by an even clock that follows the stamps."""
    period = float(np.median(np.diff(times)))
    counts, now, number = np.zeros(len(times)), float(times[0]), 0.0
    if period <= 0.0:
        return np.arange(len(times), dtype=float)
    for k, time in enumerate(times[1:].tolist(), 1):
        ahead = max(1.0, round((time - now) / period))
        number, now = number + ahead, now + ahead * period
        now += _TRACKED * (time - now)
        counts[k] = number
    return counts


def _roughness(times: Array, positions: Array) -> float:
    """Return the mean over joints of what polynomials leave of positions (T, n), usually."""
    starts = np.arange(0, len(times) - _WINDOW, max(1, len(times) // _WINDOWS))
    places = starts[:, np.newaxis] + np.arange(_WINDOW)
    own = times[places]
    span = np.maximum(np.ptp(own, axis=1, keepdims=True), 1e-300)
    own = (own - own.mean(axis=1, keepdims=True)) / span
    frame = np.linalg.qr(own[..., np.newaxis] ** np.arange(_DEGREE + 1))[0]
    values = positions[places]
    left = values - frame @ (frame.transpose(0, 2, 1) @ values)
    sizes = np.median(np.sqrt(np.mean(left**2, axis=1)), axis=0)
    return float(np.exp(np.mean(np.log(sizes + _ROUNDING * np.ptp(positions, axis=0)))))


def _jumps(times: Array, positions: Array) -> Iterator[NDArray[np.int64]]:
    """Yield for each joint the rows before which it jumps less 1; none if they are many."""
    steps = np.diff(times)
    at_once = (steps > 0.0) & (steps < _AT_ONCE * usual_step(times))
    steps[steps == 0.0] = np.inf
    wide = np.arange(-_BESIDE, _BESIDE + 1)
    places = np.clip(np.arange(len(steps))[:, np.newaxis] + wide, 0, len(steps) - 1)
    for column in positions.T:
        speeds = np.diff(column) / steps
        away = np.abs(speeds - np.median(speeds[places], axis=1))
        away *= np.where(at_once, steps, 0.0)
        usual = float(np.sqrt(np.mean(away**2)))
        found = np.flatnonzero(away > max(_JUMP * usual, _OF_RANGE * np.ptp(column)))
        yield found if len(found) <= _FEW * len(times) else found[:0]
