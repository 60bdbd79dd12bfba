# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fit of the equations of drives to samples, and the dry friction that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.drive_equations import (
    CONSTANT,
    EXCESS,
    LOAD,
    STRIBECK,
    DriveEquations,
    Jets,
    dry_parts,
)
from screw_dynamics.estimation.identification.drive_samples import MOST_DELAY, DriveSamples
from screw_dynamics.estimation.identification.least_squares import Fit, Window, fit, parts

_ROUNDS = 30
_SETTLED = 1e-2  # standard deviations of white noise, root of the sum of squares
_STEP = 1e-4  # s, for the rates of efforts
_GRID = 12  # velocities of breakaway that are tried
_SLOWEST, _FASTEST = 2.0, 0.5  # of them: times the velocity of dry friction, the largest velocity
_SURE = 4.0  # standard deviations of a sum of scores, from which on dry friction is sought
_EXCITED = 0.1  # of an effort, the most that the band of a parameter's part may have


class DriveFit(NamedTuple):
    """Values (P,) of equations, their fit, the jets of the instants that motor efforts show."""

    equations: DriveEquations
    values: Array
    fit: Fit
    jets: Jets
    spread: Array


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
    resting = np.where(moved, 0.0, np.inf)
    spread: Array = np.broadcast_to(resting, samples.recording.efforts.shape)
    noise: Array | None = None
    settled = 0
    for _ in range(_ROUNDS):
        jets = samples.jets(equations.delay(values))
        found = linear_fit(equations, samples, values, jets, spread, noise)
        new = _limited(equations, samples, found.values)
        change = float(np.linalg.norm(found.root @ (new - values)))
        values, noise = new, found.noise
        if change < _SETTLED:
            settled += 1
            if settled > 1:
                break
            delay = equations.delay(values)
            spread = samples.spread(delay, equations.nearly(values)) + resting
    else:
        raise InputError(
            'recording: expected motor efforts that drives explain, got some for which no '
            'parameters settle: another unit or sign (effort_format), or another robot?'
        )
    jets = samples.jets(equations.delay(values))
    final = linear_fit(equations, samples, values, jets, spread, noise, windows)
    return DriveFit(equations, values, final, jets, spread)


def linear_fit(
    equations: DriveEquations,
    samples: DriveSamples,
    values: Array,
    jets: Jets,
    spread: Array,
    noise: Array | None,
    windows: Sequence[Window] = (),
) -> Fit:
    """Return the fit of the equations linearized at `values`."""
    predicted = equations.efforts(values, jets)
    delay, rates = equations.delay(values), np.zeros_like(predicted)
    if equations.delayed:
        ahead, behind = (
            equations.efforts(values, samples.jets(delay - step)) for step in (_STEP, -_STEP)
        )
        rates = (ahead - behind) / (2.0 * _STEP)

    def columns(part: slice) -> Array:
        return equations.columns(values, jets.part(part), rates[part])

    target = samples.recording.efforts - predicted
    for part in parts(len(target)):
        target[part] += columns(part) @ values
    return fit(columns, target, spread, windows, noise, equations.prior)


def _limited(equations: DriveEquations, samples: DriveSamples, values: Array) -> Array:
    """Return values within the range of the equations; raise InputError for a long delay."""
    found = values.copy()
    numbers = equations.numbers(values)
    fastest = np.abs(samples.jets().motors[:, 1]).max(axis=0)
    numbers[STRIBECK] = np.clip(numbers[STRIBECK], equations.knees[0], fastest)
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
    equations = found.equations
    numbers, sought = equations.numbers(found.values), equations.sought.copy()
    tau = equations.transmitted(found.values, found.jets.links)
    start = equations.start.copy()
    for j in np.flatnonzero(moved).tolist():
        weights = 1.0 / np.hypot(found.fit.noise[j], found.spread[:, j])
        rate, knees = found.jets.motors[:, 1, j], equations.knees[:, j]
        residual = weights * found.fit.residuals[:, j]
        columns = np.column_stack(
            (found.jets.motors[:, 2, j], rate, np.tanh(rate / knees[0]), np.ones(len(rate)))
        )
        basis = np.linalg.qr(weights[:, np.newaxis] * columns)[0]
        fastest = float(np.abs(rate).max())
        trials = [] if sought[LOAD, j] else [(LOAD, 0.0)]
        if not sought[EXCESS, j]:
            speeds = np.geomspace(_SLOWEST * knees[0], _FASTEST * fastest, _GRID)
            trials += [(EXCESS, float(speed)) for speed in speeds]
        best = _SURE
        for kind, speed in trials:
            sense, decay, root = dry_parts(rate, tau[:, j], np.array(speed or 1.0), knees)
            column = weights * sense * (root if kind == LOAD else decay)
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
            start[kind, j] = numbers[kind, j] + value
            if kind == EXCESS:
                sought[STRIBECK, j], start[STRIBECK, j] = True, speed
    if (sought == equations.sought).all():
        return None
    wider = replace(equations, start=start, sought=sought)
    numbers = np.where(sought & ~equations.sought, start, numbers)
    rest = found.values[int(equations.sought.sum()) :]
    # what is not sought in the end is that of the robot
    return replace(wider, start=np.where(sought, start, equations.start)), np.concatenate(
        (numbers[sought], rest)
    )


def unexcited(found: DriveFit, samples: DriveSamples) -> NDArray[np.bool_]:
    """Return which of the parameters of drives (P,) the motion does not tell."""
    equations, efforts = found.equations, samples.recording.efforts
    squares = np.zeros((efforts.shape[1], len(equations.names)))
    for part in parts(len(efforts)):
        own = found.jets.part(part)
        squares += (equations.columns(found.values, own, np.zeros_like(efforts[part])) ** 2).sum(0)
    sizes = np.sqrt(squares / np.sum(efforts**2, axis=0)[:, np.newaxis]).max(axis=0)
    deviations = np.sqrt(np.diag(found.fit.covariance))
    unknown: NDArray[np.bool_] = ~np.isfinite(deviations)
    drives = slice(0, int(equations.sought.sum()))
    unknown[drives] |= deviations[drives] * sizes[drives] > _EXCITED
    return unknown
