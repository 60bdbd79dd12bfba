# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Start of a trajectory within the running motion if time goes on during its fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.node_processes import trajectory
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from screw_dynamics import inverse_dynamics, read_urdf
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics.nodes.feedforward.fitting.fit import fit, outline, read_message
from screw_dynamics.nodes.feedforward.fitting.forwarding import forwarding, with_efforts
from screw_dynamics.nodes.feedforward.fitting.tasks import FitRobot, Reading
from screw_dynamics.nodes.feedforward.inputs.trajectory_join import joined
from screw_dynamics.nodes.feedforward.inputs.trajectory_plan import arrival, plan
from screw_dynamics.nodes.feedforward.measurements import JointStateBuffer
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.reference.interpolation import INTERPOLATIONS
from screw_dynamics.reference.reference import Reference
from screw_dynamics.reference.streamed_reference import StreamedReference
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import jtc_trajectory, waypoints_from_points

MS = 10**6
NOW = 1_700_000_000_000 * MS
NAMES = ('joint_1', 'joint_2')
REST = np.zeros((5, 2))


class Node:
    """The state of a node that receives trajectories, and a clock that advances during fits."""

    def __init__(self, urdf, **parameters):
        self.parameters = FeedforwardParameters(**parameters)
        self.robot = FitRobot(Robot(read_urdf(urdf)), {}, ())
        self.reference = Reference(2, INTERPOLATIONS[self.parameters.interpolation])
        self.streamed = StreamedReference(
            self.reference, np.zeros(2, dtype=bool), self.parameters.stream_settings
        )
        self.measured = JointStateBuffer(NAMES)
        self.now = NOW

    def receive(self, *points, times=None, stamp=0):
        message = trajectory(NAMES, *points, times=times)
        set_stamp(message.header.stamp, stamp)
        data = serialize_message(message)
        self.message = read_message(Reading(data, 1000))
        self.arrival = arrival(
            data, self.reference, self.streamed, self.measured, self.parameters, self.now
        )

    def plan(self, delay):
        names = self.robot.robot.model.joint_names
        self.planned = plan(
            self.arrival, outline(self.message), names, self.reference, self.streamed,
            self.parameters, self.now, delay,
        )  # fmt: skip
        return self.planned.task.join

    def join(self, took):
        """Advance the clock by the time of a fit and join the result if still possible."""
        made = fit(self.message, self.robot, self.planned.task)
        self.now += took
        problem = joined(
            self.planned, made, self.arrival, self.robot, self.reference, self.streamed, self.now
        )
        return not problem

    def follow(self, *points, **more):
        self.receive(*points, **more)
        self.plan(0)
        assert self.join(0)

    def jet(self, time):
        jet = np.full((5, 2), np.nan)
        self.reference.sample(time, jet)
        return jet


@pytest.fixture
def moving(planar):
    """Return a node 300 ms into a motion of a second."""
    node = Node(planar)
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 300 * MS
    return node


def test_from_rest_nothing_of_the_path_is_skipped(planar):
    node = Node(planar)
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 5000 * MS
    node.receive([1.0, -1.0], [1.1, -1.0], [1.2, -1.0], times=[0.0, 0.02, 0.04])
    node.plan(30 * MS)
    assert node.join(50 * MS)
    begin = node.reference.newest.begin
    assert (begin, node.reference.newest.start) == (node.now, node.now)
    np.testing.assert_array_equal(node.jet(begin), [[1.0, -1.0], *REST[1:]])
    np.testing.assert_allclose(node.jet(begin + 20 * MS)[0], [1.1, -1.0])


def test_a_motion_is_continued_at_the_join_and_the_start_is_the_reception(moving):
    received = moving.now
    moving.receive([0.5, 0.5], [0.0, 0.0], [0.3, 0.3])
    expected = moving.reference.state(received + 30 * MS)
    assert moving.plan(30 * MS).begin == received + 30 * MS
    assert moving.join(20 * MS)
    np.testing.assert_allclose(moving.jet(received + 30 * MS), expected, rtol=1e-12, atol=1e-12)
    assert moving.reference.newest.start == received
    np.testing.assert_allclose(moving.jet(received + 1000 * MS)[0], [0.0, 0.0], atol=1e-12)


def test_before_the_join_the_old_motion_applies(moving):
    old = moving.reference.state(moving.now + 29 * MS)
    moving.receive([0.5, 0.5], [0.0, 0.0])
    moving.plan(30 * MS)
    assert moving.join(20 * MS)
    np.testing.assert_array_equal(moving.jet(moving.now + 9 * MS), old)


def test_a_fit_that_comes_late_is_made_anew(moving):
    moving.receive([0.5, 0.5], [0.0, 0.0])
    moving.plan(30 * MS)
    before = moving.reference.newest
    assert not moving.join(400 * MS)
    assert (moving.arrival.late, moving.reference.newest) == (1, before)
    begin = moving.plan(60 * MS).begin
    expected = moving.reference.state(begin)
    assert moving.join(40 * MS)
    np.testing.assert_allclose(moving.jet(begin), expected, rtol=1e-12, atol=1e-12)


def test_a_fit_that_comes_a_little_late_joins_where_the_motion_is_by_then(moving):
    received = moving.now
    moving.receive([0.5, 0.5], [0.0, 0.0], [0.4, 0.4])
    moving.plan(30 * MS)
    expected = moving.reference.state(received + 40 * MS)
    assert moving.join(40 * MS)
    np.testing.assert_allclose(moving.jet(moving.now), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(moving.jet(received + 1000 * MS)[0], [0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(moving.jet(received + 2000 * MS)[0], [0.4, 0.4], atol=1e-9)


def test_a_speed_that_changes_during_the_fit(moving):
    received = moving.now
    moving.receive([0.5, 0.5], [0.0, 0.0])
    moving.plan(30 * MS)
    moving.reference.set_speed(0.5, moving.now + 10 * MS)
    assert not moving.join(20 * MS)
    moving.arrival.follow_speed(0.5, received + 10 * MS)
    join = moving.plan(30 * MS)
    # 10 ms at speed 1, 40 ms at half of it
    assert join.elapsed == pytest.approx(0.030, abs=1e-12)
    expected = moving.reference.state(join.begin)
    assert moving.join(20 * MS)
    jet = moving.jet(join.begin)
    np.testing.assert_allclose(
        jet, expected * 0.5 ** np.arange(5)[:, None], rtol=1e-12, atol=1e-12
    )


def test_a_clock_that_is_set_again_and_again(moving):
    """With `sync` the state at the join changes with every message of the controller."""
    moving.receive([0.5, 0.5], [0.0, 0.0], [0.4, -0.4])
    tries = 0
    while True:
        join = moving.plan(30 * MS)
        own = 1e-9 * (moving.now - NOW)
        motion = moving.reference.motion_at(moving.now)
        moving.reference.set_time(motion, own + 1e-5 * (1 + tries % 2), moving.now)
        tries += 1
        if moving.join(10 * MS):
            break
    assert tries == 4
    old = Node.__new__(Node)  # what the motion before it does at the join
    old.reference = Reference(2, INTERPOLATIONS['smooth'])
    old.reference._motions = moving.reference._motions[:1]
    expected = old.jet(join.begin)
    np.testing.assert_allclose(moving.jet(join.begin), expected, rtol=1e-12, atol=1e-12)
    # no jump at the first knot either, and through the points
    knot = moving.reference.newest.curve.breaks[1]
    time = join.begin + round(1e9 * knot)
    np.testing.assert_allclose(moving.jet(time)[0], [0.0, 0.0], atol=1e-6)
    before, after = moving.jet(time - 1), moving.jet(time + 1)
    np.testing.assert_allclose(before[:4], after[:4], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    'speeds',
    [
        [1.00001, 1.00002, 1.00003, 1.00004],
        [0.9, 0.8, 0.7, 0.5],
        [1.1, 1.2, 1.3, 1.5],
        [0.5, 0.0, 0.5, 0.0],
        [0.5, 0.0, 0.5, 1e-300],
        [0.0, 0.5, 0.0, 0.5],
    ],
)
@pytest.mark.parametrize('took', [10, 40])
def test_a_speed_that_changes_again_and_again(moving, speeds, took):
    received = moving.now
    moving.receive([0.5, 0.5], [0.0, 0.0], [0.4, -0.4])
    passed, speed = 0.0, 1.0
    for k, new in enumerate(speeds):
        moving.plan(30 * MS)
        passed, speed = passed + 1e-3 * took * speed, new
        moving.reference.set_speed(new, moving.now + took * MS)
        moving.arrival.follow_speed(new, moving.now + took * MS)
        before = moving.reference.newest
        assert moving.join(took * MS) == (k == 3)
    assert moving.arrival.late <= 1
    begin = moving.reference.newest.begin
    assert moving.now <= begin < moving.now + 30 * MS
    powers = speed ** np.arange(5)[:, None]
    expected = before.curve.sample(before.time_at(begin, speed) - before.joined, np.empty((5, 2)))
    np.testing.assert_allclose(moving.jet(begin), expected * powers, rtol=1e-9, atol=1e-9)
    # through the points at their times from the reception
    newest = moving.reference.newest
    for time, point in ((1.0, [0.0, 0.0]), (2.0, [0.4, -0.4])):
        jet = newest.curve.sample(time - newest.joined, np.empty((5, 2)))
        np.testing.assert_allclose(jet[0], point, atol=1e-9)
    elapsed = passed + speed * 1e-9 * (begin - moving.now)
    assert received + 4 * took * MS == moving.now
    assert newest.time_at(begin, speed) == pytest.approx(elapsed, abs=2e-9)


def test_a_speed_that_changes_while_nothing_moves(planar):
    node = Node(planar)
    node.receive([0.0, 0.0], [1.0, -1.0])
    tries = 0
    while True:
        node.plan(30 * MS)
        tries += 1
        node.reference.set_speed(1.0 + 0.01 * tries, node.now)
        node.arrival.follow_speed(1.0 + 0.01 * tries, node.now)
        if node.join(10 * MS):
            break
    assert tries == 4
    assert (node.reference.newest.begin, node.reference.newest.start) == (node.now, node.now)
    np.testing.assert_array_equal(node.jet(node.now), REST)


def test_a_speed_that_changes_before_a_start_in_the_future(moving):
    start = moving.now + 400 * MS
    moving.receive([0.5, 0.5], [0.0, 0.0], stamp=start)
    for speed in (0.9, 0.8, 0.7, 0.6):
        moving.plan(30 * MS)
        moving.reference.set_speed(speed, moving.now)
        moving.arrival.follow_speed(speed, moving.now)
        followed = moving.join(10 * MS)
    assert followed
    newest = moving.reference.newest
    assert (newest.begin, newest.anchor_time) == (start, 0.0)


def test_a_stream_that_begins_during_the_fit_is_the_newer_command(moving):
    moving.receive([0.5, 0.5], [0.0, 0.0])
    moving.plan(30 * MS)
    moving.streamed.add_positions(np.array([0.1, 0.1]), moving.now, moving.now)
    assert not moving.join(10 * MS)
    with pytest.raises(TrajectoryError, match='joint_state_reference began before it was fitted'):
        moving.plan(30 * MS)


def test_a_stream_that_goes_on_is_continued_where_it_is(planar):
    node = Node(planar, filter_bandwidth=2.0)
    for k in range(20):
        node.streamed.add_positions(np.array([0.01 * k, 0.0]), node.now, node.now)
        node.now += 10 * MS
    node.receive([0.5, 0.5], [0.0, 0.0], [0.2, 0.2])
    node.plan(30 * MS)
    node.streamed.add_positions(np.array([0.3, 0.0]), node.now, node.now)
    expected = node.streamed.state(node.now + 20 * MS, node.now + 20 * MS)
    assert node.join(20 * MS)
    assert node.streamed.followed is None
    np.testing.assert_allclose(node.jet(node.now), expected, rtol=1e-12, atol=1e-12)
    # the points keep their times from the reception
    received = node.reference.newest.start
    assert received == node.now - 20 * MS
    np.testing.assert_allclose(node.jet(received + 1000 * MS)[0], [0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(node.jet(received + 2000 * MS)[0], [0.2, 0.2], atol=1e-9)


def test_a_start_in_the_future_is_kept(moving):
    start = moving.now + 400 * MS
    moving.receive([0.5, 0.5], [0.0, 0.0], stamp=start)
    assert moving.plan(30 * MS).begin == start
    expected = moving.reference.state(start)
    assert moving.join(20 * MS)
    np.testing.assert_allclose(moving.jet(start), expected, rtol=1e-12, atol=1e-12)


def test_the_spline_of_a_controller_joins_at_reception(planar):
    node = Node(planar, interpolation='jtc')
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 300 * MS
    received = node.now
    node.receive([0.3, -0.3], [0.0, 0.0])
    node.plan(30 * MS)
    assert node.join(50 * MS)
    np.testing.assert_allclose(node.jet(received + 500 * MS)[0], [0.15, -0.15], atol=1e-9)


def forwarded(node):
    """Return the message for a controller, and the instants of its points [ns]."""
    task = forwarding(node.reference, outline(node.message), node.parameters, node.now)
    message = with_efforts(node.robot.robot.model, task)
    stamp = nanoseconds(message.header.stamp)
    times = [nanoseconds(point.time_from_start) for point in message.points]
    assert times[0] >= 0
    assert (np.diff(times) > 0).all()
    return message, stamp + np.array(times)


def executed(message, instants, instant):
    """Return the positions of a controller that interpolates by quintics."""
    i = int(np.searchsorted(instants, instant, side='right'))
    rows = [[p.positions, p.velocities, p.accelerations] for p in message.points[i - 1 : i + 1]]
    points = [(0.0, *rows[0]), (1e-9 * (instants[i] - instants[i - 1]), *rows[1])]
    segment = jtc_trajectory(
        waypoints_from_points(NAMES, points, NAMES, allow_nonzero_end_velocity=True)
    )
    return segment.jets([1e-9 * (instant - instants[i - 1])], rows=1)[0, 0]


def assert_in_step(node, message, instants, begin):
    """Compare a controller with the reference until some time after the newest motion begins."""
    for instant in np.linspace(instants[0], begin + 20 * MS, 301).astype(int):
        expected = node.reference.state(int(instant))[0]
        here = executed(message, instants, instant)
        np.testing.assert_allclose(here, expected, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize('stamped', [False, True])
@pytest.mark.parametrize('rests', [False, True])
def test_a_controller_that_starts_by_the_outgoing_stamp_is_in_step(moving, stamped, rests):
    moving.now += 3000 * MS if rests else 0
    old = moving.reference
    moving.receive(
        [0.5, 0.5], [0.2, 0.1], [0.0, 0.0], stamp=moving.now - 100 * MS if stamped else 0
    )
    before = old.state(moving.plan(30 * MS).begin)
    assert moving.join(20 * MS)
    begin = moving.reference.newest.begin
    message, instants = forwarded(moving)
    if stamped:
        assert message.header == moving.message.header
    joins = int(np.flatnonzero(instants == begin)[0])
    assert joins == (0 if rests else 1)  # 10 ms, one period, are left to the join
    np.testing.assert_allclose(message.points[joins].positions, before[0], rtol=0.0, atol=1e-9)
    for instant, point in zip(instants, message.points, strict=True):
        jet = moving.jet(instant)
        row = [point.positions, point.velocities, point.accelerations]
        np.testing.assert_allclose(row, jet[:3], rtol=1e-9, atol=1e-9)
        efforts = inverse_dynamics(moving.robot.robot.model, jet[:3])[0]
        np.testing.assert_allclose(point.effort, efforts, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize('ahead', [None, -100, 35, 400])
def test_a_controller_in_motion_goes_on_with_the_reference(moving, ahead):
    """The node has not published the message yet when the controller still follows the last."""
    start = moving.now if ahead is None else moving.now + ahead * MS
    moving.receive([0.5, 0.5], [0.2, 0.1], stamp=0 if ahead is None else start)
    begin = moving.plan(30 * MS).begin
    assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    assert instants[0] == moving.now
    # in step with a received stamp, unless points lie before it
    assert nanoseconds(message.header.stamp) == min(start, moving.now)
    assert_in_step(moving, message, instants, begin)


def test_a_controller_goes_on_with_several_motions(moving):
    """A trajectory is replaced before it has begun, by one that begins later still."""
    begins = []
    for ahead in 400, 800:
        moving.receive([0.4, 0.1 * ahead / 400], [0.3, 0.0], stamp=moving.now + ahead * MS)
        begins.append(moving.plan(30 * MS).begin)
        assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    assert instants[0] == moving.now < begins[0] < begins[1]
    assert_in_step(moving, message, instants, begins[1])


def test_a_controller_goes_on_in_the_turn_of_the_newest_motion(moving):
    """Continuous joints go to the nearest turn; the points of one message are in one turn."""
    moving.robot = replace(moving.robot, continuous=('joint_2',))
    moving.reference.continuous = moving.robot.continuous
    for turns in 3, 1:
        moving.receive(
            [0.4, 2.0 * np.pi * turns], times=[1.0], stamp=moving.now + 100 * (6 - turns) * MS
        )
        begin = moving.plan(30 * MS).begin
        assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    assert instants[0] == moving.now
    for instant in np.linspace(instants[0], begin + 20 * MS, 301).astype(int):
        expected = moving.reference.state(int(instant))[0]
        here = executed(message, instants, instant)
        np.testing.assert_allclose(here[0], expected[0], rtol=0.0, atol=1e-9)
        assert abs(here[1] - 2.0 * np.pi) < np.pi + 1.0
        assert abs(np.angle(np.exp(1j * (here[1] - expected[1])))) < 1e-9


@pytest.mark.parametrize('period', [0.005, 0.3, 1.0])
def test_the_points_of_the_former_motion_are_kept(planar, period):
    node = Node(planar, resample_period=period)
    node.follow([0.0, 0.0], [0.3, 0.1], [0.1, -0.4], [0.2, 0.3], times=[0.0, 0.3, 0.6, 1.0])
    node.now += 100 * MS
    node.receive([0.5, 0.5], stamp=node.now + 800 * MS, times=[2.0])
    begin = node.plan(30 * MS).begin
    assert node.join(20 * MS)
    _, instants = forwarded(node)
    assert {NOW + 300 * MS, NOW + 600 * MS, begin} <= set(instants)
    assert np.diff(instants[instants <= begin]).max() <= 1e9 * period


def test_a_long_hold_before_a_motion_takes_two_points(moving):
    moving.receive([0.5, 0.5], [0.2, 0.1], stamp=moving.now + 3_600_000 * MS)
    begin = moving.plan(30 * MS).begin
    assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    held = NOW + 1000 * MS  # the end of the former motion
    assert list(instants[(instants >= held) & (instants <= begin)]) == [held, begin]
    assert instants[0] == moving.now
    np.testing.assert_allclose(
        executed(message, instants, (held + begin) // 2), [1.0, -1.0], rtol=0.0, atol=1e-9
    )


@pytest.mark.parametrize(
    ('sync', 'speed'), [('controller_state', 1.0), ('none', 0.0), ('none', 0.5)]
)
def test_nothing_leads_to_a_motion_if_the_times_of_the_controller_may_differ(moving, sync, speed):
    moving.parameters = replace(moving.parameters, sync=sync)
    moving.reference.set_speed(speed, moving.now)
    moving.receive([0.5, 0.5], [0.2, 0.1], stamp=moving.now + 400 * MS)
    begin = moving.plan(30 * MS).begin
    assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    assert message.header == moving.message.header
    assert instants[0] == begin


@pytest.mark.parametrize('stamp', [-900, 5])
def test_points_lead_from_the_instant_of_forwarding_on(planar, stamp):
    """Two replacements within the lead time, of which the first has not begun."""
    node = Node(planar, lead_time=0.1)
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 300 * MS
    for _ in range(2):
        node.receive([0.5, 0.5], [0.2, 0.1], times=[1.0, 2.0], stamp=node.now + stamp * MS)
        begin = node.plan(1 * MS).begin
        assert node.join(1 * MS)
    message, instants = forwarded(node)
    assert instants[0] == node.now
    assert_in_step(node, message, instants, begin)


def test_nothing_leads_to_a_motion_that_does_not_continue_another(planar):
    node = Node(planar, start_state='first_point')
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 300 * MS
    node.follow([0.3, 0.0], [0.0, 0.0], stamp=node.now + 100 * MS)
    message, instants = forwarded(node)
    assert message.header == node.message.header
    assert instants[0] == node.reference.newest.begin


def test_too_many_points_do_not_lead_to_a_motion(moving):
    moving.parameters = replace(moving.parameters, resample_period=1e-5)
    moving.receive([0.5, 0.5], [0.2, 0.1], times=[0.01, 0.02], stamp=moving.now + 400 * MS)
    begin = moving.plan(0).begin
    assert moving.join(0)
    message, instants = forwarded(moving)
    assert message.header == moving.message.header
    assert instants[0] == begin


def test_a_first_segment_that_is_bent_keeps_the_limits_too(planar):
    def followed(amplitude, took):
        node = Node(planar, check_limits='reject')
        node.follow([0.0, 0.0], [0.1, 0.0], times=[0.0, 2.0])
        node.now += 1000 * MS
        before = node.reference.newest
        node.receive([0.1 + amplitude, 0.0], times=[0.8])
        node.plan(30 * MS)
        followed = node.join(took * MS)
        assert followed == (node.reference.newest is not before)
        return followed

    low, high = 0.0, 3.0
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        try:
            low = middle if followed(middle, 20) else low
        except TrajectoryError:  # the plan itself is beyond
            high = middle
    assert followed(0.9 * low, 20) and followed(0.5 * low, 120)
    # less time is left: larger efforts
    assert not followed(0.99 * low, 120)


def measure(node, *positions):
    node.measured.update(JointState(name=list(NAMES), position=list(positions)), node.now)


@pytest.mark.parametrize('stamped', [False, True])
@pytest.mark.parametrize('took', [20, 60])
def test_joint_states_are_those_of_the_join(planar, took, stamped):
    node = Node(planar, start_state='joint_states')
    measure(node, 0.0, 0.0)
    node.follow([1.0, -1.0], times=[1.0])
    node.now += 300 * MS
    measure(node, 0.2, -0.2)
    start = node.now
    node.receive([0.5, 0.5], [0.0, 0.0], stamp=start if stamped else 0)
    node.now += 10 * MS
    measure(node, 0.21, -0.21)
    np.testing.assert_array_equal(node.plan(30 * MS).jet[0], [0.21, -0.21])
    measure(node, 0.23, -0.23)
    assert node.join(took * MS)
    assert node.reference.newest.begin == node.now
    np.testing.assert_allclose(node.jet(node.now), [[0.23, -0.23], *REST[1:]], atol=1e-12)
    end = (start if stamped else node.now) + 1000 * MS
    assert np.abs(node.jet(end - 50 * MS)[0]).max() > 1e-7
    np.testing.assert_allclose(node.jet(end)[0], [0.0, 0.0], atol=1e-9)


def test_joint_states_are_those_of_the_plan_where_the_start_is_to_come(planar):
    node = Node(planar, start_state='joint_states')
    measure(node, 0.1, -0.1)
    start = node.now + 500 * MS
    node.receive([0.5, 0.5], times=[1.0], stamp=start)
    node.plan(30 * MS)
    measure(node, 0.3, -0.3)
    assert node.join(20 * MS)
    np.testing.assert_allclose(node.jet(start)[0], [0.1, -0.1], atol=1e-12)


def test_speed_changes_count_from_the_instant_on_at_which_they_apply(moving):
    moving.reference.set_speed(0.5, moving.now + 7 * MS)
    assert moving.reference.speed_since == moving.now + 7 * MS
    moving.reference.set_speed(0.5, moving.now + 9 * MS)
    assert moving.reference.speed_since == moving.now + 7 * MS
