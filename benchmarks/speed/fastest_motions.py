# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of `retime` on random paths, beside slowing down and TOPP-RA."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import screw_dynamics as sd
from benchmarks.report import Report, Requirement
from screw_dynamics.common.arrays import Array
from screw_dynamics.limits.retiming.limited_quantities import limited_robot
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints, smooth_trajectory

PATHS = 50
EFFORT_RATE = 1500.0  # N m/s
LARGEST_EFFORT = 320.0  # limit of the first two joints [N m]
GRID = 401  # of TOPP-RA
INSTANTS = 20_000


@dataclass
class Times:
    """Random paths: numbers of points, durations of motions and of their computation [s]."""

    points: list[int] = field(default_factory=list)
    fast: list[float] = field(default_factory=list)
    slowed: list[float] = field(default_factory=list)
    without_rate_limit: list[float] = field(default_factory=list)
    toppra: list[float] = field(default_factory=list)
    computation: list[float] = field(default_factory=list)
    computation_of_toppra: list[float] = field(default_factory=list)
    largest_share: float = 0.0  # of a limit


def random_points(model: sd.ScrewModel, seed: int) -> Array:
    """Return two to seven random configurations, (P, n)."""
    rng = np.random.default_rng(seed)
    low, high = np.maximum(model.limits.lower, -2.0), np.minimum(model.limits.upper, 2.0)
    return 0.6 * rng.uniform(low, high, (rng.integers(2, 8), model.n))


def random_path(model: sd.ScrewModel, seed: int) -> PiecewisePolynomial:
    """Return a curve through two to seven random configurations."""
    positions = random_points(model, seed)
    free = np.full(positions.shape, np.nan)
    times = np.arange(len(positions), dtype=float)
    return smooth_trajectory(Waypoints(model.joint_names, times, positions, free, free))


def durations() -> Times:
    """Return the times of all paths."""
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    limits = {'effort_rate': EFFORT_RATE}
    robot = limited_robot(model, limits)
    sd.retime(model, random_path(model, 0), limits)
    times = Times()
    for seed in range(1, PATHS + 1):
        path = random_path(model, seed)
        times.points.append(random_points(model, seed).shape[0])
        begin = time.perf_counter()
        fast = sd.retime(model, path, limits)
        times.computation.append(time.perf_counter() - begin)
        times.fast.append(fast.duration)
        times.without_rate_limit.append(sd.retime(model, path).duration)
        instants = np.linspace(*path.breaks[[0, -1]], 400)[:-1]
        slow = sd.slow_down(robot, path.jets(instants), instants, tolerance=1e-3)
        times.slowed.append(path.duration * slow.factor)
        times.largest_share = max(times.largest_share, _largest_share(model, fast))
        if find_spec('toppra') is not None:
            begin = time.perf_counter()
            times.toppra.append(toppra_duration(model, path))
            times.computation_of_toppra.append(time.perf_counter() - begin)
    return times


def _largest_share(model: sd.ScrewModel, fast: PiecewisePolynomial) -> float:
    jets = fast.jets(np.linspace(*fast.breaks[[0, -1]], INSTANTS)[:-1])
    tau = sd.inverse_dynamics(model, jets)
    limits = model.limits
    shares = (
        jets[:, 1] / limits.velocity,
        tau[:, 0] / limits.effort,
        tau[:, 1] / EFFORT_RATE,
    )
    return float(np.abs(shares).max())


def toppra_duration(model: sd.ScrewModel, path: PiecewisePolynomial) -> float:
    """Return the least time under limits of velocity and effort by TOPP-RA."""
    # its parts have no type hints
    toppra: Any = import_module('toppra')
    constraint: Any = import_module('toppra.constraint')
    algorithm: Any = import_module('toppra.algorithm')
    # a parameter with which the path does not begin at rest
    positions = path.jets(np.linspace(*path.breaks[[0, -1]], INSTANTS), rows=1)[:, 0]
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(positions, axis=0), axis=1)))
    knots = np.linspace(0.0, length[-1], GRID)
    points = np.stack([np.interp(knots, length, q) for q in positions.T], axis=1)

    def efforts(q: Array, qd: Array, qdd: Array) -> Array:
        return sd.inverse_dynamics(model, np.stack((q, qd, qdd)))[0]

    both = np.array([-1.0, 1.0])
    limits = model.limits
    bounds = [
        constraint.JointVelocityConstraint(limits.velocity[:, np.newaxis] * both),
        constraint.JointTorqueConstraint(
            efforts, limits.effort[:, np.newaxis] * both, np.zeros(model.n)
        ),
    ]
    problem = algorithm.TOPPRA(bounds, toppra.SplineInterpolator(knots, points), gridpoints=knots)
    _, speeds, _ = problem.compute_parameterization(0, 0)
    return float((2.0 * np.diff(knots) / (speeds[1:] + speeds[:-1])).sum())


def measure(report: Report) -> None:
    """
    Add durations and computation, with their bounds.

    An effort limit L and a rate limit R make the least motion of one joint from rest to rest L / R
    longer, whatever its length: only motions of more than 10 L / R = 2.1 s need lose less than a
    tenth. Paths of two points take less, those of more points nearly all more.
    """
    times = durations()
    fast, free = np.array(times.fast), np.array(times.without_rate_limit)
    slowed, points = np.array(times.slowed) / fast, np.array(times.points)
    loss, ramp = fast / free, LARGEST_EFFORT / EFFORT_RATE
    label = f'retime, {PATHS} random paths'
    report.require(
        Requirement(
            f'{label}, those of three points and more: longest motion / without a rate limit',
            float(loss[points > 2].max()),
            1.10,
        ),
        Requirement(
            f'{label}, most time lost by the rate limit / (effort limit / rate limit)',
            float((fast - free).max() / ramp),
            1.0,
        ),
        Requirement(f'{label}, largest share of a limit', times.largest_share, 1.0),
        Requirement(f'{label}, longest computation', max(times.computation), 1.0, unit=' s'),
        Requirement(f'{label}, least slow_down / retime', float(slowed.min()), 1.5, at_least=True),
    )
    rows = {
        'slow_down / retime, durations': slowed,
        'retime / retime without a rate limit, durations': loss,
        'the same, paths of two points': loss[points == 2],
        'retime, computation [s]': np.array(times.computation),
    }
    note = 'TOPP-RA was not installed (`pip install toppra`).'
    if times.toppra:
        rows['retime without a rate limit / TOPP-RA, durations'] = free / times.toppra
        rows['TOPP-RA, computation [s]'] = np.array(times.computation_of_toppra)
        note = f'TOPP-RA (`pip install toppra`, {GRID} stations) has no limit of the effort rate.'
    report.heading('Fastest motions along paths')
    report.text(
        f'{PATHS} random paths of the iiwa through two to seven configurations, with limits of '
        f'velocity and effort of the URDF and an effort rate of {EFFORT_RATE:g} N m/s.'
    )
    cells = [[name, f'{np.median(x):.3g}', f'{x.max():.3g}'] for name, x in rows.items()]
    report.table(['quantity', 'median', 'largest'], cells)
    report.text(note)
