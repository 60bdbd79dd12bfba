# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The feedforward process over DDS: output, and reaction to bad input."""

from __future__ import annotations

import re
import time
from uuid import uuid4

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from helpers.node_processes import LATCHED, trajectory
from helpers.ros_fixture import RESPONSE_TIMEOUT
from helpers.stream_client import efforts_of, jet_of, status
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, Float64MultiArray
from std_srvs.srv import Trigger

from screw_dynamics import read_urdf, recursive_body_fixed
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points
from screw_dynamics_interfaces.msg import FeedforwardTorque, ModelInfo

TOPIC = '/feedforward/joint_trajectory'
NAMES = ['joint_1', 'joint_2']


@pytest.fixture(scope='module')
def model(planar):
    return read_urdf(planar)


@pytest.fixture(scope='module')
def process(ros, planar):
    process = ros.start(
        'feedforward',
        urdf_path=planar,
        publish_rate=100,  # an integer for a double
        pubish_rate=50.0,  # no parameter
        publish_joint_state=True,
        publish_commands=True,
        diagnostic_updater__period=0.2,
    )
    ros.wait_until_active(process)
    return process


@pytest.fixture
def samples(ros, process):
    """Return the torque messages from now on, with nothing being followed."""
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    assert ros.call(Trigger, '/feedforward/clear', Trigger.Request()).success
    return samples


def follow(ros, process, samples, message, seconds):
    """Send a trajectory and return its samples up to that time from its start."""
    message.header.frame_id = uuid4().hex
    verdicts = ros.listen(DiagnosticStatus, '/feedforward/trajectory_status', LATCHED)
    samples.clear()
    ros.publish(message, TOPIC)

    def start():
        for verdict in verdicts:
            values = {item.key: item.value for item in verdict.values}
            if values.get('header.frame_id') == message.header.frame_id:
                assert verdict.level != verdict.ERROR, verdict.message
                return float(values['start [s]'])
        return None

    def its(sample):
        begun = nanoseconds(sample.header.stamp) - nanoseconds(sample.reference.time_from_start)
        return 1e-9 * begun > start() - 1e-3  # later if the speed is lower

    def done():
        if start() is None or not samples or not its(samples[-1]):
            return False
        return nanoseconds(samples[-1].reference.time_from_start) >= seconds * 1e9

    ros.wait_for('the end of the trajectory', done, process)
    return [sample for sample in samples if its(sample)]


def test_samples_agree_with_an_independent_computation(ros, process, samples, model):
    points = [[0.1, 0.0], [0.6, -0.8], [-0.2, 0.4]]
    message = trajectory(NAMES[::-1], *[point[::-1] for point in points], times=[0.0, 0.7, 1.5])
    for _ in range(5):  # a busy machine may leave out most ticks of a motion
        followed = follow(ros, process, samples, message, 1.2)
        got = [
            sample
            for sample in followed
            if nanoseconds(sample.reference.time_from_start) < 15 * 10**8
        ]
        if len(got) > 20:
            break
        assert ros.call(Trigger, '/feedforward/clear', Trigger.Request()).success
    assert len(got) > 20
    curve = smooth_trajectory(
        waypoints_from_points(NAMES, list(zip([0.0, 0.7, 1.5], points, strict=True)), NAMES)
    )
    for sample in got:
        assert sample.joint_names == NAMES
        assert (sample.source, sample.reference_continuity) == (sample.SOURCE_TRAJECTORY, 4)
        jet = jet_of(sample)
        expected = curve.jets([1e-9 * nanoseconds(sample.reference.time_from_start)])[0]
        scale = np.abs(curve.jets(np.linspace(0.0, 1.5, 100))).max(axis=(0, 2))
        # time_from_start is rounded to nanoseconds
        np.testing.assert_allclose(jet / scale[:, None], expected / scale[:, None], atol=1e-6)
        tau = efforts_of(sample)
        reference = recursive_body_fixed(model, jet)
        np.testing.assert_allclose(tau, reference, rtol=0, atol=1e-11 * np.abs(reference).max())
    stamps = np.array([nanoseconds(sample.header.stamp) for sample in got])
    times = np.array([nanoseconds(sample.reference.time_from_start) for sample in got])
    assert (np.diff(stamps) > 0).all()
    assert np.ptp(stamps - times) <= 2


def test_a_misspelt_parameter_is_pointed_out(process):
    assert "There is no parameter 'pubish_rate': did you mean 'publish_rate'?" in process.log


def test_the_log_says_that_a_trajectory_is_followed(ros, process, samples):
    ros.publish(trajectory(NAMES, [0.0, 0.0], [0.1, 0.1]), TOPIC)
    ros.wait_for('the line', lambda: 'Following a trajectory of 2 points' in process.log, process)


def test_the_log_says_when_a_trajectory_in_the_future_starts(ros, process, samples):
    message = trajectory(NAMES, [0.0, 0.0], [0.1, 0.1])
    set_stamp(message.header.stamp, ros.node.get_clock().now().nanoseconds + 3600 * 10**9)
    ros.publish(message, TOPIC)
    ros.wait_for('the line', lambda: re.search(r'1 s, which starts in 3[56]\d\d\.', process.log))


def test_single_points_that_are_replaced_before_they_are_reached_are_warned_of(
    ros, process, samples
):
    verdicts = ros.listen(DiagnosticStatus, '/feedforward/trajectory_status')
    ros.wait_until_heard()
    messages = [trajectory(NAMES, [0.01 * k, 0.0], times=[600.0]) for k in range(6)]
    for message in [trajectory(NAMES, [0.0, 0.0], [0.1, 0.1]), *messages]:
        count = len(verdicts)
        ros.publish(message, TOPIC)
        ros.wait_for('its verdict', lambda n=count: len(verdicts) > n, process)
    ros.wait_for(
        'the warning', lambda: 'belongs on ~/joint_state_reference' in process.log, process
    )


def test_the_end_is_held_without_derivatives(ros, process, samples, model):
    got = follow(
        ros, process, samples, trajectory(NAMES, [0.3, 0.2], [0.5, 0.1], times=[0, 0.3]), 0.6
    )
    sample = got[-1]
    assert sample.source == sample.SOURCE_HOLD
    assert list(sample.reference.positions) == [0.5, 0.1]
    assert not jet_of(sample)[1:].any()
    assert not np.any(sample.effort_dot) and not np.any(sample.effort_ddot)
    assert np.any(sample.effort)


def test_replacement_is_continuous(ros, process, samples):
    message = trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0.0, 20.0])
    old = follow(ros, process, samples, message, 0.8)
    # time enough where its fit comes late
    ros.publish(trajectory(NAMES, [5.0, 5.0], [0.0, 0.5], times=[0.0, 4.0]), TOPIC)
    new_start = nanoseconds(old[-1].header.stamp)

    def ended():
        return samples[-1].source == FeedforwardTorque.SOURCE_HOLD and np.allclose(
            samples[-1].reference.positions, [0.0, 0.5], rtol=0, atol=1e-12
        )

    ros.wait_for('the end', ended, process)
    assert nanoseconds(samples[-1].header.stamp) > new_start
    # a jump to the first point of the new trajectory would be 4 rad; what was under way before
    # the old one does not count
    begun = nanoseconds(old[0].header.stamp)
    counted = [sample for sample in samples if nanoseconds(sample.header.stamp) >= begun]
    positions = np.array([list(sample.reference.positions) for sample in counted])
    stamps = np.array([nanoseconds(sample.header.stamp) for sample in counted])
    velocities = np.diff(positions, axis=0) / (1e-9 * np.diff(stamps))[:, None]
    assert np.abs(velocities).max() < 5.0


def test_a_bad_message_changes_nothing_but_the_counter(ros, process, samples):
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    follow(ros, process, samples, trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0, 60.0]), 0.1)
    before = rejected(ros, reports)[0]
    ros.publish(trajectory(NAMES, [0.0, float('nan')]), TOPIC)
    ros.publish(trajectory(['joint_1', 'nose'], [0.0, 0.0]), TOPIC)
    ros.wait_for('the counter', lambda: rejected(ros, reports)[0] == before + 2, process)
    assert rejected(ros, reports)[1] == (
        "last rejection: Incoming joint nose doesn't match the joints: joint_1, joint_2"
    )
    assert 'Trajectory rejected: positions of joint joint_2 at point #0' in process.log
    count = len(samples)
    ros.wait_for('more samples', lambda: len(samples) > count + 5, process)
    assert samples[-1].source == samples[-1].SOURCE_TRAJECTORY


def rejected(ros, reports):
    found, values = status(ros, reports, 'trajectory')
    return int(values['rejected']), found.message


def test_standard_messages_carry_the_same_effort(ros, process, samples):
    states = ros.listen(JointState, '/feedforward/joint_effort')
    commands = ros.listen(Float64MultiArray, '/feedforward/commands')
    follow(ros, process, samples, trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0, 0.5]), 0.9)
    ros.wait_for('both topics', lambda: states and commands, process)
    held = list(samples[-1].effort)
    ros.wait_for('the held effort', lambda: list(commands[-1].data) == held, process)
    ros.wait_for('the held effort', lambda: list(states[-1].effort) == held, process)
    assert states[-1].name == NAMES
    assert commands[-1].layout.dim[0].size == 2


def test_speed_scaling(ros, process, samples):
    ros.publish(Float64(data=0.5), '/feedforward/speed_scaling', LATCHED)
    message = trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0.0, 60.0])
    follow(ros, process, samples, message, 0.4)

    def slowed():
        """Whether the last samples are at half speed; the two topics are handled in any order."""
        if len(samples) < 5:
            return False
        first, *_, last = samples[-5:]
        elapsed = nanoseconds(last.header.stamp) - nanoseconds(first.header.stamp)
        followed = nanoseconds(last.reference.time_from_start) - nanoseconds(
            first.reference.time_from_start
        )
        return followed == pytest.approx(0.5 * elapsed, abs=10)

    ros.wait_for('half the speed', slowed, process)
    ros.publish(Float64(data=-1.0), '/feedforward/speed_scaling', LATCHED)
    ros.wait_for('the refusal', lambda: 'speed_scaling ignored' in process.log, process)
    ros.publish(Float64(data=1.0), '/feedforward/speed_scaling', LATCHED)


def test_a_late_joiner_gets_the_model(ros, process, planar):
    received = ros.listen(ModelInfo, '/feedforward/model_info', LATCHED)
    ros.wait_for('model_info', lambda: received, process)
    (info,) = received
    assert info.joint_names == NAMES
    assert set(info.joint_types) <= {'revolute', 'continuous'}
    assert list(info.gravity) == [0.0, 0.0, -9.81]
    assert len(info.urdf_sha256) == 64


class TestParametersWhileRunning:
    """ros2 param set."""

    def test_order(self, ros, process, samples):
        assert ros.set_parameter('/feedforward', 'derivative_order', 1) == (True, '')
        message = trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0.0, 0.5])
        samples.clear()
        got = follow(ros, process, samples, message, 0.2)
        assert (len(got[-1].effort_dot), len(got[-1].effort_ddot)) == (2, 0)
        assert ros.set_parameter('/feedforward', 'derivative_order', 2) == (True, '')

    def test_rate(self, ros, process, samples):
        assert ros.set_parameter('/feedforward', 'publish_rate', 20)[0]
        message = trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0.0, 0.5])
        follow(ros, process, samples, message, 0.1)

        def steps():
            return np.diff([nanoseconds(sample.header.stamp) for sample in samples[1:]])

        # a busy machine may leave ticks out, it never adds some
        ros.wait_for('its rate', lambda: (abs(steps() / 5e7 - 1.0) < 0.2).sum() >= 5, process)
        assert steps().mean() > 0.8 * 5e7
        assert ros.set_parameter('/feedforward', 'publish_rate', 100.0)[0]

    def test_gravity(self, ros, process, samples):
        message = trajectory(NAMES, [0.3, 0.2], [0.3, 0.2], times=[0.0, 0.1])
        earth = follow(ros, process, samples, message, 0.2)[-1].effort
        assert ros.set_parameter('/feedforward', 'gravity', [0.0, 0.0, 0.0])[0]
        ros.wait_for('no weight', lambda: not np.any(samples[-1].effort), process)
        assert ros.set_parameter('/feedforward', 'gravity', [0.0, 0.0, -9.81])[0]
        ros.wait_for('weight', lambda: samples[-1].effort == earth, process)

    @pytest.mark.parametrize(
        'name, value, reason',
        [
            ('publish_rate', 2000, 'expected a number from 1 to 1000, got 2000'),
            ('publish_rate', 'x', "'publish_rate': expected a number, got 'x'"),
            ('check_limits', 'x', 'expected one of off, warn, reject'),
            ('payload.mass', 1.0, "'payload.frame': expected a link for the payload"),
            ('autostart', False, 'read-only'),
        ],
    )
    def test_refused_with_a_reason(self, ros, process, name, value, reason):
        taken, why = ros.set_parameter('/feedforward', name, value)
        assert not taken
        assert reason in why

    def test_payload_on_an_unknown_link(self, ros, process):
        assert ros.set_parameter('/feedforward', 'payload.frame', 'nose')[0]
        taken, why = ros.set_parameter('/feedforward', 'payload.mass', 1.0)
        assert not taken
        assert "unknown frame 'nose': expected one of" in why


def test_clear_falls_silent(ros, process, samples):
    follow(ros, process, samples, trajectory(NAMES, [0.0, 0.0], [1.0, 1.0]), 0.1)
    begun = time.monotonic()
    response = ros.call(Trigger, '/feedforward/clear', Trigger.Request())
    answers = {'the active trajectory was dropped'}
    if time.monotonic() - begun >= RESPONSE_TIMEOUT:  # sent again, which finds nothing more
        answers.add('there was no active trajectory')
    assert response.message in answers
    stopped = time.time_ns()
    ros.wait_for('a moment', lambda: time.time_ns() > stopped + 3 * 10**8, process)
    assert nanoseconds(samples[-1].header.stamp) <= stopped


def test_sigint_in_the_active_state(process):
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log
