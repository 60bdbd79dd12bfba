# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Choice of the knot derivatives that are not prescribed, with little snap and no overshoot."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.trajectory.smooth.degree9_segment import DERIVATIVES, ROUGHNESS, time_powers
from screw_dynamics.trajectory.smooth.quadratic_program import (
    ConvexProgram,
    at_knots,
    at_segments,
    minimise,
)
from screw_dynamics.trajectory.smooth.shape_constraints import (
    anchor_derivatives,
    pin_turning_points,
    shape_constraints,
)

# Least weight of a slow long segment, relative to the roughest one: smaller weights are lost to
# rounding, and with them the free derivatives of the segment.
_LEAST_PART = 1e-10

# Relative to a joint's largest step, smaller ones count as 0; their squares might underflow.
_NEGLIGIBLE = 1e-30


def choose_derivatives(h: Array, positions: Array, prescribed: Array) -> Array:
    """
    Return all knot derivatives of one joint.

    From the C4 piecewise polynomials of degree 9 with the prescribed values, the least rough is
    chosen (`ROUGHNESS`: mainly the integral of the squared snap, on which the effort's second
    derivative depends) under the conditions of `shape_constraints`: segments are monotone if
    possible.

    `h` (K - 1,) are the lengths of the segments. `prescribed` (K, 4) has v, a, jerk, snap, or NaN
    for a free one; its other entries are returned unchanged.
    """
    scale, steps, relevant = _in_own_scale(h, np.diff(positions), prescribed)
    chosen = _choose(h, steps, relevant)
    return np.where(np.isnan(prescribed), scale * chosen, prescribed)


def _in_own_scale(h: Array, steps: Array, prescribed: Array) -> tuple[float, Array, Array]:
    """Divide a joint's data by their size, which is returned too; set negligible ones to 0."""
    longest = np.maximum(np.append(h, 0.0), np.insert(h, 0, 0.0))
    sizes = np.abs(np.nan_to_num(prescribed)) * time_powers(longest)
    scale = float(max(np.abs(steps).max(), sizes.max()))
    if scale == 0.0:
        return 1.0, steps, prescribed
    steps = np.where(np.abs(steps) < _NEGLIGIBLE * scale, 0.0, steps / scale)
    negligible = ~np.isnan(prescribed) & (sizes < _NEGLIGIBLE * scale)
    return scale, steps, np.where(negligible, 0.0, prescribed / scale)


def _choose(h: Array, steps: Array, prescribed: Array) -> Array:
    """Return the knot derivatives, see `choose_derivatives`."""
    prescribed = pin_turning_points(steps, prescribed)
    free = np.isnan(prescribed)
    anchor = anchor_derivatives(h, steps, prescribed)
    if not free.any():
        return anchor
    rows, offsets = shape_constraints(h, steps, anchor, free)
    hessian, gradient = roughness(h, steps, anchor, free)
    program = ConvexProgram(hessian, gradient, rows, offsets, free)
    return np.where(free, minimise(program, np.where(free, anchor, 0.0)), prescribed)


def roughness(h: Array, steps: Array, anchor: Array, free: Array) -> tuple[Array, Array]:
    """
    Return the roughness of the curve as a quadratic form in the free derivatives.

    `hessian` has the blocks (K - 1, 8, 8) of the segments, `gradient` (K, 4) is that at 0; both
    are 0 for what is not free. `anchor` has the prescribed derivatives and a typical size of
    the free ones.
    """
    powers = np.tile(time_powers(h), 2)
    reach = np.abs(powers * at_segments(anchor)).max(axis=1)
    weights = _weights(h, np.maximum(np.abs(steps), reach))
    hessian = ROUGHNESS[np.ix_(DERIVATIVES, DERIVATIVES)] * powers[:, :, None] * powers[:, None, :]
    hessian *= weights[:, None, None]
    linear = powers * ROUGHNESS[DERIVATIVES, 5] * (weights * steps)[:, None]
    linear += np.einsum('sab,sb->sa', hessian, at_segments(np.where(free, 0.0, anchor)))
    mask = at_segments(free.astype(float))
    return hessian * mask[:, :, None] * mask[:, None, :], at_knots(linear) * free


def _weights(h: Array, sizes: Array) -> Array:
    """Return h^-7, the scale of squared snap in normalised time, or more to survive rounding."""
    energies = h**-7.0 * sizes**2
    least = _LEAST_PART * energies.max()
    # nothing is free in a segment of size 0
    lost = (energies < least) & (sizes > 0.0)
    return np.where(lost, least / np.where(lost, sizes, 1.0) ** 2, h**-7.0)
