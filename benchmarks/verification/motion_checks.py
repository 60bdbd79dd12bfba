# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Curves in rational arithmetic, the filter of streams, speeds, observers and linear models."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import perm
from typing import Any

import mpmath
import numpy as np
from oracles import two_links

import screw_dynamics as sd
from benchmarks.verification.measures import Measure, difference, subject
from screw_dynamics.common.arrays import Array
from screw_dynamics.series import scale_speed
from screw_dynamics.simulation import ElasticRobot, natural_frequencies
from screw_dynamics.simulation.linearized_dynamics import linearized_dynamics
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    Waypoints,
    jtc_trajectory,
    smooth_trajectory,
    waypoints_from_points,
)
from screw_dynamics.trajectory.reference.reference_filter import ReferenceFilter

CURVES = 'Curves and references'
RATIONAL = 'rational arithmetic'
TERMS = 'relative to the terms of the polynomial'
MOTIONS = 'Observers, speeds and linear models'


def _waypoints(points: int, joints: int, derivatives: int) -> Waypoints:
    """Return random points from rest to rest, with velocities and accelerations if asked for."""
    rng = np.random.default_rng(points)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 1.5, points - 1))])
    values = rng.normal(size=(derivatives + 1, points, joints))
    values[1:, [0, -1]] = 0.0
    names = [f'joint_{j}' for j in range(joints)]
    rows = [
        (float(t), *(values[d, i] if d <= derivatives else [] for d in range(3)))
        for i, t in enumerate(times)
    ]
    return waypoints_from_points(names, rows, names)


def _exact(curve: PiecewisePolynomial, segment: int, order: int, joint: int, u: Fraction) -> Any:
    """Return a derivative inside a segment and the sum of the sizes of its terms."""
    h = Fraction(curve.breaks[segment + 1]) - Fraction(curve.breaks[segment])
    terms = [
        perm(k, order) * Fraction(c) * u ** (k - order) / h**order
        for k, c in enumerate(curve.coefficients[segment, :, joint])
        if k >= order
    ]
    return sum(terms, Fraction(0)), sum((abs(term) for term in terms), Fraction(0))


def _jumps(curve: PiecewisePolynomial, orders: int) -> float:
    """Return the largest jump at a break, of derivatives below `orders`, to its own terms."""
    worst = 0.0
    segments, _, joints = curve.coefficients.shape
    for i in range(segments - 1):
        for order in range(orders):
            for joint in range(joints):
                left, size = _exact(curve, i, order, joint, Fraction(1))
                right, other = _exact(curve, i + 1, order, joint, Fraction(0))
                worst = max(worst, float(abs(left - right) / max(size, other, Fraction(1, 10**9))))
    return worst


def _missed(curve: PiecewisePolynomial, waypoints: Waypoints, rows: int) -> float:
    """Return the largest distance from the positions and derivatives of the points."""
    given = (waypoints.positions, waypoints.velocities, waypoints.accelerations)[:rows]
    found = curve.jets(waypoints.times, rows=rows)
    return max(difference(found[:, d], values) for d, values in enumerate(given))


@subject(CURVES)
def of_curves() -> Iterator[Measure]:
    """Compare curves with their points, and their pieces with each other."""
    for function, orders, derivatives in (
        (smooth_trajectory, 5, 0),
        (smooth_trajectory, 5, 2),
        (jtc_trajectory, 3, 2),
    ):
        points = _waypoints(8, 3, derivatives)
        curve = function(points)
        few, many = _waypoints(20, 7, derivatives), _waypoints(200, 7, derivatives)
        words = 'positions' if derivatives == 0 else 'positions to accelerations'
        yield Measure(
            function, f'points with {words}', _missed(curve, points, derivatives + 1),
            call=partial(function, few), growth=(partial(function, many), 10.0),
        )  # fmt: skip
        yield Measure(
            function, f'{RATIONAL}: pieces meet to order {orders - 1}', _jumps(curve, orders),
            reason=TERMS,
        )  # fmt: skip


@subject(CURVES)
def of_samples() -> Iterator[Measure]:
    """Compare rows of sampled curves with rational arithmetic."""
    curve = smooth_trajectory(_waypoints(8, 3, 0))
    worst = 0.0
    for segment in range(len(curve.coefficients)):
        start, end = curve.breaks[segment : segment + 2]
        for share in (0.0, 0.3, 0.8):
            t = start + share * (end - start)
            jet = curve.jets([t], rows=5)[0]
            u = (Fraction(t) - Fraction(start)) / (Fraction(end) - Fraction(start))
            for order, joint in np.ndindex(jet.shape):
                value, size = _exact(curve, segment, order, joint, u)
                if size:
                    error = abs(Fraction(jet[order, joint]) - value)
                    worst = max(worst, float(error / size))
    times = np.linspace(0.0, float(curve.breaks[-1]), 1000)
    yield Measure(
        PiecewisePolynomial.jets, RATIONAL, worst, reason=TERMS,
        call=lambda: curve.jets(times[:100]), growth=(lambda: curve.jets(times), 10.0),
    )  # fmt: skip


@subject(CURVES)
def of_filters() -> Iterator[Measure]:
    """Compare the filter of streams with the exponential of its state matrix in 60 digits."""
    worst = 0.0
    for order in (5, 8, 12):
        smooth = ReferenceFilter(1, order, bandwidth=3.0)
        state = np.zeros((order, 1))
        state[:5, 0] = np.random.default_rng(order).normal(size=5)
        scale = smooth.pole ** np.arange(5)[:, None]
        smooth.start([0.3], state[:5] * scale)
        got = smooth.sample(0.7 / smooth.pole, np.empty((5, 1))) / scale
        with mpmath.workdps(60):
            matrix = mpmath.matrix(order, order)
            for k in range(order):
                matrix[order - 1, k] = -mpmath.binomial(order, k)
                if k + 1 < order:
                    matrix[k, k + 1] = 1
            rest = mpmath.matrix([0.3] + [0.0] * (order - 1))
            moved = rest + mpmath.expm(matrix * mpmath.mpf(0.7)) * (mpmath.matrix(state) - rest)
            expected = np.array([[float(moved[k])] for k in range(5)])
        worst = max(worst, difference(got, expected))
    smooth, out = ReferenceFilter(7), np.empty((5, 7))
    smooth.start(np.zeros(7))
    smooth.follow(np.ones(7))
    yield Measure(
        ReferenceFilter, 'matrix exponential in 60 digits', worst,
        call=lambda: smooth.sample(0.01, out),
    )  # fmt: skip


@subject(CURVES)
def of_speeds() -> Iterator[Measure]:
    """Compare motions at another speed with exact powers, and slowed ones with their limits."""
    jet = np.random.default_rng(1).normal(size=(6, 7))
    powers = np.array([float(Fraction(0.3) ** d) for d in range(6)])[:, None]
    yield Measure(
        scale_speed, RATIONAL, difference(scale_speed(jet.copy(), 0.3), jet * powers),
        call=lambda: scale_speed(jet.copy(), 0.9),
    )  # fmt: skip
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    times = np.linspace(0.0, 1.0, 201)
    waves = 2.0 * np.pi * times[:, None] + np.arange(model.n)
    jets = np.stack(
        [20.0 * (2.0 * np.pi) ** (d - 1) * np.sin(waves + d * np.pi / 2) for d in range(5)], axis=1
    )
    jets[:, 0] *= 0.1
    found = sd.slow_down(model, jets, times)
    powers = found.factor ** np.arange(5)[:, None]
    slowed = sd.check_feasibility(model, jets / powers, times * found.factor)
    left = max(check.excess for check in slowed.checks)
    yield Measure(
        sd.slow_down, 'the limit that binds', abs(left), 1e-8,
        'the factor is found to 1e-9', lambda: sd.slow_down(model, jets, times),
    )  # fmt: skip


@subject(MOTIONS)
def of_observers() -> Iterator[Measure]:
    """Compare the load on a robot at rest with the response of a filter of first order."""
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    rng, n, bandwidth, step = np.random.default_rng(2), model.n, 30.0, 0.005
    q, load = rng.uniform(-1.0, 1.0, n), rng.normal(size=n)
    observer = sd.LoadObserver(model, bandwidth=bandwidth)
    measured, worst = sd.gravity_forces(model, q) - load, 0.0
    size = float(np.abs(measured).max())
    for i in range(200):
        found = observer.update(i * step, q, np.zeros(n), measured)
        expected = load * -np.expm1(-bandwidth * step * i)
        worst = max(worst, difference(found, expected, size))
    clock = iter(np.arange(1, 10**7) * step + 10.0)
    yield Measure(
        sd.LoadObserver.update, 'step response in closed form', worst,
        call=lambda: observer.update(next(clock), q, np.zeros(n), measured),
    )  # fmt: skip


@subject(MOTIONS)
def of_linear_models() -> Iterator[Measure]:
    """Compare linear models of the planar arm with elastic joints with differences."""
    robot, q = two_links.robot(), two_links.START
    simulation = ElasticRobot(robot)
    qd, rate, tau = np.array([[0.3, -0.2], [0.1, 0.4], [1.0, -2.0]])
    theta = q + [0.02, -0.03]
    state = simulation.state(q, qd, theta, rate)

    def linear() -> Any:
        return linearized_dynamics(robot, q, qd, tau, motor_position=theta, motor_velocity=rate)

    expected = _slopes(lambda x: simulation.derivatives(x, tau), state)
    yield Measure(
        linearized_dynamics, 'differences of order 6 of the simulated equations',
        difference(linear().state_matrix, expected), 1e-9, 'error of the differences', linear,
    )  # fmt: skip
    mass = two_links.mass_matrix(q)
    stiffness, rotors = np.diag(two_links.STIFFNESS), np.array(two_links.ROTORS)
    with mpmath.workdps(50):
        compliance = mpmath.matrix(mass.tolist()) ** -1 + mpmath.diag((1 / rotors).tolist())
        squares = mpmath.eig(compliance * mpmath.matrix(stiffness.tolist()), right=False)
        frequencies = sorted(float(mpmath.sqrt(mpmath.re(s))) for s in squares)
    yield Measure(
        natural_frequencies, 'eigenvalues in 50 digits of equations by hand',
        difference(natural_frequencies(robot, q), frequencies),
        call=lambda: natural_frequencies(robot, q),
    )  # fmt: skip


def _slopes(function: Any, at: Array, step: float = 2e-3) -> Array:
    """Return the Jacobian by central differences of order 6."""
    columns = []
    for unit in step * np.eye(len(at)):
        a, b, c = (function(at + k * unit) - function(at - k * unit) for k in (1, 2, 3))
        columns.append((45.0 * a - 9.0 * b + c) / (60.0 * step))
    return np.column_stack(columns)
