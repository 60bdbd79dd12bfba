# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The reference with extreme numbers, corrected clocks and long holds. No ROS."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.trajectory import waypoints_from_points
from screw_dynamics.trajectory.reference.interpolation import CONTROLLER_SPLINE, SMOOTH
from screw_dynamics.trajectory.reference.reference import LONGEST_DURATION, Reference, Source

SECOND = 10**9
START = 1_700_000_000 * SECOND
NAMES = ('a', 'b')


def waypoints(*points, first=0.0):
    return waypoints_from_points(
        NAMES, [(first + i, point) for i, point in enumerate(points)], NAMES
    )


def sampled(reference, time):
    jet = np.full((5, 2), np.nan)
    return reference.sample(time, jet), jet


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
