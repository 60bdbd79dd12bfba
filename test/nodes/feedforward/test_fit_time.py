# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The estimate of a fit's time: above what fits take, and not far above it."""

from __future__ import annotations

import pytest

from screw_dynamics.nodes.feedforward.fitting import fit_process
from screw_dynamics.nodes.feedforward.fitting.fit_process import FitTime, Stopwatch

SECOND = 10**9


def fit(points: int, slower: float = 1.0) -> float:
    return slower * (0.008 + 1.6e-4 * points)


@pytest.mark.parametrize('slower', [1.0, 8.0])
@pytest.mark.parametrize('points', [2, 50, 200, 1000, 10_000])
def test_fits_that_take_the_same_time_are_in_time(points, slower):
    time = FitTime()
    for _ in range(12):
        time.learn(points, fit(points, slower))
    assert 1.0 < time.estimate(points) / SECOND / fit(points, slower) < 2.0


def test_a_stall_in_a_small_fit_does_not_count_by_the_point():
    time = FitTime()
    time.learn(2, 0.5)
    assert 0.5 < time.estimate(2) / SECOND < 1.0
    assert time.estimate(1000) / SECOND < 2.0
    for _ in range(20):
        time.learn(2, fit(2))
    assert time.estimate(2) / SECOND < 2.0 * fit(2)


@pytest.mark.parametrize('jump', [-3600, 3600])
def test_a_jump_of_the_clock_is_no_part_of_what_a_fit_takes(monkeypatch, jump):
    """Simulated time may run faster than the steady clock, but not by a thousand."""
    steady = 0
    monkeypatch.setattr(fit_process.time, 'monotonic_ns', lambda: steady)
    watch = Stopwatch(50 * SECOND)
    steady = SECOND // 50
    assert watch.passed((50 + jump) * SECOND, simulated=False) == 0.02
    assert watch.passed((50 + jump) * SECOND, simulated=True) == (2.0 if jump > 0 else 0.0)
    assert watch.passed(51 * SECOND, simulated=True) == 1.0


def test_a_large_fit_does_not_slow_down_small_ones():
    time = FitTime()
    time.learn(10_000, 30.0)
    assert 30.0 < time.estimate(10_000) / SECOND < 50.0
    assert time.estimate(2) / SECOND < 0.05


def test_no_measurement_makes_it_negative():
    time = FitTime()
    time.learn(2, 5.0)
    for _ in range(50):
        time.learn(1000, 0.0)
        time.learn(2, 0.0)
    assert time.estimate(1) > 0
