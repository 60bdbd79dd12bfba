# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Motion of a frame from that of the frame before it, and the wrench in the other direction.

A state holds, one after the other, the series of the angular velocity w (3), of the acceleration
a (3) of the origin less gravity and of B (9), all in the axes of the frame.
"""

from screw_dynamics.kernels.soft.layout import FORCE, ORIGIN, POSE, TORQUE
from screw_dynamics.kernels.soft.products import add_cross, copy, rotate, rotate_back

ACCELERATION, RATES = 3, 6
STATE_WIDTH = 15


def set_turning(ws, pose, out, order):
    """Set the angular velocity of a moving pose in its own axes, from R^T R'."""
    for k in range(order + 2):
        x = y = z = 0.0
        for m in range(k + 1):
            r, d, n = pose + 9 * (k - m), pose + 9 * (m + 1), m + 1.0
            x += n * (ws[r + 2] * ws[d + 1] + ws[r + 5] * ws[d + 4] + ws[r + 8] * ws[d + 7])
            y += n * (ws[r] * ws[d + 2] + ws[r + 3] * ws[d + 5] + ws[r + 6] * ws[d + 8])
            z += n * (ws[r + 1] * ws[d] + ws[r + 4] * ws[d + 3] + ws[r + 7] * ws[d + 6])
        i = out + 3 * k
        ws[i], ws[i + 1], ws[i + 2] = x, y, z


def set_rates(ws, state, order):
    """Set B of a state from its angular velocity."""
    rates = state + RATES * (order + 3)
    for k in range(order + 1):
        xx = yy = zz = xy = xz = yz = 0.0
        for m in range(k + 1):
            i, j = state + 3 * m, state + 3 * (k - m)
            xx += ws[i] * ws[j]
            yy += ws[i + 1] * ws[j + 1]
            zz += ws[i + 2] * ws[j + 2]
            xy += ws[i] * ws[j + 1]
            xz += ws[i] * ws[j + 2]
            yz += ws[i + 1] * ws[j + 2]
        d, n = state + 3 * (k + 1), k + 1.0
        x, y, z = n * ws[d], n * ws[d + 1], n * ws[d + 2]
        b = rates + 9 * k
        ws[b], ws[b + 1], ws[b + 2] = -yy - zz, xy - z, xz + y
        ws[b + 3], ws[b + 4], ws[b + 5] = xy + z, -xx - zz, yz - x
        ws[b + 6], ws[b + 7], ws[b + 8] = xz - y, yz + x, -xx - yy


def set_point_acceleration(ws, state, point, rows, out, order):
    """Set a + B p + 2 w x p' + p'' of a point with `rows` coefficients that are not zero."""
    count = order + 3
    a, rates = state + ACCELERATION * count, state + RATES * count
    for k in range(order + 1):
        i = a + 3 * k
        x, y, z = ws[i], ws[i + 1], ws[i + 2]
        for m in range(max(0, k + 1 - rows), k + 1):
            b, p = rates + 9 * m, point + 3 * (k - m)
            u, v, w = ws[p], ws[p + 1], ws[p + 2]
            x += ws[b] * u + ws[b + 1] * v + ws[b + 2] * w
            y += ws[b + 3] * u + ws[b + 4] * v + ws[b + 5] * w
            z += ws[b + 6] * u + ws[b + 7] * v + ws[b + 8] * w
        if rows > 1:
            for m in range(k + 1):
                i, p, n = state + 3 * m, point + 3 * (k - m + 1), 2.0 * (k - m + 1)
                u, v, w = n * ws[p], n * ws[p + 1], n * ws[p + 2]
                x += ws[i + 1] * w - ws[i + 2] * v
                y += ws[i + 2] * u - ws[i] * w
                z += ws[i] * v - ws[i + 1] * u
            p, n = point + 3 * (k + 2), (k + 1.0) * (k + 2.0)
            x += n * ws[p]
            y += n * ws[p + 1]
            z += n * ws[p + 2]
        i = out + 3 * k
        ws[i], ws[i + 1], ws[i + 2] = x, y, z


def advance(ws, block, rotating, moving, turning, before, after, scratch, order):
    """
    Set the state behind the relative pose of a block, whose angular velocity is `turning`.

    Without `rotating` or `moving`, only coefficient 0 of the rotation or of the origin is read.
    """
    count = order + 3
    rows = count if rotating else 1
    pose, a = block + POSE * count, ACCELERATION * count
    rotate_back(ws, pose, rows, before, after, order + 2)
    if rotating:
        for i in range(3 * (order + 2)):
            ws[after + i] += ws[turning + i]
    origin_rows = count if moving else 1
    set_point_acceleration(ws, before, block + ORIGIN * count, origin_rows, scratch, order)
    rotate_back(ws, pose, rows, scratch, after + a, order + 1)
    set_rates(ws, after, order)


def add_own_wrench(ws, block, wrench, order):
    """Add the own wrench of a block to a wrench."""
    count = order + 3
    force, torque = block + FORCE * count, block + TORQUE * count
    for i in range(3 * (order + 1)):
        ws[wrench + i] += ws[force + i]
        ws[wrench + 3 * count + i] += ws[torque + i]


def pass_back(ws, block, rotating, moving, wrench, scratch, order):
    """Refer the wrench (force, torque) behind the relative pose of a block to the frame before."""
    count = order + 3
    rows = count if rotating else 1
    origin_rows = count if moving else 1
    force, torque = wrench, wrench + 3 * count
    pose, origin = block + POSE * count, block + ORIGIN * count
    rotate(ws, pose, rows, torque, scratch, order + 1)
    copy(ws, scratch, torque, 3 * (order + 1))
    rotate(ws, pose, rows, force, scratch, order + 1)
    copy(ws, scratch, force, 3 * (order + 1))
    add_cross(ws, 1.0, origin, origin_rows, force, torque, order + 1)
