# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Choice of the free knot derivatives: monotone segments, little snap, no overshoot.

The first axis of every array is the joint, except of the lengths `h` (K - 1,) of the segments.
"""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.curves.knot_derivatives import choose_free_derivatives
from screw_dynamics.trajectory.smooth.degree9_segment import (
    DERIVATIVES,
    POSITION_HULL,
    ROUGHNESS,
    VELOCITY_HULL,
    time_powers,
)


def _kernel_constants() -> tuple[Array, Array, Array, Array]:
    """Return energy, slope, table and squares of the kernel `choose_free_derivatives`."""
    energy = ROUGHNESS[np.ix_(DERIVATIVES, DERIVATIVES)]
    columns = [*DERIVATIVES, 5]
    inner = POSITION_HULL[1:9, columns]
    table = np.concatenate((VELOCITY_HULL[:, columns] / 9.0, inner, -inner))
    squares = table[:, :8, None] * table[:, None, :8]
    blocks = np.stack((squares[:, :4, :4], squares[:, 4:, :4], squares[:, 4:, 4:]), axis=1)
    return energy, ROUGHNESS[[*DERIVATIVES, 5], 5], table, blocks.reshape(len(table), -1)


_KERNEL_CONSTANTS = _kernel_constants()

# Velocity at a free knot relative to the smaller neighbouring secant: below 9/8, the largest for
# which a segment with equal velocities at its ends and no other derivatives is monotone.
_CRUISE = 0.9
# Relative to a joint's largest step, smaller ones count as 0; their squares might underflow.
_NEGLIGIBLE = 1e-30


def fix_derivatives_at_extrema(steps: Array, prescribed: Array) -> Array:
    """
    Set to 0 the free derivatives that must vanish if neighbouring segments are monotone.

    If all lower derivatives of a knot are 0, the first other one, of order d, has the sign of the
    step to the right, and (-1)^(d - 1) times that of the step to the left. It is 0 if the two
    contradict each other or a step is 0: v at a local extremum, all derivatives at a flat run.
    """
    pinned: Array = prescribed.copy()
    signs = np.sign(steps)
    agree = signs[:, :-1] * signs[:, 1:]
    inner = pinned[:, 1:-1]
    undecided = np.ones(agree.shape, dtype=bool)
    for d in range(4):
        free = np.isnan(inner[..., d])
        vanishes = undecided & free & (agree * (-1) ** d <= 0)
        inner[vanishes, d] = 0.0
        undecided &= inner[..., d] == 0.0
    return pinned


def anchor_derivatives(h: Array, steps: Array, prescribed: Array) -> Array:
    """Replace free derivatives (NaN) by simple values in the interior of the constraints."""
    anchor = np.where(np.isnan(prescribed), 0.0, prescribed)
    sizes = np.abs(steps)[..., None] / time_powers(h)
    allowed = _CRUISE * np.minimum(sizes[:, :-1], sizes[:, 1:]) * np.sign(steps[:, 1:])[..., None]
    inner = anchor[:, 1:-1]
    undecided = np.ones(inner.shape[:2], dtype=bool)
    for d in range(4):  # the first one with lower ones 0 follows the smaller neighbouring step
        leads = undecided & np.isnan(prescribed[:, 1:-1, d])
        inner[leads, d] = allowed[leads, d]
        undecided &= inner[..., d] == 0.0
    return anchor


def choose_derivatives(h: Array, positions: Array, prescribed: Array) -> Array:
    """
    Return the knot derivatives that are least rough under the constraints of shape.

    `positions` are (J, K). `prescribed` (J, K, 4) has v, a, jerk, snap, or NaN for a free one; its
    other entries are returned unchanged.
    """
    scale, steps, relevant = _in_own_scale(h, np.diff(positions), prescribed)
    chosen = _choose(h, steps, relevant)
    return np.where(np.isnan(prescribed), scale[:, None, None] * chosen, prescribed)


def _in_own_scale(h: Array, steps: Array, prescribed: Array) -> tuple[Array, Array, Array]:
    """Divide the data of joints by their sizes (J,), also returned; set negligible ones to 0."""
    longest = np.maximum(np.append(h, 0.0), np.insert(h, 0, 0.0))
    sizes = np.abs(np.nan_to_num(prescribed)) * time_powers(longest)
    largest = np.maximum(np.abs(steps).max(axis=1), sizes.max(axis=(1, 2)))
    scale = np.where(largest > 0.0, largest, 1.0)
    steps = np.where(np.abs(steps) < _NEGLIGIBLE * largest[:, None], 0.0, steps / scale[:, None])
    of_knots = scale[:, None, None]
    negligible = ~np.isnan(prescribed) & (sizes < _NEGLIGIBLE * largest[:, None, None])
    return scale, steps, np.where(negligible, 0.0, prescribed / of_knots)


def _choose(h: Array, steps: Array, prescribed: Array) -> Array:
    """Return the knot derivatives, see `choose_derivatives`."""
    prescribed = fix_derivatives_at_extrema(steps, prescribed)
    free = np.isnan(prescribed)
    anchor = anchor_derivatives(h, steps, prescribed)
    data = (h, steps, anchor, free, *_KERNEL_CONSTANTS)
    chosen: Array = np.empty(anchor.shape)
    choose_free_derivatives(*(np.ascontiguousarray(array) for array in data), chosen)
    return chosen
