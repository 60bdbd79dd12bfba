# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Friction of joints and motors with its time derivatives, against 50 digits."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp
from oracles.actuators import motor_effort, transmitted
from oracles.elastic_laws import DIGITS, jet_of, polynomial

import screw_dynamics as sd
from screw_dynamics.errors import ModelError

MASS = sd.ScrewModel.from_screws(
    [-1], [np.eye(4)], [[0, 0, 0, 0, 0, 1]], [np.diag([0, 0, 0, 1.0, 1.0, 1.0])], np.zeros(3)
)
ROWS = 5  # efforts to order 4
# zero, beside zero, around the velocities of the laws, far above
VELOCITIES = st.sampled_from([0.0, 1e-14, -1e-6, 3e-3, -0.01, 0.1, -0.3, 2.0, 50.0])
EFFORTS = st.sampled_from([0.0, 1e-9, -0.02, 0.1, -3.0, 40.0, -900.0])
# without numbers so small that their products underflow
DERIVATIVES = st.lists(
    st.floats(-5.0, 5.0).map(lambda x: round(x, 9)), min_size=ROWS, max_size=ROWS
)
POSITIVE = st.floats(0.01, 3.0)
FRICTIONS = st.builds(
    lambda viscous, coulomb, v0, excess, vs, load, u0: sd.JointFriction(
        viscous, coulomb, v0, coulomb + excess, vs, load, u0
    ),
    st.floats(0.0, 5.0),
    st.floats(0.0, 3.0),
    POSITIVE,
    st.floats(0.0, 2.0),
    POSITIVE,
    st.sampled_from([0.0, 0.01, 0.2, 0.7, 0.95]),
    POSITIVE,
)
MOTORS = st.builds(
    lambda inertia, ratio, own: sd.Motor(
        inertia,
        ratio,
        own.viscous,
        own.coulomb,
        own.coulomb_velocity,
        breakaway_friction=own.breakaway,
        stribeck_velocity=own.stribeck_velocity,
        load_friction=own.load,
        load_effort=own.load_effort,
    ),
    st.floats(0.0, 1.0),
    st.sampled_from([0.3, 1.0, 7.0]),
    FRICTIONS,
)


def assert_rows(actual, expected, bound=2e-12):
    """Every row to rounding of itself and of the rows before, which enter it."""
    scale = np.maximum.accumulate(np.abs(expected))
    assert (np.abs(actual - expected) <= bound * scale).all(), (actual, expected)


def motion(velocity, derivatives):
    return np.array([0.2, velocity, *derivatives])[:, np.newaxis]


# no Coulomb friction: what decays with the speed, or grows with the load, is felt alone
@example(sd.JointFriction(breakaway=5.0, stribeck_velocity=0.3), 0.1, 1.0, [1.0] * 5, [2.0] * 5)
@example(sd.JointFriction(load=0.4), 0.1, 1.0, [1.0] * 5, [2.0] * 5)
@settings(max_examples=40)
@given(FRICTIONS, VELOCITIES, EFFORTS, DERIVATIVES, DERIVATIVES)
def test_joint_friction(own, velocity, effort, derivatives, rates):
    drives = sd.Drives({'joint_1': sd.JointDrive(friction=own)})
    jet = motion(velocity, derivatives)
    load = np.array([effort, *rates[1:]])
    result = sd.drives.transmitted_efforts(sd.Robot(MASS, drives), jet, load[:, np.newaxis])[:, 0]
    with mp.workdps(DIGITS):
        speed, tau = polynomial(jet[1:, 0]), polynomial(load)
        expected = jet_of(lambda t: transmitted(own, speed(t), tau(t)), ROWS)
    # with mu near 1 the joint nearly locks: rounding grows as 1 / (1 - mu)
    assert_rows(result, expected, 2e-12 / (1.0 - own.load) ** 2)


# as above, of a motor
@example(sd.Motor(breakaway_friction=5.0), sd.JointFriction(), 0.1, [1.0] * 5)
@settings(max_examples=25)
@given(MOTORS, FRICTIONS, VELOCITIES, DERIVATIVES)
def test_motors_of_rigid_joints(motor, own, velocity, derivatives):
    drives = sd.Drives({'joint_1': sd.JointDrive(motor=motor, friction=own)})
    jet = motion(velocity, derivatives)
    result = sd.actuator_efforts(sd.Robot(MASS, drives), jet)[:, 0]
    known = sd.actuator_efforts(
        sd.Robot(MASS, drives), jet, effort_jet=sd.inverse_dynamics(MASS, jet)
    )
    np.testing.assert_array_equal(known[:, 0], result)
    motors = sd.elastic_feedforward(sd.Robot(MASS, drives), jet)
    np.testing.assert_array_equal(motors.motor_effort_jet[:, 0], result)
    with mp.workdps(DIGITS):
        theta, speed = polynomial(jet[:, 0]), polynomial(jet[1:, 0])
        tau = polynomial(jet[2:, 0])
        force = polynomial(jet_of(lambda t: transmitted(own, speed(t), tau(t)), ROWS))
        expected = jet_of(motor_effort(motor, theta, force), ROWS - 1)
    assert_rows(result[:-1], expected, 2e-12 / (1.0 - own.load) ** 2)


@settings(max_examples=15)
@given(MOTORS, FRICTIONS, VELOCITIES, DERIVATIVES)
def test_elastic_joints(motor, own, velocity, derivatives):
    """The spring transmits the friction of the joint, the motor moves and rubs by itself."""
    joint = sd.JointDrive(sd.CubicSpring(80.0, 500.0), motor, friction=own)
    drives = sd.Drives({'joint_1': joint})
    jet = motion(velocity, derivatives)
    result = sd.elastic_feedforward(sd.Robot(MASS, drives), jet)
    efforts = sd.drives.transmitted_efforts(
        sd.Robot(MASS, drives), jet, sd.inverse_dynamics(MASS, jet)
    )
    np.testing.assert_array_equal(result.effort_jet, efforts)
    with mp.workdps(DIGITS):
        theta, force = polynomial(result.motor_jet[:, 0]), polynomial(efforts[:, 0])
        expected = jet_of(motor_effort(motor, theta, force), len(result.motor_effort_jet))
    assert_rows(result.motor_effort_jet[:, 0], expected)
    phi = result.deflection_jet[0, 0]
    assert 80.0 * phi + 500.0 * phi**3 == pytest.approx(efforts[0, 0], rel=1e-12)


def test_each_motor_of_a_pair_rubs_under_its_own_load():
    pair = sd.AntagonisticPair('exponential', 400.0, spring_stiffness=30.0, rate=6.0)
    motor = sd.Motor(0.1, load_friction=0.3, load_effort=0.5, coulomb_velocity=0.2)
    smooth = sd.Motor(0.1)
    jet = motion(0.4, [1.0, -2.0, 0.5, 0.3, 0.0])
    loaded, plain = (
        sd.elastic_feedforward(
            sd.Robot(MASS, sd.Drives({'joint_1': sd.JointDrive(pair, each)})), jet
        )
        for each in (motor, smooth)
    )
    forces = 30.0 / 6.0 * np.expm1(6.0 * plain.deflection * [1, -1]) * [1, -1]
    friction = 0.3 * np.hypot(forces, 0.5) * np.tanh(plain.motor_velocity / 0.2)
    np.testing.assert_allclose(loaded.motor_effort, plain.motor_effort + friction, rtol=1e-12)


@pytest.mark.parametrize(
    'build, message',
    [
        (lambda: sd.JointFriction(-1.0), 'viscous: expected a finite number of 0 or more'),
        (lambda: sd.JointFriction(coulomb='x'), 'coulomb: expected a finite number of 0 or more'),
        (lambda: sd.JointFriction(coulomb_velocity=0.0), 'coulomb_velocity: .* above 0, got 0'),
        (lambda: sd.JointFriction(0.0, 2.0, breakaway=1.0), 'at least coulomb = 2, got 1'),
        (lambda: sd.JointFriction(stribeck_velocity=0.0), 'stribeck_velocity: .* above 0'),
        (lambda: sd.JointFriction(load=1.0), 'load: expected a number below 1, got 1: the joint'),
        (lambda: sd.JointFriction(load_effort=0.0), 'load_effort: .* above 0'),
        (
            lambda: sd.Motor(coulomb_friction=2.0, breakaway_friction=1.0),
            'breakaway_friction: expected 0 or at least coulomb_friction = 2, got 1',
        ),
        (lambda: sd.Motor(load_friction=1.5), 'load_friction: expected a number below 1'),
        (lambda: sd.Motor(load_effort=-1.0), 'load_effort: expected a finite number above 0'),
        (lambda: sd.JointDrive(friction=3.0), 'friction: expected a JointFriction, got 3.0'),
    ],
)
def test_values_out_of_range(build, message):
    with pytest.raises(ModelError, match=message):
        build()
