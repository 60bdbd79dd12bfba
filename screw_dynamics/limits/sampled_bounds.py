# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bounds of quantities from samples of their values and rates: near, but no certificate."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.limits.feasible_samples import motor_commands_where_feasible
from screw_dynamics.limits.quantities import ROWS


def sampled_bounds(
    robot: Robot, times: Array, jets: Array, names: Collection[str]
) -> dict[str, tuple[Array, Array, Array]] | None:
    """
    Return values (T, m) by name, and least and largest ones to the next sample.

    Two samples and their rates give a cubic, which lies within its Bernstein coefficients. None
    if a spring fails.
    """
    if robot.drives is None:
        efforts = inverse_dynamics(robot.model, jets[:, :4])
        return {name: _hull(times, efforts, 0) for name in names}
    _, motion, failures = motor_commands_where_feasible(robot, jets, times, {}, {}, None)
    if motion is None or failures:
        return None
    rows = ((name, *ROWS[name]) for name in names)
    return {name: _hull(times, getattr(motion, field), row) for name, field, row in rows}


def _hull(times: Array, jet: Array, row: int) -> tuple[Array, Array, Array]:
    """Return values, and least and largest ones of cubics to the next sample, (T, m)."""
    values, rates = jet[:, row], jet[:, row + 1]
    third = np.append(np.diff(times), 0.0)[:, np.newaxis] / 3.0
    after = np.minimum(np.arange(len(times)) + 1, len(times) - 1)
    inner = values + third * rates, values[after] - third * rates[after], values[after]
    low, high = values, values
    for other in inner:
        low, high = np.minimum(low, other), np.maximum(high, other)
    return values, low, high
