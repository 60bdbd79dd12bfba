# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that begin and end without a step."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.nodes.feedforward.outputs.command_ramp import CommandRamp

MS = 10**6
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
    ramp = CommandRamp(REST, UNLIMITED, 0.1)
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
    ramp = CommandRamp(REST, UNLIMITED, 0.1)
    for i in range(200):
        target = np.array([np.sin(0.01 * i), 0.0])
        ramp.follow(target, i * MS)
    np.testing.assert_array_equal(ramp.values, target)


def test_interruptions_are_no_steps():
    ramp = CommandRamp(REST, UNLIMITED, 0.1)
    rise = followed(ramp, [8.0, 8.0], 0, 40)
    fall = [ramp.values.copy() for i in range(40, 60) if ramp.release(i * MS)]
    again = followed(ramp, [8.0, 8.0], 60, 101)
    values = np.concatenate([rise, fall, again])
    assert (np.abs(np.diff(values, axis=0)) <= 1.875 / 100.0 * 8.0).all()
    np.testing.assert_array_equal(again[-1], [8.0, 8.0])


def test_another_ramp_continues():
    ramp, other = (CommandRamp(REST, UNLIMITED, duration) for duration in (0.1, 5.0))
    expected = CommandRamp(REST, UNLIMITED, 0.1)
    followed(ramp, [8.0, 8.0], 0, 40)
    other.continue_from(ramp)
    values = followed(expected, [8.0, 8.0], 0, 120)
    np.testing.assert_array_equal(followed(other, [8.0, 8.0], 40, 80), values[40:])
    assert len(released(other, 120)) == 5001


def test_half_a_rate_is_kept():
    ramp = CommandRamp(np.zeros(2), np.array([100.0, np.inf]), 0.1)
    rise = followed(ramp, [10.0, 10.0], 0, 500)
    rates = np.abs(np.diff(rise[:, 0])) / 1e-3
    assert 49.0 < rates.max() <= 50.0
    assert np.abs(np.diff(released(ramp, 500)[:, 0])).max() / 1e-3 <= 50.0


@pytest.mark.parametrize('rates', [UNLIMITED, np.full(2, 1.0)])
def test_without_duration_commands_begin_at_once_and_stay(rates):
    ramp = CommandRamp(REST, rates, 0.0)
    np.testing.assert_array_equal(followed(ramp, [5.0, 6.0], 0, 1), [[5.0, 6.0]])
    assert not ramp.release(10 * MS)
    np.testing.assert_array_equal(ramp.values, [5.0, 6.0])
