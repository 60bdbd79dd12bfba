# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fit of a rigid robot to efforts of joints: its parameters, Coulomb velocities and delays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.estimation.identification.columns import Columns
from screw_dynamics.estimation.identification.least_squares import Fit, Window, fit, triangle
from screw_dynamics.estimation.identification.samples import MOST_DELAY, Samples

RANGE = np.array([1e-3, 0.3])  # of the largest velocity of the joint
_TRIED = 30
_MOST = 6000  # samples that are compared
CLEAR = 3.0  # standard deviations of Coulomb friction that shows
_ROUNDS = 2  # of fits with other velocities, and with other delays
_LEAST, _MOST_LINEAR = 1e-3, 0.2  # s, of delays; beyond, efforts are not linear in them
_SURE = 6.0  # standard deviations of a delay


class JointFit(NamedTuple):
    """The fit of columns to the efforts of their joints without the delays (n,)."""

    columns: Columns
    fit: Fit
    delays: Array


def fitted_joints(
    columns: Columns,
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
    joints, jets, times = columns.joints, samples.jets().links, samples.recording.times
    spread = samples.motion.spread(columns.model, times, jets)[:, joints]
    known, taken = columns.known(jets), np.zeros(columns.model.n)

    def fitted(columns: Columns, efforts: Array) -> Fit:
        rest = (efforts - known)[:, joints]
        return fit(lambda part: columns.of(jets[part])[:, joints], rest, spread, windows)

    found, efforts = fitted(columns, samples.efforts), samples.efforts
    for _ in range(_ROUNDS * velocities):
        speeds = _velocities(columns, jets, found)
        columns = replace(columns, coulomb_velocity=speeds)
        found = fitted(columns, efforts)
    plain = found
    for _ in range(_ROUNDS * delays):
        more = _delays(columns, samples, efforts[:, joints], spread, windows, found)
        if not more.any():
            break
        taken[joints] += more
        efforts = samples.on_time(taken)
        found = fitted(columns, efforts)
    left = [np.linalg.norm(one.residuals, axis=0) + 1e-30 for one in (plain, found)]
    if np.log(left[1] / left[0]).sum() > 0.0:  # sure by the few windows of a short recording
        return JointFit(columns, plain, np.zeros_like(taken))
    return JointFit(columns, found, taken)


def _delays(
    columns: Columns,
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
    jets, times, joints = samples.jets().links, samples.recording.times, columns.joints
    every, count = columns.of_all_links, efforts.shape[1]
    dry = np.char.endswith(np.array(columns.names), '.coulomb')
    smooth = efforts - found.residuals
    smooth -= (columns.of(jets)[..., dry] @ found.values[dry])[:, joints]
    instants, first, place = np.unique(times, return_index=True, return_inverse=True)
    rates = np.gradient(smooth[first], instants, axis=0)[place]

    def of(part: slice) -> Array:
        own = -rates[part][..., np.newaxis] * np.eye(count)
        return np.concatenate((every.of(jets[part])[:, joints], own), axis=2)

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


def _velocities(columns: Columns, jets: Array, found: Fit) -> Array:
    """
    Return the velocities (n,) with which Coulomb friction explains most, all else as `found`.

    Joints whose friction does not show keep their velocity.
    """
    result: Array = columns.velocities.copy()
    some = slice(None, None, -(-len(jets) // _MOST))
    jets, residuals = jets[some], found.residuals[some]
    rates = columns.motor_rates(jets)
    rows = columns.of(jets)
    deviations = np.sqrt(np.diag(found.covariance))

    def with_velocity(part: Array, place: int, rate: Array, velocity: float) -> Array:
        part[:, place] = np.tanh(rate / velocity)
        return part

    for k, i in enumerate(np.flatnonzero(columns.joints).tolist()):
        own = np.flatnonzero(rows[:, i, : len(columns.positive)].any(axis=0)).tolist()
        dry = [p for p in own if columns.names[p] == f'{columns.model.joint_names[i]}.coulomb']
        if not dry or found.values[dry[0]] < CLEAR * deviations[dry[0]]:
            continue
        part, rate = rows[:, i, own], rates[:, i]
        rest = residuals[:, k] + part @ found.values[own]
        of_velocity = partial(with_velocity, part, own.index(dry[0]), rate)
        result[i] = best_velocity(of_velocity, rest, *(np.abs(rate).max() * RANGE))
    return result


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
