# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motions of soft-rigid robots: energy, rest, rigid chains and errors."""

import numpy as np
import pytest
from scipy import integrate

import screw_dynamics as sd

SOFT = sd.soft
SIDE = np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])


def arm(damping=0.0):
    """Return a joint and two planar arcs that move in a vertical plane from a horizontal base."""
    arc = SOFT.PlanarConstantCurvature(0.3, 0.02, 0.4, 0.2, damping)
    rod = SOFT.ConstantCurvature(0.2, 0.02, 0.3, 0.3, 60.0, damping)
    return SOFT.SoftRobot([SOFT.Joint('fixed', (0, 1, 0), SIDE), arc, rod])


def test_a_damped_arm_comes_to_rest_at_its_equilibrium():
    robot = arm(damping=0.2)
    hold = np.array([0.1, 0.05, -0.02, 0.3])
    motion = sd.simulate(robot, [0.0, 1.0, 40.0], np.zeros(robot.n), efforts=hold)
    rest = SOFT.equilibrium(robot, hold)
    assert abs(motion.position[1] - rest).max() > 1e-3
    np.testing.assert_allclose(motion.position[-1], rest, atol=1e-5)
    np.testing.assert_allclose(motion.velocity[-1], 0.0, atol=1e-5)


def test_a_rigid_chain_moves_as_its_model():
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    chain = SOFT.SoftRobot.from_model(model)

    def efforts(t, q, qd):
        return np.array([np.sin(3.0 * t), 0.5]) - 0.3 * qd

    def rates(t, y):
        q, qd = y[:2], y[2:]
        return np.concatenate([qd, sd.forward_dynamics(model, q, qd, efforts(t, q, qd))])

    times = np.linspace(0.0, 0.2, 3)
    start = np.array([0.3, -0.5, 0.2, 0.1])
    expected = integrate.solve_ivp(
        rates, (0.0, 0.2), start, 'LSODA', times, rtol=1e-11, atol=1e-12
    ).y.T
    for method in ('DOP853', 'Radau'):
        motion = sd.simulate(chain, times, start[:2], start[2:], efforts, method=method, rtol=1e-9)
        states = np.hstack([motion.position, motion.velocity])
        np.testing.assert_allclose(states, expected, atol=1e-6)


@pytest.mark.parametrize('method', ['Radau', 'DOP853'])
def test_a_rod_compressed_to_nothing_is_an_error_with_the_time(method):
    rod = SOFT.ConstantCurvature(0.1, 0.01, 0.5, 1.0, 1.0, name='rod')
    robot = SOFT.SoftRobot([rod], gravity=(0, 0, 0))
    with pytest.raises(sd.errors.SimulationError, match=r'0\.\d+ s: .*(rod|singular)'):
        sd.simulate(robot, [0.0, 5.0], np.zeros(3), efforts=[0.0, 0.0, -100.0], method=method)


def test_a_joint_that_moves_no_mass_is_an_error_at_the_start():
    robot = SOFT.SoftRobot([SOFT.Joint('revolute', (0, 0, 1), name='empty')])
    with pytest.raises(sd.errors.SimulationError, match=r"at 2 s: .*'empty'"):
        sd.simulate(robot, [2.0, 3.0], [0.0])


def test_progress_is_told_every_step_and_arguments_are_checked():
    robot, seen = arm(damping=0.1), []
    motion = sd.simulate(robot, [0.0, 0.1], np.zeros(robot.n), progress=seen.append)
    assert type(motion) is sd.simulation.CoordinateMotion is SOFT.SoftMotion
    assert repr(motion).startswith('CoordinateMotion(2 states, 0 to 0.1 s; 4 coordinates, ')
    assert not hasattr(SOFT, 'HardMotion')
    assert seen == sorted(seen) and seen[-1] == 0.1
    assert motion.evaluations >= len(seen)
    with pytest.raises(sd.errors.InputError, match='method: expected one of BDF, Radau, DOP853'):
        sd.simulate(robot, [0.0, 1.0], np.zeros(robot.n), method='LSODA')
    with pytest.raises(sd.errors.ShapeError, match='efforts'):
        sd.simulate(robot, [0.0, 1.0], np.zeros(robot.n), efforts=lambda t, q, qd: [0.0])
    with pytest.raises(sd.errors.ShapeError, match='times'):
        sd.simulate(robot, [0.0], np.zeros(robot.n))
    with pytest.raises(sd.errors.InputError, match='body_2: elongation'):
        sd.simulate(robot, [0.0, 1.0], [0.0, 0.0, 0.0, -0.3])
