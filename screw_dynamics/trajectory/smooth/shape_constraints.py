# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear conditions on knot derivatives that keep a segment monotone or near its end points."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.trajectory.smooth.degree9_segment import (
    DERIVATIVES,
    POSITION_HULL,
    VELOCITY_HULL,
    time_powers,
)
from screw_dynamics.trajectory.smooth.quadratic_program import at_segments

_ROUNDING = 1e-12

# Velocity at a free knot relative to the smaller neighbouring secant: below 9/8, the largest for
# which a segment with equal velocities at its ends and no other derivatives is monotone.
_CRUISE = 0.9


def pin_turning_points(steps: Array, prescribed: Array) -> Array:
    """
    Set to 0 the free derivatives that must vanish if neighbouring segments are monotone.

    If all lower derivatives of a knot are 0, the first other one, of order d, has the sign of the
    step to the right, and (-1)^(d - 1) times that of the step to the left. It is 0 if the two
    contradict each other or a step is 0: v at a local extremum, all derivatives at a flat run.

    `steps` (K - 1,) are position differences; `prescribed` (K, 4) has v, a, jerk, snap, or NaN
    for a free one.
    """
    pinned: Array = prescribed.copy()
    signs = np.sign(steps)
    agree = signs[:-1] * signs[1:]
    inner = pinned[1:-1]
    undecided = np.ones(len(inner), dtype=bool)
    for d in range(4):
        free = np.isnan(inner[:, d])
        vanishes = undecided & free & (agree * (-1) ** d <= 0)
        inner[vanishes, d] = 0.0
        undecided &= inner[:, d] == 0.0
    return pinned


def anchor_derivatives(h: Array, steps: Array, prescribed: Array) -> Array:
    """
    Replace free derivatives (NaN) by simple values in the interior of the constraints.

    The first free derivative of a knot whose lower ones are all 0 follows the smaller of the
    two neighbouring steps; the others are 0. `prescribed` comes from `pin_turning_points`.
    """
    anchor = np.where(np.isnan(prescribed), 0.0, prescribed)
    sizes = np.abs(steps)[:, None] / time_powers(h)
    allowed = _CRUISE * np.minimum(sizes[:-1], sizes[1:]) * np.sign(steps[1:])[:, None]
    inner = anchor[1:-1]
    undecided = np.ones(len(inner), dtype=bool)
    for d in range(4):
        leads = undecided & np.isnan(prescribed[1:-1, d])
        inner[leads, d] = allowed[leads, d]
        undecided &= inner[:, d] == 0.0
    return anchor


def shape_constraints(h: Array, steps: Array, anchor: Array, free: Array) -> tuple[Array, Array]:
    """
    Return rows G and offsets r with G z + r >= 0, z the free derivatives at a segment's ends.

    If the anchor makes a segment monotone, the nine Bernstein coefficients of its velocity keep
    the sign of the step. Else prescribed derivatives force the curve; then the eight inner
    Bernstein coefficients of the position stay between the end points, in an interval widened by
    the excess of the anchor's coefficients. The anchor satisfies every row.

    `rows` (K - 1, R, 8) are 0 and `offsets` (K - 1, R) 1 if there is no constraint.
    """
    count = len(h)
    powers = np.tile(time_powers(h), 2)
    data = powers * at_segments(anchor)

    velocity = data @ VELOCITY_HULL[:, DERIVATIVES].T + steps[:, None] * VELOCITY_HULL[:, 5]
    with np.errstate(divide='ignore', invalid='ignore'):
        relative = velocity / (9.0 * steps[:, None])
    monotone = np.isfinite(relative).all(axis=1) & (relative >= -_ROUNDING).all(axis=1)
    m, f = np.flatnonzero(monotone), np.flatnonzero(~monotone)
    width = 16 if f.size else 9
    rows, offsets = np.zeros((count, width, 8)), np.ones((count, width))
    rows[m, :9] = VELOCITY_HULL[:, DERIVATIVES] / (9.0 * steps[m, None, None])
    offsets[m, :9] = VELOCITY_HULL[:, 5] / 9.0

    if f.size:
        rows[f], offsets[f] = _stay_near(steps[f], data[f])

    rows *= powers[:, None, :]
    mask = at_segments(free.astype(float))[:, None, :]
    offsets += np.einsum('srz,sz->sr', rows * (1.0 - mask), at_segments(anchor))
    rows *= mask
    offsets[~rows.any(axis=2)] = 1.0
    return rows, offsets


def _stay_near(steps: Array, data: Array) -> tuple[Array, Array]:
    """Return the rows of segments with a forced curve, in normalised time, shapes (F, 16[, 8])."""
    inner = POSITION_HULL[1:9]
    from_step = steps[:, None] * inner[:, 5]
    hull = data @ inner[:, DERIVATIVES].T + from_step
    low = np.minimum(np.minimum(steps, 0.0), hull.min(axis=1))[:, None]
    high = np.maximum(np.maximum(steps, 0.0), hull.max(axis=1))[:, None]
    width = np.where(high > low, high - low, 1.0)
    above = inner[:, DERIVATIVES] / width[:, :, None]
    rows = np.concatenate((above, -above), axis=1)
    return rows, np.concatenate((from_step - low, high - from_step), axis=1) / width
