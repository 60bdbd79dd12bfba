# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A convex quadratic program over the knots, solved in time linear in their number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.trajectory.block_band import at_knots, at_segments, factorised

# A row counts as obeyed down to this; rows are scaled to the step of their segment.
TOLERANCE = 1e-10


class ConvexProgram(NamedTuple):
    """
    Minimise x^T H x / 2 + g^T x subject to G x + r >= 0.

    Parameters
    ----------
    hessian : (K - 1, 8, 8) ndarray
        H, block by block: each segment couples the four unknowns of its two knots.
    gradient : (K, 4) ndarray
        g.
    rows : (K - 1, R, 8) ndarray
        G.
    offsets : (K - 1, R) ndarray
        r.
    free : (K, 4) ndarray of bool
        Unknowns; the others are 0 throughout.

    """

    hessian: Array
    gradient: Array
    rows: Array
    offsets: Array
    free: Array


def slack(program: ConvexProgram, x: Array) -> Array:
    """Return G x + r, shape (K - 1, R)."""
    return program.offsets + np.einsum('srz,sz->sr', program.rows, at_segments(x))


def minimise(program: ConvexProgram, anchor: Array) -> Array:
    """
    Return the minimiser, or the nearest point towards the anchor that obeys every row.
    """
    try:
        best = -factorised(program.hessian, program.free)(program.gradient)
    except np.linalg.LinAlgError:
        return anchor
    if not (slack(program, best) < -TOLERANCE).any():
        return best
    return pull_back(program, anchor, best)


def pull_back(program: ConvexProgram, anchor: Array, x: Array) -> Array:
    """Move every knot towards the anchor until all rows are obeyed."""
    room = np.maximum(slack(program, anchor), 0.0) + 0.5 * TOLERANCE
    move = program.rows * at_segments(x - anchor)[:, None, :]
    left, right = move[:, :, :4].sum(axis=2), move[:, :, 4:].sum(axis=2)
    loss = -(np.minimum(left, 0.0) + np.minimum(right, 0.0))
    with np.errstate(divide='ignore'):
        part = np.minimum(1.0, (room / np.where(loss > 0, loss, 0.0)).min(axis=1))
    knots = np.ones(len(x))
    knots[:-1] = part
    knots[1:] = np.minimum(knots[1:], part)
    return anchor + knots[:, None] * (x - anchor)
