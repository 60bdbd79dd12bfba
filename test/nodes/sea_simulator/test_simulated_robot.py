# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The robot inside sea_simulator: feedback of its motors, brakes, the length of its steps."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.planar_sea import (
    MAX_EFFORT,
    ROTOR_INERTIA,
    STIFFNESS,
    gravity_efforts,
    mass_matrix,
    velocity_efforts,
    write_joints,
)
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.nodes.sea_simulator.simulated_robot import SimulatedRobot, substeps_for

HOME = np.array([-1.2, 0.5])
PERIOD = 0.01
PROPORTIONAL, DERIVATIVE = np.array([200.0, 100.0]), np.array([4.0, 2.0])
EFFORT, RATE = np.array([5.0, -3.0]), np.array([1.5, -2.0])


@pytest.fixture
def elastic(tmp_path):
    return sd.Drives.from_yaml(write_joints(tmp_path))


@pytest.fixture
def robot(planar, elastic):
    parameters = SeaSimulatorParameters(
        elastic_joints_path='joints.yaml',
        rate=1.0 / PERIOD,
        substeps=1000,
        initial_position=tuple(HOME),
        input='motor_feedforward',
        proportional=tuple(PROPORTIONAL),
        derivative=tuple(DERIVATIVE),
    )
    return SimulatedRobot(Robot(sd.read_urdf(planar), elastic), parameters)


def test_feedback_follows_the_motion_that_is_asked_for_during_a_step(robot):
    """Motor positions are asked for at an instant that has passed, and go on from there."""
    age = 0.02
    start = robot.motor_state()[0].copy()
    reference = start - age * RATE
    robot.release()
    robot.drives.command(EFFORT, reference, RATE, age)
    robot.advance()

    def slope(t, x):
        q, qd, theta, theta_rate = x.reshape(4, 2)
        tau = STIFFNESS * (theta - q)
        motor = EFFORT + PROPORTIONAL * (reference + (age + t) * RATE - theta)
        motor += DERIVATIVE * (RATE - theta_rate)
        qdd = np.linalg.solve(mass_matrix(q), tau - velocity_efforts(q, qd) - gravity_efforts(q))
        return np.concatenate([qd, qdd, theta_rate, (motor - tau) / ROTOR_INERTIA])

    state = np.concatenate([HOME, np.zeros(2), start, np.zeros(2)])
    expected = solve_ivp(slope, (0.0, PERIOD), state, rtol=1e-11, atol=1e-13).y[:, -1]
    got = np.concatenate([*robot.link_state()[:2], *robot.motor_state()[:2]])
    # efforts are constant for 10 us each: half of that late
    np.testing.assert_allclose(got, expected, rtol=0, atol=2e-4 * np.abs(expected).max())
    assert np.abs(got[6:]).min() > 0.05


def test_efforts_are_cut_at_the_limits_of_the_motors(robot):
    robot.drives.command(np.array([-1e3, 1.0]))
    np.testing.assert_array_equal(robot.drives.efforts(), [-MAX_EFFORT[0], 1.0])
    assert robot.drives.saturated == 1
    robot.drives.command(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(robot.drives.efforts(), [1.0, 2.0])
    assert robot.drives.saturated == 1


def test_another_weight_bends_the_springs_of_a_robot_that_stands_still(robot, planar, elastic):
    moon = sd.read_urdf(planar, gravity=[0.0, 0.0, -1.62])
    robot.set_robot(Robot(moon, elastic))
    weight = gravity_efforts(HOME) * 1.62 / 9.81
    q, qd, effort = robot.link_state()
    np.testing.assert_array_equal(q, HOME)
    np.testing.assert_allclose(effort, weight, rtol=1e-12)
    np.testing.assert_allclose(robot.motor_state()[0], HOME + weight / STIFFNESS, rtol=1e-12)
    robot.release()
    robot.drives.command(EFFORT)
    robot.advance()
    moving = [row.copy() for row in robot.motor_state()[:2]]
    robot.set_robot(Robot(sd.read_urdf(planar), elastic))
    np.testing.assert_array_equal(robot.motor_state()[:2], moving)


def test_what_carries_the_weight_beside_the_drive(planar, elastic):
    """A parallel spring and friction: effort of the drive, and steps short enough for both."""
    spring = sd.TorsionSpring(3000.0, rest_position=-1.19)
    joint = replace(elastic.joints['joint_1'], parallel_spring=spring)
    balanced = replace(elastic, joints={**elastic.joints, 'joint_1': joint})
    parameters = SeaSimulatorParameters(
        elastic_joints_path='joints.yaml', rate=100.0, initial_position=tuple(HOME)
    )
    robot = SimulatedRobot(Robot(sd.read_urdf(planar), balanced), parameters)
    carried = gravity_efforts(HOME) + [3000.0 * (HOME[0] + 1.19), 0.0]
    np.testing.assert_allclose(robot.link_state()[2], carried, rtol=1e-12)
    np.testing.assert_allclose(robot.motor_state()[0], HOME + carried / STIFFNESS, rtol=1e-12)
    robot.release()
    robot.drives.command(carried)
    robot.advance()
    q, qd, effort = robot.link_state()
    np.testing.assert_allclose(q, HOME, rtol=0, atol=1e-9)
    np.testing.assert_allclose(effort, carried, rtol=0, atol=1e-6)

    model, mobility = sd.read_urdf(planar), np.diag(np.linalg.inv(mass_matrix(HOME)))
    steps = substeps_for(sd.Robot(model, elastic), HOME, 1.0, np.zeros(2))
    with_spring = substeps_for(sd.Robot(model, balanced), HOME, 1.0, np.zeros(2))
    assert with_spring - steps == pytest.approx(10.0 * math.sqrt(3000.0 * mobility[0]), abs=1)
    rubbing = replace(
        joint, parallel_spring=None, friction=sd.JointFriction(2.0, 3.0, 0.05, 4.0, load=0.1)
    )
    drives = replace(elastic, joints={**elastic.joints, 'joint_1': rubbing})
    load = math.hypot(gravity_efforts(HOME)[0], 0.1)
    slope = 2.0 + (4.0 + 0.1 * load) / 0.05
    with_friction = substeps_for(sd.Robot(model, drives), HOME, 1.0, np.zeros(2))
    assert with_friction - steps == pytest.approx(10.0 * slope * mobility[0], abs=1)


def test_steps_are_a_tenth_of_the_fastest_time_constant(planar, elastic):
    """Frequencies by hand, then rates of feedback and of dampers on top."""
    model = sd.read_urdf(planar)
    inertia = np.zeros((4, 4))
    inertia[:2, :2], inertia[2:, 2:] = mass_matrix(HOME), np.diag(ROTOR_INERTIA)
    springs = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag(STIFFNESS))
    fastest = math.sqrt(np.linalg.eigvals(np.linalg.solve(inertia, springs)).real.max())
    gains = np.array([30.0, 25.0])
    damped = sd.Drives(
        {
            name: sd.JointDrive(
                sd.LinearSpring(k, damping=7.0), sd.Motor(rotor_inertia=b, viscous_friction=1.0)
            )
            for name, k, b in zip(model.joint_names, STIFFNESS, ROTOR_INERTIA, strict=True)
        }
    )
    mobility = np.diag(np.linalg.inv(mass_matrix(HOME)))
    for springs, derivative, rate in (
        (elastic, np.zeros(2), 0.0),
        (elastic, gains, (gains / ROTOR_INERTIA).max()),
        (damped, gains, ((8.0 + gains) / ROTOR_INERTIA + 7.0 * mobility).max()),
    ):
        for period in (1.0, 0.002, 1e-6):
            expected = max(1, math.ceil(period * (fastest + rate) / 0.1))
            assert substeps_for(sd.Robot(model, springs), HOME, period, derivative) == expected


@pytest.mark.parametrize(
    ('stiffness', 'inertia', 'message'),
    [
        (1e15, 1e-4, "'substeps': expected 1 or more, as 0 takes .* above 10000: something"),
        (1e300, 1e-300, "'substeps': .* stiffness over inertia that is a finite number"),
    ],
)
def test_joints_too_stiff_to_simulate_are_refused(stiffness, inertia, message, planar):
    joint = sd.JointDrive(sd.LinearSpring(stiffness), sd.Motor(rotor_inertia=inertia))
    elastic = sd.Drives({'joint_1': joint})
    with pytest.raises(InputError, match=message):
        substeps_for(sd.Robot(sd.read_urdf(planar), elastic), HOME, 0.002, np.zeros(2))


def test_late_efforts_and_noise_of_the_encoders(robot, planar, elastic):
    """Efforts of step k act in step k + 2, except for the first, which begins the motion."""
    values = replace(robot._parameters, effort_delay=2 * PERIOD, encoder_noise=1e-3)
    late = SimulatedRobot(Robot(sd.read_urdf(planar), elastic), values)
    for one in (robot, late):
        one.release()
    for k in range(6):
        late.drives.command(EFFORT + k)
        robot.drives.command(EFFORT + max(k - 2, 0), age=PERIOD * min(k, 2))
        for one in (robot, late):
            one.advance()
    exact, noisy = robot.link_state(), late.link_state()
    assert np.array_equal(exact[1], noisy[1])
    draws = np.array([late.motor_state()[0] for _ in range(500)])
    assert draws.std(axis=0) == pytest.approx(1e-3, rel=0.15)
    assert np.abs(draws.mean(axis=0) - robot.motor_state()[0]).max() < 2e-4
