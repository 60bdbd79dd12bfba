# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fits of equations to samples: parameters, velocities of dry friction, delays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.equations import Equations
from screw_dynamics.estimation.identification.least_squares import Fit, Window, fit, triangle
from screw_dynamics.estimation.identification.motor_terms import Field, motor_columns
from screw_dynamics.estimation.identification.samples import MOST_DELAY, Samples

_ROUNDS = 30  # of motors
_SETTLED, _STILL = 1e-2, 0.5  # standard deviations, root of the sum of squares: at best, at most
_STEP = 1e-4  # s, for the rates of efforts
_SLOWEST = 2.0  # times the velocity of dry friction, that of breakaway
_FARTHEST = 1.5  # times a velocity of the step before
_EXCITED = 0.1  # of an effort, the most that the band of a parameter's part may have
_RANGE = np.array([1e-3, 0.3])  # of the largest velocity of the joint
_TRIED = 30
_MOST = 6000  # samples that are compared
_CLEAR = 3.0  # standard deviations of Coulomb friction that shows
_REFITS = 2  # of joints, with other velocities, and with other delays
_LEAST, _MOST_LINEAR = 1e-3, 0.2  # s, of delays; beyond, efforts are not linear in them
_SURE = 6.0  # standard deviations of a delay
# standard deviations of dry friction, before a recording is seen
_LIKELY_LOAD = 0.1  # of the effort
_LIKELY_EXCESS = 0.5  # of Coulomb friction
_LIKELY_VELOCITY = 0.7  # of a velocity


class DriveFit(NamedTuple):
    """
    Values (P,) of equations, their fit, and its columns (M, n, P), all of them smoothed.

    `cost` is -2 times the logarithm of the likelihood of the values, but for a constant.
    """

    equations: Equations
    values: Array
    fit: Fit
    columns: Array
    cost: float


def fitted(
    equations: Equations,
    samples: Samples,
    values: Array | None = None,
    windows: Sequence[Window] = (),
) -> DriveFit:
    """
    Return the fit of equations to samples, begun at `values` (P,) or the robot as it is.

    Without `windows` there is no covariance.
    """
    values = equations.initial_values if values is None else values
    noise: Array | None = None
    best, least, step = values, np.inf, np.zeros(len(values))
    for _ in range(_ROUNDS):
        found = linear_fit(equations, samples, values, noise)
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
    return linear_fit(equations, samples, best, noise, windows)


def linear_fit(
    equations: Equations,
    samples: Samples,
    values: Array,
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
    spread = np.broadcast_to(np.where(equations.joints, 0.0, np.inf), target.shape)
    found = fit(
        columns.__getitem__, target, spread, windows, noise, equations.prior, equations.constants
    )
    sizes = np.log(np.mean(left[:, equations.joints] ** 2, axis=0))
    cost = len(left) * sizes.sum() + np.sum(((values - first) / equations.prior) ** 2)
    return DriveFit(
        equations, values, replace(found, values=first + found.values), columns, float(cost)
    )


def _limited(equations: Equations, samples: Samples, before: Array, values: Array) -> Array:
    """Return values within the range of the equations; raise InputError for a long delay."""
    found: Array = values.copy()
    numbers, last = equations.coefficients(values), equations.coefficients(before)
    speeds = [Field.VELOCITY, Field.STRIBECK]  # far away, linearized equations do not hold
    numbers[speeds] = np.clip(numbers[speeds], last[speeds] / _FARTHEST, _FARTHEST * last[speeds])
    knee, stribeck = numbers[Field.VELOCITY], numbers[Field.STRIBECK]
    knee[:] = np.clip(knee, *(_RANGE[:, np.newaxis] * samples.fastest))
    stribeck[:] = np.clip(stribeck, _SLOWEST * knee, samples.fastest)
    numbers[Field.CONSTANT] = np.maximum(numbers[Field.CONSTANT], 0.1)
    found[: len(equations.places[0])] = numbers[equations.places]
    if abs(equations.delay(values)) > MOST_DELAY:
        raise InputError(
            f'recording: expected motor efforts that lag by less than {MOST_DELAY:g} s, got '
            f'{equations.delay(values):.3g} s: move their times'
        )
    return found


def dry_friction(found: DriveFit, samples: Samples) -> tuple[Equations, Array]:
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
    fields, joints = equations.places
    told = equations.determined(values, deviations)[: len(fields)]
    coulomb, dry = np.zeros(len(free.T)), np.zeros_like(free)
    dry[Field.STRIBECK, joints[(fields == Field.BREAKAWAY) & told]] = True
    doubted = free[Field.BREAKAWAY] & ~dry[Field.STRIBECK]
    given = equations.robot.motors.friction[:, 1]
    dry[Field.LOAD] = equations.joints
    # of parameters that are not linear, changes are fitted
    linear = values[: len(fields)].copy()
    linear[np.isin(fields, (Field.VELOCITY, Field.STRIBECK, Field.CONSTANT))] = 0.0

    def columns(j: int, own: NDArray[np.int64], kind: int, velocity: float) -> Array:
        number = numbers[:, [j]]
        number[kind] = velocity
        parts = motor_columns(number, jets.motors[..., [j]], tau[:, [j]])
        return samples.smooth(parts[own, :, 0].T)

    for p in np.flatnonzero(fields == Field.COULOMB).tolist():
        if values[p] < _CLEAR * deviations[p]:
            continue
        j = int(joints[p])
        own = np.flatnonzero((joints == j) & (fields != Field.VELOCITY))
        coulomb[j], dry[[Field.VELOCITY, Field.BREAKAWAY], j] = values[p], True
        rest = found.fit.residuals[:, j] + found.columns[:, j, own] @ linear[own]
        kinds = np.union1d(np.setdiff1d(fields[own], Field.STRIBECK), Field.BREAKAWAY)
        fastest = float(samples.fastest[j])
        excess = int(np.flatnonzero(kinds == Field.BREAKAWAY)[0])
        if doubted[j]:  # the velocity that explains most would explain noise
            slowest = _SLOWEST * numbers[Field.VELOCITY, j]
            numbers[Field.STRIBECK, j] = np.clip(given[j], slowest, fastest)
        for kind, slowest, least in (
            (Field.VELOCITY, _RANGE[0] * fastest, None),
            (Field.STRIBECK, _SLOWEST * numbers[Field.VELOCITY, j], excess),
            (Field.VELOCITY, _RANGE[0] * fastest, None),
        )[: 1 if doubted[j] else 3]:
            of_velocity = partial(columns, j, kinds, kind)
            ends = slowest, _RANGE[1] * fastest
            numbers[kind, j] = best_velocity(of_velocity, rest, *ends, least)
    wider = with_dry_friction(equations, numbers, coulomb, dry)
    return wider, np.concatenate((numbers[wider.places], values[len(fields) :]))


def unexcited(found: DriveFit, samples: Samples) -> NDArray[np.bool_]:
    """Return which of the parameters of drives (P,) the motion does not tell."""
    equations, deviations = found.equations, np.sqrt(np.diag(found.fit.covariance))
    unknown: NDArray[np.bool_] = ~np.isfinite(deviations)
    drives = slice(0, len(equations.places[0]))
    if drives.stop:
        sizes = np.sum(samples.smooth(samples.efforts) ** 2, axis=0)[:, np.newaxis]
        squares = np.sum(found.columns[..., drives] ** 2, axis=0)
        shares = np.divide(squares, sizes, out=np.zeros_like(squares), where=sizes > 0.0)
        unknown[drives] |= deviations[drives] * np.sqrt(shares.max(axis=0)) > _EXCITED
    return unknown


def with_dry_friction(
    equations: Equations, numbers: Array, coulomb: Array, free: NDArray[np.bool_]
) -> Equations:
    """
    Return equations with the dry friction that drives may have beside `coulomb` (n,).

    Breakaway, friction under load and the velocities at which either changes, of those `free`
    (10, n), are no more than likely: where a recording does not tell them from Coulomb friction,
    its band contains them. `numbers` (10, n) have the velocities that are likely.
    """
    initial, every = equations.initial.copy(), equations.free.copy()
    known, speeds = np.full(numbers.shape, np.inf), [Field.VELOCITY, Field.STRIBECK]
    dry = [Field.BREAKAWAY, Field.LOAD, *speeds]
    every[dry] = free[dry]
    known[Field.LOAD], known[Field.BREAKAWAY] = _LIKELY_LOAD, _LIKELY_EXCESS * coulomb
    known[speeds], initial[speeds] = _LIKELY_VELOCITY * numbers[speeds], numbers[speeds]
    return replace(equations, initial=initial, deviations=known, free=every)


class JointFit(NamedTuple):
    """The fit of equations to the efforts of joints without the delays (n,)."""

    equations: Equations
    fit: Fit
    delays: Array


def fitted_joints(
    equations: Equations,
    samples: Samples,
    windows: Sequence[Window],
    *,
    velocities: bool,
    delays: bool,
) -> JointFit:
    """
    Return the fit; `velocities` of Coulomb friction, and `delays` of efforts, may be sought.

    Delays that leave more of the efforts than none do are none.
    """
    joints, jets, times = equations.joints, samples.jets().links, samples.recording.times
    spread = samples.motion.spread(equations.robot.tree, times, jets)[:, joints]
    known, taken = (
        equations.efforts(equations.initial_values, samples.jets()),
        np.zeros(joints.shape),
    )

    def fitted(equations: Equations, efforts: Array) -> Fit:
        rest = (efforts - known)[:, joints]
        return fit(
            lambda part: equations.linear(jets[part])[:, joints, :-1], rest, spread, windows
        )

    found, efforts = fitted(equations, samples.efforts), samples.efforts
    for _ in range(_REFITS * velocities):
        equations = _with_velocities(equations, samples, found)
        found = fitted(equations, efforts)
    plain = found
    for _ in range(_REFITS * delays):
        more = _delays(equations, samples, efforts[:, joints], spread, windows, found)
        if not more.any():
            break
        taken[joints] += more
        efforts = samples.on_time(taken)
        found = fitted(equations, efforts)
    left = [np.linalg.norm(one.residuals, axis=0) + 1e-30 for one in (plain, found)]
    if np.log(left[1] / left[0]).sum() > 0.0:  # sure by the few windows of a short recording
        return JointFit(equations, plain, np.zeros_like(taken))
    return JointFit(equations, found, taken)


def _delays(
    equations: Equations,
    samples: Samples,
    efforts: Array,
    spread: Array,
    windows: Sequence[Window],
    found: Fit,
) -> Array:
    """
    Return the certain delays (m,) of efforts (T, m) behind the positions, 0 for others [s].

    Efforts that lag by d differ by -d times their rate. These rates, of the efforts found without
    Coulomb friction, are further columns of a fit of all that a rigid robot may have, so that what
    the chosen parameters lack is not taken for a delay.
    """
    jets, times, joints = samples.jets().links, samples.recording.times, equations.joints
    every, count = equations.rigid(rotors=True, links=True, payload=None), efforts.shape[1]
    dry = np.char.endswith(np.array(equations.names), '.coulomb')
    smooth = efforts - found.residuals
    smooth -= (equations.linear(jets)[..., :-1][..., dry] @ found.values[dry])[:, joints]
    instants, first, place = np.unique(times, return_index=True, return_inverse=True)
    rates = np.gradient(smooth[first], instants, axis=0)[place]

    def of(part: slice) -> Array:
        own = -rates[part][..., np.newaxis] * np.eye(count)
        return np.concatenate((every.linear(jets[part])[:, joints, :-1], own), axis=2)

    wide = fit(of, efforts, spread, windows, found.noise)
    return certain_delays(wide.values[-count:], np.sqrt(np.diag(wide.covariance)[-count:]))


def certain_delays(delays: Array, deviations: Array) -> Array:
    """
    Return the delays (m,) of efforts that are certain, 0 for others [s].

    If one delay, the mean weighted by certainty, explains all, joints whose own is not certain
    have that one. Without it a delay above `MOST_DELAY` is what the model lacks at that joint.
    """
    weights = deviations**-2.0
    common, deviation = (weights @ delays) / weights.sum(), weights.sum() ** -0.5
    alike = np.abs(delays - common) < _SURE * deviations + _LEAST
    shared = bool(alike.all() and _is_certain(common, deviation))
    certain = _is_certain(delays, deviations) & (shared | (np.abs(delays) <= MOST_DELAY))
    return np.where(certain, delays, common if shared else 0.0)


def _is_certain(delay: Array, deviation: Array) -> NDArray[np.bool_]:
    size = np.abs(delay)
    return (size > _LEAST) & (size > _SURE * deviation) & (size < _MOST_LINEAR)


def _with_velocities(equations: Equations, samples: Samples, found: Fit) -> Equations:
    """
    Return equations with the velocities of Coulomb friction that explain most, all else as found.

    Joints whose friction does not show keep their velocity.
    """
    initial = equations.initial.copy()
    some = slice(None, None, -(-len(found.residuals) // _MOST))
    jets, residuals = samples.jets().links[some], found.residuals[some]
    rates, rows = equations.rigid_jets(jets).motors[:, 1], equations.linear(jets)
    deviations = np.sqrt(np.diag(found.covariance))

    def with_velocity(part: Array, place: int, rate: Array, velocity: float) -> Array:
        part[:, place] = np.tanh(rate / velocity)
        return part

    for k, i in enumerate(np.flatnonzero(equations.joints).tolist()):
        own = np.flatnonzero(rows[:, i, : equations.first_body].any(axis=0)).tolist()
        name = f'{equations.robot.joint_names[i]}.coulomb'
        dry = [p for p in own if equations.names[p] == name]
        if not dry or found.values[dry[0]] < _CLEAR * deviations[dry[0]]:
            continue
        part, rate = rows[:, i, own], rates[:, i]
        rest = residuals[:, k] + part @ found.values[own]
        of_velocity = partial(with_velocity, part, own.index(dry[0]), rate)
        fastest = np.abs(rate).max() * _RANGE
        initial[Field.VELOCITY, i] = best_velocity(of_velocity, rest, *fastest)
    return replace(equations, initial=initial)


def best_velocity(
    columns: Callable[[float], Array],
    rest: Array,
    slowest: float,
    fastest: float,
    positive: int | None = None,
) -> float:
    """
    Return the velocity with which `columns` (T, K) explain most of `rest` (T,).

    One of the columns may have to be `positive`: velocities with which it is not do not count.
    """
    tried = np.log(np.geomspace(slowest, fastest, _TRIED))
    left = np.empty(_TRIED)
    for k, velocity in enumerate(np.exp(tried).tolist()):
        part = columns(velocity)
        part, side = np.split(triangle(np.column_stack((part, rest))), [-1], axis=1)
        found = np.linalg.lstsq(part, side)[0]
        left[k] = np.sum((side - part @ found) ** 2)
        if positive is not None and found[positive] < 0.0:
            left[k] = np.sum(side**2)
    best = min(max(int(np.argmin(left)), 1), _TRIED - 2)
    near = slice(best - 1, best + 2)
    bend, slope, _ = np.polyfit(tried[near] - tried[best], left[near], 2)
    step = tried[1] - tried[0]
    shift = np.clip(-0.5 * slope / bend, -step, step) if bend > 0.0 else 0.0
    return float(np.exp(tried[best] + shift))
