# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The reference: replacement, hold, speed, extremes. No ROS."""

import numpy as np
import pytest

from screw_dynamics.errors import InputError, TrajectoryError
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points
from screw_dynamics.trajectory.reference.interpolation import CONTROLLER_SPLINE, SMOOTH
from screw_dynamics.trajectory.reference.reference import LONGEST_DURATION, Reference, Source

SECOND = 10**9
START = 1_700_000_000 * SECOND
NAMES = ('a', 'b')


def waypoints(*points, first=0.0, step=1.0):
    return waypoints_from_points(
        NAMES, [(first + step * i, point) for i, point in enumerate(points)], NAMES
    )


def sampled(reference, time):
    jet = np.full((5, 2), np.nan)
    return reference.sample(time, jet), jet


@pytest.fixture
def reference():
    return Reference(2, SMOOTH)


def test_samples_are_those_of_the_curve(reference):
    points = waypoints([0.0, 1.0], [0.5, 0.0], [2.0, -1.0])
    reference.add(points, START, START)
    curve = smooth_trajectory(points)
    for t in (0.0, 0.25, 1.0, 1.875):
        source, jet = sampled(reference, START + round(t * SECOND))
        assert source is Source.TRAJECTORY
        np.testing.assert_allclose(jet, curve.jets([t])[0], rtol=1e-12, atol=1e-12)
        assert reference.time_from_start == pytest.approx(t, abs=1e-12)


def test_a_start_in_the_future_waits(reference):
    reference.add(waypoints([0.0, 0.0], [1.0, 1.0]), START + SECOND, START)
    assert sampled(reference, START + SECOND - 1)[0] is None
    assert sampled(reference, START + SECOND)[0] is Source.TRAJECTORY


def test_motions_before_and_after_another(reference):
    given = [waypoints([0.1 * i, 0.0], [0.5, 0.2 * i]) for i in range(4)]
    for i, points in enumerate(given[:3]):
        reference.add(points, START + i * SECOND, START)
    first, second, _ = motions = reference.motions_from(START)
    assert [motion.waypoints for motion in motions] == given[:3]
    for since, expected in ((0, given[:2]), (SECOND, given[1:2]), (2 * SECOND, [])):
        found = reference.leading_to_newest(START + since)
        assert [motion.waypoints for motion in found] == expected
    assert [motion.waypoints for motion in reference.after(first)] == given[1:3]
    # begins where the second one would have: that one does not apply any more
    reference.add(given[3], START + SECOND, START)
    assert [m.waypoints for m in reference.after(second)] == [given[0], given[3]]


def test_a_copy_changes_alone(reference):
    """It has what applies from an instant on, also of many segments."""
    points = [[0.1 * i, 0.2 * (i % 3)] for i in range(6)]
    reference.add(waypoints(*points), START, START)
    changes = []
    reference.on_change = changes.append
    copied = reference.copy(START + 2 * SECOND + 1)
    assert len(copied.newest.curve.coefficients) == 3
    for late in (2.5, 4.999, 5.0, 7.0):
        time = START + round(late * SECOND)
        (source, jet), (other, same) = sampled(reference, time), sampled(copied, time)
        assert source is other
        np.testing.assert_array_equal(jet, same)
    copied.clear()
    assert copied.empty and not reference.empty and not changes


def test_the_last_point_is_held_at_rest(reference):
    reference.add(waypoints([0.0, 0.0], [1.0, 2.0]), START, START)
    source, jet = sampled(reference, START + 5 * SECOND)
    assert source is Source.HOLD
    np.testing.assert_array_equal(jet, [[1.0, 2.0], *np.zeros((4, 2))])
    assert reference.held_for == pytest.approx(4.0)


@pytest.mark.parametrize('delay', [0.0, 0.3])
def test_replacement_continues_all_derivatives_up_to_snap(reference, delay):
    reference.add(waypoints([0.0, 0.0], [1.0, 2.0], [0.0, 1.0]), START, START)
    now = START + round(0.7 * SECOND)
    begin = now + round(delay * SECOND)
    before = sampled(reference, begin)[1]
    reference.add(waypoints([9.0, 9.0], [3.0, 3.0], [2.0, 2.0]), begin, now)
    if delay:
        old = smooth_trajectory(waypoints([0.0, 0.0], [1.0, 2.0], [0.0, 1.0]))
        np.testing.assert_allclose(
            sampled(reference, now)[1], old.jets([0.7])[0], rtol=1e-12, atol=1e-12
        )
    np.testing.assert_allclose(sampled(reference, begin)[1], before, rtol=1e-9, atol=1e-9)
    # the points after the first are reached at their times
    np.testing.assert_allclose(sampled(reference, begin + SECOND)[1][0], [3.0, 3.0], atol=1e-9)
    np.testing.assert_allclose(sampled(reference, begin + 2 * SECOND)[1][0], [2.0, 2.0], atol=1e-9)


def test_a_stamp_in_the_past_keeps_the_times_of_the_points(reference):
    reference.add(waypoints([0.0, 0.0], [1.0, 1.0], step=3.0), START, START)
    now = START + SECOND
    before = sampled(reference, now)[1]
    reference.add(waypoints([5.0, 5.0], [4.0, 4.0], [3.0, 3.0]), now - round(1.5 * SECOND), now)
    np.testing.assert_allclose(sampled(reference, now)[1], before, rtol=1e-9, atol=1e-9)
    assert reference.time_from_start == pytest.approx(1.5)
    _, jet = sampled(reference, now + SECOND // 2)
    np.testing.assert_allclose(jet[0], [3.0, 3.0], atol=1e-9)


def test_a_later_message_drops_what_begins_after_it(reference):
    reference.add(waypoints([0.0, 0.0], [1.0, 1.0]), START, START)
    reference.add(waypoints([2.0, 2.0], [7.0, 7.0]), START + 3 * SECOND, START)
    reference.add(waypoints([0.0, 0.0], [2.0, 2.0]), START + 2 * SECOND, START)
    np.testing.assert_allclose(sampled(reference, START + 9 * SECOND)[1][0], [2.0, 2.0])


def test_without_a_state_the_first_point_must_be_at_time_0(reference):
    with pytest.raises(
        TrajectoryError, match='first point has time_from_start 0.5 s and no state'
    ):
        reference.add(waypoints([0.0, 0.0], first=0.5), START, START)
    assert reference.empty
    measured = np.zeros((5, 2))
    measured[0] = 0.1
    reference.add(waypoints([1.0, 1.0], first=0.5), START, START, start_jet=measured)
    np.testing.assert_allclose(sampled(reference, START)[1], measured)


def test_a_jump_at_once_is_rejected_and_the_old_motion_goes_on(reference):
    reference.add(waypoints([0.0, 0.0], [1.0, 1.0]), START, START)
    before = sampled(reference, START + SECOND // 2)[1]
    with pytest.raises(TrajectoryError, match='no time is left .* joint b would jump from 0.5'):
        reference.add(waypoints([0.6, 3.0]), START + SECOND // 2, START + SECOND // 2)
    np.testing.assert_array_equal(sampled(reference, START + SECOND // 2)[1], before)


@pytest.mark.parametrize(
    ('step', 'left', 'skipped'),
    [
        (0.05, 1.5e-4, 1),
        (0.05, 4.9e-3, 1),
        (0.05, 5.1e-3, 0),
        (2.0, 9.9e-3, 1),
        (2.0, 1.1e-2, 0),
        (1e-4, 5e-5, 10),
    ],
)
def test_a_point_shortly_after_a_join_is_no_jolt(reference, step, left, skipped):
    """The curve leads to the next point that leaves time, through all after it."""
    reference.add(waypoints([0.0, 0.0], [1.0, -1.0]), START, START)
    begin = START + SECOND // 2
    before = sampled(reference, begin)[1]
    at = np.arange(1.0, 40.0)
    points = before[0] + 0.002 * np.sin(0.7 * at)[:, None] * [1.0, -1.0] + 0.002
    start = begin - round((step * 12 - left) * SECOND)
    reference.add(waypoints(*points, first=step, step=step), start, begin)
    np.testing.assert_allclose(sampled(reference, begin)[1], before, rtol=1e-9, atol=1e-9)
    curve = reference.newest.curve
    times = step * at[11:] - reference.newest.joined
    gaps = np.abs(curve.jets(times)[:, 0] - points[11:]).max(axis=1)
    assert (gaps[:skipped] > 1e-7).any() == bool(skipped)
    np.testing.assert_allclose(gaps[skipped:], 0.0, atol=1e-9)
    # 0.002 rad in the time that the law leaves, by a curve that is at rest at neither end
    least = min(max(0.1 * step, 1e-3), 1e-2)
    jolt = np.abs(curve.jets(np.linspace(0.0, times[skipped], 500))[:, 3]).max()
    assert jolt < 1e3 * 0.01 / least**3
    if left < 1e-3:
        straight = smooth_trajectory(waypoints(*points[11:], first=left, step=step), before).jets(
            np.linspace(0.0, left, 500)
        )
        assert np.abs(straight[:, 3]).max() > 1e2 * jolt


def test_a_segment_has_the_time_that_was_planned_for_it(reference):
    """From its begin, however short."""
    measured = np.zeros((5, 2))
    reference.add(waypoints([0.0, 0.0], [1e-6, 0.0], first=1e-4), START, START, measured)
    _, jet = sampled(reference, START + 10**5)
    np.testing.assert_allclose(jet[0], 0.0, atol=1e-12)
    assert len(reference.newest.curve.breaks) == 3


def test_the_last_point_is_not_left_out(reference):
    reference.add(waypoints([0.0, 0.0], [1.0, 1.0]), START, START)
    begin = START + SECOND // 2
    before = sampled(reference, begin)[1]
    with pytest.raises(
        TrajectoryError, match=r'0.15 ms after the join\): joint a would jump from 0.5'
    ):
        reference.add(waypoints([0.0, 0.5], [0.6, 0.5]), begin - SECOND + 150_000, begin)
    np.testing.assert_array_equal(sampled(reference, begin)[1], before)
    # 5 ms are left, which limits judge; or less than 1 ms of the same motion
    reference.add(waypoints([0.0, 0.5], [0.5, 0.5]), begin - SECOND + 5_000_000, begin)
    np.testing.assert_allclose(sampled(reference, begin + 5_000_000)[1][0], 0.5)


def test_the_same_motion_is_continued_to_its_end(reference):
    points = waypoints([0.0, 0.0], [1.0, -1.0])
    reference.add(points, START, START)
    begin = START + SECOND - 150_000
    before = sampled(reference, begin)[1]
    reference.add(points, START, begin)
    np.testing.assert_allclose(sampled(reference, begin)[1], before, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sampled(reference, begin + SECOND)[1][0], [1.0, -1.0])


def test_continuous_joints_take_the_nearest_turn():
    reference = Reference(2, SMOOTH, continuous=['a'])
    reference.add(waypoints([0.0, 0.0]), START, START)
    reference.add(waypoints([6.0, 6.0], first=1.0), START, START)
    jet = sampled(reference, START)[1]
    np.testing.assert_allclose(jet[0], [2 * np.pi, 0.0])


@pytest.mark.parametrize('late', [SECOND // 10, -SECOND // 10])
def test_the_newest_motion_is_released(reference, late):
    """From rest; the end of the motion before, if it is still known, is held until then."""
    reference.add(waypoints([0.0, 0.0], [1.0, 2.0]), START, START)
    reference.add(waypoints([1.0, 2.0], [0.0, 0.0]), START + 2 * SECOND, START)
    curve = reference.newest.curve
    reference.release(reference.newest, START + 2 * SECOND + late)
    held = sampled(reference, START + 2 * SECOND + late - 1)[1]
    np.testing.assert_array_equal(held, [[1.0, 2.0], *np.zeros((4, 2))])
    for t in (0.0, 0.3, 1.0):
        _, jet = sampled(reference, START + 2 * SECOND + late + round(t * SECOND))
        np.testing.assert_allclose(jet, curve.jets([t])[0], rtol=1e-9, atol=1e-9)
    # another motion has begun since: nothing is changed
    old = reference.newest
    reference.add(waypoints([0.0, 0.0], [1.0, 1.0]), START + 4 * SECOND, START)
    newest = reference.newest
    reference.release(old, START)
    assert reference.newest is newest


@pytest.mark.parametrize('held', [False, True])
def test_a_motion_that_is_held_back_begins_when_it_is_released(reference, held):
    if held:
        reference.add(waypoints([0.0, 0.0], [1.0, 2.0]), START - 3 * SECOND, START - 3 * SECOND)
    reference.add(waypoints([1.0, 2.0], [0.0, 0.0]), START, START)
    curve = reference.newest.curve
    reference.hold_back()
    assert reference.holds_back(reference.newest)
    for time in range(START, START + SECOND, SECOND // 50):
        source, jet = sampled(reference, time)
        assert source is (Source.HOLD if held else None)
        if held:
            np.testing.assert_array_equal(jet, [[1.0, 2.0], *np.zeros((4, 2))])
    reference.release(reference.newest, START + SECOND)
    assert not reference.holds_back(reference.newest)
    assert (reference.newest.begin, reference.newest.start) == (START + SECOND, START + SECOND)
    for t in (0.0, 0.3, 1.0):
        _, jet = sampled(reference, START + SECOND + round(t * SECOND))
        np.testing.assert_allclose(jet, curve.jets([t])[0], rtol=1e-9, atol=1e-9)


def test_the_speed_changes_between_the_planned_begin_and_the_next_tick(reference):
    reference.add(waypoints([0.0, 0.0], [1.0, 2.0]), START, START)
    reference.hold_back()
    reference.set_speed(0.5, START + SECOND // 100)
    reference.release(reference.newest, START + SECOND)
    _, jet = sampled(reference, START + SECOND)
    np.testing.assert_array_equal(jet, np.zeros((5, 2)))


def test_another_motion_than_that_which_is_held_back_begins(reference):
    reference.add(waypoints([0.0, 0.0], [1.0, 2.0]), START, START)
    held = reference.newest
    reference.hold_back()
    reference.add(waypoints([0.0, 0.0], [0.5, 0.5]), START, START)
    assert sampled(reference, START + SECOND)[0] is Source.HOLD
    assert not reference.holds_back(held)


def test_what_follows_does_not_see_a_motion_that_is_held_back(reference):
    reference.add(waypoints([0.0, 0.0], [1.0, 2.0]), START - 3 * SECOND, START - 3 * SECOND)
    reference.add(waypoints([1.0, 2.0], [0.0, 0.0]), START, START)
    reference.hold_back()
    assert reference.rests(START + SECOND // 2)
    np.testing.assert_array_equal(reference.state(START + SECOND // 2)[0], [1.0, 2.0])
    reference.set_speed(0.5, START - SECOND)
    assert reference.holds_back(reference.newest)
    reference.add(waypoints([1.0, 2.0], [0.5, 0.5]), START + SECOND, START)
    # nor does it begin before what has a later start
    source, jet = sampled(reference, START + SECOND // 2)
    assert source is Source.HOLD
    np.testing.assert_array_equal(jet[0], [1.0, 2.0])


class TestSpeed:
    """Trajectory time slower than real time."""

    def test_derivatives_gain_powers_of_the_speed(self, reference):
        points = waypoints([0.0, 1.0], [0.5, 0.0], [2.0, -1.0])
        reference.add(points, START, START)
        reference.set_speed(0.5, START + SECOND)
        _, jet = sampled(reference, START + 2 * SECOND)
        expected = smooth_trajectory(points).jets([1.5])[0] * (0.5 ** np.arange(5))[:, None]
        np.testing.assert_allclose(jet, expected, rtol=1e-12, atol=1e-12)
        assert reference.time_from_start == pytest.approx(1.5)

    def test_pause_and_resume(self, reference):
        points = waypoints([0.0, 1.0], [0.5, 0.0])
        reference.add(points, START, START)
        reference.set_speed(0.0, START + SECOND // 4)
        _, jet = sampled(reference, START + 90 * SECOND)
        np.testing.assert_allclose(jet[0], smooth_trajectory(points).jets([0.25])[0, 0])
        assert not jet[1:].any()
        reference.set_speed(1.0, START + 90 * SECOND)
        _, jet = sampled(reference, START + 90 * SECOND + SECOND // 4)
        np.testing.assert_allclose(jet, smooth_trajectory(points).jets([0.5])[0], atol=1e-12)

    def test_a_pending_motion_joins_where_the_slower_one_is(self, reference):
        reference.add(waypoints([0.0, 0.0], [1.0, 1.0], step=4.0), START, START)
        begin = START + 3 * SECOND
        reference.add(waypoints([9.0, 9.0], [0.5, 0.5]), begin, START)
        reference.set_speed(0.5, START + SECOND)
        before = sampled(reference, begin - 1)[1]
        np.testing.assert_allclose(sampled(reference, begin)[1], before, atol=1e-6)

    @pytest.mark.parametrize('speed', [-0.1, 1000.1, 1e308, float('nan'), float('inf')])
    def test_nonsense_is_rejected(self, reference, speed):
        with pytest.raises(InputError, match='speed scaling: expected a number of at least 0'):
            reference.set_speed(speed, START)

    def test_a_long_time_at_high_speed_still_fits_into_a_message(self, reference):
        reference.add(waypoints([0.0, 0.0], [1.0, 1.0]), START, START)
        reference.set_speed(1000.0, START)
        source, jet = sampled(reference, START + 10**8 * SECOND)
        assert source == Source.HOLD
        assert jet[0].tolist() == [1.0, 1.0]
        assert reference.time_from_start == 2**31 - 1


@pytest.mark.parametrize('speed', [0.1, 1.0, 3.0])
def test_a_hold_lasts_by_the_clock_of_the_node(speed):
    reference = Reference(2, SMOOTH)
    reference.set_speed(speed, START)
    reference.add(waypoints([0.0, 0.0], [1.0, 1.0]), START, START)
    end = START + round(SECOND / speed)
    assert sampled(reference, end + SECOND // 2)[0] is Source.HOLD
    assert reference.held_for == pytest.approx(0.5, abs=1e-6)
    reference.set_speed(1e-90, end + SECOND)
    assert sampled(reference, end + 4 * SECOND)[0] is Source.HOLD
    assert reference.held_for == pytest.approx(4.0, abs=1e-6)
    reference.add(waypoints([2.0, 2.0], first=1.0), end + 4 * SECOND, end + 4 * SECOND)
    reference.set_speed(1.0, end + 4 * SECOND)
    assert sampled(reference, end + 4 * SECOND + 1)[0] is Source.TRAJECTORY
    assert reference.held_for == 0.0
    assert sampled(reference, end + 7 * SECOND)[0] is Source.HOLD
    assert reference.held_for == pytest.approx(2.0, abs=1e-6)


def test_a_pause_at_the_end_is_no_longer_than_it_is():
    reference = Reference(2, SMOOTH)
    reference.add(waypoints([1.0, 1.0]), START, START)
    reference.set_speed(0.0, START)
    assert sampled(reference, START + SECOND)[0] is Source.HOLD
    assert reference.held_for == 0.0
    sampled(reference, START + 2 * SECOND)
    assert reference.held_for == pytest.approx(1.0)


def test_what_overflows_is_not_continued():
    reference = Reference(2, SMOOTH)
    reference.add(waypoints([0.0, 0.0], [1e99, 1e99]), START, START)
    now = START + SECOND // 10
    assert np.abs(reference.state(now)).max() > 1e100
    reference.add(waypoints([0.5, 0.5], [1.0, 1.0]), now, now)
    source, jet = sampled(reference, now)
    assert source is Source.TRAJECTORY
    np.testing.assert_array_equal(jet[:2], [[0.5, 0.5], [0.0, 0.0]])


def test_time_from_start_fits_its_message_long_before_the_start():
    reference = Reference(2, CONTROLLER_SPLINE)
    begin = START + 100 * 365 * 86400 * SECOND
    reference.add(waypoints([1.0, 1.0], first=1.0), begin, START, np.zeros((5, 2)))
    assert sampled(reference, START)[0] is Source.TRAJECTORY
    assert reference.time_from_start == -LONGEST_DURATION
