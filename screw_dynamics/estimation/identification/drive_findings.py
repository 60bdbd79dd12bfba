# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Remarks on identified drives: unsought loads, wrong constants, parameters that are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.dynamics.regressor import inertial_parameters
from screw_dynamics.errors import InputError, listed
from screw_dynamics.estimation.identification.findings import LIMITS, lead_time_hint
from screw_dynamics.estimation.identification.fit import DriveFit, fitted, linear_fit
from screw_dynamics.estimation.identification.least_squares import Window
from screw_dynamics.estimation.identification.motor_terms import Field
from screw_dynamics.estimation.identification.payload import BAND
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES
from screw_dynamics.estimation.identification.samples import Samples


def _suspected_load(
    found: DriveFit, samples: Samples, windows: Sequence[Window]
) -> tuple[str, float]:
    """
    Return the text of a load at an end of the robot that nobody seeks, and what it leaves.

    '' if there is none. What is left is the sum of squares beside the noise.
    """
    equations, model = found.equations, found.equations.robot.tree
    count, masses = equations.first_body, inertial_parameters(model)[:: len(NAMES)]
    text, most, left = '', LIMITS.sure, np.inf
    for body in sorted(set(range(len(model.body_names))) - set(model.parents)):
        name = model.body_names[body]
        values = np.insert(found.values, count, np.zeros(len(NAMES)))
        wider = replace(equations, payload=name)
        loaded = linear_fit(wider, samples, values, found.fit.noise, windows)
        mass = loaded.fit.values[count]
        deviation = np.sqrt(loaded.fit.covariance[count, count])
        if mass > most * deviation and mass > LIMITS.least_load * masses.sum():
            most, left = mass / deviation, _left(loaded, found)
            text = (
                f'a load of about {mass:.2g} +- {BAND * deviation:.1g} kg on link {name!r} is not '
                f'sought (payload={name!r}): what is found without it is wrong, stiffness above '
                'all'
            )
    return text, left


def suspected_scales(
    found: DriveFit, samples: Samples, windows: Sequence[Window]
) -> tuple[str, float]:
    """
    Return the text of torque constants that differ from those assumed, and what they leave.

    '' if none does. What is left is the sum of squares beside the noise.
    """
    equations = found.equations
    free = equations.free.copy()
    free[Field.CONSTANT] = equations.joints
    if (free == equations.free).all():
        return '', np.inf
    wider = replace(equations, free=free)
    rest = found.values[len(equations.places[0]) :]
    values = np.concatenate((equations.coefficients(found.values)[wider.places], rest))
    other = linear_fit(wider, samples, values, found.fit.noise, windows)
    sure = equations.joints & _differ(other)
    if not sure.any():
        return '', np.inf
    try:
        other = fitted(wider, samples, values, windows)
    except InputError:  # it does not settle
        return '', np.inf
    sure &= _differ(other)
    away, deviations = _scales(other)
    parts = [
        f'{1.0 + away[j]:.3g} +- {BAND * deviations[j]:.1g} at {equations.robot.joint_names[j]!r}'
        for j in np.flatnonzero(sure)
    ]
    if not parts:
        return '', np.inf
    text = f'other torque constants explain the efforts better (torque_constants): {listed(parts)}'
    return text, _left(other, found)


def _scales(found: DriveFit) -> tuple[Array, Array]:
    """Return torque constants (n,) less 1, and their standard deviations."""
    numbers, variances = found.fit.values, np.diag(found.fit.covariance)
    return (
        found.equations.coefficients(numbers)[Field.CONSTANT] - 1.0,
        np.sqrt(found.equations.coefficients(variances)[Field.CONSTANT]),
    )


def _differ(found: DriveFit) -> NDArray[np.bool_]:
    """Return which torque constants (n,) surely differ from 1."""
    away, deviations = _scales(found)
    return np.asarray(
        (np.abs(away) > LIMITS.sure * deviations) & (np.abs(away) > LIMITS.least_scale)
    )


def _left(other: DriveFit, found: DriveFit) -> float:
    """Return the sum of squares of what another fit leaves and of its errors of links."""
    joints = found.equations.joints
    residuals = other.fit.residuals[:, joints] / found.fit.noise[joints]
    away = (other.fit.values - other.equations.initial_values) / other.equations.prior
    return float(np.square(residuals).sum() + np.square(away).sum())


def suspicions(
    found: DriveFit,
    samples: Samples,
    windows: Sequence[Window],
    left: Array,
) -> Iterator[Finding]:
    """
    Yield the load, or the torque constants, that explain efforts better, whichever explains more.

    Else the joints where efforts leave (T, n) more than noise does.
    """
    scales, by_scales = suspected_scales(found, samples, windows)
    load, by_load = '', np.inf
    if found.equations.payload is None:
        load, by_load = _suspected_load(found, samples, windows)
    if by_load < by_scales:
        yield Finding('load', 'odd', (), f'recording: {load}')
    elif scales:
        yield Finding('torque constants', 'odd', (), scales)
    if load or scales:
        return
    own, noise = np.std(found.fit.residuals, axis=0), samples.smooth_noise(left)
    for j in np.flatnonzero(found.equations.joints & (own > LIMITS.noisy * noise)).tolist():
        name = found.equations.robot.joint_names[j]
        text = (
            f'joint {name!r}: {own[j]:.2g} N m or N rms of the smoothed motor effort, '
            f'{own[j] / noise[j]:.2g} times its noise, are not those of such a drive, and no part '
            'of the bands: friction that holds at rest, or of the joint beside its spring, or '
            'wrong times?'
        )
        yield Finding('unexplained', 'remark', (name,), text)


def negative_rotors(found: DriveFit) -> Iterator[tuple[str, str]]:
    """Yield joints whose rotor inertia is surely below 0, and what was got."""
    deviations = np.sqrt(np.diag(found.fit.covariance))
    for name, value, deviation in zip(
        found.equations.names, found.values.tolist(), deviations.tolist(), strict=True
    ):
        joint, _, field = name.rpartition('.')
        if field == 'rotor_inertia' and value + BAND * deviation < 0.0:
            yield (
                joint,
                f'expected a rotor inertia above 0, got {value:.3g} +- {BAND * deviation:.1g}',
            )


def remarks(
    found: DriveFit,
    values: Array,
    deviations: Array,
    unknown: NDArray[np.bool_],
) -> Iterator[Finding]:
    """Yield the delay that was taken out, friction that does not show, and what is not told."""
    equations = found.equations
    if equations.delayed:
        place = equations.drive_count - 1
        delay, band = 1e3 * values[place], 1e3 * BAND * deviations[place]
        if abs(delay) > band:
            side = 'lag the positions' if delay > 0.0 else 'are ahead of the positions'
            text = (
                f'the motor efforts {side} by {abs(delay):.2f} +- {band:.1g} ms: taken out'
                + lead_time_hint(1e-3 * float(delay))
            )
            yield Finding('late', 'remark', (), text)
    names = np.array(equations.names)
    told = set(names[equations.determined(values, deviations)].tolist())
    joints = np.array(equations.robot.joint_names)[equations.joints].tolist()
    for kind, text in (
        (Field.BREAKAWAY, 'breakaway friction'),
        (Field.LOAD, 'friction under load'),
    ):
        own = tuple(joint for joint in joints if f'{joint}.{kind.entry}' not in told)
        if own:
            text = f'{text} does not show and is kept at {listed(own)}'
            yield Finding('friction', 'remark', own, text)
    kept = names[unknown & np.isinf(equations.prior)].tolist()
    kept = [name for name in kept if not name.startswith('payload.')]
    if kept:
        text = f'the motion does not tell, and the robot keeps: {listed(kept)}'
        yield Finding('not told', 'remark', (), text)
