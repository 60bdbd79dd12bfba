# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts as the robot takes them, on all topics and in services, and commands that are ramped."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.node_processes import keep_all, trajectory
from helpers.services import SERVICES
from helpers.stream_client import efforts_of, jet_of
from lifecycle_msgs.msg import Transition
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

import screw_dynamics as sd
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
SIGN, SCALE, OFFSET = [1.0, -1.0], [0.5, 2.0], [0.1, 0.0]
TAKEN = sd.EffortFormat('without_gravity', SIGN, SCALE, OFFSET)
FORMAT = {
    'effort_content': 'without_gravity',
    'effort_sign': SIGN,
    'effort_scale': SCALE,
    'effort_offset': OFFSET,
}
RATE, RAMP = 200, 0.5


@pytest.fixture(scope='module')
def model(planar):
    return sd.read_urdf(planar)


@pytest.fixture
def process(ros, planar):
    process = ros.start(
        'feedforward',
        urdf_path=planar,
        publish_rate=RATE,
        publish_joint_state=True,
        publish_commands=True,
        publish_trajectory_effort=True,
        ramp_time=RAMP,
        **keep_all('/feedforward', 'commands'),
        **FORMAT,
    )
    ros.wait_until_active(process)
    yield process
    assert process.interrupt() == 0, process.log


def test_topics(ros, process, model):
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    states = ros.listen(JointState, '/feedforward/joint_effort')
    commands = ros.listen(Float64MultiArray, '/feedforward/commands')
    forwarded = ros.listen(JointTrajectory, '/feedforward/joint_trajectory_effort')
    ros.wait_until_heard()
    message = trajectory(NAMES, [0.3, 0.2], [1.0, -0.8], times=[0.0, 1.5])
    ros.publish(message, '/feedforward/joint_trajectory')

    def shared():
        by_stamp = {str(state.header.stamp): state for state in states}
        stamped = ((s, by_stamp.get(str(s.header.stamp))) for s in samples)
        return [(sample, state) for sample, state in stamped if state is not None]

    def ended():
        held = samples and samples[-1].source == FeedforwardTorque.SOURCE_HOLD
        return held and len(commands) > RATE and len(shared()) > RATE

    ros.wait_for('the end', ended, process)
    for sample in samples:
        jet = jet_of(sample)
        expected = TAKEN.convert(model, jet, sd.inverse_dynamics(model, jet))
        np.testing.assert_allclose(efforts_of(sample), expected, rtol=1e-12, atol=1e-12)
    for sample, state in shared():
        assert state.effort == sample.effort
    # at rest, in the end: what is left without gravity is the offset
    np.testing.assert_array_equal(samples[-1].effort, OFFSET)
    ros.wait_for('the trajectory', lambda: forwarded, process)
    for point in forwarded[0].points:
        jet = np.array([point.positions, point.velocities, point.accelerations])
        expected = TAKEN.convert(model, jet, sd.inverse_dynamics(model, jet))[0]
        np.testing.assert_allclose(point.effort, expected, rtol=1e-9, atol=1e-9)
    # the rest of an effort is its offset: there the commands begin, and there they end
    np.testing.assert_allclose(commands[0].data, OFFSET, atol=1e-6)


def test_commands_end_without_a_step(ros, process, model):
    commands = ros.listen(Float64MultiArray, '/feedforward/commands')
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    for end in ('clear', 'deactivate'):
        commands.clear()
        samples.clear()
        message = trajectory(NAMES, [0.3, 0.2], [2.5, -1.8], times=[0.0, 4.0])
        ros.publish(message, '/feedforward/joint_trajectory')
        ros.wait_for('commands', lambda: len(commands) > 2 * RATE * RAMP, process)
        if end == 'clear':
            assert ros.call(Trigger, '/feedforward/clear', Trigger.Request()).success
        else:
            ros.change_state('/feedforward', Transition.TRANSITION_DEACTIVATE)
        ros.wait_for('the end', lambda: list(commands[-1].data) == OFFSET, process)
        values = np.array([command.data for command in commands])
        largest = np.abs(values - OFFSET).max(axis=0)
        # on the way, however many ticks a busy computer has missed
        shares = np.abs(values - OFFSET)[np.abs(values - OFFSET).argmax(axis=0)[0] :] / largest
        assert (largest > 1e-3).all()
        assert ((shares > 0.01) & (shares < 0.99)).any(axis=0).all()


def test_services(ros, planar, model):
    process = ros.start('dynamics_server', urdf_path=planar, **FORMAT)
    kind, topic = SERVICES['get_inverse_dynamics'], '/dynamics_server/get_inverse_dynamics'
    jet = np.array([[0.3, -0.5], [1.0, 2.0], [3.0, -1.0], [0.5, 0.2], [0.1, 0.7]])
    request = kind.Request(
        joint_names=NAMES[::-1],
        position=jet[0, ::-1].tolist(),
        velocity=jet[1, ::-1].tolist(),
        acceleration=jet[2, ::-1].tolist(),
        jerk=jet[3, ::-1].tolist(),
        snap=jet[4, ::-1].tolist(),
        derivative_order=2,
    )
    ros.wait_for('the model', lambda: ros.call(kind, topic, request).success, process)
    response = ros.call(kind, topic, request)
    expected = TAKEN.convert(model, jet, sd.inverse_dynamics(model, jet))[:, ::-1]
    np.testing.assert_allclose(np.reshape(response.effort_jet, (3, 2)), expected, rtol=1e-12)
    kind = SERVICES['get_forward_dynamics']
    back = ros.call(
        kind,
        '/dynamics_server/get_forward_dynamics',
        kind.Request(
            joint_names=NAMES[::-1],
            position=jet[0, ::-1].tolist(),
            velocity=jet[1, ::-1].tolist(),
            effort=response.effort,
            effort_dot=response.effort_dot,
            effort_ddot=response.effort_ddot,
            derivative_order=2,
        ),
    )
    # the condition number of the mass matrix is about 10
    np.testing.assert_allclose(np.reshape(back.joint_jet, (5, 2)), jet[:, ::-1], rtol=1e-10)
    kind = SERVICES['compute_trajectory_torques']
    request = kind.Request(
        trajectory=trajectory(NAMES, [0.3, 0.2], [1.0, -0.8], times=[0.0, 1.5]),
        derivative_order=1,
    )
    response = ros.call(kind, '/dynamics_server/compute_trajectory_torques', request)
    assert response.success, response.message
    # at rest at both ends
    for point in response.trajectory.points:
        rest = np.array([point.positions, point.velocities, point.accelerations])
        expected = TAKEN.convert(model, rest, sd.inverse_dynamics(model, rest))
        np.testing.assert_allclose(point.effort, expected[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    'parameters, text',
    [
        (
            {'effort_scale': [1.0, 2.0, 3.0]},
            "parameter 'effort_scale': expected 2 values, one for each of joint_1, joint_2, or "
            'none, got 3',
        ),
        ({'effort_sign': [2.0, 1.0]}, "parameter 'effort_sign': expected 1 or -1, got"),
        (
            {'effort_content': 'gravity'},
            "parameter 'effort_content': expected one of full, without_gravity, gravity_only",
        ),
    ],
)
def test_bad_parameters(ros, planar, parameters, text):
    process = ros.start('feedforward', urdf_path=planar, **parameters)
    ros.wait_for('the error', lambda: text in process.log)
    process.kill()
