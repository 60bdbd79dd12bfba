# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Coriolis matrix of the Christoffel symbols by composite rigid bodies, in the axes of the root.

Beside its inertia, a body has the momentum p = integral of u dm and the flow K = integral of
u x^T dm, with the velocity u of the point x. Both compose as moments do. With them,
B y = (tr(K) w - K w; w × p) and B^T y = (tr(K) w - K^T w + p × v; 0) for a twist y = (w; v); for
the composite body of joint j and a joint i before it C_ij = J_i^T (M J_j' + B J_j) and
C_ji = J_i'^T M J_j + J_i^T B^T J_j (see `dynamics.coriolis_matrix`).
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.rows import at, get, integer, put
from screw_dynamics.kernels.bodies.mass_matrix import effort
from screw_dynamics.kernels.bodies.joint_frames import (
    PLACE,
    STEP,
    add3,
    clear,
    cross,
    dot6,
    get3,
    get6,
    joint_row,
    place,
    put3,
    screw,
    set_angles,
    to_root_axes,
)

# Of a body: twist (6), rate of the joint screw (6); composite mass, first and second moment (3,
# 6: xx, yy, zz, xy, xz, yz), momentum (3), flow (9, by rows)
_V, _R = PLACE, PLACE + 6
_M, _H, _S, _P, _K = PLACE + 12, PLACE + 13, PLACE + 16, PLACE + 22, PLACE + 25
_BLOCK = PLACE + 34


def coriolis_rows(order, count):
    """Return the number of rows of the workspace."""
    return (_BLOCK + 3) * count


def set_velocity(body, parent, joint, rate):
    """Write the twist, and the rate of the joint screw, about the origin of the body."""
    x, y, z, u, v, w = screw(body, joint)
    if integer(joint, layout.PARENT) < 0:
        zero = 0.0 * rate
        put3(body, _R, (zero, zero, zero))
        put3(body, _R + 3, (zero, zero, zero))
        put3(body, _V, (rate * x, rate * y, rate * z))
        put3(body, _V + 3, (rate * u, rate * v, rate * w))
    else:
        wx, wy, wz, vx, vy, vz = get6(parent, _V)
        dx, dy, dz = get3(body, STEP)
        cx, cy, cz = cross(wx, wy, wz, dx, dy, dz)
        vx, vy, vz = vx + cx, vy + cy, vz + cz
        # J' = ad_V J with V of the parent or of the body, because ad_J J = 0
        put3(body, _R, cross(wx, wy, wz, x, y, z))
        ax, ay, az = cross(wx, wy, wz, u, v, w)
        bx, by, bz = cross(vx, vy, vz, x, y, z)
        put3(body, _R + 3, (ax + bx, ay + by, az + bz))
        put3(body, _V, (wx + rate * x, wy + rate * y, wz + rate * z))
        put3(body, _V + 3, (vx + rate * u, vy + rate * v, vz + rate * w))


def set_flow(body, joint):
    """Write the inertia of a body, its momentum and its flow."""
    put(body, _M, 0.0 * get(body, 0) + get(joint, layout.MASS))
    to_root_axes(body, body, _H, at(joint, layout.FIRST_MOMENT), at(joint, layout.SECOND_MOMENT))
    wx, wy, wz, vx, vy, vz = get6(body, _V)
    hx, hy, hz = get3(body, _H)
    xx, yy, zz = get3(body, _S)
    xy, xz, yz = get3(body, _S + 3)
    m = get(joint, layout.MASS)
    cx, cy, cz = cross(wx, wy, wz, hx, hy, hz)
    put3(body, _P, (m * vx + cx, m * vy + cy, m * vz + cz))
    put3(
        body,
        _K,
        (
            vx * hx + (wy * xz - wz * xy),
            vx * hy + (wy * yz - wz * yy),
            vx * hz + (wy * zz - wz * yz),
        ),
    )
    put3(
        body,
        _K + 3,
        (
            vy * hx + (wz * xx - wx * xz),
            vy * hy + (wz * xy - wx * yz),
            vy * hz + (wz * xz - wx * zz),
        ),
    )
    put3(
        body,
        _K + 6,
        (
            vz * hx + (wx * xy - wy * xx),
            vz * hy + (wx * yy - wy * xy),
            vz * hz + (wx * yz - wy * xz),
        ),
    )


def momentum(body, x, y, z, u, v, w):
    """Return the wrench M y of a twist y about the origin of a composite body."""
    m = get(body, _M)
    hx, hy, hz = get3(body, _H)
    xx, yy, zz = get3(body, _S)
    xy, xz, yz = get3(body, _S + 3)
    return (
        ((yy + zz) * x - xy * y - xz * z) + (hy * w - hz * v),
        ((xx + zz) * y - xy * x - yz * z) + (hz * u - hx * w),
        ((xx + yy) * z - xz * x - yz * y) + (hx * v - hy * u),
        m * u + (y * hz - z * hy),
        m * v + (z * hx - x * hz),
        m * w + (x * hy - y * hx),
    )


def flow_wrenches(body, joint):
    """Return B J, and B^T J without its force, which is zero."""
    x, y, z, u, v, w = screw(body, joint)
    px, py, pz = get3(body, _P)
    a, b, c = get3(body, _K)
    d, e, f = get3(body, _K + 3)
    g, h, k = get3(body, _K + 6)
    t = a + e + k
    fx, fy, fz = cross(x, y, z, px, py, pz)
    bx, by, bz = cross(px, py, pz, u, v, w)
    return (
        t * x - (a * x + b * y + c * z),
        t * y - (d * x + e * y + f * z),
        t * z - (g * x + h * y + k * z),
        fx,
        fy,
        fz,
        t * x - (a * x + d * y + g * z) + bx,
        t * y - (b * x + e * y + h * z) + by,
        t * z - (c * x + f * y + k * z) + bz,
    )


def add_to_parent(body, parent):
    """Add inertia, momentum and flow of a composite body to those of its parent."""
    m = get(body, _M)
    dx, dy, dz = get3(body, STEP)
    hx, hy, hz = get3(body, _H)
    xx, yy, zz = get3(body, _S)
    xy, xz, yz = get3(body, _S + 3)
    ux, uy, uz = hx + m * dx, hy + m * dy, hz + m * dz
    put(parent, _M, get(parent, _M) + m)
    add3(parent, _H, ux, uy, uz)
    add3(parent, _S, xx + dx * (hx + ux), yy + dy * (hy + uy), zz + dz * (hz + uz))
    add3(
        parent,
        _S + 3,
        xy + (dx * hy + ux * dy),
        xz + (dx * hz + ux * dz),
        yz + (dy * hz + uy * dz),
    )
    px, py, pz = get3(body, _P)
    add3(parent, _P, px, py, pz)
    a, b, c = get3(body, _K)
    add3(parent, _K, a + px * dx, b + px * dy, c + px * dz)
    a, b, c = get3(body, _K + 3)
    add3(parent, _K + 3, a + py * dx, b + py * dy, c + py * dz)
    a, b, c = get3(body, _K + 6)
    add3(parent, _K + 6, a + pz * dx, b + pz * dy, c + pz * dz)


def turning_effort(body, joint, x, y, z):
    """Return the effort of a torque without force at the joint of a body."""
    if integer(joint, layout.KIND) == layout.PRISMATIC:
        return 0.0 * x
    return get(body, 2) * x + get(body, 5) * y + get(body, 8) * z


def coriolis_matrix(order, ws, q, qd, tau, out, parameters):
    """Write the Coriolis matrix (n, n)."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    angles = _BLOCK * count
    set_angles(ws, angles, q, parameters)
    for i in range(count):
        joint = joint_row(parameters, i)
        body, parent = at(ws, i * _BLOCK), at(ws, max(integer(joint, layout.PARENT), 0) * _BLOCK)
        place(body, parent, at(ws, angles + i), count, joint)
        rate = get(joint, layout.MULTIPLIER) * get(qd, integer(joint, layout.COORDINATE))
        set_velocity(body, parent, joint, rate)
        set_flow(body, joint)
    clear(out, n * n, q)
    for i in range(count - 1, -1, -1):
        joint, body = joint_row(parameters, i), at(ws, i * _BLOCK)
        row, factor, j = (
            integer(joint, layout.COORDINATE),
            get(joint, layout.MULTIPLIER),
            integer(joint, layout.PARENT),
        )
        sx, sy, sz, su, sv, sw = screw(body, joint)
        tx, ty, tz, tu, tv, tw = momentum(body, sx, sy, sz, su, sv, sw)
        rx, ry, rz, ru, rv, rw = get6(body, _R)
        ax, ay, az, au, av, aw = momentum(body, rx, ry, rz, ru, rv, rw)
        fx, fy, fz, fu, fv, fw, bx, by, bz = flow_wrenches(body, joint)
        ax, ay, az, au, av, aw = ax + fx, ay + fy, az + fz, au + fu, av + fv, aw + fw
        entry = (factor * factor) * effort(body, joint, ax, ay, az, au, av, aw)
        put(out, row * n + row, get(out, row * n + row) + entry)
        if j >= 0:
            add_to_parent(body, at(ws, j * _BLOCK))
        while j >= 0:
            dx, dy, dz = get3(body, STEP)
            cx, cy, cz = cross(dx, dy, dz, au, av, aw)
            ax, ay, az = ax + cx, ay + cy, az + cz
            cx, cy, cz = cross(dx, dy, dz, tu, tv, tw)
            tx, ty, tz = tx + cx, ty + cy, tz + cz
            joint, body = joint_row(parameters, j), at(ws, j * _BLOCK)
            column, both = (
                integer(joint, layout.COORDINATE),
                factor * get(joint, layout.MULTIPLIER),
            )
            entry = both * effort(body, joint, ax, ay, az, au, av, aw)
            put(out, column * n + row, get(out, column * n + row) + entry)
            entry = both * (
                dot6(get6(body, _R), (tx, ty, tz, tu, tv, tw))
                + turning_effort(body, joint, bx, by, bz)
            )
            put(out, row * n + column, get(out, row * n + column) + entry)
            j = integer(joint, layout.PARENT)
