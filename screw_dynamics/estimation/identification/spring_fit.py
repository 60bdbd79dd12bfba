# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fit of a spring to its deflections and efforts: its law, zero, hysteresis and backlash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.drives.spring_deflections import slipped_deflections
from screw_dynamics.errors import InputError, ModelError
from screw_dynamics.estimation.identification.findings import LIMITS
from screw_dynamics.estimation.identification.least_squares import Window, fit
from screw_dynamics.estimation.identification.payload import BAND
from screw_dynamics.estimation.identification.spring_laws import (
    FoundSpring,
    Law,
    PowerLaw,
    SpringLaw,
    law_of,
)

SLIPS = 'hysteresis', 'backlash'  # fields of `JointDrive`
_POWERS = 1, 2, 3, 4, 5  # of any smooth law, of which slips are told
_NARROW = 1e-4  # of the range of a deflection, as which hysteresis begins
_ALIKE = 4  # means, of which neighbours share no noise
_QUIET = 0.35  # of the time between means, the filter of what moves a play: peaks of noise would
_CROSSING = 0.01  # of that range, within which the effort turns a play over
_ROUNDS, _SLIP_ROUNDS = 6, 12
_BINOMIALS = np.array([1.0, -4.0, 6.0, -4.0, 1.0])  # of the fourth difference


class SpringFit(NamedTuple):
    """
    A spring of a joint.

    `spring` is None where the deflection does not show any compliance, and its stiffness infinite.
    `rows` have names, values and standard deviations: stiffness [N m/rad or N/m], which is the
    slope of the least-squares line over the visited range, or that of another law at no effort;
    cubic_stiffness [N m/rad^3 or N/m^3], or the efforts of a table at its deflections; hysteresis
    and backlash [rad or m] where they show. `secant` is the slope of the nearest line through the
    point at rest: that of no deflection and effort if both were measured, else that of the law.
    `zero` is the deflection without effort, `explained` and `remaining` are the root mean squares
    of what the efforts explain and leave of the deflection [rad or m].
    """

    joint: str
    spring: FoundSpring | None
    rows: tuple[tuple[str, float, float], ...]
    zero: float
    zero_deviation: float
    explained: float
    remaining: float
    secant: float = np.inf

    @property
    def stiffness(self) -> float:
        """Of the line, or of another law at rest [N m/rad or N/m]."""
        return self.rows[0][1]

    @property
    def deviation(self) -> float:
        """Standard deviation of the stiffness."""
        return self.rows[0][2]


class Deflected(NamedTuple):
    """
    Deflections and efforts (T,) of a spring.

    `beside` (T, F) are what else efforts may follow: velocities and directions of the joint, for
    friction that efforts lack unless they were `measured`. `angle` (T,) is that of a joint whose
    encoder may be eccentric, else None. `means` returns means (M, ...) of values (T, ...) in
    `windows`, in which the variance of white noise is `gain` times as large; `uncertain` (M, E)
    are errors of the efforts by independent causes.
    """

    name: str
    deflection: Array
    effort: Array
    measured: bool
    beside: Array
    angle: Array | None
    windows: Sequence[Window]
    means: Callable[[Array], Array]
    gain: float
    uncertain: Array | None


class _Line(NamedTuple):
    """
    Law, zero, sizes of slips and friction (P,) of a spring, their covariance, what is left.

    `wander` is the part of what is left that is no noise: alike over several means.
    """

    law: Law
    kinds: tuple[str, ...]
    values: Array
    covariance: Array
    left: float
    wander: float

    @property
    def size(self) -> int:
        """Number X of the parameters of the law; the zero follows."""
        return len(self.law.start(1.0))

    @property
    def slips(self) -> Iterator[tuple[str, float, float]]:
        """Names, sizes and standard deviations of slips."""
        places = range(self.size + 1, self.size + 1 + len(self.kinds))
        for kind, k in zip(self.kinds, places, strict=True):
            yield kind, float(self.values[k]), float(np.sqrt(self.covariance[k, k]))


def fitted_spring(
    seen: Deflected, law: SpringLaw, slips: tuple[str, ...], *, absolute: bool
) -> tuple[SpringFit, tuple[Finding, ...]]:
    """Return a spring with a law, and what is said of it; `slips` are those that are sought."""
    noise, means = _noise(seen), seen.means(seen.deflection)
    shown = float(np.std(means))
    if not noise < LIMITS.noise:
        mean = float(np.mean(means))
        return _stiff(seen.name, mean, shown / np.sqrt(len(means)), shown), ()
    # efforts that sensors compute from a deflection have its noise: no bias, or this one
    calm, bias = (seen, noise) if absolute else (_nearer(seen, noise), 0.0)
    calm, eccentric = _with_turns(calm)
    line = _fitted(calm, PowerLaw(1), ())
    stiffness, deviation = line.values[0], np.sqrt(line.covariance[0, 0])
    zero, zero_deviation = _zero(line)
    if stiffness < -max(LIMITS.known * deviation, LIMITS.slipping * line.left / shown):
        text = (
            f'recording: joint {seen.name!r}: expected a motor that leads under a positive '
            f'effort, got {stiffness:.2g}: effort, deflections or both '
            'positions are reversed'
        )
        finding = Finding('reversed spring', 'wrong', (seen.name,), text)
        return _stiff(seen.name, zero, zero_deviation, shown), (finding,)
    if not stiffness > LIMITS.known * deviation:
        return _stiff(seen.name, zero, zero_deviation, shown), ()
    chosen = law_of(law, calm.deflection - zero)
    try:
        clear = LIMITS.slipping * line.left < stiffness * shown
        wide, findings = _with_slips(calm, chosen, slips if clear else ())
        line = _fitted(calm, chosen, wide.kinds, line)
        spring = chosen.spring(line.values[: line.size])
    except ModelError as error:
        raise InputError(
            f'recording: joint {seen.name!r}: expected a deflection that grows with the effort, '
            f'got {error}: a linear spring?'
        ) from None
    names, values, slopes = chosen.rows(line.values[: line.size])
    own = slice(line.size)
    if not seen.measured:  # what links and load do not explain may follow the deflection
        bias = LIMITS.follow * max(line.wander / (stiffness * shown) - LIMITS.slight, 0.0)
    deviations = np.sqrt(np.diag(slopes @ line.covariance[own, own] @ slopes.T))
    deviations = np.hypot(deviations, bias * np.abs(values))
    rows = (*zip(names, values.tolist(), deviations.tolist(), strict=True), *line.slips)
    zero, zero_deviation = _zero(line)
    remaining = line.left / stiffness
    rest = calm.deflection - (0.0 if absolute else zero)
    secant = float((calm.effort @ rest) / (rest @ rest))
    result = SpringFit(
        seen.name, spring, rows, zero, zero_deviation, shown, float(remaining), secant
    )
    ratio = line.left / max(wide.left, np.finfo(float).tiny)
    if ratio > LIMITS.hardens and remaining > LIMITS.clear * shown:
        text = (
            f'recording: joint {seen.name!r}: expected deflections of a {law} spring, got some '
            f'that another law would explain {ratio:.2g} times better (springs)'
        )
        findings = (*findings, Finding('hardening', 'odd', (seen.name,), text, 1.0 - 1.0 / ratio))
    friction = () if seen.measured else _friction_beside(seen.name, wide)
    return result, (*eccentric, *findings, *friction)


def _stiff(name: str, zero: float, deviation: float, shown: float) -> SpringFit:
    """Return the fit of a deflection that shows no compliance, all of which remains."""
    return SpringFit(name, None, (('stiffness', np.inf, np.inf),), zero, deviation, 0.0, shown)


def _zero(line: _Line) -> tuple[float, float]:
    """Return the deflection without effort, and its standard deviation."""
    k = line.size
    return float(line.values[k]), float(np.sqrt(line.covariance[k, k]))


def _noise(seen: Deflected) -> float:
    """
    Return the part of the squares of a deflection that is noise.

    White noise has 70 times its variance in fourth differences, motion next to nothing.
    """
    rough = np.convolve(seen.deflection, _BINOMIALS, 'valid')
    variance = float(np.mean(rough**2)) / float(_BINOMIALS @ _BINOMIALS)
    usual = float(np.var(seen.means(seen.deflection)))
    return seen.gain * variance / max(usual, np.finfo(float).tiny)


def _nearer(seen: Deflected, noise: float) -> Deflected:
    """Return deflections nearer to their mean by their noise, which else makes springs soft."""
    mean = seen.deflection.mean()
    return seen._replace(deflection=mean + max(1.0 - noise, 0.0) * (seen.deflection - mean))


def _fitted(
    seen: Deflected, law: Law | None, kinds: tuple[str, ...], begin: _Line | None = None
) -> _Line:
    """Return the fit of a law, or of any smooth one, with slips, begun at the line of another."""
    means, phi = seen.means, seen.means(seen.deflection)
    if begin is None:
        stiffness, offset = np.polyfit(phi, means(seen.effort), 1).tolist()
        rest = -offset / stiffness
    else:
        stiffness, rest = begin.values[0], begin.values[begin.size]
    smooth = law is None
    law = law or PowerLaw(*_POWERS, scale=float(np.abs(seen.deflection - rest).max()))
    count = len(law.start(1.0))
    first = np.append(law.start(stiffness), rest)
    values = np.concatenate((first, np.zeros(len(kinds) + seen.beside.shape[1])))
    slips, most = slice(count + 1, count + 1 + len(kinds)), 0.5 * np.ptp(seen.deflection)
    lag = np.zeros((len(seen.deflection), len(kinds)))
    still, quiet = np.zeros((len(phi), 1)), _QUIET * len(lag) / len(phi)
    rounds = _SLIP_ROUNDS if kinds else _ROUNDS
    for k in range(rounds):
        sizes = np.clip(values[slips], 0.0, most)
        # of any law, a shift is a constant effort
        away = seen.deflection - (rest if smooth else values[count])
        shape = away - lag @ sizes if seen.measured else seen.effort / stiffness
        lag = _slips(kinds, gaussian_filter1d(shape, quiet), sizes)
        effort, columns, slope = law.effort(values[:count], away - lag @ sizes)
        of_zero = np.full(len(slope), stiffness) if smooth else slope
        if smooth:
            effort = effort - stiffness * (values[count] - rest)
        values[slips] = sizes
        rows = means(
            np.column_stack((columns, -of_zero, -slope[:, np.newaxis] * lag, seen.beside))
        )
        left = means(seen.effort - effort - seen.beside @ values[slips.stop :])
        target = left + rows @ values
        if k < rounds - 1:
            size = np.maximum(np.linalg.norm(rows, axis=0), np.finfo(float).tiny)
            values = np.linalg.lstsq(rows / size, target)[0] / size
    last = fit(rows[:, np.newaxis].__getitem__, target[:, np.newaxis], still, seen.windows)
    covariance = last.covariance
    if seen.uncertain is not None:  # errors of the parameters count beside the noise
        errors = np.linalg.pinv(rows) @ seen.uncertain
        covariance = covariance + errors @ errors.T
    rest = last.residuals[:, 0]
    square = float(np.mean(rest**2))
    rough = 0.5 * float(np.mean((rest[_ALIKE:] - rest[:-_ALIKE]) ** 2))
    wander = np.sqrt(max(square - rough, 0.0))
    return _Line(law, kinds, last.values, covariance, float(np.sqrt(square)), float(wander))


def _slips(kinds: Sequence[str], deflections: Array, sizes: Array) -> Array:
    """Return what hysteresis and backlash of such sizes add to deflections (T,), per unit."""
    columns, span = np.empty((len(deflections), len(kinds))), np.ptp(deflections)
    for k, (kind, size) in enumerate(zip(kinds, sizes, strict=True)):
        if kind == 'hysteresis':
            width = max(size, _NARROW * span)
            columns[:, k] = (slipped_deflections(deflections, width) - deflections) / width
        else:  # the sharp play, whatever its size
            columns[:, k] = 0.5 * np.tanh(deflections / (_CROSSING * span))
    return columns


def _with_turns(seen: Deflected) -> tuple[Deflected, tuple[Finding, ...]]:
    """
    Return what else efforts follow with the turns of an eccentric encoder, if these are sure.

    They have to leave clearly less than without them, and than with another gear ratio.
    """
    if seen.angle is None:
        return seen, ()
    turns = np.cos(seen.angle), np.sin(seen.angle)
    plain, ratio, wider = (
        seen._replace(beside=np.column_stack((*first, seen.beside)))
        for first in ((), (seen.angle,), turns)
    )
    left, by_ratio = (_fitted(own, PowerLaw(1), ()).left for own in (plain, ratio))
    line = _fitted(wider, PowerLaw(1), ())
    own = slice(line.size + 1, line.size + 3)
    error, covariance = line.values[own], line.covariance[own, own]
    sure = float(error @ np.linalg.pinv(covariance) @ error) > LIMITS.sure**2
    if not sure or line.left > min(LIMITS.explains * left, LIMITS.ratio * by_ratio):
        return seen, ()
    size = float(np.hypot(*error)) / abs(line.values[0])
    text = (
        f'joint {seen.name!r}: {1e3 * size:.2g} mrad of the deflection follow the turns of the '
        'joint, as the error of an eccentric encoder: taken out'
    )
    return wider, (Finding('eccentric', 'remark', (seen.name,), text, 1.0 - line.left / left),)


def _with_slips(
    seen: Deflected, law: Law, kinds: tuple[str, ...]
) -> tuple[_Line, tuple[Finding, ...]]:
    """
    Return the fit of any smooth law with the slips that are sure beside it, and what tells them.

    Hysteresis and backlash have to be sure beside a law that hardens as it likes, and friction. A
    backlash also has to leave clearly less than all of these without it, or less with the simpler
    `law` that is sought: most of what looks like a play is a law that is not linear.
    """
    stiffness = _fitted(seen, PowerLaw(1), ())
    line = _fitted(seen, None, kinds, stiffness)
    while line.kinds:
        least = line.left / stiffness.values[0]
        sure = tuple(
            kind for kind, size, dev in line.slips if size > max(LIMITS.sure * dev, least)
        )
        if 'backlash' in sure:
            rest = tuple(kind for kind in line.kinds if kind != 'backlash')
            rival = _fitted(seen, None, rest, stiffness)
            simple = _fitted(seen, law, line.kinds, stiffness)
            if min(line.left / LIMITS.explains, simple.left) > rival.left:
                sure = tuple(kind for kind in sure if kind != 'backlash')
        if sure == line.kinds:
            break
        line = _fitted(seen, None, sure, stiffness)
    findings = []
    for kind, size, dev in line.slips:
        rest = tuple(other for other in line.kinds if other != kind)
        rival = _fitted(seen, None, rest, stiffness).left / stiffness.values[0]
        left = line.left / stiffness.values[0]
        text = (
            f'joint {seen.name!r}: {kind} of {1e3 * size:.2g} mrad or mm, {size / dev:.2g} '
            'standard deviations: beside hardening and friction, it takes what is left of the '
            f'deflection from {1e3 * rival:.2g} to {1e3 * left:.2g}'
        )
        findings.append(Finding(kind, 'remark', (seen.name,), text, 1.0 - left / rival))
    return line, tuple(findings)


def _friction_beside(name: str, line: _Line) -> Iterator[Finding]:
    """Yield dry friction of a joint, which its spring overcomes, as part of that of its motor."""
    size, deviation = -line.values[-1], np.sqrt(line.covariance[-1, -1])
    if size > max(LIMITS.sure * deviation, line.left):
        text = (
            f'joint {name!r}: {size:.2g} +- {BAND * deviation:.1g} N m or N of dry friction '
            'beside its spring, which what is found of its motor contains'
        )
        yield Finding('friction', 'remark', (name,), text)
