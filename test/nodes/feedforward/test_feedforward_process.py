# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node feedforward over DDS: one path per topic, service and parameter."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from helpers.node_processes import LATCHED, trajectory
from helpers.stream_client import efforts_of, jet_of
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics import inverse_dynamics, read_urdf
from screw_dynamics.common.times import set_stamp
from screw_dynamics_interfaces.msg import (
    FeedforwardTorque,
    JointReference,
    JointSpline,
    ModelInfo,
    MotorFeedforward,
)

OWN = '/feedforward'
TOPIC = f'{OWN}/joint_trajectory'
NAMES = ['joint_1', 'joint_2']
JOINTS = """drives:
  joint_1: &j
    spring: {type: linear, stiffness: 500.0}
    motor: {rotor_inertia: 1.0e-4, gear_ratio: 50}
  joint_2: *j
"""


@pytest.fixture(scope='module')
def model(planar):
    return read_urdf(planar)


@pytest.fixture(scope='module')
def process(ros, planar, tmp_path_factory):
    joints = tmp_path_factory.mktemp('joints') / 'joints.yaml'
    joints.write_text(JOINTS)
    process = ros.start(
        'feedforward',
        urdf_path=planar,
        publish_rate=100,  # an integer for a double
        pubish_rate=50.0,  # no parameter
        lead_time=0.02,
        drives_path=joints,
        outputs='[joint_effort, joint_trajectory_effort]',
    )
    ros.wait_until_active(process)
    return process


@pytest.fixture
def samples(ros, process):
    """Return the messages with efforts from now on, with nothing being followed."""
    samples = ros.listen(FeedforwardTorque, f'{OWN}/feedforward')
    assert ros.call(Trigger, f'{OWN}/clear', Trigger.Request()).success
    return samples


@pytest.fixture
def verdicts(ros, process):
    """Return the verdicts from now on."""
    verdicts = ros.listen(DiagnosticStatus, f'{OWN}/trajectory_status')
    ros.wait_until_heard()
    return verdicts


def test_a_trajectory_in_and_efforts_out(ros, process, samples, verdicts, model):
    motors = ros.listen(MotorFeedforward, f'{OWN}/motor_feedforward')
    states = ros.listen(JointState, f'{OWN}/joint_effort')
    forwarded = ros.listen(JointTrajectory, f'{OWN}/joint_trajectory_effort')
    ros.wait_until_heard()
    # in another order than that of the model
    ros.publish(trajectory(NAMES[::-1], [0.0, 0.1], [-0.2, 0.3], times=[0.0, 0.6]), TOPIC)
    ros.wait_for(
        'the end', lambda: samples and samples[-1].source == FeedforwardTorque.SOURCE_HOLD, process
    )
    ros.wait_for('the others', lambda: motors and states and forwarded, process)
    assert verdicts[0].message == 'accepted'
    for sample in samples:
        assert sample.joint_names == NAMES
        np.testing.assert_allclose(
            efforts_of(sample), inverse_dynamics(model, jet_of(sample)), rtol=0, atol=1e-10
        )
        assert sample.motion == samples[0].motion
    last = samples[-1]
    assert list(last.reference.positions) == [0.3, -0.2]
    # at rest the effort carries gravity alone
    np.testing.assert_allclose(last.effort, last.gravity_effort, rtol=0, atol=1e-12)
    ros.wait_for('the held state', lambda: list(states[-1].effort) == list(last.effort), process)
    assert motors[-1].motion == last.motion
    assert motors[-1].motor_names == NAMES
    assert forwarded[0].points[-1].positions == last.reference.positions


def test_a_bad_message_is_rejected_and_the_motion_goes_on(ros, process, samples, verdicts):
    ros.publish(trajectory(NAMES, [0.0, 0.0], [0.1, 0.1], times=[0, 60.0]), TOPIC)
    ros.wait_for('its verdict', lambda: verdicts, process)
    ros.publish(trajectory(['joint_1', 'nose'], [0.0, 0.0]), TOPIC)
    ros.wait_for('its verdict', lambda: len(verdicts) == 2, process)
    assert verdicts[-1].level == DiagnosticStatus.ERROR
    assert verdicts[-1].message.startswith("Incoming joint nose doesn't match the joints")
    count = len(samples)
    ros.wait_for('more samples', lambda: len(samples) > count + 5, process)
    assert samples[-1].source == FeedforwardTorque.SOURCE_TRAJECTORY


def test_streams_wrenches_and_speeds(ros, process, samples):
    """Each topic has an effect; what it is, the core is tested for."""
    pose = JointReference(joint_names=NAMES)
    for field in ('positions', 'velocities', 'accelerations', 'jerks', 'snaps'):
        setattr(pose, field, [0.2, 0.1] if field == 'positions' else [0.0, 0.0])
    wrench = WrenchStamped()
    wrench.header.frame_id = 'tool'
    wrench.wrench.force.y = wrench.wrench.force.z = -5.0

    def streamed(topic, message, kind):
        set_stamp(message.header.stamp, ros.node.get_clock().now().nanoseconds)
        ros.publish(message, f'{OWN}/{topic}')
        return samples and samples[-1].source == kind

    ros.wait_for(
        'a stream',
        lambda: streamed('joint_reference', pose, FeedforwardTorque.SOURCE_STREAM),
        process,
    )
    before = samples[-1].effort[0]

    def loaded():
        streamed('joint_reference', pose, FeedforwardTorque.SOURCE_STREAM)
        ros.publish(wrench, f'{OWN}/external_wrench')
        return abs(samples[-1].effort[0] - before) > 1.0

    ros.wait_for('the load', loaded, process)
    positions = JointState(name=NAMES, position=[0.2, 0.1])
    samples.clear()
    ros.wait_for(
        'positions',
        lambda: streamed('joint_state_reference', positions, FeedforwardTorque.SOURCE_STREAM),
        process,
    )
    ros.publish(Float64(data=-1.0), f'{OWN}/speed_scaling', LATCHED)
    ros.wait_for('the refusal', lambda: 'speed_scaling ignored' in process.log, process)


def test_a_late_joiner_gets_the_model(ros, process, model):
    received = ros.listen(ModelInfo, f'{OWN}/model_info', LATCHED)
    ros.wait_for('model_info', lambda: received, process)
    (info,) = received
    assert info.joint_names == NAMES
    assert list(info.gravity) == [0.0, 0.0, -9.81]
    assert len(info.urdf_sha256) == 64


def test_a_misspelt_parameter_is_pointed_out(process):
    assert (
        "There is no parameter 'pubish_rate': it has no effect; did you mean publish_rate?"
        in process.log
    )


def test_gravity_while_it_runs(ros, process, samples):
    ros.publish(trajectory(NAMES, [0.3, 0.2], [0.3, 0.2], times=[0.0, 0.1]), TOPIC)
    ros.wait_for('samples', lambda: samples, process)
    assert ros.set_parameter(OWN, 'gravity', [0.0, 0.0, 0.0])[0]
    ros.wait_for('no weight', lambda: not np.any(samples[-1].effort), process)
    assert ros.set_parameter(OWN, 'gravity', [0.0, 0.0, -9.81])[0]
    ros.wait_for('weight', lambda: np.any(samples[-1].effort), process)


@pytest.mark.parametrize(
    'name, value, reason',
    [
        ('publish_rate', 'x', "'publish_rate': expected a number, got 'x'"),
        ('payload.mass', 1.0, "'payload.frame': expected a link for the payload"),
        ('limits', 'off', 'read-only'),
    ],
)
def test_parameters_are_refused_with_a_reason(ros, process, name, value, reason):
    taken, why = ros.set_parameter(OWN, name, value)
    assert not taken
    assert reason in why


def test_clear_falls_silent(ros, process, samples):
    ros.publish(trajectory(NAMES, [0.0, 0.0], [0.5, 0.5], times=[0.0, 9.0]), TOPIC)
    ros.wait_for('samples', lambda: samples, process)
    assert ros.call(Trigger, f'{OWN}/clear', Trigger.Request()).success
    count = len(samples)
    ros.spin(0.3)
    assert len(samples) <= count + 2  # on their way


def test_sigint_in_the_active_state(process):
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log


def test_a_spline_for_controllers(ros, planar):
    process = ros.start(
        'feedforward', namespace='/spline', urdf_path=planar, outputs='[spline]', lead_time=0.05
    )
    ros.wait_until_active(process, '/spline/feedforward')
    splines = ros.listen(JointSpline, '/spline/feedforward/spline', LATCHED)
    message = trajectory(NAMES, [0.0, 0.0], [0.2, 0.1], times=[0.0, 1.0])
    ros.publish(message, '/spline/feedforward/joint_trajectory')
    ros.wait_for('its pieces', lambda: splines and splines[-1].pieces, process)
    piece = splines[-1].pieces[-1]
    assert list(piece.end) == [0.2, 0.1]
    assert piece.breaks[-1] == pytest.approx(1.0)
    assert process.interrupt() == 0, process.log
