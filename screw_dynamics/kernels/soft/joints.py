# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints and rigid bodies of a chain."""

from screw_dynamics.kernels.series import sine_and_cosine
from screw_dynamics.kernels.soft import layout
from screw_dynamics.kernels.soft.frames import ACCELERATION, RATES, advance
from screw_dynamics.kernels.soft.products import clear


def joint_forward(kind, ws, q, reals, row, block, before, after, scratch, order):
    """Set the relative pose of a joint and the state behind it; its own wrench is zero."""
    count = order + 3
    pose, origin = block + layout.POSE * count, block + layout.ORIGIN * count
    for i in range(9):
        ws[pose + i] = reals[row + layout.ROTATION + i]
    for i in range(3):
        ws[origin + i] = reals[row + layout.TRANSLATION + i]
    turning = scratch
    rotating = kind == layout.REVOLUTE or kind == layout.HELICAL
    moving = kind == layout.PRISMATIC or kind == layout.HELICAL
    if rotating:
        cosine, sine = scratch + 3 * count, scratch + 4 * count
        sine_and_cosine(ws[q : q + count], ws[sine : sine + count], ws[cosine : cosine + count])
        for k in range(count):
            c, s = ws[cosine + k], ws[sine + k]
            for i in range(9):
                entry = s * reals[row + layout.SINES + i] + c * reals[row + layout.COSINES + i]
                ws[pose + 9 * k + i] = entry if k > 0 else ws[pose + i] + entry
        for k in range(order + 2):
            for i in range(3):
                ws[turning + 3 * k + i] = (
                    (k + 1.0) * ws[q + k + 1] * reals[row + layout.TURN_AXIS + i]
                )
    if moving:
        for a in range(3):
            direction = 0.0
            for b in range(3):
                direction += (
                    reals[row + layout.ROTATION + 3 * a + b] * reals[row + layout.SHIFT_AXIS + b]
                )
            ws[origin + a] += direction * ws[q]
            for k in range(1, count):
                ws[origin + 3 * k + a] = direction * ws[q + k]
    clear(ws, block + layout.FORCE * count, 6 * count)
    free = scratch + 5 * count
    advance(ws, block, rotating, moving, turning, before, after, free, order)


def joint_effort(ws, nu, reals, row, wrench, order):
    """Set the effort of a joint from the wrench behind it."""
    for k in range(order + 1):
        force = wrench + 3 * k
        torque = force + 3 * (order + 3)
        total = 0.0
        for c in range(3):
            total += reals[row + layout.SHIFT_AXIS + c] * ws[force + c]
            total += reals[row + layout.TURN_AXIS + c] * ws[torque + c]
        ws[nu + k] = total


def rigid_forward(ws, reals, row, block, before, after, scratch, order):
    """Set the wrench on a rigid body and the state of its distal frame."""
    count = order + 3
    for i in range(9):
        ws[block + layout.POSE * count + i] = reals[row + layout.ROTATION + i]
    for i in range(3):
        ws[block + layout.ORIGIN * count + i] = reals[row + layout.RIGID_TRANSLATION + i]
    mass = reals[row + layout.RIGID_MASS]
    first, second = row + layout.RIGID_FIRST, row + layout.RIGID_SECOND
    hx, hy, hz = reals[first], reals[first + 1], reals[first + 2]
    xx, yy, zz = reals[second], reals[second + 1], reals[second + 2]
    xy, xz, yz = reals[second + 3], reals[second + 4], reals[second + 5]
    force, torque = block + layout.FORCE * count, block + layout.TORQUE * count
    for k in range(order + 1):
        a, b = before + ACCELERATION * count + 3 * k, before + RATES * count + 9 * k
        f, n = force + 3 * k, torque + 3 * k
        ax, ay, az = ws[a], ws[a + 1], ws[a + 2]
        ws[f] = mass * ax + ws[b] * hx + ws[b + 1] * hy + ws[b + 2] * hz
        ws[f + 1] = mass * ay + ws[b + 3] * hx + ws[b + 4] * hy + ws[b + 5] * hz
        ws[f + 2] = mass * az + ws[b + 6] * hx + ws[b + 7] * hy + ws[b + 8] * hz
        # twice the skew part of B times the second moment
        zy = ws[b + 6] * xy + ws[b + 7] * yy + ws[b + 8] * yz
        yz_ = ws[b + 3] * xz + ws[b + 4] * yz + ws[b + 5] * zz
        x_z = ws[b] * xz + ws[b + 1] * yz + ws[b + 2] * zz
        zx = ws[b + 6] * xx + ws[b + 7] * xy + ws[b + 8] * xz
        yx = ws[b + 3] * xx + ws[b + 4] * xy + ws[b + 5] * xz
        x_y = ws[b] * xy + ws[b + 1] * yy + ws[b + 2] * yz
        ws[n] = hy * az - hz * ay + (zy - yz_)
        ws[n + 1] = hz * ax - hx * az + (x_z - zx)
        ws[n + 2] = hx * ay - hy * ax + (yx - x_y)
    advance(ws, block, False, False, scratch, before, after, scratch, order)
