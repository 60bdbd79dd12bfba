# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Twist of a frame and its rate: the body-fixed ones in the joint frames, the others in base axes.

A conversion of one into the other would lose the digits by which their rates differ in size.
"""

from screw_dynamics.kernels.taylor.rows import at, get, integer, put, sines
from screw_dynamics.kernels.terms import frames
from screw_dynamics.kernels.terms.frames import (
    FRAME_BLOCK,
    FRAME_STEP,
    coordinate_of,
    in_axes,
    path_joint,
    place_along_path,
)
from screw_dynamics.kernels.terms.places import cross, get3, put3
from screw_dynamics.kernels.tree import layout
from screw_dynamics.kernels.tree.path_series import BODY, MIXED, SPATIAL


def frame_motion_rows(count):
    """Return the number of rows of the workspace."""
    return frames.frame_rows(count) + 12


def to_child(motion, rotation, stride, position, step):
    """Transform a twist and its rate (6 rows each) to a frame that is fixed in theirs."""
    r00, r01, r02 = get(rotation, 0), get(rotation, 1), get(rotation, 2)
    r10, r11, r12 = get(rotation, stride), get(rotation, stride + 1), get(rotation, stride + 2)
    k = 2 * stride
    r20, r21, r22 = get(rotation, k), get(rotation, k + 1), get(rotation, k + 2)
    px, py, pz = get(position, 0), get(position, step), get(position, 2 * step)
    for start in (0, 6):
        x, y, z = get3(motion, start)
        u, v, w = get3(motion, start + 3)
        u, v, w = u + (y * pz - z * py), v + (z * px - x * pz), w + (x * py - y * px)
        a = r00 * x + r10 * y + r20 * z, r01 * x + r11 * y + r21 * z, r02 * x + r12 * y + r22 * z
        b = r00 * u + r10 * v + r20 * w, r01 * u + r11 * v + r21 * w, r02 * u + r12 * v + r22 * w
        put3(motion, start, a)
        put3(motion, start + 3, b)


def across_joint(motion, c, s, shift, joint, rate, acceleration):
    """Transform a twist and its rate from the frame before a joint to that behind it."""
    turn, travel = get(joint, layout.ROTATION), get(joint, layout.TRANSLATION)
    for start in (0, 6):
        x, y = get(motion, start), get(motion, start + 1)
        u, v = get(motion, start + 3) + y * shift, get(motion, start + 4) - x * shift
        a, b = c * x + s * y, c * y - s * x
        d, e = c * u + s * v, c * v - s * u
        put(motion, start, a)
        put(motion, start + 1, b)
        put(motion, start + 3, d)
        put(motion, start + 4, e)
    put(motion, 2, get(motion, 2) + turn * rate)
    put(motion, 5, get(motion, 5) + travel * rate)
    # V' = Ad V' + q'' X + q' ad_V X with X = (turn z; travel z)
    x, y = get(motion, 0), get(motion, 1)
    u, v = turn * get(motion, 3) + travel * x, turn * get(motion, 4) + travel * y
    x, y = turn * x, turn * y
    put(motion, 6, get(motion, 6) + rate * y)
    put(motion, 7, get(motion, 7) - rate * x)
    put(motion, 8, get(motion, 8) + turn * acceleration)
    put(motion, 9, get(motion, 9) + rate * v)
    put(motion, 10, get(motion, 10) - rate * u)
    put(motion, 11, get(motion, 11) + travel * acceleration)


def body_motion(ws, q, qd, qdd, motion, parameters):
    """Write the body-fixed twist and its rate."""
    count = integer(parameters, 0)
    for i in range(count):
        joint = path_joint(parameters, i)
        s = get(joint, layout.MULTIPLIER) * get(q, coordinate_of(joint))
        s = s + get(joint, layout.OFFSET)
        put(ws, i, get(joint, layout.ROTATION) * s)
        put(ws, 3 * count + i, get(joint, layout.TRANSLATION) * s)
    sines(ws, 0, count)
    for i in range(count):
        joint = path_joint(parameters, i)
        if i > 0:
            to_child(
                motion, at(joint, layout.HOME_ROTATION), 3, at(joint, layout.HOME_POSITION), 1
            )
        c, s, shift = get(ws, count + i), get(ws, 2 * count + i), get(ws, 3 * count + i)
        factor = get(joint, layout.MULTIPLIER)
        rate = factor * get(qd, coordinate_of(joint))
        across_joint(motion, c, s, shift, joint, rate, factor * get(qdd, coordinate_of(joint)))
    local = at(parameters, frames.FRAME_LOCAL)
    to_child(motion, local, 4, at(local, 3), 4)


def base_motion(ws, q, qd, qdd, motion, parameters):
    """Write the twist and its rate in base-link axes, about the base's or the frame's origin."""
    place_along_path(ws, q, parameters)
    count, spatial = integer(parameters, 0), integer(parameters, 2) == SPATIAL
    wx, wy, wz = get3(motion, 0)
    vx, vy, vz = get3(motion, 3)
    ax, ay, az = get3(motion, 6)
    bx, by, bz = get3(motion, 9)
    px, py, pz = get3(motion, 0)
    for i in range(count + 1):
        dx, dy, dz = get3(ws, i * FRAME_BLOCK + FRAME_STEP)
        if spatial:
            px, py, pz = px + dx, py + dy, pz + dz
        else:
            cx, cy, cz = cross(wx, wy, wz, dx, dy, dz)
            vx, vy, vz = vx + cx, vy + cy, vz + cz
            ex, ey, ez = cross(wx, wy, wz, cx, cy, cz)
            cx, cy, cz = cross(ax, ay, az, dx, dy, dz)
            bx, by, bz = bx + (cx + ex), by + (cy + ey), bz + (cz + ez)
        if i < count:
            joint, body = path_joint(parameters, i), at(ws, i * FRAME_BLOCK)
            factor = get(joint, layout.MULTIPLIER)
            rate = factor * get(qd, coordinate_of(joint))
            acceleration = factor * get(qdd, coordinate_of(joint))
            turn, travel = get(joint, layout.ROTATION), get(joint, layout.TRANSLATION)
            x, y, z = get(body, 2), get(body, 5), get(body, 8)
            ux, uy, uz = travel * x, travel * y, travel * z
            x, y, z = turn * x, turn * y, turn * z
            # the linear part of q' ad_V X, twice without the velocity of the moving origin
            cx, cy, cz = cross(wx, wy, wz, ux, uy, uz)
            if spatial:
                ex, ey, ez = cross(px, py, pz, x, y, z)
                ux, uy, uz = ux + ex, uy + ey, uz + ez
                cx, cy, cz = cross(wx, wy, wz, ux, uy, uz)
                ex, ey, ez = cross(vx, vy, vz, x, y, z)
                cx, cy, cz = cx + ex, cy + ey, cz + ez
            else:
                cx, cy, cz = 2.0 * cx, 2.0 * cy, 2.0 * cz
            bx, by, bz = (
                bx + (rate * cx + acceleration * ux),
                by + (rate * cy + acceleration * uy),
                bz + (rate * cz + acceleration * uz),
            )
            cx, cy, cz = cross(wx, wy, wz, x, y, z)
            ax, ay, az = (
                ax + (rate * cx + acceleration * x),
                ay + (rate * cy + acceleration * y),
                az + (rate * cz + acceleration * z),
            )
            vx, vy, vz = vx + rate * ux, vy + rate * uy, vz + rate * uz
            wx, wy, wz = wx + rate * x, wy + rate * y, wz + rate * z
    if integer(parameters, 2) == MIXED:
        frame = at(ws, count * FRAME_BLOCK)
        wx, wy, wz = in_axes(frame, wx, wy, wz)
        ax, ay, az = in_axes(frame, ax, ay, az)
    put3(motion, 0, (wx, wy, wz))
    put3(motion, 3, (vx, vy, vz))
    put3(motion, 6, (ax, ay, az))
    put3(motion, 9, (bx, by, bz))


def frame_motion(ws, q, qd, qdd, out, parameters):
    """Write the twist and its rate (2, 6)."""
    motion = at(ws, frames.frame_rows(integer(parameters, 0)))
    zero = 0.0 * get(q, 0)
    for k in range(12):
        put(motion, k, zero)
    if integer(parameters, 2) == BODY:
        body_motion(ws, q, qd, qdd, motion, parameters)
    else:
        base_motion(ws, q, qd, qdd, motion, parameters)
    for k in range(12):
        put(out, k, get(motion, k))
