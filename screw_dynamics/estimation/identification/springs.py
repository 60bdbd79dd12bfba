# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs from deflections, and from the efforts that were measured or that links need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.estimation.identification.least_squares import Window, parts
from screw_dynamics.estimation.identification.recorded_rows import LEAST_RANGE
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.spring_fit import (
    LIMITS,
    SLIPS,
    Deflected,
    SpringFit,
    fitted_spring,
)
from screw_dynamics.estimation.identification.spring_laws import SpringLaw
from screw_dynamics.model.screw_model import ScrewModel


def with_motors(recording: Recording) -> Recording:
    """Return a recording whose motors are where deflections, if measured, say."""
    if recording.deflections is None:
        return recording
    behind = recording.positions + recording.deflections
    if recording.motor_positions is not None:
        behind = np.where(np.isnan(behind), recording.motor_positions, behind)
    return replace(recording, motor_positions=behind)


def sprung(recording: Recording) -> NDArray[np.bool_]:
    """Return for every joint whether its deflection or its motor was recorded, (n,)."""
    found = np.zeros(len(recording.joint_names), dtype=bool)
    for field in (recording.motor_positions, recording.deflections):
        if field is not None:
            found |= ~np.isnan(field).any(axis=0)
    return found


def fitted_springs(
    model: ScrewModel,
    recording: Recording,
    efforts: Array,
    rates: Array,
    windows: Sequence[Window],
    laws: Mapping[str, SpringLaw] | None = None,
    *,
    chosen: NDArray[np.bool_] | None = None,
    measured: NDArray[np.bool_] | None = None,
    uncertain: Callable[[int, Array], Array] | None = None,
    smooth: Callable[[Array], Array] | None = None,
    gain: float = 1.0,
    slipping: Collection[str] | None = None,
    eccentric: NDArray[np.bool_] | None = None,
) -> tuple[tuple[SpringFit, ...], tuple[Finding, ...]]:
    """
    Return the springs of `chosen` joints (n,) whose deflections are known, by their `laws`.

    The law is the effort at a deflection, nearest to `efforts` (T, n). These are `measured` (n,),
    all by default, or those that links with a load need, which lack friction of the joint beside
    its spring: that is fitted too, and `uncertain` returns the covariance (k, k) of sums of such
    efforts of a joint with weights (M, k). `rates` (T, n) are the velocities of the links;
    `smooth` returns means (M, ...) of values (T, ...), in `windows`, in which white noise has
    `gain` times its variance. Hysteresis and backlash are sought at the joints `slipping`, all by
    default; errors of encoders that are `eccentric` at those of (n,), none by default.
    """
    own = with_motors(recording)
    known = np.ones(model.n, dtype=bool) if measured is None else measured
    turning = np.zeros(model.n, dtype=bool) if eccentric is None else eccentric
    found: list[SpringFit] = []
    findings: list[Finding] = []
    if own.motor_positions is None:
        return (), ()
    with_spring = sprung(own) if chosen is None else sprung(own) & chosen
    for i in np.flatnonzero(with_spring).tolist():
        link, motor = own.positions[:, i], own.motor_positions[:, i]
        if model.coordinate_types[i] == 'continuous':
            link, motor = np.unwrap(link), np.unwrap(motor)
        deflection = motor - link
        if model.coordinate_types[i] == 'continuous':
            deflection -= 2.0 * np.pi * np.rint(deflection.mean() / (2.0 * np.pi))
        rate, name = rates[:, i], model.joint_names[i]
        friction = np.column_stack((rate, np.tanh(rate / LIMITS.knee)))
        seen = Deflected(
            name,
            deflection,
            efforts[:, i],
            bool(known[i]),
            friction[:, :0] if known[i] else friction,
            np.column_stack((np.cos(link), np.sin(link)))[:, : 2 * bool(turning[i])],
            link,
            windows,
            smooth or (lambda values: values),
            gain,
            None if known[i] or uncertain is None else _of_joint(uncertain, i),
        )
        law = (laws or {}).get(name, 'linear')
        slips = slipping is None or name in slipping
        zero = recording.deflections is not None and bool(known[i])
        spring, more = fitted_spring(seen, law, SLIPS if slips else (), absolute=zero)
        found.append(spring)
        findings.extend(more)
        both = recording.deflections is None or np.isnan(recording.deflections[:, i]).any()
        both &= np.ptp(link) >= LEAST_RANGE
        if both and not any(one.kind == 'eccentric' for one in more):
            findings.extend(_motion_findings(seen, link, motor, rate))
    return tuple(found), tuple(findings)


def uncertain_sums(
    columns: Callable[[slice], Array], count: int, covariance: Array
) -> Callable[[int, Array], Array]:
    """Return `uncertain` of `fitted_springs` for efforts with `columns` (C, n, P) of `count`."""
    known = np.isfinite(np.diag(covariance))
    finite = np.where(np.outer(known, known), covariance, 0.0)

    def uncertain(joint: int, weights: Array) -> Array:
        sums = np.zeros((weights.shape[1], len(known)))
        for part in parts(count):
            sums += weights[part].T @ columns(part)[:, joint]
        return np.asarray(sums @ finite @ sums.T)

    return uncertain


def _of_joint(uncertain: Callable[[int, Array], Array], joint: int) -> Callable[[Array], Array]:
    return lambda weights: uncertain(joint, weights)


def _motion_findings(seen: Deflected, link: Array, motor: Array, rate: Array) -> Iterator[Finding]:
    """
    Yield motors that do not move as their links do, but for a part of the effort.

    If the position or the velocity of the link explains the deflection far better than the
    effort, a gear ratio or times are wrong.
    """
    means, name = seen.means, seen.name
    size = means(seen.effort) / max(float(np.abs(seen.effort).max()), 1e-300)
    link, motor = means(link), means(motor)
    law = np.column_stack((np.ones(len(size)), size, size * np.abs(size), size**3))
    columns = np.column_stack((link, means(rate), law))
    ratio, delay = np.linalg.lstsq(columns, motor, rcond=None)[0][:2].tolist()
    if ratio < 0.0 or not LIMITS.follows[0] < ratio < LIMITS.follows[1]:
        reason = (
            'a motor that moves with its link, got {:.3g} times the motion of the link: one of '
            'both encoders is reversed'
            if ratio < 0.0
            else 'the motor position on the joint side of the gear, got {:.3g} times the motion '
            'of the link'
        )
        text = f'recording: joint {name!r}: expected {reason.format(ratio)}'
        yield Finding('motor position', 'wrong', (name,), text)
        return
    most, by_position, by_rate, least = (
        float(np.std(motor - link - part @ np.linalg.lstsq(part, motor - link, rcond=None)[0]))
        for part in (law, columns[:, [0, 2, 3, 4, 5]], columns[:, 1:], columns)
    )
    if most > max(LIMITS.better * least, LIMITS.clear * float(np.std(motor - link))):
        text = f'got a motor that moves {ratio:.4g} times as far as its link: another gear ratio?'
        if by_rate < by_position:
            side = 'late' if delay > 0.0 else 'early'
            text = (
                f'got that of a link whose positions are {1e3 * abs(delay):.2g} ms {side}: other '
                'times than those of the motor, or friction of the joint beside its spring?'
            )
        text = (
            f'recording: joint {name!r}: expected a deflection that follows the effort, {text} '
            'What is found of the drive is wrong, its spring above all'
        )
        yield Finding('deflection', 'odd', (name,), text, 1.0 - least / most)
