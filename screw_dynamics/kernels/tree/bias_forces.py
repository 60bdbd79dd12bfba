# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bias efforts of bodies in their places by the Newton-Euler recursion."""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.tree.composite_inertia import (
    add_joint_efforts,
    apply_inertia,
    cross,
)
from screw_dynamics.kernels.tree.layout import COORDINATE, MULTIPLIER, PARENT


class BodyMotions(NamedTuple):
    """Workspace of `add_bias_forces`: motion of the bodies and wrenches that cause it."""

    rates: Array
    accelerations: Array
    wrenches: Array


def body_motions(count):
    """Return uninitialised arrays: rates (N, 3), accelerations and wrenches (N, 6)."""
    return BodyMotions(np.empty((count, 3)), np.empty((count, 6)), np.empty((count, 6)))


def add_bias_forces(qd, tree, bodies, gravity, placed, motions, forces):
    """Add the bias efforts of one sample to `forces` (n,); inertias must not be composite."""
    rates, accelerations, wrenches = motions.rates, motions.accelerations, motions.wrenches
    for i in range(bodies.shape[0]):
        rate = bodies[i, MULTIPLIER] * qd[tree[i, COORDINATE]]
        # not all of `placed`: every array of an argument costs a call time
        _set_acceleration(
            i, rate, tree, gravity, placed.screws, placed.from_parent, rates, accelerations
        )
        _set_wrench(
            placed.mass[i], placed.first[i], placed.second[i], rates[i], accelerations[i],
            wrenches[i],
        )  # fmt: skip
    add_joint_efforts(tree, bodies, placed, wrenches, forces)


def _set_acceleration(i, rate, tree, gravity, screws, from_parent, rates, accelerations):
    """Set the angular velocity w and the acceleration (w'; a of the origin) of body i."""
    parent = tree[i, PARENT]
    ex, ey, ez = screws[i, 0], screws[i, 1], screws[i, 2]
    if parent < 0:
        for a in range(3):
            rates[i, a] = rate * screws[i, a]
            accelerations[i, a] = 0.0
            # gravity as an upward acceleration of the base
            accelerations[i, 3 + a] = -gravity[a]
        return
    wx, wy, wz = rates[parent, 0], rates[parent, 1], rates[parent, 2]
    ax, ay, az = accelerations[parent, 0], accelerations[parent, 1], accelerations[parent, 2]
    dx, dy, dz = from_parent[i, 0], from_parent[i, 1], from_parent[i, 2]
    ux, uy, uz = accelerations[parent, 3], accelerations[parent, 4], accelerations[parent, 5]
    # w' × d + w × (w × d), and the Coriolis acceleration along the joint
    tx, ty, tz = cross(ax, ay, az, dx, dy, dz)
    cx, cy, cz = cross(wx, wy, wz, screws[i, 3], screws[i, 4], screws[i, 5])
    along, square = wx * dx + wy * dy + wz * dz, wx * wx + wy * wy + wz * wz
    accelerations[i, 3] = ux + tx + wx * along - square * dx + 2.0 * rate * cx
    accelerations[i, 4] = uy + ty + wy * along - square * dy + 2.0 * rate * cy
    accelerations[i, 5] = uz + tz + wz * along - square * dz + 2.0 * rate * cz
    cx, cy, cz = cross(wx, wy, wz, ex, ey, ez)
    accelerations[i, 0] = ax + rate * cx
    accelerations[i, 1] = ay + rate * cy
    accelerations[i, 2] = az + rate * cz
    rates[i, 0] = wx + rate * ex
    rates[i, 1] = wy + rate * ey
    rates[i, 2] = wz + rate * ez


def _set_wrench(m, h, second, w, acceleration, wrench):
    """Set the wrench that causes the acceleration of one body (M2018, (54)-(56))."""
    apply_inertia(m, h, second, acceleration, wrench)
    wx, wy, wz = w[0], w[1], w[2]
    sx = second[0, 0] * wx + second[0, 1] * wy + second[0, 2] * wz
    sy = second[1, 0] * wx + second[1, 1] * wy + second[1, 2] * wz
    sz = second[2, 0] * wx + second[2, 1] * wy + second[2, 2] * wz
    # w × Theta w = S w × w, as Theta = tr(S) I - S
    tx, ty, tz = cross(sx, sy, sz, wx, wy, wz)
    wrench[0] += tx
    wrench[1] += ty
    wrench[2] += tz
    along, square = wx * h[0] + wy * h[1] + wz * h[2], wx * wx + wy * wy + wz * wz
    wrench[3] += wx * along - square * h[0]
    wrench[4] += wy * along - square * h[1]
    wrench[5] += wz * along - square * h[2]
