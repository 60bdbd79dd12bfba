# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Achieved rate, missed ticks, compute time."""

from __future__ import annotations

import pytest

from screw_dynamics.nodes.shared.tick_timer import TickStatistics


def test_steady_ticks_miss_nothing():
    statistics = TickStatistics(1000)
    for i in range(11):
        statistics.record(1000 * i + (i % 3) * 100, 50 + i)
    summary = statistics.summary()
    assert (summary.ticks, summary.missed) == (11, 0)
    assert summary.rate == pytest.approx(1e6, rel=0.03)
    assert summary.mean_time == pytest.approx(55e-9)
    assert summary.longest_time == pytest.approx(60e-9)


def test_gaps_count_as_missed_ticks():
    statistics = TickStatistics(1000)
    for time in (0, 1000, 4000, 5400, 8000):
        statistics.record(time, 1)
    assert statistics.missed_total == 2 + 0 + 2
    assert statistics.summary().missed_part == pytest.approx(4 / 9)


def test_a_late_tick_is_not_a_missed_one():
    statistics = TickStatistics(1000)
    for time in (0, 1800, 2000, 3900, 4000):
        statistics.record(time, 1)
    assert statistics.missed_total == 0
    assert statistics.summary().missed == 0


def test_windows_do_not_overlap():
    statistics = TickStatistics(10)
    statistics.record(0, 1)
    statistics.record(10, 1)
    statistics.summary()
    summary = statistics.summary()
    assert (summary.rate, summary.ticks, summary.missed_part) == (0.0, 0, 0.0)
    statistics.record(20, 3)
    summary = statistics.summary()
    assert (summary.ticks, summary.rate) == (1, pytest.approx(1e8))


def test_a_pause_is_no_loss():
    statistics = TickStatistics(10)
    statistics.record(0, 1)
    statistics.pause()
    statistics.record(10**6, 1)
    assert statistics.missed_total == 0
    assert statistics.ticks_total == 2
