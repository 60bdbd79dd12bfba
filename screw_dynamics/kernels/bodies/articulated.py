# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Joint accelerations by articulated bodies (F2008, section 7.3), in the axes of the root.

The articulated inertia of a body relates its acceleration (w'; a of its joint frame's origin) to a
wrench about that origin by [[A, B], [B^T, C]] with symmetric A and C. It is shifted, but not
rotated, to the parent. Every joint has a coordinate of its own. What follows from a vanishing
pivot is set to NaN.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.factors import SINGULAR
from screw_dynamics.kernels.bodies.joint_frames import (
    PLACE,
    STEP,
    add3,
    add6,
    cross,
    dot6,
    get3,
    get6,
    joint_row,
    moved_inertia,
    place,
    put3,
    put6,
    scaled6,
    screw,
    set_angles,
    sum6,
    to_root_axes,
)
from screw_dynamics.kernels.bodies.rows import at, get, integer, put, unless_small

# Of a body: angular velocity (3), bias acceleration (6), A and C (xx, yy, zz, xy, xz, yz), B (9,
# by rows of torques), bias wrench (6), wrench U of a unit acceleration of the joint (6), 1 / D,
# and the effort that accelerates the joint; then composite mass and moments (3 each), of which
# the pivot D must keep a share.
_W, _C = PLACE, PLACE + 3
_AA, _BB, _CC = PLACE + 9, PLACE + 15, PLACE + 24
_P, _U, _D, _E = PLACE + 30, PLACE + 36, PLACE + 42, PLACE + 43
_M, _H, _S = PLACE + 44, PLACE + 45, PLACE + 48
_BLOCK = PLACE + 54


def articulated_rows(order, count):
    """Return the number of rows of the workspace."""
    return (_BLOCK + 3) * count


def set_motion(body, parent, joint, rate):
    """Write the angular velocity and the acceleration besides those of parent and joint."""
    ex, ey, ez, vx, vy, vz = screw(body, joint)
    if integer(joint, layout.PARENT) < 0:
        put3(body, _W, (rate * ex, rate * ey, rate * ez))
        zero = 0.0 * rate
        put6(body, _C, (zero, zero, zero, zero, zero, zero))
    else:
        wx, wy, wz = get3(parent, _W)
        dx, dy, dz = get3(body, STEP)
        put3(body, _W, (wx + rate * ex, wy + rate * ey, wz + rate * ez))
        cx, cy, cz = cross(wx, wy, wz, ex, ey, ez)
        put3(body, _C, (rate * cx, rate * cy, rate * cz))
        along, square = wx * dx + wy * dy + wz * dz, wx * wx + wy * wy + wz * wz
        ux, uy, uz = wx * along - square * dx, wy * along - square * dy, wz * along - square * dz
        if integer(joint, layout.KIND) != layout.REVOLUTE:
            cx, cy, cz = cross(wx, wy, wz, vx, vy, vz)
            ux, uy, uz = ux + 2.0 * (rate * cx), uy + 2.0 * (rate * cy), uz + 2.0 * (rate * cz)
        put3(body, _C + 3, (ux, uy, uz))


def set_inertia(body, joint):
    """Write the inertia of a body and its bias wrench (w × Theta w; w × (w × h))."""
    m, zero = get(joint, layout.MASS), 0.0 * get(body, 0)
    to_root_axes(body, body, _H, at(joint, layout.FIRST_MOMENT), at(joint, layout.SECOND_MOMENT))
    put(body, _M, zero + m)
    hx, hy, hz = get3(body, _H)
    xx, yy, zz, xy, xz, yz = get6(body, _S)
    put6(body, _AA, (yy + zz, xx + zz, xx + yy, -xy, -xz, -yz))
    put6(body, _BB, (zero, -hz, hy, hz, zero, -hx))
    put3(body, _BB + 6, (-hy, hx, zero))
    put6(body, _CC, (zero + m, zero + m, zero + m, zero, zero, zero))
    wx, wy, wz = get3(body, _W)
    sx = xx * wx + xy * wy + xz * wz
    sy = xy * wx + yy * wy + yz * wz
    sz = xz * wx + yz * wy + zz * wz
    # w × Theta w = S w × w, as Theta = tr(S) I - S
    put3(body, _P, cross(sx, sy, sz, wx, wy, wz))
    along, square = wx * hx + wy * hy + wz * hz, wx * wx + wy * wy + wz * wz
    put3(
        body,
        _P + 3,
        (wx * along - square * hx, wy * along - square * hy, wz * along - square * hz),
    )


def apply(body, acceleration):
    """Return the wrench of an acceleration (w; x) of an articulated body."""
    wx, wy, wz, x, y, z = acceleration
    axx, ayy, azz, axy, axz, ayz = get6(body, _AA)
    cxx, cyy, czz, cxy, cxz, cyz = get6(body, _CC)
    b, c, d, e, f, g = get6(body, _BB)
    h, k, m = get3(body, _BB + 6)
    return (
        (axx * wx + axy * wy + axz * wz) + (b * x + c * y + d * z),
        (axy * wx + ayy * wy + ayz * wz) + (e * x + f * y + g * z),
        (axz * wx + ayz * wy + azz * wz) + (h * x + k * y + m * z),
        (b * wx + e * wy + h * wz) + (cxx * x + cxy * y + cxz * z),
        (c * wx + f * wy + k * wz) + (cxy * x + cyy * y + cyz * z),
        (d * wx + g * wy + m * wz) + (cxz * x + cyz * y + czz * z),
    )


def set_joint(body, joint, tau):
    """Write U, 1 / D and the effort that accelerates the joint."""
    s = screw(body, joint)
    u = apply(body, s)
    put6(body, _U, u)
    pivot = dot6(s, u)
    # an infinite pivot becomes NaN, too
    pivot = unless_small(pivot + 0.0 * pivot, SINGULAR * moved_inertia(body, _M, _S, joint))
    put(body, _D, 1.0 / pivot)
    put(body, _E, tau - dot6(s, get6(body, _P)))


def add_rank_one(body):
    """Subtract U U^T / D from the inertia, and add to the bias wrench what the joint passes on."""
    x, y, z, u, v, w = get6(body, _U)
    d = get(body, _D)
    a, b, c = d * x, d * y, d * z
    f, g, h = d * u, d * v, d * w
    add6(body, _AA, (-(a * x), -(b * y), -(c * z), -(a * y), -(a * z), -(b * z)))
    add6(body, _BB, (-(a * u), -(a * v), -(a * w), -(b * u), -(b * v), -(b * w)))
    add3(body, _BB + 6, -(c * u), -(c * v), -(c * w))
    add6(body, _CC, (-(f * u), -(g * v), -(h * w), -(f * v), -(f * w), -(g * w)))
    effort = scaled6(get(body, _E) * d, get6(body, _U))
    add6(body, _P, sum6(apply(body, get6(body, _C)), effort))


def add_to_parent(body, parent):
    """Add the inertia and the bias wrench of a body to those of its parent, shifted."""
    dx, dy, dz = get3(body, STEP)
    inertia = get6(body, _CC)
    cxx, cyy, czz, cxy, cxz, cyz = inertia
    b, c, d, e, f, g = get6(body, _BB)
    h, k, m = get3(body, _BB + 6)
    # B + d~ C, by rows
    p, q, r = b + (dy * cxz - dz * cxy), c + (dy * cyz - dz * cyy), d + (dy * czz - dz * cyz)
    s, t, u = e + (dz * cxx - dx * cxz), f + (dz * cxy - dx * cyz), g + (dz * cxz - dx * czz)
    v, w, x = h + (dx * cxy - dy * cxx), k + (dx * cyy - dy * cxy), m + (dx * cyz - dy * cxz)
    add6(parent, _CC, inertia)
    add6(parent, _BB, (p, q, r, s, t, u))
    add3(parent, _BB + 6, v, w, x)
    # A - B d~ + d~ (B + d~ C)^T
    shifted = (
        (dy * d - dz * c) + (dy * r - dz * q),
        (dz * e - dx * g) + (dz * s - dx * u),
        (dx * k - dy * h) + (dx * w - dy * v),
        (dz * b - dx * d) + (dy * u - dz * t),
        (dx * c - dy * b) + (dy * x - dz * w),
        (dx * f - dy * e) + (dz * v - dx * x),
    )
    add6(parent, _AA, sum6(get6(body, _AA), shifted))
    nx, ny, nz, fx, fy, fz = get6(body, _P)
    tx, ty, tz = cross(dx, dy, dz, fx, fy, fz)
    add6(parent, _P, (nx + tx, ny + ty, nz + tz, fx, fy, fz))
    mass = get(body, _M)
    hx, hy, hz = get3(body, _H)
    put(parent, _M, get(parent, _M) + mass)
    add3(parent, _H, hx + mass * dx, hy + mass * dy, hz + mass * dz)
    xx, yy, zz = get3(body, _S)
    xx, yy = xx + dx * (2.0 * hx + mass * dx), yy + dy * (2.0 * hy + mass * dy)
    add3(parent, _S, xx, yy, zz + dz * (2.0 * hz + mass * dz))


def set_acceleration(body, parent, joint):
    """Return the acceleration of a joint; write that of the body in place of its bias part."""
    dx, dy, dz = get3(body, STEP)
    c = get6(body, _C)
    if integer(joint, layout.PARENT) >= 0:
        wx, wy, wz, ax, ay, az = get6(parent, _C)
    else:
        # the base accelerates against gravity, by ORIGIN in the axes of the root
        zero = c[0]
        wx, wy, wz, dx, dy, dz = zero, zero, zero, zero, zero, zero
        ax, ay, az = get3(joint, layout.ORIGIN)
    tx, ty, tz = cross(wx, wy, wz, dx, dy, dz)
    a = sum6((wx, wy, wz, ax + tx, ay + ty, az + tz), c)
    acceleration = (get(body, _E) - dot6(a, get6(body, _U))) * get(body, _D)
    put6(body, _C, sum6(a, scaled6(acceleration, screw(body, joint))))
    return acceleration


def accelerations(order, ws, q, qd, tau, out, parameters):
    """Write the joint accelerations (n,)."""
    count = integer(parameters, layout.BODY_COUNT)
    angles = _BLOCK * count
    set_angles(ws, angles, q, parameters)
    for i in range(count):
        joint = joint_row(parameters, i)
        body, parent = at(ws, i * _BLOCK), at(ws, max(integer(joint, layout.PARENT), 0) * _BLOCK)
        place(body, parent, at(ws, angles + i), count, joint)
        set_motion(body, parent, joint, get(qd, integer(joint, layout.COORDINATE)))
        set_inertia(body, joint)
    for i in range(count - 1, -1, -1):
        joint = joint_row(parameters, i)
        body = at(ws, i * _BLOCK)
        set_joint(body, joint, get(tau, integer(joint, layout.COORDINATE)))
        if integer(joint, layout.PARENT) >= 0:
            add_rank_one(body)
            add_to_parent(body, at(ws, integer(joint, layout.PARENT) * _BLOCK))
    for i in range(count):
        joint = joint_row(parameters, i)
        body, parent = at(ws, i * _BLOCK), at(ws, max(integer(joint, layout.PARENT), 0) * _BLOCK)
        put(out, integer(joint, layout.COORDINATE), set_acceleration(body, parent, joint))
