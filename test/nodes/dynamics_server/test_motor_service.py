# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""get_motor_feedforward: numbers by hand, other springs, limits and failures."""

from functools import partial

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from helpers.node_processes import trajectory
from helpers.planar_sea import (
    NAMES,
    STIFFNESS,
    TEXT,
    gravity_efforts,
    motor_feedforward,
    write_joints,
)
from helpers.services import asker

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot
from screw_dynamics_interfaces.srv import ComputeTrajectoryTorques, GetMotorFeedforward

MIXED = """
drives:
  joint_1:
    spring: {type: linear, stiffness: 200.0, damping: 4.0}
    motor: {rotor_inertia: 0.001, gear_ratio: 10.0, max_velocity: 50.0}
  joint_2:
    spring: {type: antagonistic, law: exponential, stiffness: 120.0, spring_stiffness: 20.0,
             rate: 8.0}
    motor: {rotor_inertia: 0.1}
    limits: {deflection: 0.5}
"""
JET = np.array([[0.3, -0.5], [0.7, -1.1], [1.3, 0.9], [-2.1, 3.3], [4.7, -5.9]])
FIELDS = ('position', 'velocity', 'acceleration', 'jerk', 'snap')


@pytest.fixture(scope='module')
def robots(planar, tmp_path_factory):
    """Return a robot with linear springs, and one with a damped joint and a pair."""
    texts = TEXT.replace('max_effort: 30.0', 'max_effort: 4.5'), MIXED
    model, folder = sd.read_urdf(planar), tmp_path_factory.mktemp('drives')
    return [Robot(model, sd.Drives.from_yaml(write_joints(folder, text))) for text in texts]


def asking(robot, mode='off'):
    """Return a function that asks for motors."""
    return partial(asker(robot, check_limits=mode), 'get_motor_feedforward')


@pytest.fixture
def ask(robots):
    return asking(robots[0])


@pytest.fixture
def ask_mixed(robots):
    return asking(robots[1])


def motion(order=(0, 1)):
    return {field: row.tolist() for field, row in zip(FIELDS, JET[:, order], strict=True)}


def test_against_equations_by_hand_in_any_order(ask):
    theta, rate, acceleration, effort = motor_feedforward(JET)
    for order in ([0, 1], [1, 0]):
        names = [NAMES[i] for i in order]
        response = ask(joint_names=names, **motion(order))
        assert (response.success, response.error_code, response.message) == (True, 0, '')
        motors = response.motor_feedforward
        assert motors.joint_names == motors.motor_names == names
        np.testing.assert_allclose(motors.motor_position, theta[order], rtol=0, atol=1e-12)
        np.testing.assert_allclose(motors.motor_velocity, rate[order], rtol=0, atol=1e-7)
        np.testing.assert_allclose(motors.motor_acceleration, acceleration[order], atol=1e-5)
        np.testing.assert_allclose(motors.motor_effort, effort[order], rtol=0, atol=1e-5)
        np.testing.assert_allclose(motors.deflection, (theta - JET[0])[order], atol=1e-12)
        np.testing.assert_allclose(
            motors.effort, (STIFFNESS * (theta - JET[0]))[order], rtol=1e-12
        )
        assert len(motors.effort_dot) == len(motors.effort_ddot) == 2
        assert (motors.header.stamp.sec, motors.reference_continuity, motors.source) == (0, 0, 0)


def test_at_rest_the_motors_carry_the_weight(ask):
    motors = ask(position=[0.4, -0.3]).motor_feedforward
    np.testing.assert_allclose(motors.motor_effort, gravity_efforts([0.4, -0.3]), rtol=1e-12)
    assert not any(motors.motor_velocity)


def test_pair_damper_wrench_and_stiffness(ask_mixed, planar):
    wrench = WrenchStamped()
    wrench.header.frame_id = 'link_2'
    wrench.wrench.force.y = 2.0
    response = ask_mixed(
        **motion(),
        stiffness_joint_names=['joint_2'],
        stiffness=[150.0, 30.0, -50.0],
        deflection=[0.05, 0.0],
        wrenches=[wrench],
    )
    assert response.success, response.message
    motors = response.motor_feedforward
    assert motors.motor_names == ['joint_1', 'joint_2/1', 'joint_2/2']
    assert motors.gear_ratio.tolist() == [10.0, 1.0, 1.0]
    model = sd.read_urdf(planar)
    jets = {'link_2': np.vstack([[0.0, 0.0, 0.0, 0.0, 2.0, 0.0], np.zeros((2, 6))])}
    tau = sd.recursive_body_fixed(model, JET, jets)
    np.testing.assert_allclose(motors.effort_ddot, tau[2], rtol=1e-9)
    # a pair: what both springs transmit, and how stiff they are
    first, second = motors.deflection[1:]
    assert 20.0 / 8.0 * (np.exp(8.0 * first) - np.exp(-8.0 * second)) == pytest.approx(tau[0, 1])
    assert 20.0 * (np.exp(8.0 * first) + np.exp(-8.0 * second)) == pytest.approx(150.0)
    # a damper: the deflection is given, its rate follows
    assert motors.deflection[0] == 0.05
    rate = (tau[0, 0] - 200.0 * 0.05) / 4.0
    assert motors.motor_velocity[0] == pytest.approx(JET[1, 0] + rate)


def test_the_deflection_of_a_damped_joint_is_found_by_its_place(planar):
    joint = sd.JointDrive(sd.LinearSpring(200.0, damping=4.0), sd.Motor(rotor_inertia=0.1))
    ask = asking(Robot(sd.read_urdf(planar), sd.Drives({'joint_2': joint})))
    response = ask(joint_names=NAMES[::-1], deflection=[0.07, 0.0], **motion([1, 0]))
    assert response.motor_feedforward.motor_names == NAMES[::-1]
    assert list(response.motor_feedforward.deflection) == [0.07, 0.0]


def test_limits(robots):
    still = {'position': [0.0, 0.0]}
    fast = {**still, 'velocity': [20.0, 0.0]}
    for mode, success in (('off', True), ('warn', True), ('reject', False)):
        ask = asking(robots[0], mode)
        response = ask(**fast)
        assert response.success is success
        expected = '' if mode == 'off' else 'limit exceeded: joint_1: velocity 20 rad/s at t = 0 s'
        assert response.message.startswith(expected), response.message
        assert bool(response.message) is (mode != 'off')
        assert ask(**still).message == ''
    assert response.error_code == GetMotorFeedforward.Response.LIMIT_EXCEEDED
    assert not len(response.motor_feedforward.motor_effort)
    text = asking(robots[1], 'warn')(**still, velocity=[5.5, 0.0]).message
    assert 'joint_1: motor velocity 5.' in text, text
    assert 'limit 5 rad/s' in text, text


def test_a_trajectory_beyond_the_motors(robots):
    """Within the limits of the URDF, beyond those of a motor."""

    def torques(mode):
        message = trajectory(NAMES, [0.0, 0.0], [0.0, 0.5], times=[0.5, 1.3])
        ask = asker(robots[0], check_limits=mode)
        return ask('compute_trajectory_torques', trajectory=message)

    assert torques('off').message == ''
    response, rejected = torques('warn'), torques('reject')
    assert response.success
    assert response.message.startswith('limit exceeded: joint_2: '), response.message
    assert 'motor effort' in response.message, response.message
    assert 'limit 4.5 N m' in response.message, response.message
    assert rejected.error_code == ComputeTrajectoryTorques.Response.LIMIT_EXCEEDED
    assert (rejected.message, len(rejected.trajectory.points)) == (response.message, 0)


@pytest.mark.parametrize(
    'fields, code, text',
    [
        ({}, 'INVALID_REQUEST', 'position: expected shape (2,)'),
        ({'position': [0.0, np.nan]}, 'NOT_FINITE', 'got nan'),
        ({'position': [0.0, 0.0], 'jerk': [1.0]}, 'INVALID_REQUEST', 'jerk: expected shape'),
        (
            {'position': [0.0, 0.0], 'higher_derivatives': [1.0]},
            'INVALID_REQUEST',
            'derivatives 5 and up of 2 joints',
        ),
        (
            {'position': [0.0, 0.0], 'stiffness_joint_names': ['joint_1'], 'stiffness': [1.0] * 3},
            'INVALID_REQUEST',
            "unknown joint of variable stiffness 'joint_1': expected one of joint_2",
        ),
        (
            {'position': [0.0, 0.0], 'stiffness_joint_names': ['joint_2'], 'stiffness': [1.0]},
            'INVALID_REQUEST',
            'stiffness: expected shape (3,): the stiffness and two derivatives of 1 joints',
        ),
        (
            {
                'position': [0.0, 0.0],
                'stiffness_joint_names': ['joint_2', 'joint_2'],
                'stiffness': [1.0] * 6,
            },
            'INVALID_REQUEST',
            "stiffness_joint_names[1]: joint 'joint_2' is named twice",
        ),
        (
            {
                'position': [0.0, 0.0],
                'stiffness_joint_names': ['joint_2'],
                'stiffness': [1.0, 0.0, 0.0],
            },
            'INVALID_REQUEST',
            "joint 'joint_2': antagonistic pair: expected a stiffness above",
        ),
        ({'position': [0.0, 0.0], 'deflection': [0.1]}, 'INVALID_REQUEST', 'deflection: expected'),
        (
            {'position': [0.0, 0.0], 'wrenches': [WrenchStamped()]},
            'INVALID_REQUEST',
            'wrenches[0]',
        ),
    ],
)
def test_failures_have_a_code_and_a_text(ask_mixed, fields, code, text):
    response = ask_mixed(**fields)
    assert not response.success
    assert response.error_code == getattr(GetMotorFeedforward.Response, code), response.message
    assert text in response.message
    assert not response.motor_feedforward.motor_names


def test_without_elastic_joints(call, model):
    response = call('get_motor_feedforward', position=[0.0] * model.n)
    assert response.error_code == GetMotorFeedforward.Response.NO_MODEL
    assert response.message == "no elastic joints: parameter 'drives_path' is empty"
