# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Definitions of a gap, of disorder and of enough samples in a recording."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.errors import TrajectoryError
from screw_dynamics.estimation.recorded_samples import GapError, in_order, usual_step


def test_the_longest_hundredth_of_the_distances_does_not_count():
    steps = np.concatenate((np.ones(95), np.full(5, 3.0)))
    assert usual_step(np.append(0.0, np.cumsum(steps))) == pytest.approx((95 + 4 * 3) / 99)


@pytest.mark.parametrize('gap, allowed', [(300.0, True), (310.0, False)])
def test_a_gap_may_be_as_long_as_three_times_the_rest(gap, allowed):
    # 101 samples, 1 s apart but for one gap: 4 times 101 s in all
    times = np.concatenate((np.arange(50.0), 49.0 + gap + np.arange(51.0)))
    positions = np.zeros((101, 1))
    if allowed:
        assert len(in_order(times, positions, None, 12).times) == 101
    else:
        with pytest.raises(GapError, match='nothing was recorded for 310 s after 49.000000 s'):
            in_order(times, positions, None, 12)


def test_samples_at_one_instant_are_no_disorder():
    times = np.repeat(np.arange(20.0), 20)
    positions = -np.arange(400.0)[:, None]
    samples = in_order(times, positions, None, 12)
    assert (samples.disordered, samples.repeated) == (0, 0)
    np.testing.assert_array_equal(samples.positions, positions)  # in the order they came
    times[[30, 50]] = times[[50, 30]]
    assert in_order(times, positions, None, 12).disordered == 2


def test_the_order_of_the_stamps_is_kept():
    times = np.array([3.0, 1.0, 2.0, 2.0, 0.0])
    samples = in_order(times, np.array([[30.0], [10.0], [5.0], [5.0], [40.0]]), None, 4)
    np.testing.assert_array_equal(samples.times, [0.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(samples.positions[:, 0], [40.0, 10.0, 5.0, 30.0])
    assert samples.repeated == 1
    with pytest.raises(TrajectoryError, match='5 instants or more .* got 4'):
        in_order(times, np.zeros((5, 1)), None, 5)
