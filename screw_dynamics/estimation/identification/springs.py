# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs from the positions of motors and links."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.spring_deflections import slipped_deflections
from screw_dynamics.errors import InputError, ModelError, RecordingWarning
from screw_dynamics.estimation.identification.least_squares import Window, fit, parts
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.spring_laws import (
    FoundSpring,
    Law,
    LinearLaw,
    SpringLaw,
    law_of,
)
from screw_dynamics.model.screw_model import ScrewModel

_FOLLOWS = (0.5, 2.0)  # of the motion of a link, that of its motor
SLIPS = 'hysteresis', 'backlash'  # fields of `JointDrive`
_SLIP_ROUNDS = 12
_NARROW = 1e-4  # of the range of a deflection, as which hysteresis begins
_CROSSING = 0.01  # of that range, within which the effort turns a play over
_BETTER = 4.0  # times what remains of a deflection with another law or the motion of the link
_CLEAR = 0.01  # of a deflection, what remains of it
_KNOWN = 3.0  # standard deviations of a compliance, from which on a spring is told from a shaft


class SpringFit(NamedTuple):
    """
    A spring of a joint.

    `spring` is None where the deflection does not show any compliance, and its stiffness infinite.
    `rows` have names, values and standard deviations: stiffness [N m/rad or N/m], or with
    cubic_stiffness [N m/rad^3 or N/m^3], or the deflections of a table at its efforts; hysteresis
    and backlash [rad or m] where they show. `zero` is
    the deflection without effort, `explained` and `remaining` are the root mean squares of what
    the efforts explain and leave of the deflection [rad or m].
    """

    joint: str
    spring: FoundSpring | None
    rows: tuple[tuple[str, float, float], ...]
    zero: float
    zero_deviation: float
    explained: float
    remaining: float

    @property
    def stiffness(self) -> float:
        """Of a linear or cubic spring at rest [N m/rad or N/m]."""
        return self.rows[0][1]

    @property
    def deviation(self) -> float:
        """Standard deviation of the stiffness."""
        return self.rows[0][2]


def fitted_springs(
    model: ScrewModel,
    recording: Recording,
    efforts: Array,
    rates: Array,
    windows: Sequence[Window],
    uncertain: Callable[[int, Array], Array],
    laws: Mapping[str, SpringLaw] | None = None,
    *,
    smooth: Callable[[Array], Array] | None = None,
    slipping: Collection[str] = (),
) -> tuple[SpringFit, ...]:
    """
    Return the springs of all joints whose motors were recorded: linear ones, but for `laws`.

    `efforts` (T, n) are those that the identified parameters explain: with much less noise than
    the measured ones, they do not bias the fit of the compliance. `rates` (T, n) are the
    velocities of the links. `smooth` returns means (M, ...) of values (T, ...), as which the
    `recording` has its M samples: laws are smoothed as deflections are, not their efforts.
    Without it M is T, and the noise of the encoders white. `uncertain` returns the covariance
    (k, k) that the parameters give sums of the efforts of a joint with weights (M, k). Hysteresis
    and backlash are sought at the joints `slipping`.
    """
    if recording.motor_positions is None:
        return ()
    found = []
    for i in np.flatnonzero(sprung(recording)).tolist():
        name = model.joint_names[i]
        link, motor = recording.positions[:, i], recording.motor_positions[:, i]
        if model.coordinate_types[i] == 'continuous':
            link, motor = np.unwrap(link), np.unwrap(motor)
        means = smooth or (lambda values: values)
        least = _check_motion(name, link, motor, means(efforts[:, i]), means(rates[:, i]))
        deflection = motor - link
        if model.coordinate_types[i] == 'continuous':
            deflection -= 2.0 * np.pi * np.rint(deflection.mean() / (2.0 * np.pi))
        given = name, i, efforts[:, i], deflection, windows, uncertain, smooth
        spring = _spring(LinearLaw(), 0.0, (), *given)
        law = (laws or {}).get(name, 'linear')
        if spring.spring is not None:
            compliance = 1.0 / spring.stiffness
            chosen = LinearLaw() if law == 'linear' else law_of(law, efforts[:, i])
            if law != 'linear':
                spring = _spring(chosen, compliance, (), *given)
            clear = max(_BETTER * least, _CLEAR * spring.explained)
            if spring.remaining > clear:
                warnings.warn(
                    f'recording: joint {name!r}: expected deflections of a {law} spring, got some '
                    f'that another law would explain {spring.remaining / least:.2g} times better '
                    '(springs)',
                    RecordingWarning,
                    stacklevel=4,
                )
            kinds: tuple[str, ...] = SLIPS if name in slipping else ()
            while kinds:
                other = _spring(chosen, compliance, kinds, *given)
                sure = [row for row in other.rows if row[0] in kinds and _shows(row, other)]
                if len(sure) == len(kinds):
                    spring = other
                    break
                kinds = tuple(row[0] for row in sure)
        found.append(spring)
    return tuple(found)


def _shows(row: tuple[str, float, float], fit: SpringFit) -> bool:
    """Return whether a slip is above its deviation and what the fit leaves."""
    return row[1] > max(_KNOWN * row[2], fit.remaining)


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


def _spring(
    law: Law,
    compliance: float,
    kinds: Sequence[str],
    name: str,
    joint: int,
    efforts: Array,
    deflection: Array,
    windows: Sequence[Window],
    uncertain: Callable[[int, Array], Array],
    smooth: Callable[[Array], Array] | None,
) -> SpringFit:
    """Return the spring with a law and slips, begun at a compliance, of deflections (M,)."""
    start = law.start(compliance)
    values, own = np.concatenate((start, np.zeros(1 + len(kinds)))), slice(len(start))
    still, means = np.zeros((len(deflection), 1)), smooth or (lambda values: values)
    try:
        rounds = _SLIP_ROUNDS if kinds else law.rounds
        for k in range(1, rounds + 1):
            shape, columns, _ = law.deflection(values[own], efforts)
            slips = _slips(kinds, means(shape), values[len(start) + 1 :])
            rows = np.column_stack((means(columns), np.ones(len(deflection)), slips))
            target = deflection - means(shape - columns @ values[own])
            final = (windows,) if k == rounds else ((), np.ones(1))  # no bands before
            line = fit(rows[:, np.newaxis].__getitem__, target[:, np.newaxis], still, *final)
            values = line.values
        # errors of the parameters count in addition to the noise
        noise = line.covariance if smooth else np.linalg.inv(line.root.T @ line.root)
        slope = means(law.deflection(values[own], efforts)[2])
        weights = slope[:, np.newaxis] * np.linalg.pinv(rows).T
        covariance = noise + uncertain(joint, weights)
        remaining = float(np.sqrt(np.mean(line.residuals**2)))
        deviations = np.sqrt(np.diag(covariance))
        zero, zero_deviation = float(values[len(start)]), float(deviations[len(start)])
        explained = float(np.std(deflection - line.residuals[:, 0]))
        rest = zero, zero_deviation, explained, remaining
        deviation = float(deviations[0])
        if compliance == 0.0 and values[0] < -_KNOWN * deviation:
            raise InputError(
                f'recording: joint {name!r}: expected a motor that leads under a positive effort, '
                f'got {values[0]:.2g} rad or m per N m or N: the effort or both positions are '
                'reversed'
            )
        if compliance == 0.0 and not values[0] > _KNOWN * deviation:
            return SpringFit(name, None, (('stiffness', np.inf, np.inf),), *rest)
        spring = law.spring(values[own])
    except ModelError as error:
        raise InputError(
            f'recording: joint {name!r}: expected a deflection that grows with the effort, got '
            f'{error}: a linear spring?'
        ) from None
    names, found, slopes = law.rows(values[own])
    of_law = np.sqrt(np.diag(slopes @ covariance[own, own] @ slopes.T))
    rows_of_law = zip(names, found.tolist(), of_law.tolist(), strict=True)
    first = len(start) + 1
    of_slips = zip(kinds, values[first:].tolist(), deviations[first:].tolist(), strict=True)
    return SpringFit(name, spring, (*rows_of_law, *of_slips), *rest)


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


def sprung(recording: Recording) -> NDArray[np.bool_]:
    """Return for every joint whether the position of its motor was recorded, (n,)."""
    if recording.motor_positions is None:
        return np.zeros(len(recording.joint_names), dtype=bool)
    return np.array([not np.isnan(column).any() for column in recording.motor_positions.T], bool)


def _check_motion(name: str, link: Array, motor: Array, effort: Array, rate: Array) -> float:
    """
    Return the rms of a deflection that the effort leaves, by a law of third order.

    Raise InputError unless the motor moves as its link does, but for a part of the effort. Warn if
    the position or the velocity of the link explains the deflection far better than the effort.
    """
    size = effort / max(float(np.abs(effort).max()), 1e-300)
    law = np.column_stack((np.ones(len(size)), size, size * np.abs(size), size**3))
    columns = np.column_stack((link, rate, law))
    ratio, delay = np.linalg.lstsq(columns, motor, rcond=None)[0][:2].tolist()
    if ratio < 0.0:
        raise InputError(
            f'recording: joint {name!r}: expected a motor that moves with its link, got '
            f'{ratio:.3g} times the motion of the link: one of both encoders is reversed'
        )
    if not _FOLLOWS[0] < ratio < _FOLLOWS[1]:
        raise InputError(
            f'recording: joint {name!r}: expected the motor position on the joint side of the '
            f'gear, got {ratio:.3g} times the motion of the link'
        )
    most, by_position, by_rate, least = (
        float(np.std(motor - link - part @ np.linalg.lstsq(part, motor - link, rcond=None)[0]))
        for part in (law, columns[:, [0, 2, 3, 4, 5]], columns[:, 1:], columns)
    )
    if most > max(_BETTER * least, _CLEAR * float(np.std(motor - link))):
        text = f'got a motor that moves {ratio:.4g} times as far as its link: another gear ratio?'
        if by_rate < by_position:
            side = 'late' if delay > 0.0 else 'early'
            text = (
                f'got that of a link whose positions are {1e3 * abs(delay):.2g} ms {side}: other '
                'times than those of the motor, or friction of the joint beside its spring?'
            )
        warnings.warn(
            f'recording: joint {name!r}: expected a deflection that follows the effort, {text} '
            'What is found of the drive is wrong, its spring above all',
            RecordingWarning,
            stacklevel=5,
        )
    return most
