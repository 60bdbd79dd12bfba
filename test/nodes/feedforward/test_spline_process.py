# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""``~/spline`` of a running node, sampled by the C++ core of the controller."""

from __future__ import annotations

import shutil
import time
from itertools import pairwise

import numpy as np
import pytest
from helpers.node_processes import LATCHED, altered_command, trajectory
from helpers.spline_follower import build_follower, follow
from numpy.polynomial import Polynomial
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.messages.times import SECOND, nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque, JointSpline

NAMES = ['joint_1', 'joint_2']
TRAJECTORY, SPEED = '/feedforward/joint_trajectory', '/feedforward/speed_scaling'
BOUND = 1e-12  # see test_splines.py
# the node waits longer until its last message has been received: the client may be slow
PATIENT = """
from screw_dynamics.nodes.shared import endpoints
endpoints.DELIVERY = 60.0
"""
FIELDS = ('positions', 'velocities', 'accelerations')

needs_compiler = pytest.mark.skipif(shutil.which('g++') is None, reason='not installed: g++')


class Watched:
    """A node with splines, its messages and its samples."""

    def __init__(self, ros, planar, **parameters):
        # long enough for messages of a node that hardly gets the processor
        lead = {'lead_time': 0.5, **parameters}
        self.ros = ros
        command = altered_command('feedforward', before=PATIENT)
        self.process = ros.start_command(command, urdf_path=planar, publish_spline=True, **lead)
        ros.wait_until_active(self.process)
        self.splines = ros.listen(JointSpline, '/feedforward/spline')
        self.samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
        ros.wait_until_heard()

    def send(self, *points, times):
        self.ros.publish(trajectory(NAMES, *points, times=times), TRAJECTORY)
        self.wait_for_message()

    def speed(self, value):
        self.ros.publish(Float64(data=value), SPEED)
        self.wait_for_message()

    def wait_for_message(self):
        count = len(self.splines)
        self.ros.wait_for('a spline', lambda: len(self.splines) > count, self.process)

    def wait_for_samples(self, condition):
        self.ros.wait_for(
            'samples', lambda: self.samples and condition(self.samples[-1]), self.process
        )

    def move(self, seconds):
        """Wait until the reference has moved on."""
        self.wait_for_samples(lambda sample: True)
        until = nanoseconds(self.samples[-1].header.stamp) + round(seconds * SECOND)
        self.wait_for_samples(lambda sample: nanoseconds(sample.header.stamp) >= until)

    def unknown(self):
        """
        Return a function: whether a controller could not know the motion at an instant [ns].

        A busy node publishes a change after it has begun, and warns of it.
        """
        published = {}
        for message in self.splines:
            for piece in message.pieces:
                change = piece.motion, nanoseconds(piece.begin)
                published.setdefault(change, nanoseconds(message.header.stamp))
        late = [(begin, stamp) for (_, begin), stamp in published.items() if begin < stamp]
        if late:
            text = 'after a change of the motion'
            self.ros.wait_for('the warning', lambda: text in self.process.log, self.process)
        return lambda instant: any(begin <= instant < stamp for begin, stamp in late)

    def end(self):
        assert self.process.interrupt() == 0, self.process.log


@pytest.fixture
def watched(ros, planar):
    made = []

    def watched(**parameters):
        made.append(Watched(ros, planar, **parameters))
        return made[-1]

    yield watched
    for one in made:
        one.process.end()


def jet_of(sample):
    rows = [getattr(sample.reference, field) for field in FIELDS]
    return [*rows, sample.reference_jerk, sample.reference_snap]


@needs_compiler
def test_the_controller_follows_the_reference_of_the_node(watched, tmp_path):
    rng = np.random.default_rng(11)
    one = watched()
    one.send([0.0, 0.0], *rng.uniform(-1.0, 1.0, (3, 2)), times=[0.0, 0.8, 1.5, 3.0])
    one.move(0.4)
    # the last point is long after a fit that a busy machine delays
    one.send(*rng.uniform(-1.0, 1.0, (3, 2)), times=[1.2, 2.5, 60.0])
    one.move(0.8)
    one.speed(0.5)
    one.move(0.6)
    one.send(*rng.uniform(-1.0, 1.0, (3, 2)), times=[1.0, 1.6, 10.0])
    one.move(0.8)
    one.speed(0.0)
    one.move(0.7)
    one.speed(1.3)
    one.wait_for_samples(lambda sample: sample.source == FeedforwardTorque.SOURCE_HOLD)
    one.move(0.1)

    unknown = one.unknown()
    samples = {nanoseconds(sample.header.stamp): sample for sample in one.samples}
    samples = {instant: sample for instant, sample in samples.items() if not unknown(instant)}
    assert len(samples) > 100
    origin, instants = min(samples), np.array(sorted(samples))
    sent = [nanoseconds(message.header.stamp) for message in one.splines]
    assert sent == sorted(sent)
    bounds = [*np.searchsorted(instants, sent), len(instants)]
    assert bounds[0] == 0
    received = [
        (message, instants[low:high])
        for message, (low, high) in zip(one.splines, pairwise(bounds), strict=True)
    ]
    got = follow(build_follower(tmp_path), 2, received, origin)
    jets = np.array([jet_of(samples[int(instant)]) for instant in instants])
    assert got.flags[:, 0].all()
    scale = np.abs(jets).max(axis=(0, 2))[:, None]
    assert (np.abs(got.jets - jets) <= BOUND * scale).all()
    assert one.splines[-1].joint_names == NAMES

    # latched for those that come later
    latched = one.ros.listen(JointSpline, '/feedforward/spline', LATCHED)
    one.ros.wait_for('the latched spline', lambda: latched, one.process)
    assert latched == one.splines[-1:]
    assert one.ros.call_once(Trigger, '/feedforward', 'clear', Trigger.Request()).success
    one.ros.wait_for('no pieces', lambda: not latched[-1].pieces, one.process)
    one.send([0.0, 0.0], [0.1, 0.1], times=[0.0, 5.0])
    one.ros.wait_for('the spline', lambda: one.splines[-1].pieces, one.process)
    one.end()
    one.ros.wait_for('no pieces', lambda: not one.splines[-1].pieces)


def state_of(piece, instant, of=np.positive):
    """Return the joint jet (5, n) of a piece at an instant [ns], `of` its coefficients."""
    elapsed = piece.speed * 1e-9 * (instant - nanoseconds(piece.begin))
    passed, end = piece.time + elapsed, np.array(piece.end)
    jet = np.zeros((5, len(end)))
    if passed >= piece.breaks[-1]:
        jet[0] = of(end)
        return jet
    segment = int(np.searchsorted(piece.breaks, passed, 'right')) - 1
    assert segment >= 0, (piece.begin, instant, piece.time, elapsed, piece.breaks)
    shape = len(piece.breaks) - 1, -1, len(end)
    powers = np.array(piece.coefficients).reshape(shape)[segment]
    length = piece.breaks[segment + 1] - piece.breaks[segment]
    for j, column in enumerate(powers.T):
        polynomial = Polynomial(of(column))
        for d in range(len(jet)):
            rate = (piece.speed / length) ** d
            jet[d, j] = polynomial((passed - piece.breaks[segment]) / length) * rate
            polynomial = polynomial.deriv()
    return jet


def test_a_trajectory_that_is_replaced_all_the_time_has_no_jump(watched):
    """Of the pieces both limits at every join, position to snap; of the samples each one."""
    rng = np.random.default_rng(20)
    one = watched()
    one.send([0.0, 0.0], [0.1, -0.1], times=[0.0, 5.0])
    one.move(0.1)
    # no point is soon after a join, where its jerk would be large, and the last one is long after
    # a fit that a busy machine delays
    times = np.append(0.4 + 0.3 * np.arange(9), 60.0)
    publisher = one.ros.node.create_publisher(JointTrajectory, TRAJECTORY, 10)
    one.ros.wait_for('the node', publisher.get_subscription_count, one.process)
    due = time.monotonic()
    for _ in range(60):
        points, count = rng.uniform(-0.3, 0.3, (len(times), 2)), len(one.splines)
        publisher.publish(trajectory(NAMES, *points, times=times))
        due += 0.05
        one.ros.spin(max(0.0, due - time.monotonic()))
        one.ros.wait_for('a spline', lambda count=count: len(one.splines) > count, one.process)
    one.move(0.1)

    jets = np.array([jet_of(sample) for sample in one.samples])
    scale = np.abs(jets).max(axis=(0, 2))[:, None]
    joins = 0
    for message in one.splines:
        for before, later in pairwise(message.pieces):
            join = nanoseconds(later.begin)
            assert later.continues
            if join < nanoseconds(message.header.stamp):
                continue
            jump = state_of(later, join) - state_of(before, join)
            # relative to the terms of the sums, which are rounded
            terms = np.maximum(*(state_of(piece, join, np.abs) for piece in (before, later)))
            assert (np.abs(jump) <= BOUND * np.maximum(scale, terms)).all()
            joins += 1
    assert joins > 10
    unknown = one.unknown()
    stamps, compared = [nanoseconds(message.header.stamp) for message in one.splines], 0
    every = 1 + len(jets) // 3000  # a busy machine makes many more of them
    for sample, jet in zip(one.samples[::every], jets[::every], strict=True):
        instant = nanoseconds(sample.header.stamp)
        if instant < stamps[0] or unknown(instant):
            continue
        message = one.splines[int(np.searchsorted(stamps, instant, 'right')) - 1]
        piece = [piece for piece in message.pieces if nanoseconds(piece.begin) <= instant][-1]
        assert (np.abs(jet - state_of(piece, instant)) <= BOUND * scale).all()
        compared += 1
    assert compared > 100
    one.end()


def test_streams_are_rejected_and_the_motion_goes_on(watched):
    one = watched()
    one.send([0.0, 0.0], [1.0, 1.0], times=[0.0, 600.0])
    one.move(0.1)
    position = JointState(name=NAMES, position=[0.0, 0.0])
    text = '~/joint_state_reference rejected: publish_spline: a stream has no spline'

    def rejected():
        one.ros.publish(position, '/feedforward/joint_state_reference')  # best effort
        one.ros.spin(0.02)
        return text in one.process.log

    one.ros.wait_for('the reason', rejected, one.process)
    one.move(0.1)
    assert one.samples[-1].source == FeedforwardTorque.SOURCE_TRAJECTORY
    assert len(one.splines) == 1
    one.end()


def test_a_motion_that_the_guard_stops_is_sent_no_more(watched):
    one = watched(output_guard='stop')
    # 38 N m at speed 1, 95 N m at speed 2, limit 60 N m
    swings = [[0.5 * (i % 2), 0.3 * (i % 2)] for i in range(121)]
    one.send(*swings, times=[0.5 * i for i in range(121)])
    assert one.splines[-1].pieces
    one.speed(2.0)
    one.ros.wait_for('the stop', lambda: 'limit exceeded' in one.process.log, one.process)
    one.ros.wait_for('no pieces', lambda: not one.splines[-1].pieces, one.process)
    one.speed(1.0)
    assert not one.splines[-1].pieces
    assert one.ros.call_once(Trigger, '/feedforward', 'clear', Trigger.Request()).success
    one.send([0.0, 0.0], [0.1, 0.1], times=[0.0, 2.0])
    one.ros.wait_for('the next motion', lambda: one.splines[-1].pieces, one.process)
    assert [piece.continues for piece in one.splines[-1].pieces] == [False]
    one.end()
