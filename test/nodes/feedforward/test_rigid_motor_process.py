# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motor efforts of a rigid robot over DDS: rotors, friction and a parallel spring, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.node_processes import keep_all
from helpers.planar_sea import write_joints
from helpers.stream_client import jet_of
from helpers.swings import swing
from std_msgs.msg import Float64MultiArray

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward
from screw_dynamics_interfaces.srv import GetInverseDynamics, GetMotorFeedforward

TEXT = """
elastic_joints:
  joint_1:
    motor: {rotor_inertia: 3.0e-5, gear_ratio: 100.0}
    friction: {viscous: 2.0, coulomb: 1.5, coulomb_velocity: 0.2}
    parallel_spring: {type: torsion, stiffness: 8.0, rest_position: -1.0}
  joint_2:
    motor: {rotor_inertia: 1.0e-5, gear_ratio: 100.0, viscous_friction: 5.0e-5}
"""
INERTIA = np.array([0.3, 0.1])
VISCOUS = np.array([2.0, 0.5])
COULOMB = np.array([1.5, 0.0])
SPRING = np.array([8.0, 0.0])
JET = np.array([[0.3, -0.5], [0.17, -1.1], [1.3, 0.9], [-2.1, 3.3], [4.7, -5.9]])
FIELDS = ('position', 'velocity', 'acceleration', 'jerk', 'snap')


def added(jet):
    """Return what motors add to the efforts of the links, with two derivatives."""
    q, v, a, jerk, snap = jet
    sense = np.tanh(v / 0.2)
    slope = (1.0 - sense**2) / 0.2
    bend = -2.0 * sense * slope / 0.2
    return np.array(
        [
            INERTIA * a + VISCOUS * v + COULOMB * sense + SPRING * (q + 1.0),
            INERTIA * jerk + VISCOUS * a + COULOMB * slope * a + SPRING * v,
            INERTIA * snap + VISCOUS * jerk + COULOMB * (slope * jerk + bend * a**2) + SPRING * a,
        ]
    )


def rows(message, name):
    fields = (name, f'{name}_dot', f'{name}_ddot')
    return np.array([getattr(message, field) for field in fields])


def test_commands_of_the_node(ros, planar, tmp_path):
    process = ros.start(
        'feedforward',
        name='geared',
        urdf_path=planar,
        elastic_joints_path=write_joints(tmp_path, TEXT),
        publish_commands=True,
        commands_content='motor_efforts',
        **keep_all('/geared', 'feedforward', 'motor_feedforward', 'commands'),
    )
    ros.wait_until_active(process, '/geared')
    links = ros.listen(FeedforwardTorque, '/geared/feedforward')
    motors = ros.listen(MotorFeedforward, '/geared/motor_feedforward')
    commands = ros.listen(Float64MultiArray, '/geared/commands')
    ros.wait_until_heard('/geared')
    swing(ros, process, 'geared', motors, 70)
    by_stamp = {nanoseconds(sample.header.stamp): sample for sample in links}
    checked = 0
    for sample in motors:
        link = by_stamp.get(nanoseconds(sample.header.stamp))
        if link is None:
            continue
        checked += 1
        jet = jet_of(link)
        expected = rows(link, 'effort') + added(jet)
        np.testing.assert_allclose(rows(sample, 'motor_effort'), expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(sample.motor_position, jet[0])
        assert not any(sample.deflection)
    assert checked > 20
    ros.wait_for('the command', lambda: commands[-1].data == motors[-1].motor_effort, process)
    assert process.interrupt() == 0, process.log


def test_service(ros, planar, tmp_path):
    path = write_joints(tmp_path, TEXT)
    process = ros.start(
        'dynamics_server', name='geared', urdf_path=planar, elastic_joints_path=path
    )
    motion = {field: row.tolist() for field, row in zip(FIELDS, JET, strict=True)}

    def ask(kind, service, **fields):
        return ros.call(kind, f'/geared/{service}', kind.Request(**motion, **fields))

    ros.wait_for(
        'the model',
        lambda: ask(GetMotorFeedforward, 'get_motor_feedforward').error_code != -4,
        process,
    )
    response = ask(GetMotorFeedforward, 'get_motor_feedforward')
    assert response.success, response.message
    links = ask(GetInverseDynamics, 'get_inverse_dynamics', derivative_order=2)
    expected = rows(links, 'effort') + added(JET)
    sample = response.motor_feedforward
    np.testing.assert_allclose(rows(sample, 'motor_effort'), expected, rtol=1e-12)
    # rotors and motor friction are beyond what the joints transmit
    transmitted = expected[0] - INERTIA * JET[2] - [0.0, 0.5 * JET[1, 1]]
    assert sample.effort == pytest.approx(transmitted, rel=1e-12)
