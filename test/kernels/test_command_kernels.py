# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of limits: what touches a limit passes; what is a little beyond does not."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.kernels.drives.limits import (
    passes_effort_limits,
    passes_motion_limits,
    passes_motor_limits,
)

LIMITS, RATES = np.array([100.0, 50.0]), np.array([9.0, 8.0])
# rounding passes (SLACK is 1e-9), 1e-8 too much does not
SIZES = [(1.0 + 1e-10, True), (1.0 + 1e-8, False), (np.nan, False)]


@pytest.mark.parametrize(('size', 'passes'), SIZES)
@pytest.mark.parametrize('sign', [-1.0, 1.0])
@pytest.mark.parametrize('row', [0, 1])
def test_efforts_and_their_rates(size, passes, sign, row):
    efforts = np.array([[3.0, -2.0], [1.0, 1.0]])
    efforts[row, 1] = sign * size * (LIMITS, RATES)[row][1]
    assert passes_effort_limits(efforts, LIMITS, RATES) == passes


@pytest.mark.parametrize(('size', 'passes'), SIZES)
@pytest.mark.parametrize('quantity', range(5))
def test_each_quantity_of_motors(size, passes, quantity):
    """Rate of the effort; deflection; velocity, effort and its rate of the motor."""
    jets = [np.full((2, 2), 0.5) for _ in range(4)]
    bounds = [np.full(2, 1.0 + k) for k in range(5)]
    place = (0, 1), (1, 0), (2, 1), (3, 0), (3, 1)
    jet, row = place[quantity]
    jets[jet][row, 1] = -size * bounds[quantity][1]
    assert passes_motor_limits(*jets, *bounds) == passes


@pytest.mark.parametrize(('beyond', 'passes'), [(0.5e-6, True), (2e-6, False), (np.nan, False)])
@pytest.mark.parametrize('sign', [-1.0, 1.0])
def test_positions_and_velocities(beyond, passes, sign):
    """1e-6 rad, and per s, beyond a limit pass."""
    lower, upper, velocities = np.array([-9.0, -2.0]), np.array([9.0, 1.0]), np.array([9.0, 3.0])
    edges = (upper[1] if sign > 0.0 else lower[1], sign * velocities[1])
    for row, edge in enumerate(edges):
        jet = np.zeros((5, 2))
        jet[row, 1] = edge + sign * beyond
        assert passes_motion_limits(jet, lower, upper, velocities) == passes
