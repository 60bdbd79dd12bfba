# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Composite rigid-body inertias; steps shared by the mass, Coriolis and bias kernels.

All quantities are in base-link axes and refer to the origin of the body's joint frame. They are
transferred to the parent by a shift only and lose no digits if the base is far away. The inertia
is (m, h, S) with h = m c and the second moment S = integral of x x^T dm; the rotational inertia is
tr(S) I - S.
"""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.tree.forward_kinematics import forward_kinematics_step
from screw_dynamics.kernels.tree.layout import (
    COORDINATE,
    FIRST_MOMENT,
    MASS,
    MULTIPLIER,
    PARENT,
    ROTATION,
    SECOND_MOMENT,
    TRANSLATION,
)


class PlacedBodies(NamedTuple):
    """Joint frames, screws and inertias of the bodies of one sample, in base-link axes."""

    rotations: Array
    """(N, 3, 3) from the joint frames to base-link axes."""
    from_parent: Array
    """(N, 3) from the origin of the parent, the base's for a root body [m]."""
    screws: Array
    """(N, 6) of the joints."""
    mass: Array
    """(N,) of the bodies, composite after a pass of `add_to_parent`; so are the moments."""
    first: Array
    """(N, 3) first moments."""
    second: Array
    """(N, 3, 3) second moments."""


def placed_bodies(count):
    """Return uninitialised arrays, in one block of memory."""
    block = np.empty(31 * count)
    return PlacedBodies(
        block[: 9 * count].reshape((count, 3, 3)),
        block[9 * count : 12 * count].reshape((count, 3)),
        block[12 * count : 18 * count].reshape((count, 6)),
        block[18 * count : 19 * count],
        block[19 * count : 22 * count].reshape((count, 3)),
        block[22 * count :].reshape((count, 3, 3)),
    )


def place_bodies(q, tree, bodies, placed):
    """Set the joint frames, screws and single inertias of all bodies."""
    for i in range(bodies.shape[0]):
        forward_kinematics_step(i, q, tree, bodies, placed.rotations, placed.from_parent)
        set_inertia(i, bodies, placed.rotations, placed.mass, placed.first, placed.second)
        set_joint_axis(i, bodies, placed.rotations, placed.screws)


def set_inertia(i, bodies, rotations, mass, first, second):
    """Set row i of `mass`, `first` and `second` to the inertia of the single body i."""
    mass[i] = bodies[i, MASS]
    h, s = FIRST_MOMENT, SECOND_MOMENT
    xx, yy, zz = bodies[i, s], bodies[i, s + 1], bodies[i, s + 2]
    xy, xz, yz = bodies[i, s + 3], bodies[i, s + 4], bodies[i, s + 5]
    hx, hy, hz = bodies[i, h], bodies[i, h + 1], bodies[i, h + 2]
    for a in range(3):
        x, y, z = rotations[i, a, 0], rotations[i, a, 1], rotations[i, a, 2]
        first[i, a] = x * hx + y * hy + z * hz
        u, v, w = x * xx + y * xy + z * xz, x * xy + y * yy + z * yz, x * xz + y * yz + z * zz
        for b in range(a + 1):
            value = u * rotations[i, b, 0] + v * rotations[i, b, 1] + w * rotations[i, b, 2]
            second[i, a, b] = value
            second[i, b, a] = value


def add_to_parent(i, parent, placed):
    """Add the inertia of subtree i to its parent's, shifted by x -> x + from_parent[i]."""
    mass, first, second, step = placed.mass, placed.first, placed.second, placed.from_parent[i]
    m = mass[i]
    for a in range(3):
        d = step[a]
        for b in range(3):
            second[parent, a, b] += (
                second[i, a, b] + first[i, a] * step[b] + d * first[i, b] + m * d * step[b]
            )
    for a in range(3):
        first[parent, a] += first[i, a] + m * step[a]
    mass[parent] += m


def refer_to_first_origin(tree, placed, origins):
    """
    Refer screws and single inertias to the origin of the first joint, in place.

    That point is near the robot wherever its base is. Sets `origins` (N, 3), from that point.
    """
    screws, mass, first, second = placed.screws, placed.mass, placed.first, placed.second
    for i in range(mass.shape[0]):
        parent, m = tree[i, PARENT], mass[i]
        for a in range(3):
            before = origins[parent, a] if parent >= 0 else -placed.from_parent[0, a]
            origins[i, a] = before + placed.from_parent[i, a]
        x, y, z = cross(
            origins[i, 0], origins[i, 1], origins[i, 2], screws[i, 0], screws[i, 1], screws[i, 2]
        )
        screws[i, 3] += x
        screws[i, 4] += y
        screws[i, 5] += z
        for a in range(3):
            for b in range(3):
                second[i, a, b] += (
                    first[i, a] * origins[i, b]
                    + origins[i, a] * first[i, b]
                    + m * origins[i, a] * origins[i, b]
                )
        for a in range(3):
            first[i, a] += m * origins[i, a]


def add_joint_efforts(tree, bodies, placed, wrenches, forces):
    """Add J^T W of the wrenches on the bodies to `forces`; each becomes that on its subtree."""
    for i in range(bodies.shape[0] - 1, -1, -1):
        parent = tree[i, PARENT]
        effort = dot(placed.screws[i], wrenches[i])
        forces[tree[i, COORDINATE]] += bodies[i, MULTIPLIER] * effort
        if parent >= 0:
            shift_wrench(placed.from_parent[i], wrenches[i])
            for a in range(6):
                wrenches[parent, a] += wrenches[i, a]


def apply_inertia(m, h, second, twist, wrench):
    """Set the wrench M V of a twist V = (w; v): (tr(S) w - S w + h × v; m v + w × h)."""
    x, y, z, u, v, w = twist[0], twist[1], twist[2], twist[3], twist[4], twist[5]
    xx, yy, zz = second[0, 0], second[1, 1], second[2, 2]
    xy, xz, yz = second[0, 1], second[0, 2], second[1, 2]
    hx, hy, hz = h[0], h[1], h[2]
    wrench[0] = (yy + zz) * x - xy * y - xz * z + hy * w - hz * v
    wrench[1] = (xx + zz) * y - xy * x - yz * z + hz * u - hx * w
    wrench[2] = (xx + yy) * z - xz * x - yz * y + hx * v - hy * u
    wrench[3] = m * u + y * hz - z * hy
    wrench[4] = m * v + z * hx - x * hz
    wrench[5] = m * w + x * hy - y * hx


def shift_wrench(step, wrench):
    """Refer a wrench to the parent's origin, in place: torque += d × force with d = `step`."""
    wrench[0] += step[1] * wrench[5] - step[2] * wrench[4]
    wrench[1] += step[2] * wrench[3] - step[0] * wrench[5]
    wrench[2] += step[0] * wrench[4] - step[1] * wrench[3]


def set_joint_axis(i, bodies, rotations, screws):
    """Set row i of `screws` to (turn e; travel e), in base-link axes at the origin of body i."""
    for a in range(3):
        screws[i, a] = bodies[i, ROTATION] * rotations[i, a, 2]
        screws[i, 3 + a] = bodies[i, TRANSLATION] * rotations[i, a, 2]


def cross(ax, ay, az, bx, by, bz):
    """Return the components of a × b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def dot(x, y):
    """Return the scalar product of a screw and a wrench."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]
