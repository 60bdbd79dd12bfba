# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fit of the equations of drives to samples: their parameters, dry friction, the delay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.drive_equations import (
    BREAKAWAY,
    CONSTANT,
    COULOMB,
    LOAD,
    STRIBECK,
    VELOCITY,
    DriveEquations,
    motor_columns,
    with_dry_friction,
)
from screw_dynamics.estimation.identification.joint_fit import CLEAR, RANGE, best_velocity
from screw_dynamics.estimation.identification.least_squares import Fit, Window, fit
from screw_dynamics.estimation.identification.samples import MOST_DELAY, Samples

_ROUNDS = 30
_SETTLED, _STILL = 1e-2, 0.5  # standard deviations, root of the sum of squares: at best, at most
_STEP = 1e-4  # s, for the rates of efforts
_SLOWEST = 2.0  # times the velocity of dry friction, that of breakaway
_FARTHEST = 1.5  # times a velocity of the step before
_EXCITED = 0.1  # of an effort, the most that the band of a parameter's part may have


class DriveFit(NamedTuple):
    """
    Values (P,) of equations, their fit, and its columns (M, n, P), all of them smoothed.

    `cost` is -2 times the logarithm of the likelihood of the values, but for a constant.
    """

    equations: DriveEquations
    values: Array
    fit: Fit
    columns: Array
    cost: float


def fitted(
    equations: DriveEquations,
    samples: Samples,
    moved: NDArray[np.bool_],
    values: Array | None = None,
    windows: Sequence[Window] = (),
) -> DriveFit:
    """
    Return the fit of equations to samples, begun at `values` (P,) or the robot as it is.

    Joints that were not `moved` (n,) have no weight. Without `windows` there is no covariance.
    """
    values = equations.initial_values if values is None else values
    noise: Array | None = None
    best, least, step = values, np.inf, np.zeros(len(values))
    for _ in range(_ROUNDS):
        found = linear_fit(equations, samples, values, moved, noise)
        if found.cost > least and noise is not None:  # too far: half of the way
            step = 0.5 * step
        else:
            best, least, noise = values, found.cost, found.fit.noise
            step = _limited(equations, samples, values, found.fit.values) - values
        away = float(np.linalg.norm(found.fit.root @ step))
        if away < _SETTLED:
            break
        values = best + step
    if not away < _STILL:
        raise InputError(
            'recording: expected motor efforts that drives explain, got some for which no '
            'parameters settle: another unit or sign (effort_format), or another robot?'
        )
    return linear_fit(equations, samples, best, moved, noise, windows)


def linear_fit(
    equations: DriveEquations,
    samples: Samples,
    values: Array,
    moved: NDArray[np.bool_],
    noise: Array | None,
    windows: Sequence[Window] = (),
) -> DriveFit:
    """Return the fit of the equations linearized at `values`."""
    delay = equations.delay(values)
    jets = samples.jets(delay)
    rates = np.zeros_like(samples.efforts)
    if equations.delayed:
        ahead, behind = (
            equations.efforts(values, samples.jets(delay - step)) for step in (_STEP, -_STEP)
        )
        rates = (ahead - behind) / (2.0 * _STEP)
    both = samples.smooth_parts(
        lambda part: equations.columns(values, jets.part(part), rates[part])
    )
    columns, predicted = both[..., :-1], both[..., -1]
    # what the columns do not tell stays as the robot has it, torque constants first
    first = equations.initial_values
    left = samples.smooth(samples.efforts) - predicted
    target = left + columns @ (values - first)
    spread = np.broadcast_to(np.where(moved, 0.0, np.inf), target.shape)
    found = fit(
        columns.__getitem__, target, spread, windows, noise, equations.prior, equations.constants
    )
    sizes = np.log(np.mean(left[:, moved] ** 2, axis=0))
    cost = len(left) * sizes.sum() + np.sum(((values - first) / equations.prior) ** 2)
    return DriveFit(
        equations, values, replace(found, values=first + found.values), columns, float(cost)
    )


def _limited(equations: DriveEquations, samples: Samples, before: Array, values: Array) -> Array:
    """Return values within the range of the equations; raise InputError for a long delay."""
    found: Array = values.copy()
    numbers, last = equations.coefficients(values), equations.coefficients(before)
    speeds = [VELOCITY, STRIBECK]  # far from them, the linearized equations do not hold
    numbers[speeds] = np.clip(numbers[speeds], last[speeds] / _FARTHEST, _FARTHEST * last[speeds])
    numbers[VELOCITY] = np.clip(numbers[VELOCITY], *(RANGE[:, np.newaxis] * samples.fastest))
    numbers[STRIBECK] = np.clip(numbers[STRIBECK], _SLOWEST * numbers[VELOCITY], samples.fastest)
    numbers[CONSTANT] = np.maximum(numbers[CONSTANT], 0.1)
    found[: int(equations.free.sum())] = numbers[equations.free]
    if abs(equations.delay(values)) > MOST_DELAY:
        raise InputError(
            f'recording: expected motor efforts that lag by less than {MOST_DELAY:g} s, got '
            f'{equations.delay(values):.3g} s: move their times'
        )
    return found


def dry_friction(
    found: DriveFit, samples: Samples, moved: NDArray[np.bool_]
) -> tuple[DriveEquations, Array]:
    """
    Return equations with all dry friction that drives may have, and values to begin at.

    Its velocities are those that explain most, all else as found: that of Coulomb friction, that
    of breakaway beside it, and the first again. Joints whose friction does not show keep theirs;
    a breakaway that was sought and does not show has the velocity of the robot given, and may be
    negative: its best velocity, and its sign, would follow from noise and bias Coulomb friction.
    """
    equations, values = found.equations, found.values
    jets, numbers = samples.jets(equations.delay(values)), equations.coefficients(values)
    tau, free = equations.transmitted(values, jets.links), equations.free
    deviations = np.sqrt(np.diag(found.fit.covariance))
    fields, joints = np.argwhere(free).T
    told = equations.determined(values, deviations)[: len(fields)]
    coulomb, dry = np.zeros(len(moved)), np.zeros_like(free)
    dry[STRIBECK, joints[(fields == BREAKAWAY) & told]] = True
    doubted = free[BREAKAWAY] & ~dry[STRIBECK]
    given = equations.robot.motors.friction[:, 1]
    dry[LOAD], dry[[VELOCITY, BREAKAWAY]] = moved, False
    # of parameters that are not linear, changes are fitted
    linear = np.where(np.isin(fields, (VELOCITY, STRIBECK, CONSTANT)), 0.0, values[: len(fields)])

    def columns(j: int, own: NDArray[np.int64], kind: int, velocity: float) -> Array:
        number = numbers[:, [j]]
        number[kind] = velocity
        parts = motor_columns(number, jets.motors[..., [j]], tau[:, [j]])
        return samples.smooth(parts[own, :, 0].T)

    for p in np.flatnonzero(fields == COULOMB).tolist():
        if values[p] < CLEAR * deviations[p]:
            continue
        j, own = int(joints[p]), np.flatnonzero((joints == joints[p]) & (fields != VELOCITY))
        coulomb[j], dry[[VELOCITY, BREAKAWAY], j] = values[p], True
        rest = found.fit.residuals[:, j] + found.columns[:, j, own] @ linear[own]
        kinds = np.union1d(np.setdiff1d(fields[own], STRIBECK), BREAKAWAY)
        fastest = float(samples.fastest[j])
        excess = int(np.flatnonzero(kinds == BREAKAWAY)[0])
        if doubted[j]:  # the velocity that explains most would explain noise
            numbers[STRIBECK, j] = np.clip(given[j], _SLOWEST * numbers[VELOCITY, j], fastest)
        for kind, slowest, least in (
            (VELOCITY, RANGE[0] * fastest, None),
            (STRIBECK, _SLOWEST * numbers[VELOCITY, j], excess),
            (VELOCITY, RANGE[0] * fastest, None),
        )[: 1 if doubted[j] else 3]:
            of_velocity = partial(columns, j, kinds, kind)
            numbers[kind, j] = best_velocity(of_velocity, rest, slowest, RANGE[1] * fastest, least)
    wider = with_dry_friction(equations, numbers, coulomb, dry)
    return wider, np.concatenate((numbers[wider.free], values[int(free.sum()) :]))


def unexcited(found: DriveFit, samples: Samples) -> NDArray[np.bool_]:
    """Return which of the parameters of drives (P,) the motion does not tell."""
    equations, deviations = found.equations, np.sqrt(np.diag(found.fit.covariance))
    unknown: NDArray[np.bool_] = ~np.isfinite(deviations)
    drives = slice(0, int(equations.free.sum()))
    if drives.stop:
        sizes = np.sum(samples.smooth(samples.efforts) ** 2, axis=0)[:, np.newaxis]
        squares = np.sum(found.columns[..., drives] ** 2, axis=0)
        shares = np.divide(squares, sizes, out=np.zeros_like(squares), where=sizes > 0.0)
        unknown[drives] |= deviations[drives] * np.sqrt(shares.max(axis=0)) > _EXCITED
    return unknown
