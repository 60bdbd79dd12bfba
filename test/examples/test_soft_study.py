# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The simulations of P2025: toy example, chains of arcs, soft and hybrid arms."""

import math
import subprocess
import sys

import numpy as np
import pytest
from helpers.patience import patience

import screw_dynamics as sd
from soft_study import arcs, helicoid, helicoid_motion, hybrid, toy
from soft_study.records import FOLDER, recorded_circles, recorded_equilibria, recorded_motion

pytestmark = [pytest.mark.first, pytest.mark.long, pytest.mark.processes]


@pytest.mark.parametrize('q', [0.0, 1e-8, 0.03, 0.7, 0.999, 1.001, 2.5, -3.0])
def test_the_toy_example_has_the_efforts_of_the_kernel(q):
    length, radius, mass = 0.3, 0.05, 800.0 * math.pi * 0.05**2 * 0.3
    arc = sd.soft.PlanarConstantCurvature(length, radius, mass)
    robot = sd.soft.SoftRobot([arc], gravity=(0.0, 0.0, 0.0))
    expected = sd.inverse_dynamics(robot, [[q], [-1.3], [2.1]])[0, 0]
    # at 1 the recurrence of E_n loses two digits
    assert toy.effort(q, -1.3, 2.1, length, radius, mass) == pytest.approx(expected, rel=1e-11)
    assert toy.inertia(q, length, radius, mass) == pytest.approx(
        sd.mass_matrix(robot, [q])[0, 0], rel=1e-11
    )


def test_the_toy_example_has_the_corrected_values():
    """The unit body at q = 0.7, by quadrature in 40 digits."""
    found = toy.terms(0.7, -1.3, 2.1, 1.0, 1.0, math.pi)
    assert found == pytest.approx([1.141318711, 0.04863781709, 1.084962215, 0.218904295], rel=1e-9)
    assert toy.effort(0.7, -1.3, 2.1, 1.0, 1.0, math.pi) == pytest.approx(0.866057920197)


@pytest.mark.parametrize('count', arcs.CHECKED)
def test_the_recursion_agrees_with_lagrange_at_the_samples_of_the_paper(count):
    gaps = arcs.differences(count, 20)
    # P2025 has 1e-14; the largest effort of a sample may cancel
    assert gaps.mean() < 3e-14 and gaps.max() < 3e-13


def test_lagranges_equations_in_symbols_agree():
    pytest.importorskip('sympy', reason='symbolic equations need SymPy')
    jet = np.array([0.7, -1.3, 2.1])
    robot = arcs.chain(1)
    found = arcs.symbolic_efforts(1)(*jet)
    assert found == pytest.approx(sd.inverse_dynamics(robot, jet[:, np.newaxis])[0], rel=1e-10)


def test_costs_are_measured_for_every_number_of_bodies():
    found = arcs.costs((1, 3), ())
    assert set(found.evaluation['recursive']) == {1, 3} == set(found.build['automatic'])
    assert min(found.evaluation['automatic'].values()) > 0.0


@pytest.mark.parametrize(
    'others', [(), pytest.param(('arcs', 'helicoid'), marks=pytest.mark.long)], ids=len
)
def test_the_first_instants_of_simulations_are_drawn(tmp_path, others):
    """In a process of its own: at its end a job ignores the signals that stop it."""
    pytest.importorskip('soft_study.job', reason='figures need matplotlib')
    command = [sys.executable, '-m', 'screw_dynamics.demo', 'soft', '--short', '-o', str(tmp_path)]
    run = subprocess.run(
        [*command, '--only', 'toy', 'hybrid', *others],
        capture_output=True,
        text=True,
        timeout=patience(),
    )
    assert run.returncode == 0, run.stderr
    assert 'simulation 2: ' in run.stdout and 'Toy example' in run.stderr
    for name in ('hybrid', *others):
        assert (tmp_path / f'{name}.png').stat().st_size > 20_000
    times, columns = recorded_motion(tmp_path / 'hybrid.csv')
    assert times[-1] == 0.1 and columns['input'].shape == (len(times), 10)


def test_the_recorded_motion_ends_at_the_targets_of_the_paper():
    times, columns = recorded_motion(FOLDER / 'hybrid.csv')
    position, inputs = columns['position'], columns['input']
    assert np.allclose(position[-1, hybrid.JOINTS], hybrid.TARGET, rtol=0.0, atol=1e-4)
    assert np.allclose(position[-1, hybrid.ARM], hybrid.SOFT_TARGET, rtol=0.0, atol=1e-3)
    robot, drives = hybrid.robot()
    # at rest, gravity and stress balance the inputs
    efforts = sd.inverse_dynamics(robot, np.array([position[-1], *np.zeros((2, 11))]))[0]
    matrix = sd.soft.actuation_matrix(drives, position[-1:])[0]
    balance = efforts - matrix @ inputs[-1]
    assert abs(balance[hybrid.JOINTS]).max() < 1e-2 * abs(efforts).max()
    assert abs(balance[hybrid.ARM]).max() < 1e-2 * abs(efforts[hybrid.ARM]).max()
    first = inputs[times < hybrid.PHASES[1]]
    assert not first[:, 6:].any()


def test_statics_of_threads_and_volume_preserving_bodies_have_their_slopes():
    statics = helicoid.Statics()
    statics.robot = statics.robot.without_gravity()  # slopes of gravity are left out
    x = np.random.default_rng(2).uniform(-0.1, 0.1, 33)
    x[24:] = 1.0
    wanted = helicoid.targets(0.7)
    slopes, h = statics.slopes(x), 1e-5
    for j in (0, 9, 17, 24, 32):
        step = h * np.eye(33)[j]
        change = statics.residual(x + step, wanted) - statics.residual(x - step, wanted)
        change /= 2.0 * h
        for rows in (slice(0, 24), slice(24, 33)):
            # h^2 times third derivatives
            assert np.allclose(slopes[rows, j], change[rows], rtol=1e-6, atol=1e-6)


@pytest.mark.long
def test_recorded_equilibria_balance_gravity_and_stress_by_pulling():
    statics, found = helicoid.Statics(), recorded_equilibria()
    assert found.tensions.min() >= helicoid.LEAST - 1e-3
    for k in (0, 7, 16):
        q, u = found.position[k], found.tensions[k]
        held = sd.inverse_dynamics(statics.robot, np.array([q, *np.zeros((2, 24))]))[0]
        pulled = sd.soft.actuation_matrix(statics.threads, q[np.newaxis])[0] @ u
        # by the units of the coordinates; the record has six digits
        assert abs((held - pulled) * statics.units).max() < 2e-3
        assert np.allclose(helicoid.tips(statics.robot, q), found.tips[k], rtol=0.0, atol=1e-6)
        stiffness = statics.slopes(np.concatenate([q / statics.units, u]))[:24, :24]
        assert np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T))[0] > 0.0  # stable
        away = np.linalg.norm(found.tips[k] - helicoid.targets(found.times[k]), axis=-1)
        assert away[2] < 0.3e-3 and away.max() < 4e-3


@pytest.mark.long
def test_slopes_of_the_motion_are_the_stiff_ones():
    """Against differences along velocities of shears and stretches, where viscosity is largest."""
    control = helicoid_motion.Control(recorded_equilibria())
    state = control.start.copy()
    state[24:] = 0.01
    slopes, h = control.jacobian(0.3, state), 1e-6
    for j in (24, 30, 39, 47):
        step = h * np.eye(48)[j]
        change = control.derivatives(state + step, t=0.3) - control.derivatives(
            state - step, t=0.3
        )
        expected = change / (2.0 * h)
        # without the slopes of gyroscopic efforts
        assert np.linalg.norm(slopes[:, j] - expected) < 2e-3 * np.linalg.norm(expected)


def test_threads_follow_their_reference_as_an_oscillator():
    """The lengths are linearised: y'' - y_d'' = -K_D (y' - y_d') - K_P (y - y_d)."""
    control = helicoid_motion.Control(recorded_equilibria())
    q, qd = np.split(control.start * control.units, 2)
    qd = 0.02 * control.statics.units
    applied = control.applied(0.4, q, qd)
    y = applied.collocated
    assert applied.tensions.min() > 0.0
    got = y.matrix.T @ applied.acceleration + y.drift
    value, rate, acceleration = control.reference(0.4)
    expected = acceleration - (y.velocity - rate) - 10.0 * (y.position - value)
    assert np.allclose(got, expected, rtol=0.0, atol=1e-8)
    # virtual work in the equations of motion
    efforts = sd.inverse_dynamics(control.robot, np.array([q, qd, applied.acceleration]))[0]
    pulled = y.matrix @ applied.tensions
    assert np.allclose(efforts, pulled, rtol=0.0, atol=1e-8 * abs(pulled).max())


def test_the_recorded_motion_follows_the_circles_by_pulling():
    motion, equilibria = recorded_circles(), recorded_equilibria()
    assert motion.times[-1] == helicoid_motion.END
    away = helicoid_motion.distances(motion)
    assert motion.tensions.min() > 0.0
    assert away.max() < 6e-3 and away[:, 2].mean() < 1.5e-3
    # lengths: an oscillator from rest, damped by exp(-t / 2) = 0.11 in the last half second
    errors = abs(motion.lengths - motion.wanted).max(axis=1)
    assert errors[-10:].max() < 0.12 * errors.max()
    # and the tips of the record are those of its coordinates
    robot = helicoid.arm()[0]
    for k in (0, len(motion.times) // 2, -1):
        found = helicoid.tips(robot, motion.position[k])
        assert np.allclose(found, motion.tips[k], rtol=0.0, atol=1e-6)
    assert np.allclose(motion.position[0], equilibria.position[0])
