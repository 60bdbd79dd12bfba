# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Number of knots: for motions as fast as the samples, and for a given smoothing time."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.estimation import measured_motion, smoothing_spline

NOISE = 1e-4


def test_a_motion_of_eight_samples_a_period_is_followed(rng):
    times = 0.002 * np.arange(1000)
    rate = 2.0 * np.pi / (8 * 0.002)
    samples = np.sin(rate * times) + NOISE * rng.normal(size=1000)
    inner = times[100:-100]
    estimate = measured_motion(times, samples[:, None]).jets(inner, 1)[:, 0, 0]
    # no worse than the samples, the worst of which err by some three standard deviations
    assert np.abs(estimate - np.sin(rate * inner)).max() < 6.0 * NOISE


def test_finer_knots_change_little(rng, monkeypatch: pytest.MonkeyPatch):
    times = 0.002 * np.arange(1000)
    samples = (np.sin(6.0 * times) + NOISE * rng.normal(size=1000))[:, None]
    at = np.linspace(0.2, 1.8, 300)
    motion = measured_motion(times, samples, smoothing_time=0.05)
    monkeypatch.setattr(smoothing_spline, '_GIVEN', 2 * smoothing_spline._GIVEN)
    finer = measured_motion(times, samples, smoothing_time=0.05)
    deviations = finer.standard_deviations(at)
    assert (np.abs(motion.jets(at) - finer.jets(at)) < 0.2 * deviations).all()
    # that of the snap is the most sensitive: 2 % at the number of knots chosen, 11 % at a quarter
    found = motion.standard_deviations(at)
    np.testing.assert_allclose(found.mean(axis=0), deviations.mean(axis=0), rtol=0.04)
