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
from screw_dynamics.estimation.identification.coulomb_velocities import (
    CLEAR,
    FASTEST,
    SLOWEST,
    best_velocity,
)
from screw_dynamics.estimation.identification.drive_equations import (
    CONSTANT,
    COULOMB,
    EXCESS,
    KNEE,
    LOAD,
    STRIBECK,
    DriveEquations,
    dry_parts,
    motor_columns,
)
from screw_dynamics.estimation.identification.drive_samples import DriveSamples
from screw_dynamics.estimation.identification.effort_delays import MOST_DELAY
from screw_dynamics.estimation.identification.least_squares import Fit, Window, fit

_ROUNDS = 30
_SETTLED = 1e-2  # standard deviations, root of the sum of squares
_TURNED = 0.9  # of a step, what the next one takes back where steps overshoot
_STEP = 1e-4  # s, for the rates of efforts
_GRID = 12  # velocities of breakaway that are tried
_SLOWEST, _FASTEST = 2.0, 0.5  # of them: times the velocity of dry friction, the largest velocity
_SURE = 5.0  # standard deviations of a sum of scores, from which on dry friction is sought
_FARTHEST = 1.5  # times a velocity of the step before
_TOLD = 0.2  # of a velocity of dry friction, its standard deviation
_EXCITED = 0.1  # of an effort, the most that the band of a parameter's part may have


class DriveFit(NamedTuple):
    """Values (P,) of equations, their fit, and its columns (M, n, P), all of them smoothed."""

    equations: DriveEquations
    values: Array
    fit: Fit
    columns: Array


def fitted(
    equations: DriveEquations,
    samples: DriveSamples,
    moved: NDArray[np.bool_],
    values: Array | None = None,
    windows: Sequence[Window] = (),
) -> DriveFit:
    """
    Return the fit of equations to samples, begun at `values` (P,) or the robot as it is.

    Joints that were not `moved` (n,) have no weight. Without `windows` there is no covariance.
    """
    values = equations.first if values is None else values
    noise: Array | None = None
    last = np.zeros(len(values))
    for _ in range(_ROUNDS):
        found = linear_fit(equations, samples, values, moved, noise)
        new = _limited(equations, samples, values, found.fit.values)
        step = found.fit.root @ (new - values)
        change = float(np.linalg.norm(step))
        if step @ last < -_TURNED * (last @ last):  # to and fro: between the two
            new = 0.5 * (values + new)
        values, noise, last = new, found.fit.noise, step
        if change < _SETTLED:
            return linear_fit(equations, samples, values, moved, noise, windows)
    raise InputError(
        'recording: expected motor efforts that drives explain, got some for which no parameters '
        'settle: another unit or sign (effort_format), or another robot?'
    )


def linear_fit(
    equations: DriveEquations,
    samples: DriveSamples,
    values: Array,
    moved: NDArray[np.bool_],
    noise: Array | None,
    windows: Sequence[Window] = (),
) -> DriveFit:
    """Return the fit of the equations linearized at `values`."""
    delay = equations.delay(values)
    jets = samples.jets(delay)
    rates = np.zeros_like(samples.recording.efforts)
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
    first = equations.first
    target = samples.smooth(samples.recording.efforts) - predicted + columns @ (values - first)
    spread = np.broadcast_to(np.where(moved, 0.0, np.inf), target.shape)
    found = fit(
        columns.__getitem__, target, spread, windows, noise, equations.prior, equations.constants
    )
    return DriveFit(equations, values, replace(found, values=first + found.values), columns)


def _limited(
    equations: DriveEquations, samples: DriveSamples, before: Array, values: Array
) -> Array:
    """Return values within the range of the equations; raise InputError for a long delay."""
    found: Array = values.copy()
    numbers, last = equations.numbers(values), equations.numbers(before)
    speeds = [KNEE, STRIBECK]  # far from them, the equations linearized there do not hold
    numbers[speeds] = np.clip(numbers[speeds], last[speeds] / _FARTHEST, _FARTHEST * last[speeds])
    numbers[KNEE] = np.clip(numbers[KNEE], SLOWEST * samples.fastest, FASTEST * samples.fastest)
    numbers[STRIBECK] = np.clip(numbers[STRIBECK], _SLOWEST * numbers[KNEE], samples.fastest)
    numbers[CONSTANT] = np.maximum(numbers[CONSTANT], 0.1)
    found[: int(equations.sought.sum())] = numbers[equations.sought]
    if abs(equations.delay(values)) > MOST_DELAY:
        raise InputError(
            f'recording: expected motor efforts that lag by less than {MOST_DELAY:g} s, got '
            f'{equations.delay(values):.3g} s: move their times'
        )
    return found


def dry_friction_sought(
    found: DriveFit, samples: DriveSamples, windows: Sequence[Window], moved: NDArray[np.bool_]
) -> tuple[DriveEquations, Array] | None:
    """
    Return equations that seek dry friction beyond Coulomb's too, and values to begin at.

    Breakaway or load, whichever a score test finds more likely at a joint; None if no joint needs
    any. The score of a column is its product with the residuals after the columns of the joint
    that are sought; the squares of its sums over windows tell what correlated residuals amount to.
    """
    equations, jets = found.equations, samples.jets(found.equations.delay(found.values))
    numbers, sought = equations.numbers(found.values), equations.sought.copy()
    tau = equations.transmitted(found.values, jets.links)
    start = numbers.copy()
    for j in np.flatnonzero(moved).tolist():
        rate, own = jets.motors[:, 1, j], numbers[:, j].copy()
        residual = found.fit.residuals[:, j]
        places = np.flatnonzero(np.argwhere(equations.sought)[:, 1] == j)
        basis = np.linalg.qr(found.columns[:, j, places])[0]
        fastest = float(np.abs(rate).max())
        trials = [] if sought[LOAD, j] else [(LOAD, 0.0)]
        if not sought[EXCESS, j]:
            speeds = np.geomspace(_SLOWEST * own[KNEE], _FASTEST * fastest, _GRID)
            trials += [(EXCESS, float(speed)) for speed in speeds]
        best = _SURE
        for kind, speed in trials:
            own[STRIBECK] = speed or 1.0
            sense, decay, root = dry_parts(rate, tau[:, j], own)
            column = samples.smooth(sense * (root if kind == LOAD else decay))
            column -= basis @ (basis.T @ column)
            size = float(column @ column)
            scores = np.array(
                [(column[part] * residual[part]) @ factors**2 for part, factors in windows]
            )
            certain = scores.sum() / np.sqrt(len(scores) * scores.var(ddof=1))
            if certain > best and size > 0.0:
                best, chosen = certain, (kind, speed, scores.sum() / size)
        if best > _SURE:
            kind, speed, value = chosen
            sought[kind, j] = True
            start[kind, j] += value
            if kind == EXCESS:
                sought[STRIBECK, j], start[STRIBECK, j] = True, speed
    if (sought == equations.sought).all():
        return None
    return _with_sought(found, sought, start)


def _with_sought(
    found: DriveFit, sought: NDArray[np.bool_], numbers: Array
) -> tuple[DriveEquations, Array]:
    """Return equations that seek other fields (10, n), and values with `numbers` (10, n)."""
    rest = found.values[int(found.equations.sought.sum()) :]
    return replace(found.equations, sought=sought), np.concatenate((numbers[sought], rest))


def coulomb_velocities_sought(
    found: DriveFit, samples: DriveSamples
) -> tuple[DriveEquations, Array]:
    """
    Return equations that seek the velocities of dry friction, and values to begin at.

    These are the velocities that explain most, all else as found. Joints whose friction does not
    show keep their velocity, and those whose velocity is not told the one to begin at.
    """
    equations, values = found.equations, found.values
    jets, numbers = samples.jets(equations.delay(values)), equations.numbers(values)
    tau, sought = equations.transmitted(values, jets.links), equations.sought.copy()
    deviations = np.sqrt(np.diag(found.fit.covariance))
    fields, joints = np.argwhere(sought).T
    # of parameters that are not linear, changes are fitted
    linear = np.where(np.isin(fields, (KNEE, STRIBECK, CONSTANT)), 0.0, values[: len(fields)])

    def columns(j: int, own: NDArray[np.int64], velocity: float) -> Array:
        number = numbers[:, [j]]
        number[KNEE] = velocity
        parts = motor_columns(number, jets.motors[..., [j]], tau[:, [j]])
        return samples.smooth(parts[own, :, 0].T)

    for p in np.flatnonzero(fields == COULOMB).tolist():
        if values[p] < CLEAR * deviations[p]:
            continue
        j, own = int(joints[p]), np.flatnonzero((joints == joints[p]) & (fields != KNEE))
        rest = found.fit.residuals[:, j] + found.columns[:, j, own] @ linear[own]
        fastest = float(np.abs(jets.motors[:, 1, j]).max())
        best = best_velocity(partial(columns, j, fields[own]), rest, fastest)
        every = columns(j, np.append(fields[own], KNEE), best)
        deviation = found.fit.noise[j] * np.linalg.norm(np.linalg.pinv(every)[-1])
        numbers[KNEE, j], sought[KNEE, j] = best, deviation < _TOLD * best
    start = equations.start.copy()
    start[KNEE] = numbers[KNEE]
    wider = replace(equations, start=start)
    return _with_sought(found._replace(equations=wider), sought, numbers)


def unexcited(found: DriveFit, samples: DriveSamples) -> NDArray[np.bool_]:
    """Return which of the parameters of drives (P,) the motion does not tell."""
    equations, efforts = found.equations, samples.smooth(samples.recording.efforts)
    squares = np.sum(found.columns**2, axis=0) / np.sum(efforts**2, axis=0)[:, np.newaxis]
    deviations = np.sqrt(np.diag(found.fit.covariance))
    unknown: NDArray[np.bool_] = ~np.isfinite(deviations)
    drives = slice(0, int(equations.sought.sum()))
    unknown[drives] |= deviations[drives] * np.sqrt(squares.max(axis=0))[drives] > _EXCITED
    return unknown
