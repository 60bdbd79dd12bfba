# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that begin and end without a step."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.control.ramps import CommandRamp, MotionRamp

MS = 10**6
TICK = 1e-3  # s
REST = np.array([0.0, 1.0])
UNLIMITED = np.full(2, np.inf)


def followed(ramp, target, start, count):
    values = []
    for i in range(count):
        ramp.follow(np.asarray(target, dtype=float), (start + i) * MS)
        values.append(ramp.values.copy())
    return np.array(values)


def released(ramp, start, most=10_000):
    values = []
    while ramp.release((start + len(values)) * MS):
        values.append(ramp.values.copy())
        assert len(values) < most
    return np.array(values)


def test_from_rest_to_the_efforts_and_back():
    ramp = CommandRamp(REST, UNLIMITED, 0.1, TICK)
    assert not ramp.release(0)
    np.testing.assert_array_equal(ramp.values, REST)
    target = np.array([10.0, -4.0])
    rise = followed(ramp, target, 0, 120)
    np.testing.assert_array_equal(rise[0], REST)
    np.testing.assert_allclose(rise[50], (REST + target) / 2.0)
    np.testing.assert_array_equal(rise[100:], np.tile(target, (20, 1)))
    # the steepest step of a quintic that takes 100 samples
    steepest = np.abs(np.diff(rise, axis=0)).max(axis=0)
    assert (steepest <= 1.875 / 100.0 * np.abs(target - REST)).all()
    fall = released(ramp, 120)
    np.testing.assert_array_equal(fall[0], target)
    np.testing.assert_array_equal(fall[-1], REST)
    assert len(fall) == 101
    assert (np.abs(np.diff(fall, axis=0)) <= 1.875 / 100.0 * np.abs(target - REST)).all()
    assert not ramp.release(300 * MS)  # nothing more to send


def test_a_moving_target_is_reached():
    ramp = CommandRamp(REST, UNLIMITED, 0.1, TICK)
    for i in range(200):
        target = np.array([np.sin(0.01 * i), 0.0])
        ramp.follow(target, i * MS)
    np.testing.assert_array_equal(ramp.values, target)


def test_interruptions_are_no_steps():
    ramp = CommandRamp(REST, UNLIMITED, 0.1, TICK)
    rise = followed(ramp, [8.0, 8.0], 0, 40)
    fall = [ramp.values.copy() for i in range(40, 60) if ramp.release(i * MS)]
    again = followed(ramp, [8.0, 8.0], 60, 101)
    values = np.concatenate([rise, fall, again])
    assert (np.abs(np.diff(values, axis=0)) <= 1.875 / 100.0 * 8.0).all()
    np.testing.assert_array_equal(again[-1], [8.0, 8.0])


def test_half_a_rate_is_kept():
    ramp = CommandRamp(np.zeros(2), np.array([100.0, np.inf]), 0.1, TICK)
    rise = followed(ramp, [10.0, 10.0], 0, 500)
    rates = np.abs(np.diff(rise[:, 0])) / 1e-3
    assert 49.0 < rates.max() <= 50.0
    assert np.abs(np.diff(released(ramp, 500)[:, 0])).max() / 1e-3 <= 50.0


@pytest.mark.parametrize('rates', [UNLIMITED, np.full(2, 1.0)])
def test_without_duration_commands_begin_at_once_and_stay(rates):
    ramp = CommandRamp(REST, rates, 0.0, TICK)
    np.testing.assert_array_equal(followed(ramp, [5.0, 6.0], 0, 1), [[5.0, 6.0]])
    assert not ramp.release(10 * MS)
    np.testing.assert_array_equal(ramp.values, [5.0, 6.0])


def motion_of(ramp, motion, start, count):
    """Return the values (count, 2, 2) of a ramp that follows `motion(i)` from `start` ms on."""
    values = []
    for i in range(start, start + count):
        ramp.follow(motion(i), i * MS)
        values.append(ramp.values.copy())
    return np.array(values)


def moving(i):
    """Return positions and velocities (2, 2) at i ms."""
    t = 1e-3 * i
    return np.array([[np.sin(t), 2.0 * t], [np.cos(t), 2.0]])


class TestMotionRamp:
    """Positions and velocities that begin at rest where the robot is."""

    def test_it_begins_where_the_robot_rests_and_joins_a_moving_reference(self):
        ramp, stood = MotionRamp(2, 0.1, TICK), np.array([0.03, -0.02])
        ramp.begin(stood, moving(0), 0)
        values = motion_of(ramp, moving, 0, 150)
        np.testing.assert_allclose(values[0], [stood, [0.0, 0.0]], rtol=0.0, atol=1e-15)
        np.testing.assert_array_equal(values[101:], [moving(i) for i in range(101, 150)])
        # the velocities are the derivatives of the positions, to differences of second order
        slopes = (values[2:, 0] - values[:-2, 0]) / 2e-3
        bound = 1e-6 / 6.0 * 60.0 * (0.03 / 0.1**3 + 2.0 / 0.1**2)  # h^2/6 of the third one
        np.testing.assert_allclose(slopes, values[1:-1, 1], rtol=0.0, atol=bound)
        # no step: the second derivatives of the two quintics are at most 5.78 and 4
        bound = 1e-3 * (5.78 * 0.03 / 0.1**2 + 4.0 * 2.0 / 0.1 + 1.0)
        assert np.abs(np.diff(values[:, 1], axis=0)).max() < bound

    def test_where_it_is_the_reference_already_nothing_changes(self):
        ramp, resting = MotionRamp(2, 0.1, TICK), np.array([[0.3, -0.2], [0.0, 0.0]])
        ramp.begin(resting[0], resting, 0)
        np.testing.assert_array_equal(
            motion_of(ramp, lambda i: resting, 0, 3), np.tile(resting, (3, 1, 1))
        )

    def test_velocities_end_and_positions_stay(self):
        ramp = MotionRamp(2, 0.1, TICK)
        ramp.begin(moving(0)[0], moving(0), 0)
        last = motion_of(ramp, moving, 0, 200)[-1]
        values = []
        while ramp.release((200 + len(values)) * MS):
            values.append(ramp.values.copy())
        values = np.array(values)
        assert len(values) == 101
        np.testing.assert_array_equal(values[:, 0], np.tile(last[0], (101, 1)))
        np.testing.assert_array_equal(values[0, 1], last[1])
        np.testing.assert_allclose(values[50, 1], 0.5 * last[1])
        np.testing.assert_array_equal(values[-1, 1], 0.0)

    def test_an_interrupted_end_is_continued(self):
        ramp = MotionRamp(2, 0.1, TICK)
        ramp.begin(moving(0)[0], moving(0), 0)
        motion_of(ramp, moving, 0, 200)
        for i in range(200, 240):
            assert ramp.release(i * MS)
        last = ramp.values.copy()
        ramp.begin(np.full(2, 9.0), moving(240), 240 * MS)  # what is measured is older
        values = motion_of(ramp, moving, 240, 150)
        np.testing.assert_allclose(values[0], last, rtol=0.0, atol=1e-12)
        np.testing.assert_array_equal(values[-1], moving(389))

    def test_without_duration(self):
        ramp = MotionRamp(2, 0.0, TICK)
        ramp.begin(np.full(2, 9.0), moving(5), 5 * MS)
        np.testing.assert_array_equal(motion_of(ramp, moving, 5, 1), [moving(5)])
        assert ramp.release(6 * MS)
        np.testing.assert_array_equal(ramp.values, [moving(5)[0], [0.0, 0.0]])
        assert not ramp.release(7 * MS)


def test_blend_and_target_together_keep_a_rate_that_the_target_keeps():
    """The target moves at its limit while the blend still adds to it."""
    rates = np.array([100.0, np.inf])
    ramp = CommandRamp(np.zeros(2), rates, 0.25, TICK)
    values = []
    for i in range(2000):
        target = np.array([15.0 + 0.099 * i if i < 1000 else 114.0, 50.0])
        ramp.follow(target, i * MS)
        values.append(ramp.values.copy())
    steps = np.abs(np.diff(values, axis=0))[:, 0] / 1e-3
    assert 99.0 < steps.max() <= 100.0 * (1.0 + 1e-9)
    np.testing.assert_array_equal(values[-1], target)


STALL = 20  # MS from call to call


class TestStalls:
    """Calls that come late, as those of a node that its computer holds up, delay a ramp."""

    def test_no_stall_is_a_step_and_the_ramps_end_all_the_same(self):
        ramp, full = CommandRamp(REST, UNLIMITED, 0.1, TICK), np.array([8.0, 9.0])
        rise = [followed(ramp, full, start, 30) for start in (0, 1000, 2000, 3_600_000)]
        np.testing.assert_array_equal(rise[-1][-1], full)
        fall = [ramp.values.copy() for i in range(20) if ramp.release((3_700_000 + i) * MS)]
        fall = [fall, released(ramp, 3_800_000)]  # as after ~/clear
        np.testing.assert_array_equal(fall[-1][-1], REST)
        for values in (rise, fall):
            steps = np.abs(np.diff(np.concatenate(values), axis=0))
            assert steps.max() <= 1.875 / 20.0 * 8.0

    def test_seldom_calls_are_twenty_at_least(self):
        ramp, full = CommandRamp(REST, UNLIMITED, 0.1, TICK), np.array([8.0, 9.0])
        calls = range(0, 30 * STALL, STALL)
        values = []
        for i in calls:
            ramp.follow(full, i * MS)
            values.append(ramp.values.copy())
        np.testing.assert_array_equal(values[20:], np.tile(full, (10, 1)))
        assert (values[19] < full).all()

    def test_seldom_ticks_are_no_stalls(self):
        ramp, full = CommandRamp(REST, UNLIMITED, 0.1, 1e-3 * STALL), np.array([8.0, 9.0])
        for i in range(0, 6 * STALL, STALL):
            ramp.follow(full, i * MS)
        np.testing.assert_array_equal(ramp.values, full)

    def test_a_clock_that_is_set_back_does_not_undo_a_ramp(self):
        ramp, full = CommandRamp(REST, UNLIMITED, 0.1, TICK), np.array([8.0, 9.0])
        values = np.concatenate([followed(ramp, full, 1000, 60), followed(ramp, full, 0, 60)])
        assert (np.diff(values, axis=0) >= 0.0).all()
        np.testing.assert_array_equal(values[-1], full)

    def test_rates_are_kept_after_a_stall(self):
        """A stall counts for the rate as far as the ramp advances."""
        ramp, full = CommandRamp(REST, np.full(2, 100.0), 0.1, TICK), np.array([8.0, 9.0])
        values = np.concatenate([followed(ramp, full, 0, 50), followed(ramp, full, 1000, 300)])
        assert np.abs(np.diff(values, axis=0)).max() <= 50.0 * 0.3 / 20.0
        np.testing.assert_array_equal(values[-1], full)

    def test_positions_and_velocities_do_not_jump_to_the_reference(self):
        ramp, resting = MotionRamp(2, 0.1, TICK), np.array([[0.3, -0.2], [0.0, 0.0]])
        ramp.begin(np.zeros(2), resting, 0)
        values = [motion_of(ramp, lambda i: resting, start, 50) for start in (0, 2000, 4000)]
        positions = np.concatenate(values)[:, 0]
        assert np.abs(np.diff(positions, axis=0)).max() <= 1.875 / 20.0 * 0.3
        np.testing.assert_array_equal(positions[-1], resting[0])
        moved = np.array([resting[0], [1.0, -2.0]])
        ramp.follow(moved, 5000 * MS)
        velocities = []
        for i in range(0, 40 * STALL, STALL):
            if not ramp.release((6000 + i) * MS):
                break
            velocities.append(ramp.values[1].copy())
        np.testing.assert_array_equal(velocities[0], moved[1])
        np.testing.assert_array_equal(velocities[-1], 0.0)
        assert np.abs(np.diff(velocities, axis=0)).max() <= 1.875 / 20.0 * 2.0
