# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of commands: limits of rates between samples, motors beyond their newest sample."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.kernels.commands.limits import passes_effort_limits
from screw_dynamics.kernels.commands.motor_history import set_motor_state

RATES, STEP = np.array([100.0, 50.0]), 1e-3  # N m/s, s


# rounding of two samples passes, a step 1e-5 too long does not
@pytest.mark.parametrize('length, passes', [(1.0 + 1e-9, True), (1.0 + 1e-5, False)])
@pytest.mark.parametrize('sign', [-1.0, 1.0])
def test_steps_are_held_to_the_rate(length, passes, sign):
    before = np.array([3.0, -2.0])
    last, efforts = before.copy(), before[np.newaxis].copy()
    efforts[0, 1] += sign * length * RATES[1] * STEP
    none = np.full(2, np.inf)
    assert passes_effort_limits(efforts, last, STEP, none, RATES) == passes
    np.testing.assert_array_equal(last, efforts[0] if passes else before)


def test_motors_go_on_with_their_acceleration_beyond_the_newest_sample():
    instants, samples = np.array([0, 1_000_000]), np.zeros((2, 5, 1))
    samples[1, :, 0] = 0.5, -2.0, 30.0, 7.0, 9.0
    state, time = np.empty((4, 1)), 0.25
    assert set_motor_state(instants, samples, 1, 2, 251_000_000, state)
    expected = 0.5 - 2.0 * time + 30.0 * time**2 / 2.0, -2.0 + 30.0 * time, 7.0, 9.0
    np.testing.assert_allclose(state[:, 0], expected, rtol=1e-15)
