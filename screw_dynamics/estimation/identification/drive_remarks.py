# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Remarks on identified drives: unsought loads, wrong constants, parameters that are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.regressor import inertial_parameters
from screw_dynamics.errors import InputError, listed
from screw_dynamics.estimation.identification.drive_equations import (
    CONSTANT,
    EXCESS,
    FIELDS,
    LOAD,
)
from screw_dynamics.estimation.identification.drive_fit import DriveFit, fitted, linear_fit
from screw_dynamics.estimation.identification.drive_samples import DriveSamples
from screw_dynamics.estimation.identification.effort_delays import lead_time_hint
from screw_dynamics.estimation.identification.least_squares import Window
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES
from screw_dynamics.estimation.identification.result import BAND

_SURE = 4.0  # standard deviations
_BEYOND = 3.0  # times the noise, what a drive leaves
_LEAST_LOAD = 0.01  # of the mass of the robot
_LEAST_SCALE = 0.03  # of a torque constant


def suspected_load(
    found: DriveFit, samples: DriveSamples, windows: Sequence[Window], moved: NDArray[np.bool_]
) -> tuple[str, float]:
    """
    Return the text of a load at an end of the robot that nobody seeks, and what it leaves.

    '' if there is none. What is left is the sum of squares beside the noise.
    """
    equations, model = found.equations, found.equations.robot.tree
    count, masses = equations.drive_count, inertial_parameters(model)[:: len(NAMES)]
    text, most, left = '', _SURE, np.inf
    for body in sorted(set(range(len(model.body_names))) - set(model.parents)):
        name = model.body_names[body]
        values = np.insert(found.values, count, np.zeros(len(NAMES)))
        wider = replace(equations, payload=name)
        loaded = linear_fit(wider, samples, values, moved, found.fit.noise, windows)
        mass = loaded.fit.values[count]
        deviation = np.sqrt(loaded.fit.covariance[count, count])
        if mass > most * deviation and mass > _LEAST_LOAD * masses.sum():
            most, left = mass / deviation, _left(loaded, found, moved)
            text = (
                f'a load of about {mass:.2g} +- {BAND * deviation:.1g} kg on link {name!r} is not '
                f'sought (payload={name!r}): what is found without it is wrong, stiffness above '
                'all'
            )
    return text, left


def suspected_scales(
    found: DriveFit, samples: DriveSamples, windows: Sequence[Window], moved: NDArray[np.bool_]
) -> tuple[str, float]:
    """
    Return the text of torque constants that differ from those assumed, and what they leave.

    '' if none does. What is left is the sum of squares beside the noise.
    """
    equations = found.equations
    sought = equations.sought.copy()
    sought[CONSTANT] = moved
    if (sought == equations.sought).all():
        return '', np.inf
    wider = replace(equations, sought=sought)
    rest = found.values[int(equations.sought.sum()) :]
    values = np.concatenate((equations.numbers(found.values)[sought], rest))
    other = linear_fit(wider, samples, values, moved, found.fit.noise, windows)
    sure = moved & _differ(other)
    if not sure.any():
        return '', np.inf
    try:
        other = fitted(wider, samples, moved, values, windows)
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
    return text, _left(other, found, moved)


def _scales(found: DriveFit) -> tuple[Array, Array]:
    """Return torque constants (n,) less 1, and their standard deviations."""
    numbers, variances = found.fit.values, np.diag(found.fit.covariance)
    return (
        found.equations.numbers(numbers)[CONSTANT] - 1.0,
        np.sqrt(found.equations.numbers(variances)[CONSTANT]),
    )


def _differ(found: DriveFit) -> NDArray[np.bool_]:
    """Return which torque constants (n,) surely differ from 1."""
    away, deviations = _scales(found)
    return np.asarray((np.abs(away) > _SURE * deviations) & (np.abs(away) > _LEAST_SCALE))


def _left(other: DriveFit, found: DriveFit, moved: NDArray[np.bool_]) -> float:
    """Return the sum of squares of what another fit leaves and of its errors of links."""
    residuals = other.fit.residuals[:, moved] / found.fit.noise[moved]
    away = (other.fit.values - other.equations.first) / other.equations.prior
    return float(np.square(residuals).sum() + np.square(away).sum())


def unexplained(
    found: DriveFit, samples: DriveSamples, left: Array, moved: NDArray[np.bool_]
) -> Iterator[str]:
    """Return the texts of joints where efforts leave (T, n) more than noise does."""
    own, noise = np.std(found.fit.residuals, axis=0), samples.smooth_noise(left)
    for j in np.flatnonzero(moved & (own > _BEYOND * noise)):
        yield (
            f'joint {found.equations.robot.joint_names[j]!r}: {own[j]:.2g} N m or N rms of the '
            f'smoothed motor effort, {own[j] / noise[j]:.2g} times its noise, are not those of '
            'such a drive, and no part of the bands: friction that holds at rest, or of the joint '
            'beside its spring, or wrong times?'
        )


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


def not_shown(found: DriveFit, moved: NDArray[np.bool_], told: NDArray[np.bool_]) -> Iterator[str]:
    """Return the texts of joints that show no breakaway, and no friction that grows with load."""
    names = set(np.array(found.equations.names)[told].tolist())
    for kind, text in ((EXCESS, 'breakaway friction'), (LOAD, 'friction under load')):
        joints = np.array(found.equations.robot.joint_names)[moved].tolist()
        own = [joint for joint in joints if f'{joint}.{FIELDS[kind]}' not in names]
        if own:
            yield f'{text} does not show and is kept at {listed(own)}'


def delay_found(delay: float, deviation: float) -> str:
    """Return the text of a delay that was taken out, '' for none."""
    if abs(delay) < BAND * deviation:
        return ''
    side = (
        f'lag the positions by {1e3 * delay:.2f}'
        if delay > 0.0
        else (f'are ahead of the positions by {-1e3 * delay:.2f}')
    )
    band = f'{1e3 * BAND * deviation:.1g} ms'
    return f'the motor efforts {side} +- {band}: taken out{lead_time_hint(delay)}'
