# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses in, efforts out: the frame of the published references follows a Path over DDS."""

from __future__ import annotations

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from helpers.node_processes import MOST_KEPT
from helpers.pose_messages import FRAME, START, near, path_message
from helpers.stream_client import efforts_of, jet_of
from oracles.pinocchio_model import PinocchioModel
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from screw_dynamics import frame_pose, read_urdf, share_path
from screw_dynamics.cartesian import PoseCurve, PoseWaypoints
from screw_dynamics.messages.times import SECOND, nanoseconds, set_stamp
from screw_dynamics_interfaces.msg import FeedforwardTorque

nav_msgs = pytest.importorskip('nav_msgs.msg', reason='the poses need nav_msgs')

TOPIC = '/feedforward/cartesian_trajectory'
URDF = share_path('urdf/iiwa14.urdf')


@pytest.fixture(scope='module')
def model():
    return read_urdf(URDF)


@pytest.fixture(scope='module')
def process(ros, model):
    process = ros.start(
        'feedforward',
        urdf_path=URDF,
        publish_rate=100,
        cartesian_frame=FRAME,
        # a busy machine may leave out some of our states
        max_joint_state_age=60.0,
    )
    ros.wait_until_active(process)
    state = JointState(name=list(model.joint_names), position=START.tolist())
    publisher = ros.node.create_publisher(JointState, '/joint_states', 10)
    ros.node.create_timer(0.05, lambda: publisher.publish(state))
    ros.wait_for('a subscriber of joint_states', publisher.get_subscription_count, process)
    return process


@pytest.fixture
def samples(ros, process):
    """Return the samples from now on, with nothing being followed."""
    assert ros.call_once(Trigger, '/feedforward', 'clear', Trigger.Request()).success
    # made after that: it receives nothing of the former motion
    samples, topic = [], '/feedforward/feedforward'
    subscription = ros.node.create_subscription(
        FeedforwardTorque, topic, samples.append, MOST_KEPT
    )
    ros.wait_until_heard()
    yield samples
    ros.node.destroy_subscription(subscription)


@pytest.fixture(scope='module')
def verdicts(ros, process):
    """Return all verdicts: a client for each message might still hear the one before."""
    verdicts = ros.listen(DiagnosticStatus, '/feedforward/trajectory_status')
    ros.wait_until_heard()
    return verdicts


@pytest.fixture
def verdict(ros, process, verdicts):
    """Return a function that publishes a message and returns the verdict on it."""

    def verdict(message):
        count = len(verdicts)
        ros.publish(message, TOPIC)
        ros.wait_for('a verdict', lambda: len(verdicts) > count, process)
        return verdicts[count]

    return verdict


def time_of(sample):
    return nanoseconds(sample.reference.time_from_start) / SECOND


def stamp_of(sample):
    return nanoseconds(sample.header.stamp) / SECOND


def until_held(ros, process, samples):
    """Wait for the end, and return the samples of the motion."""
    ros.wait_for(
        'the end', lambda: samples and samples[-1].source == FeedforwardTorque.SOURCE_HOLD, process
    )
    return [sample for sample in samples if sample.source == FeedforwardTorque.SOURCE_TRAJECTORY]


def assert_frame_follows(model, samples, path):
    poses, _ = path.sample(np.array([time_of(sample) for sample in samples]))
    q = np.array([jet_of(sample)[0] for sample in samples])
    # the nanosecond to which the times are rounded is 1e-9 m at 1 m/s
    assert np.abs(frame_pose(model, q, FRAME) - poses).max() <= 1e-8


def test_the_frame_of_the_references_follows_the_poses_from_the_measured_state(
    ros, process, samples, model, verdict
):
    start = frame_pose(model, START, FRAME)
    waypoints = near(start, [3.0, 6.0])

    def accepted():
        # again, if the first measured state is still under way
        message = verdict(path_message(waypoints)).message
        assert message == 'accepted' or message.startswith('no state to start from'), message
        return message == 'accepted'

    ros.wait_for('a measured state', accepted, process)
    motion = until_held(ros, process, samples)
    assert len(motion) > 20
    assert_frame_follows(model, motion, PoseCurve(waypoints, start))
    last = np.array(samples[-1].reference.positions)
    assert np.abs(frame_pose(model, last, FRAME)[:3, 3] - waypoints.positions[-1]).max() <= 1e-9
    pinocchio = PinocchioModel(URDF, model)
    for sample in motion[::10]:
        assert sample.reference_continuity == 4
        jet, efforts = jet_of(sample), efforts_of(sample)
        expected = pinocchio.efforts(*jet[:3])
        assert np.abs(efforts[0] - expected).max() <= 1e-9 * np.abs(expected).max()
    assert 'Following a trajectory of 2 points and 6 s' in process.log


def test_poses_that_cannot_be_followed_are_refused_and_the_motion_goes_on(
    ros, process, samples, model, verdict
):
    start = frame_pose(model, START, FRAME)
    waypoints = near(start, [600.0, 1200.0])
    assert verdict(path_message(waypoints)).message == 'accepted'
    far = PoseWaypoints(
        FRAME, [900.0], waypoints.positions[:1] + [0.0, 0.0, 2.0], waypoints.orientations[:1]
    )
    stopped = path_message(waypoints)
    stopped.poses[1].header.stamp.sec = 600
    elsewhere = path_message(waypoints)
    elsewhere.poses[1].header.frame_id = 'camera'
    clock = path_message(waypoints)
    set_stamp(clock.poses[1].header.stamp, ros.node.get_clock().now().nanoseconds)
    long = path_message(waypoints)
    long.poses[0].pose.orientation.w += 0.5
    for message, reason in (
        (path_message(waypoints, 'map'), 'header.frame_id: expected base_link, the base link'),
        (elsewhere, 'pose #1, header.frame_id: expected base_link, the base link'),
        (path_message(far), 'pose #0 is out of reach from here'),
        (stopped, 'Time between points 0 and 1 is not strictly increasing'),
        (clock, 'pose #1, header.stamp: expected 0 to 10000000 s after that of the path'),
        (long, 'pose #0 (at 600 s): orientation: expected a quaternion'),
        (nav_msgs.Path(), 'poses: expected at least one, got none'),
    ):
        report = verdict(message)
        assert (report.level, reason in report.message) == (DiagnosticStatus.ERROR, True), report
        assert f'Trajectory rejected: {report.message}' in process.log
    count = len(samples)
    ros.wait_for('more samples', lambda: len(samples) > count + 5, process)
    assert samples[-1].source == samples[-1].SOURCE_TRAJECTORY
    assert_frame_follows(model, samples[count:], PoseCurve(waypoints, start))


def test_a_path_joins_the_motion_of_another_up_to_the_snap(ros, process, samples, model, verdict):
    start = frame_pose(model, START, FRAME)
    assert verdict(path_message(near(start, [30.0]))).message == 'accepted'
    ros.wait_for('motion', lambda: samples and time_of(samples[-1]) > 1.0, process)
    report = verdict(path_message(near(start, [25.0, 26.0], seed=5)))
    assert report.message == 'accepted'
    begin = float({item.key: item.value for item in report.values}['start [s]'])

    def of_the_other():
        return [s for s in samples if abs(stamp_of(s) - time_of(s) - begin) < 1e-6]

    ros.wait_for('the other motion', lambda: len(of_the_other()) > 30, process)
    jets = np.array([jet_of(sample) for sample in samples])
    steps = np.diff([stamp_of(sample) for sample in samples])[:, None]
    # a jump of a derivative would be no integral of the next one
    for d in range(4):
        change = np.diff(jets[:, d], axis=0) - 0.5 * steps * (jets[:-1, d + 1] + jets[1:, d + 1])
        assert np.abs(change).max() <= 0.5 * np.abs(jets[:, d + 1]).max() * steps.max()


def test_a_frame_that_does_not_exist_is_named_at_the_start(ros):
    process = ros.start(
        'feedforward', name='misled', urdf_path=URDF, publish_rate=100, cartesian_frame='hand'
    )
    ros.wait_for(
        'the reason',
        lambda: "parameter 'cartesian_frame': unknown link 'hand': expected one of" in process.log,
        process,
    )
    process.end()
