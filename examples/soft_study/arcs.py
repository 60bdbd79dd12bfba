# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation 3 of P2025: chains of planar arcs, recursion beside Lagrange's equations."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.series.series_array import SeriesArray

LENGTH, RADIUS, DENSITY = 0.3, 0.03, 1000.0  # m, m, kg/m^3
COUNTS = (1, 2, 3, 4, 6, 8, 10, 15, 20)  # bodies
CHECKED = (1, 2, 3, 4, 5, 6)  # of which accuracy is examined, as in P2025
SYMBOLIC = (1, 2)  # bodies of which SymPy's equations are built
SAMPLES = 100
RANGES = np.array([np.pi, 10.0, 100.0])  # of q, q', q''


@dataclass(frozen=True, eq=False)
class Costs:
    """Seconds to build and to evaluate (methods by number of bodies)."""

    build: dict[str, dict[int, float]]
    evaluation: dict[str, dict[int, float]]


def chain(count: int) -> sd.soft.SoftRobot:
    """Return a chain without gravity, as the simulation compares inertial efforts."""
    mass = DENSITY * np.pi * RADIUS**2 * LENGTH
    arc = sd.soft.PlanarConstantCurvature(LENGTH, RADIUS, mass)
    return sd.soft.SoftRobot([arc] * count, gravity=(0.0, 0.0, 0.0))


def lagrange_efforts(robot: sd.soft.SoftRobot, jet: Array) -> Array:
    """
    Return the inertial efforts (n,) of a motion (3, n) by Lagrange's equations.

    The kinetic energy is that of the material points in the frame of the base, differentiated
    automatically: with all partial derivatives of the points along the motion,
    ``d/dt dT/dq' - dT/dq = sum of m (df/dq)^T f''``, without recursion over the bodies.
    """
    q = SeriesArray.variables(jet)
    rotation: Any = np.eye(3)
    origin: Any = np.zeros(3)
    efforts = np.zeros(robot.n)
    for module, own in zip(robot.modules, robot.slices, strict=True):
        part = q[own]
        if module.masses.any():
            points = module.positions(part) @ rotation.T + origin
            accelerations = points.jet()[2]
            partials = points.partials()[0]
            efforts += np.einsum('i,ij,ijk->k', module.masses, accelerations, partials)
        turn, shift = module.tip_pose(part)
        origin = origin + rotation @ shift
        rotation = rotation @ turn
    return efforts


def differences(count: int, samples: int = SAMPLES) -> Array:
    """Return the differences (samples,) of both methods, relative to the largest effort."""
    robot = chain(count)
    jets = np.random.default_rng(count).uniform(-1.0, 1.0, (samples, 3, count))
    jets *= RANGES[:, np.newaxis]
    recursive = sd.inverse_dynamics(robot, jets)[:, 0]
    lagrange = np.array([lagrange_efforts(robot, jet) for jet in jets])
    gaps: Array = abs(recursive - lagrange).max(axis=1) / abs(lagrange).max(axis=1)
    return gaps


def symbolic_efforts(count: int) -> Callable[..., Any]:
    """Return the efforts as a function of q, q', q'' from Lagrange's equations in SymPy."""
    import sympy as sp

    q, qd, qdd = (sp.symbols(f'{name}1:{count + 1}') for name in ('q', 'v', 'a'))
    s = sp.Symbol('s', positive=True)
    mass = DENSITY * np.pi * RADIUS**2 * LENGTH
    energy, angle, x, z = sp.Integer(0), sp.Integer(0), sp.Integer(0), sp.Integer(0)
    for own in q:
        turned = angle + own * s
        along = [LENGTH * (sp.cos(turned) - sp.cos(angle)) / own,
                 LENGTH * (sp.sin(turned) - sp.sin(angle)) / own]  # fmt: skip
        rates = [
            sum(sp.diff(c, u) * v for u, v in zip(q, qd, strict=True))
            for c in (x + along[0], z + along[1])
        ]
        spin = sum(sp.diff(turned, u) * v for u, v in zip(q, qd, strict=True))
        density = rates[0] ** 2 + rates[1] ** 2 + RADIUS**2 / 4 * spin**2
        expanded = sp.expand(sp.expand_trig(sp.expand(density)))
        energy += mass / 2 * sp.integrate(expanded, (s, 0, 1))
        angle, x, z = angle + own, x + along[0].subs(s, 1), z + along[1].subs(s, 1)
    efforts = []
    for u, v in zip(q, qd, strict=True):
        momentum = sp.diff(energy, v)
        rate = sum(sp.diff(momentum, a) * b for a, b in zip(q, qd, strict=True))
        rate += sum(sp.diff(momentum, a) * b for a, b in zip(qd, qdd, strict=True))
        efforts.append(rate - sp.diff(energy, u))
    return sp.lambdify([*q, *qd, *qdd], efforts, 'math', cse=True)  # type: ignore[no-any-return]


def costs(
    counts: Sequence[int] = COUNTS,
    symbolic: Sequence[int] = SYMBOLIC,
    progress: Callable[[], object] = lambda: None,
) -> Costs:
    """Measure building and evaluating at q = q' = q'' = 1 on this machine."""
    build: dict[str, dict[int, float]] = {'recursive': {}, 'automatic': {}, 'symbolic': {}}
    evaluation: dict[str, dict[int, float]] = {'recursive': {}, 'automatic': {}, 'symbolic': {}}
    sd.inverse_dynamics(chain(1), np.ones((3, 1)))  # loads the kernels
    for count in counts:
        jet = np.ones((3, count))
        robot = chain(count)
        build['recursive'][count] = _seconds(partial(_with_table, count))
        build['automatic'][count] = _seconds(partial(chain, count))
        evaluation['recursive'][count] = _seconds(partial(sd.inverse_dynamics, robot, jet))
        evaluation['automatic'][count] = _seconds(partial(lagrange_efforts, robot, jet))
        progress()
    for count in symbolic:
        begun = time.perf_counter()
        function = symbolic_efforts(count)
        build['symbolic'][count] = time.perf_counter() - begun
        ones = [1.0] * (3 * count)
        evaluation['symbolic'][count] = _seconds(partial(function, *ones))
        progress()
    return Costs(build, evaluation)


def _with_table(count: int) -> object:
    """Return the tables of a new chain for the compiled kernels."""
    return chain(count).kernel_table


def _seconds(call: Callable[[], object]) -> float:
    """Return the median time of a call, of at least 5 and 20 ms of them."""
    times: list[float] = []
    while len(times) < 5 or sum(times) < 0.02:
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return float(np.median(times))
