# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Smooth trajectories through positions are as little rough as their shape permits."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.smooth_minimum import least_roughness, roughness

from screw_dynamics.trajectory import Waypoints, smooth_trajectory

JOINTS = 7


def motion(seed, decades):
    """Lengths (S,) and positions (S + 1, 7) of a random motion of 5 to 40 points."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 40))
    steps = rng.normal(size=(count, JOINTS))
    if decades:
        h = 10.0 ** rng.uniform(-2.0, 0.5, count)
        steps *= 10.0 ** rng.uniform(-3.0, 0.0, steps.shape)
    else:
        h = rng.uniform(0.2, 1.0, count)
    return h, np.cumsum(np.vstack((np.zeros(JOINTS), steps)), axis=0)


@pytest.mark.parametrize('decades', [False, True], ids=['alike', 'over decades'])
def test_the_roughness_is_the_least_one(decades):
    for seed in range(30):  # 210 joints
        h, positions = motion(seed, decades)
        times, free = np.append(0.0, np.cumsum(h)), np.full(positions.shape, np.nan)
        curve = smooth_trajectory(Waypoints(tuple('abcdefg'), times, positions, free, free))
        h = np.diff(times)
        found = roughness(h, curve.coefficients)
        least = [least_roughness(h, positions[:, j]) for j in range(JOINTS)]
        # the method ends at most 2e-6 above the minimum; the rest is left to PIQP's tolerance
        np.testing.assert_allclose(found / least, 1.0, rtol=0, atol=3e-6, err_msg=str(seed))
