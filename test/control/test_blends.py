# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes without a step: offsets that decay, and values that lead to others."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.control.blends import Blend, Transition

TICK = 1e-3
NONE = np.zeros(2)


def blended(blend, target, count, begin=0):
    """Return the values (count, 2, 2) of a blend beside `target(i)`, one a ms."""
    values = np.zeros((count, 2, 2))
    for i in range(count):
        blend.write(target(begin + i), values[i])
        blend.advance(TICK)
    return values


def moving(i):
    t = TICK * i
    return np.array([[np.sin(t), 2.0 * t], [np.cos(t), 2.0]])


def resting(i):
    return np.zeros((2, 2))


class TestBlend:
    """Offsets of values and slopes."""

    def test_it_begins_at_the_offset_and_joins_a_moving_target(self):
        blend, start = Blend(2), np.array([[0.03, -0.02], [0.0, 0.0]])
        blend.add(*(start - moving(0)), 0.1)
        values = blended(blend, moving, 150)
        np.testing.assert_allclose(values[0], start, rtol=0.0, atol=1e-15)
        np.testing.assert_array_equal(values[101:], [moving(i) for i in range(101, 150)])
        # the slopes are the derivatives of the values, to differences of second order
        slopes = (values[2:, 0] - values[:-2, 0]) / (2.0 * TICK)
        bound = TICK**2 / 6.0 * 60.0 * (0.03 / 0.1**3 + 2.0 / 0.1**2)
        np.testing.assert_allclose(slopes, values[1:-1, 1], rtol=0.0, atol=bound)
        # no step: the second derivatives of the two quintics are at most 5.78 and 4
        bound = TICK * (5.78 * 0.03 / 0.1**2 + 4.0 * 2.0 / 0.1 + 1.0)
        assert np.abs(np.diff(values[:, 1], axis=0)).max() < bound

    @pytest.mark.parametrize('every', [1, 5, 13, 40])
    def test_changes_that_follow_each_other_are_no_steps_and_arrive(self, every):
        """A change at every sample does not put off the ones before."""
        blend, random = Blend(2), np.random.default_rng(every)
        target, last, values, targets = np.zeros((2, 2)), np.zeros((2, 2)), [], []
        for i in range(600):
            if i % every == 0:
                change = random.uniform(-1.0, 1.5, 2)
                target[0] += change
                blend.add(-change, NONE, 0.1)
            out = np.zeros((2, 2))
            blend.write(target, out)
            values.append(out)
            targets.append(target[0].copy())
            # what has arrived is at least the target of a length before, and its latest part
            if i % every == 0:
                np.testing.assert_allclose(out[0] - last[0], 0.0, atol=0.05 * 120.0 / every)
            last = out
            blend.advance(TICK)
        assert sum(length > 0.0 for length in blend._lengths) <= 9
        # the lag is at most the target's change within a length and an eighth
        lags = [abs(values[i][0] - targets[i]).max() for i in range(150, 600)]
        spans = [np.ptp(targets[i - 120 : i + 1], axis=0).max() for i in range(150, 600)]
        assert (np.array(lags) <= np.array(spans) + 1e-9).all()

    def test_a_change_while_all_blends_are_taken_is_no_step(self):
        blend, last = Blend(2), np.zeros((2, 2))
        for i in range(40):
            blend.add(np.array([1.0, -1.0]), NONE, 1.0 + 0.1 * i)  # longer each time
            out = np.zeros((2, 2))
            blend.write(np.array([[-1.0 - i, 1.0 + i], [0.0, 0.0]]), out)
            assert np.abs(out - last).max() < 0.1
            last = out
            blend.advance(TICK)

    def test_without_a_length_there_is_no_offset(self):
        blend = Blend(2)
        blend.add(np.ones(2), NONE, 0.0)
        np.testing.assert_array_equal(blended(blend, moving, 1)[0], moving(0))

    def test_one_that_is_shorter_than_a_tick_is_over_at_the_next(self):
        """Else a distance of rounding would have the slope of its length, for many ticks."""
        blend = Blend(2)
        blend.add(np.full(2, 1e-12), NONE, 1e-12)
        values = blended(blend, resting, 2)
        np.testing.assert_array_equal(values, [[[1e-12] * 2, [0.0] * 2], np.zeros((2, 2))])

    def test_a_stall_delays_it(self):
        blend, values = Blend(2), np.zeros((2, 2))
        blend.add(np.array([8.0, 9.0]), NONE, 0.1)
        last = np.array([8.0, 9.0])
        for _ in range(20):
            blend.advance(3600.0)
            blend.write(resting(0), values)
            assert (last - values[0] <= 1.875 / 20.0 * 9.0).all()
            last = values[0].copy()
        assert not blend.moving


class TestTransition:
    """Values that lead to others."""

    def test_it_begins_and_ends_exactly(self):
        transition, target = Transition(np.array([0.1, -7.0])), np.array([0.3, 1e-17])
        transition.start(target, 0.1)
        values = []
        while transition.moving:
            transition.advance(TICK)
            values.append(transition.values.copy())
        assert len(values) == 100
        np.testing.assert_array_equal(values[-1], target)
        assert np.abs(np.diff(values, axis=0)).max() <= 1.875 / 100.0 * 7.0

    def test_an_interruption_is_no_step(self):
        transition = Transition(np.zeros(1))
        transition.start(np.array([8.0]), 0.1)
        values = [transition.values.copy()]
        for i in range(300):
            if i == 40:
                transition.start(np.array([0.0]), 0.1)
            transition.advance(TICK)
            values.append(transition.values.copy())
        assert np.abs(np.diff(values, axis=0)).max() <= 1.875 / 100.0 * 8.0
        assert not transition.values.any()

    def test_without_a_length_it_is_there_at_once(self):
        transition = Transition(np.zeros(1))
        transition.start(np.ones(1), 0.0)
        assert transition.values == 1.0 and not transition.moving
