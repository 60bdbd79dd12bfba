# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The choice of the knot derivatives that no point prescribes: least snap, no overshoot."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.trajectory.block_band import at_knots, at_segments
from screw_dynamics.trajectory.convex_program import ConvexProgram, minimise
from screw_dynamics.trajectory.nonic_segment import SNAP_ENERGY, time_powers
from screw_dynamics.trajectory.shape_constraints import (
    anchor_derivatives,
    pin_turning_points,
    shape_constraints,
)

_FREE = [1, 2, 3, 4, 6, 7, 8, 9]  # the derivatives among the ten data of a segment


def choose_derivatives(h: Array, positions: Array, prescribed: Array) -> Array:
    """
    Return all knot derivatives of one joint.

    Among the C4 piecewise polynomials of degree 9 that take on what is prescribed, the integral
    of the squared snap is minimised (the effort's second derivative follows the snap), subject to
    the linear conditions of `shape_constraints`: a segment that can be monotone is.

    Parameters
    ----------
    h : (K - 1,) ndarray
        Lengths of the segments [s].
    positions : (K,) ndarray
        [rad or m].
    prescribed : (K, 4) ndarray
        v, a, jerk, snap; NaN where free.

    Returns
    -------
    (K, 4) ndarray
        Prescribed entries are returned as they are.

    """
    steps = np.diff(positions)
    prescribed = pin_turning_points(steps, prescribed)
    free = np.isnan(prescribed)
    anchor = anchor_derivatives(h, steps, prescribed)
    if not free.any():
        return anchor
    rows, offsets = shape_constraints(h, steps, anchor, free)
    hessian, gradient = snap_objective(h, steps, np.where(free, 0.0, prescribed), free)
    program = ConvexProgram(hessian, gradient, rows, offsets, free)
    return np.where(free, minimise(program, np.where(free, anchor, 0.0)), prescribed)


def snap_objective(
    h: Array, steps: Array, fixed: Array, free: Array
) -> tuple[Array, Array]:
    """
    Return the quadratic form of the integral of the squared snap in the free derivatives.

    Parameters
    ----------
    h, steps : (K - 1,) ndarray
        Lengths [s] and position differences of the segments.
    fixed : (K, 4) ndarray
        Prescribed derivatives, 0 where free.
    free : (K, 4) ndarray of bool

    Returns
    -------
    hessian : (K - 1, 8, 8) ndarray
        Blocks of the segments, zero in what is not free.
    gradient : (K, 4) ndarray
        Gradient where all free derivatives are 0; zero in what is not free.

    """
    powers = np.tile(time_powers(h), 2)
    weight = h**-7.0
    hessian = SNAP_ENERGY[np.ix_(_FREE, _FREE)] * powers[:, :, None] * powers[:, None, :]
    hessian *= weight[:, None, None]
    linear = powers * SNAP_ENERGY[_FREE, 5] * (weight * steps)[:, None]
    linear += np.einsum('sab,sb->sa', hessian, at_segments(fixed))
    mask = at_segments(free.astype(float))
    return hessian * mask[:, :, None] * mask[:, None, :], at_knots(linear) * free
