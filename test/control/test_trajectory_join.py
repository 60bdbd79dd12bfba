# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Start of a trajectory within the running motion if time goes on during its fit."""

import numpy as np
import pytest
from helpers.receiving_node import MS, NAMES, Node
from sensor_msgs.msg import JointState

from screw_dynamics.errors import ScrewDynamicsError, TrajectoryError

REST = np.zeros((5, 2))


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


def test_a_fit_that_comes_late_is_made_anew(moving):
    moving.receive([0.5, 0.5], [0.0, 0.0])
    moving.plan(30 * MS)
    before = moving.reference.newest
    assert not moving.join(400 * MS)
    assert (moving.pending.late, moving.reference.newest) == (1, before)
    begin = moving.plan(60 * MS).begin
    expected = moving.reference.state(begin)
    assert moving.join(40 * MS)
    np.testing.assert_allclose(moving.jet(begin), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize('stamped', [False, True])
@pytest.mark.parametrize('speed', [0.5, 1.0])
def test_fits_that_come_late_leave_half_of_the_motion(moving, speed, stamped):
    """The time for the next fit is doubled after each, but the last point can be reached."""
    moving.reference.set_speed(speed, moving.now)
    start = moving.now
    moving.receive([0.5, 0.5], [0.2, 0.2], times=[0.6, 1.2], stamp=start if stamped else 0)
    moving.now += 200 * MS
    left = round((1200 - 200 * speed) / speed) * MS
    for late, expected in ((0, 50 * MS), (1, 100 * MS), (5, left // 2), (1000, left // 2)):
        moving.pending.late = late
        assert moving.delay(50 * MS) == pytest.approx(expected, abs=1000)
    assert moving.delay(left * 2 // 3) == left * 2 // 3
    assert moving.delay(left) == pytest.approx(left // 2, abs=1000)  # it may be faster
    join = moving.plan(moving.delay(50 * MS))
    assert moving.join(20 * MS)
    assert moving.reference.newest.begin == join.begin
    end = start + round(1200 / speed) * MS
    np.testing.assert_allclose(moving.jet(end)[0], [0.2, 0.2], atol=1e-9)


def test_a_goal_that_starts_at_its_join_can_wait_for_its_fit(moving):
    moving.receive([0.5, 0.5], times=[0.2])
    moving.forward_to_controller()
    moving.pending.late = 5
    assert moving.delay(50 * MS) == 1600 * MS


def test_a_fit_that_comes_late_is_followed_at_once_where_the_speed_is_0(moving):
    moving.reference.set_speed(0.0, moving.now)
    moving.receive([0.5, 0.5], times=[0.2])
    moving.pending.late = 5
    assert moving.delay(50 * MS) == 50 * MS
    moving.plan(50 * MS)
    assert moving.join(500 * MS)


def test_what_is_left_counts_every_speed_and_what_the_controller_needs(planar):
    node = Node(planar, lead_time=0.03)
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 300 * MS
    node.receive([0.5, 0.5], times=[1.0])
    changed = node.now + 100 * MS
    node.now += 200 * MS
    node.reference.set_speed(0.5, changed)
    node.follow_speed(0.5, changed)
    node.pending.late, node.ahead = 8, 20 * MS
    # 100 ms at speed 1, 100 ms at half of it
    left = (1000 - 150) / 0.5 - 30 - 20
    assert node.delay(10 * MS) == pytest.approx(0.5 * left * MS, abs=1000)


def test_a_fit_that_comes_a_little_late_joins_where_the_motion_is_by_then(moving):
    received = moving.now
    moving.receive([0.5, 0.5], [0.0, 0.0], [0.4, 0.4])
    moving.plan(30 * MS)
    expected = moving.reference.state(received + 40 * MS)
    assert moving.join(40 * MS)
    np.testing.assert_allclose(moving.jet(moving.now), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(moving.jet(received + 1000 * MS)[0], [0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(moving.jet(received + 2000 * MS)[0], [0.4, 0.4], atol=1e-9)


@pytest.mark.parametrize('took', [20, 60])
def test_a_goal_joins_when_its_controller_can_have_it(moving, took):
    """Also if the fit comes a little late: the controller has the points before the join then."""
    moving.receive([0.5, 0.5], [0.0, 0.0])
    moving.forward_to_controller(50 * MS)
    planned = moving.plan(30 * MS).begin
    assert planned == moving.now + 80 * MS
    assert moving.join(took * MS)
    begin = moving.reference.newest.begin
    assert begin == max(planned, moving.now + 50 * MS)
    assert moving.reference.leading_to_newest(moving.now)
    assert not moving.reference.holds_back(moving.reference.newest)


def test_a_goal_from_rest_waits_until_it_is_sent(planar):
    node = Node(planar)
    node.receive([0.0, 0.0], [1.0, -1.0])
    node.forward_to_controller(50 * MS)
    node.plan(30 * MS)
    assert node.join(20 * MS)
    assert node.reference.holds_back(node.reference.newest)
    assert np.isnan(node.jet(node.now + 2000 * MS)).all()


def test_a_speed_that_changes_during_the_fit(moving):
    received = moving.now
    moving.receive([0.5, 0.5], [0.0, 0.0])
    moving.plan(30 * MS)
    moving.reference.set_speed(0.5, moving.now + 10 * MS)
    assert not moving.join(20 * MS)
    moving.follow_speed(0.5, received + 10 * MS)
    join = moving.plan(30 * MS)
    # 10 ms at speed 1, 40 ms at half of it
    assert join.elapsed == pytest.approx(0.030, abs=1e-12)
    expected = moving.reference.state(join.begin)
    assert moving.join(20 * MS)
    jet = moving.jet(join.begin)
    np.testing.assert_allclose(
        jet, expected * 0.5 ** np.arange(5)[:, None], rtol=1e-12, atol=1e-12
    )


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
        moving.follow_speed(new, moving.now + took * MS)
        before = moving.reference.newest
        assert moving.join(took * MS) == (k == 3)
    assert moving.pending.late <= 1
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


def test_a_speed_that_changes_before_a_start_in_the_future(moving):
    start = moving.now + 400 * MS
    moving.receive([0.5, 0.5], [0.0, 0.0], stamp=start)
    for speed in (0.9, 0.8, 0.7, 0.6):
        moving.plan(30 * MS)
        moving.reference.set_speed(speed, moving.now)
        moving.follow_speed(speed, moving.now)
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


@pytest.mark.parametrize('ahead', [0, 50 * MS])
def test_a_stream_that_goes_on_is_continued_where_it_is(planar, ahead):
    """By a goal too, whose controller has it later: the stream ends at once."""
    node = Node(planar, filter_bandwidth=2.0)
    for k in range(20):
        node.streamed.add_positions(np.array([0.01 * k, 0.0]), node.now, node.now)
        node.now += 10 * MS
    node.receive([0.5, 0.5], [0.0, 0.0], [0.2, 0.2])
    node.ahead = ahead
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


def test_a_first_segment_that_is_bent_keeps_the_limits_too(planar):
    def followed(amplitude, took):
        node = Node(planar, limits='reject')
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
        except ScrewDynamicsError:  # the plan itself is beyond
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


def test_before_the_join_the_old_motion_applies(moving):
    old = moving.reference.state(moving.now + 29 * MS)
    moving.receive([0.5, 0.5], [0.0, 0.0])
    moving.plan(30 * MS)
    assert moving.join(20 * MS)
    np.testing.assert_array_equal(moving.jet(moving.now + 9 * MS), old)


def test_a_speed_that_changes_while_nothing_moves(planar):
    node = Node(planar)
    node.receive([0.0, 0.0], [1.0, -1.0])
    tries = 0
    while True:
        node.plan(30 * MS)
        tries += 1
        node.reference.set_speed(1.0 + 0.01 * tries, node.now)
        node.follow_speed(1.0 + 0.01 * tries, node.now)
        if node.join(10 * MS):
            break
    assert tries == 4
    assert (node.reference.newest.begin, node.reference.newest.start) == (node.now, node.now)
    np.testing.assert_array_equal(node.jet(node.now), REST)


def test_speed_changes_count_from_the_instant_on_at_which_they_apply(moving):
    moving.reference.set_speed(0.5, moving.now + 7 * MS)
    assert moving.reference.speed_since == moving.now + 7 * MS
    moving.reference.set_speed(0.5, moving.now + 9 * MS)
    assert moving.reference.speed_since == moving.now + 7 * MS
