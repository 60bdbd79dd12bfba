# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel of smooth trajectories: beside its NumPy form, as Python, its constraints."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest

from screw_dynamics.kernels.kernel import Kernel, kernel_form
from screw_dynamics.kernels.smooth.knot_derivatives import choose_free_derivatives
from screw_dynamics.trajectory import Waypoints, smooth_trajectory
from screw_dynamics.trajectory.smooth import knot_derivatives
from screw_dynamics.trajectory.smooth.quadratic_program import TOLERANCE, ConvexProgram

JOINTS = 3

needs_c = pytest.mark.skipif(kernel_form() != 'c', reason='needs the extension module')


def moves(rng, kind, count):
    """Steps of one kind between waypoints."""
    steps = rng.normal(size=(count, JOINTS))
    if kind == 'repeated':
        return np.round(steps)
    if kind == 'flat runs':
        return steps * (rng.random(steps.shape) < 0.5)
    if kind == 'tiny and huge':
        return steps * 10.0 ** rng.uniform(-8.0, 3.0, steps.shape)
    return np.abs(steps) * 10.0 ** rng.uniform(-3.0, 1.0, steps.shape)  # monotone


def random_waypoints(seed, kind):
    """Waypoints, a third of them with velocities if `kind` says so, and a moving start state."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    exponents = (
        rng.uniform(-4.0, 2.0, count) if kind == 'uneven times' else rng.uniform(-1, 0, count)
    )
    times = np.cumsum(np.append(0.0, 10.0**exponents))
    positions = np.cumsum(np.vstack((np.zeros(JOINTS), moves(rng, kind, count))), axis=0)
    velocities = np.full(positions.shape, np.nan)
    if kind == 'velocities':
        given = rng.random(positions.shape) < 0.3
        velocities[given] = 10.0 * rng.normal(size=given.sum())
    accelerations = np.full(positions.shape, np.nan)
    waypoints = Waypoints(('a', 'b', 'c'), times, positions, velocities, accelerations)
    return waypoints, rng.normal(size=(5, JOINTS)) if kind == 'moving start' else None


def positions_within(curve):
    """Positions (21, S, n) at even instants of every segment."""
    powers = np.linspace(0.0, 1.0, 21)[:, None] ** np.arange(curve.coefficients.shape[1])
    return np.einsum('uk,skn->usn', powers, curve.coefficients)


KINDS = [
    'monotone',
    'repeated',
    'flat runs',
    'tiny and huge',
    'uneven times',
    'velocities',
    'moving start',
]


@pytest.fixture
def in_python(monkeypatch):
    """A block in which kernels run as Python."""

    @contextmanager
    def block():
        with monkeypatch.context() as patch:
            patch.setattr(Kernel, 'compiled', property(lambda kernel: None))
            yield

    return block


@pytest.fixture
def recorded(monkeypatch):
    """The arguments of all calls of the kernel in C, after the call."""
    calls = []

    class Recorder(Kernel):
        def __call__(self, *arguments):
            choose_free_derivatives(*arguments)
            calls.append(arguments)

    recorder = Recorder(choose_free_derivatives.function, choose_free_derivatives.signature)
    monkeypatch.setattr(knot_derivatives, 'choose_free_derivatives', recorder)
    return calls


@needs_c
@pytest.mark.parametrize('kind', KINDS)
def test_kernel_and_numpy_form_return_the_same_curve(kind, in_python):
    for seed in range(20):
        waypoints, start = random_waypoints(seed, kind)
        with in_python():
            expected = positions_within(smooth_trajectory(waypoints, start))
        found = positions_within(smooth_trajectory(waypoints, start))
        # both end at a relative gap of 1e-6, on the same path but for rounding
        bound = 1e-9 * np.ptp(expected, axis=(0, 1)) + np.finfo(float).tiny
        assert (np.abs(found - expected) <= bound).all(), seed


@needs_c
@pytest.mark.parametrize(('seed', 'kind'), [(0, 'monotone'), (1, 'velocities')])
def test_the_kernel_returns_the_same_as_python(seed, kind, recorded):
    smooth_trajectory(*random_waypoints(seed, kind))
    assert len(recorded) == 1
    expected = np.empty_like(recorded[0][-1])
    with np.errstate(all='ignore'):
        choose_free_derivatives.function(*recorded[0][:-1], expected)
    # compiled code fuses products and sums; derivatives that only rounding decides are left out
    np.testing.assert_allclose(recorded[0][-1], expected, rtol=1e-6, atol=1e-6)


@needs_c
@pytest.mark.parametrize('kind', KINDS)
def test_the_choice_of_the_kernel_satisfies_the_rows_of_the_program(kind, recorded):
    for seed in range(10):
        smooth_trajectory(*random_waypoints(seed, kind))
    assert len(recorded) == 10
    for h, steps, anchor, free, *_, found in recorded:
        np.testing.assert_array_equal(found[~free], anchor[~free])
        rows, offsets = knot_derivatives.shape_constraints(h, steps, anchor, free)
        roughness = knot_derivatives.roughness(h, steps, anchor, free)
        program = ConvexProgram(*roughness, rows, offsets, free)
        # the matrices of the program are other products: their rounding beside the tolerance
        assert program.slack(np.where(free, found, 0.0)).min() >= -2.0 * TOLERANCE


def test_in_python_the_numpy_form_runs(in_python):
    waypoints, _ = random_waypoints(1, 'monotone')
    with in_python():
        jets = smooth_trajectory(waypoints).jets(waypoints.times[:-1], 1)
    np.testing.assert_array_equal(jets[:, 0], waypoints.positions[:-1])
