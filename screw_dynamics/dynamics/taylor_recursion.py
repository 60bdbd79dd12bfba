# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inverse dynamics and its time derivatives of any order in one sweep, O(n) per order.

Newton-Euler in joint-aligned frames (`model.joint_aligned`) on normalised Taylor coefficients
``x_[j] = x^(j) / j!``: the product rule becomes the Cauchy product, without binomials. With the
angular velocity w and ``B = w'~ + w~ w~`` of a body, a point r on it has the acceleration
``a + B r``, so that

- force and torque about the frame's origin are ``F = m a + B h`` and
  ``N = h × a + integral of r × B r dm`` with h = m c: linear in (a, B), no further products;
- a child's origin needs ``a + B r`` only;
- products of series remain in the turn about z (cos q, sin q), in ``w w^T`` and along sliding
  joints.

The functions below are plain Python on a workspace `ws` of rows. A row is a float (compiled,
one sample), a short vector of samples (compiled, batches) or a NumPy row (without numba): the
same source serves all three. `at`, `get` and `put` are the only access to rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from screw_dynamics.model.joint_aligned import (
    BODY_COUNT,
    COORDINATE,
    COORDINATE_COUNT,
    COS_ALPHA,
    COS_BETA,
    FIRST_MOMENT,
    HAS_BETA,
    HEADER,
    KIND,
    MASS,
    MULTIPLIER,
    OFFSET,
    ORIGIN,
    PARENT,
    PITCH,
    PRISMATIC,
    REVOLUTE,
    ROW,
    SECOND_MOMENT,
    SIN_ALPHA,
    SIN_BETA,
)

OK, BAD_SHAPE, INPUT_NOT_FINITE, RESULT_NOT_FINITE = range(4)

# Rows of a body's block, in this order, for k = order:
#   w (3) and cos, sin of the joint angle, each k + 2 coefficients; q' with k + 2; then a (3),
#   B (9), F (3), N (3), each k + 1.
# tau overwrites q'. After the blocks: 3 (k + 2) rows of scratch, then q, cos q, sin q of every
# body in three contiguous runs, so that sines are taken in one loop.
_LONG, _SHORT = 6, 18


def block_rows(order):
    """Return the number of workspace rows of one body."""
    return _LONG * (order + 2) + _SHORT * (order + 1)


def workspace_rows(order, body_count):
    """Return the number of workspace rows of the whole recursion."""
    return body_count * (block_rows(order) + 3) + 3 * (order + 2)


def get(ws, row):
    """Return a row of the workspace."""
    return ws[row]


def put(ws, row, value):
    """Set a row of the workspace."""
    ws[row] = value


def at(ws, row):
    """Return the rows from `row` on."""
    return ws[row:]


def integer(rows, row):
    """Return an integer among the parameters."""
    return int(get(rows, row))


def sines(ws, start, count):
    """Fill the runs of cos q and sin q that follow the run of q."""
    for i in range(start, start + count):
        put(ws, i + count, np.cos(get(ws, i)))
        put(ws, i + 2 * count, np.sin(get(ws, i)))


def gather(order, ws, jet, parameters):
    """Write the series of every tree joint from the rows of the jet, mimic relation applied."""
    count, n = integer(parameters, BODY_COUNT), integer(parameters, COORDINATE_COUNT)
    angles = workspace_rows(order, count) - 3 * count
    for i in range(count):
        real = at(parameters, HEADER + i * ROW)
        c = integer(real, COORDINATE)
        rate = at(ws, i * block_rows(order) + 5 * (order + 2))
        factor = get(real, MULTIPLIER)
        put(ws, angles + i, factor * get(jet, c) + get(real, OFFSET))
        for j in range(order + 2):
            put(rate, j, factor * get(jet, (j + 1) * n + c))
            factor = factor / (j + 1.0)


def scatter(order, ws, tau, parameters):
    """Write the rows of the effort jet, tau = G^T tau of the tree joints."""
    count, n = integer(parameters, BODY_COUNT), integer(parameters, COORDINATE_COUNT)
    for row in range((order + 1) * n):
        put(tau, row, 0.0 * get(ws, 5 * (order + 2)))
    for i in range(count):
        real = at(parameters, HEADER + i * ROW)
        c = integer(real, COORDINATE)
        effort = at(ws, i * block_rows(order) + 5 * (order + 2))
        factor = get(real, MULTIPLIER)
        for d in range(order + 1):
            put(tau, d * n + c, get(tau, d * n + c) + factor * get(effort, d))
            factor = factor * (d + 1.0)


def subtract_wrenches(order, ws, wrenches, bodies, poses):
    """Take the wrenches ON the bodies (in their frames) from F and N, between the sweeps."""
    k1 = order + 1
    for e in range(len(bodies)):
        force = at(ws, bodies[e] * block_rows(order) + 6 * (order + 2) + 12 * k1)
        p = poses[e]
        factor = 1.0
        for d in range(k1):
            w = at(wrenches, (e * k1 + d) * 6)
            f = turned(p, get(w, 3), get(w, 4), get(w, 5))
            n = turned(p, get(w, 0), get(w, 1), get(w, 2))
            x = n[0] + (p[1, 3] * f[2] - p[2, 3] * f[1])
            y = n[1] + (p[2, 3] * f[0] - p[0, 3] * f[2])
            z = n[2] + (p[0, 3] * f[1] - p[1, 3] * f[0])
            put(force, d, get(force, d) - factor * f[0])
            put(force, k1 + d, get(force, k1 + d) - factor * f[1])
            put(force, 2 * k1 + d, get(force, 2 * k1 + d) - factor * f[2])
            put(force, 3 * k1 + d, get(force, 3 * k1 + d) - factor * x)
            put(force, 4 * k1 + d, get(force, 4 * k1 + d) - factor * y)
            put(force, 5 * k1 + d, get(force, 5 * k1 + d) - factor * z)
            factor = factor / (d + 1.0)


def turned(p, x, y, z):
    """Return R (x, y, z) for the pose p = (R, r)."""
    return (
        p[0, 0] * x + p[0, 1] * y + p[0, 2] * z,
        p[1, 0] * x + p[1, 1] * y + p[1, 2] * z,
        p[2, 0] * x + p[2, 1] * y + p[2, 2] * z,
    )


def turn_series(order, own, angle, count):
    """Series of cos q and sin q from q': j s_[j] = sum q'_[l] c_[j-1-l], and so for c."""
    k2 = order + 2
    cos, sin, rate = 3 * k2, 4 * k2, 5 * k2
    put(own, cos, get(angle, count))
    put(own, sin, get(angle, 2 * count))
    for j in range(1, k2):
        c = get(own, rate) * get(own, sin + j - 1)
        s = get(own, rate) * get(own, cos + j - 1)
        for m in range(1, j):
            c = c + get(own, rate + m) * get(own, sin + j - 1 - m)
            s = s + get(own, rate + m) * get(own, cos + j - 1 - m)
        put(own, cos + j, (-1.0 / j) * c)
        put(own, sin + j, (1.0 / j) * s)


def turn_back(order, own, out, size, source):
    """Series of Rz(-q) x: x in the rows `source`, result in the rows `out`, `size` terms each."""
    cos, sin = 3 * (order + 2), 4 * (order + 2)
    for j in range(size):
        x = get(own, cos) * get(source, j) + get(own, sin) * get(source, size + j)
        y = get(own, cos) * get(source, size + j) - get(own, sin) * get(source, j)
        for m in range(1, j + 1):
            u, v = get(source, j - m), get(source, size + j - m)
            x = x + get(own, cos + m) * u + get(own, sin + m) * v
            y = y + get(own, cos + m) * v - get(own, sin + m) * u
        put(out, j, x)
        put(out, size + j, y)
        put(out, 2 * size + j, get(source, 2 * size + j))


def untilt(out, j, size, x, y, z, real, has_beta):
    """Write Rx(-alpha) Rz(-beta) (x, y, z) as coefficient j of the rows `out`."""
    u = x
    v = y
    if has_beta:
        u = get(real, COS_BETA) * x + get(real, SIN_BETA) * y
        v = get(real, COS_BETA) * y - get(real, SIN_BETA) * x
    put(out, j, u)
    put(out, size + j, get(real, COS_ALPHA) * v + get(real, SIN_ALPHA) * z)
    put(out, 2 * size + j, get(real, COS_ALPHA) * z - get(real, SIN_ALPHA) * v)


def angular_velocity(order, own, above, scratch, real, parent, kind, has_beta):
    """W = Rz(-q) (w of the parent) + q' e_z, coefficients 0 .. k + 1."""
    k2 = order + 2
    rate = 5 * k2
    if parent < 0:
        for j in range(k2):
            zero = 0.0 * get(own, rate + j)
            put(own, j, zero)
            put(own, k2 + j, zero)
            put(own, 2 * k2 + j, zero)
    else:
        for j in range(k2):
            x, y, z = get(above, j), get(above, k2 + j), get(above, 2 * k2 + j)
            untilt(own if kind == PRISMATIC else scratch, j, k2, x, y, z, real, has_beta)
        if kind != PRISMATIC:
            turn_back(order, own, own, k2, scratch)
    if kind != PRISMATIC:
        for j in range(k2):
            put(own, 2 * k2 + j, get(own, 2 * k2 + j) + get(own, rate + j))


def spin_matrix(order, own):
    """B = w'~ + w w^T - |w|^2 I, coefficients 0 .. k."""
    k1, k2 = order + 1, order + 2
    y, z, b = k2, 2 * k2, 6 * k2 + 3 * k1
    for j in range(k1):
        xx = get(own, 0) * get(own, j)
        yy = get(own, y) * get(own, y + j)
        zz = get(own, z) * get(own, z + j)
        xy = get(own, 0) * get(own, y + j)
        xz = get(own, 0) * get(own, z + j)
        yz = get(own, y) * get(own, z + j)
        for m in range(1, j + 1):
            xx = xx + get(own, m) * get(own, j - m)
            yy = yy + get(own, y + m) * get(own, y + j - m)
            zz = zz + get(own, z + m) * get(own, z + j - m)
            xy = xy + get(own, m) * get(own, y + j - m)
            xz = xz + get(own, m) * get(own, z + j - m)
            yz = yz + get(own, y + m) * get(own, z + j - m)
        dx = (j + 1.0) * get(own, j + 1)
        dy = (j + 1.0) * get(own, y + j + 1)
        dz = (j + 1.0) * get(own, z + j + 1)
        put(own, b + j, -(yy + zz))
        put(own, b + k1 + j, xy - dz)
        put(own, b + 2 * k1 + j, xz + dy)
        put(own, b + 3 * k1 + j, xy + dz)
        put(own, b + 4 * k1 + j, -(xx + zz))
        put(own, b + 5 * k1 + j, yz - dx)
        put(own, b + 6 * k1 + j, xz - dy)
        put(own, b + 7 * k1 + j, yz + dx)
        put(own, b + 8 * k1 + j, -(xx + yy))


def root_acceleration(order, own, real, kind):
    """Write a of a body on the base: Rz(-q) (-g), coefficients 0 .. k."""
    k1, k2 = order + 1, order + 2
    a, cos, sin, rate = 6 * k2, 3 * k2, 4 * k2, 5 * k2
    x, y, z = get(real, ORIGIN), get(real, ORIGIN + 1), get(real, ORIGIN + 2)
    for j in range(k1):
        zero = 0.0 * get(own, rate + j)
        if kind == PRISMATIC:
            put(own, a + j, zero + x if j == 0 else zero)
            put(own, a + k1 + j, zero + y if j == 0 else zero)
        else:
            put(own, a + j, x * get(own, cos + j) + y * get(own, sin + j))
            put(own, a + k1 + j, y * get(own, cos + j) - x * get(own, sin + j))
        put(own, a + 2 * k1 + j, zero + z if j == 0 else zero)


def acceleration(order, own, above, scratch, real, kind, has_beta):
    """Write a of the frame's origin: Rz(-q) (a + B r of the parent), coefficients 0 .. k."""
    k1, k2 = order + 1, order + 2
    a, b = 6 * k2, 6 * k2 + 3 * k1
    rx, ry, rz = get(real, ORIGIN), get(real, ORIGIN + 1), get(real, ORIGIN + 2)
    out = at(own, a)
    for j in range(k1):
        x = get(above, a + j) + (
            rx * get(above, b + j) + ry * get(above, b + k1 + j) + rz * get(above, b + 2 * k1 + j)
        )
        y = get(above, a + k1 + j) + (
            rx * get(above, b + 3 * k1 + j)
            + ry * get(above, b + 4 * k1 + j)
            + rz * get(above, b + 5 * k1 + j)
        )
        z = get(above, a + 2 * k1 + j) + (
            rx * get(above, b + 6 * k1 + j)
            + ry * get(above, b + 7 * k1 + j)
            + rz * get(above, b + 8 * k1 + j)
        )
        untilt(out if kind == PRISMATIC else scratch, j, k1, x, y, z, real, has_beta)
    if kind != PRISMATIC:
        turn_back(order, own, out, k1, scratch)


def slide(order, own, angle, pitch):
    """Add h (q B e_z + 2 q' w × e_z + q'' e_z) to a: the origin moves along z."""
    k1, k2 = order + 1, order + 2
    a, b, rate = 6 * k2, 6 * k2 + 3 * k1, 5 * k2
    for j in range(k1):
        q = get(angle, 0)
        x = q * get(own, b + 2 * k1 + j)
        y = q * get(own, b + 5 * k1 + j)
        z = q * get(own, b + 8 * k1 + j) + (j + 1.0) * get(own, rate + j + 1)
        for m in range(j + 1):
            speed = 2.0 * get(own, rate + m)
            x = x + speed * get(own, k2 + j - m)
            y = y - speed * get(own, j - m)
            if m < j:
                q = (1.0 / (m + 1.0)) * get(own, rate + m)
                x = x + q * get(own, b + 2 * k1 + j - m - 1)
                y = y + q * get(own, b + 5 * k1 + j - m - 1)
                z = z + q * get(own, b + 8 * k1 + j - m - 1)
        put(own, a + j, get(own, a + j) + pitch * x)
        put(own, a + k1 + j, get(own, a + k1 + j) + pitch * y)
        put(own, a + 2 * k1 + j, get(own, a + 2 * k1 + j) + pitch * z)


def inertial_wrench(order, own, real):
    """F = m a + B h and N = h × a + vec(B S - (B S)^T), S the second moment of mass."""
    k1, a = order + 1, 6 * (order + 2)
    b, f = a + 3 * k1, a + 12 * k1
    mass, h, s = get(real, MASS), FIRST_MOMENT, SECOND_MOMENT
    hx, hy, hz = get(real, h), get(real, h + 1), get(real, h + 2)
    sxx, syy, szz = get(real, s), get(real, s + 1), get(real, s + 2)
    sxy, sxz, syz = get(real, s + 3), get(real, s + 4), get(real, s + 5)
    for j in range(k1):
        ax, ay, az = get(own, a + j), get(own, a + k1 + j), get(own, a + 2 * k1 + j)
        bxx, bxy, bxz = get(own, b + j), get(own, b + k1 + j), get(own, b + 2 * k1 + j)
        byx, byy = get(own, b + 3 * k1 + j), get(own, b + 4 * k1 + j)
        byz, bzx = get(own, b + 5 * k1 + j), get(own, b + 6 * k1 + j)
        bzy, bzz = get(own, b + 7 * k1 + j), get(own, b + 8 * k1 + j)
        put(own, f + j, mass * ax + (hx * bxx + hy * bxy + hz * bxz))
        put(own, f + k1 + j, mass * ay + (hx * byx + hy * byy + hz * byz))
        put(own, f + 2 * k1 + j, mass * az + (hx * bzx + hy * bzy + hz * bzz))
        nx = (sxy * bzx + syy * bzy + syz * bzz) - (sxz * byx + syz * byy + szz * byz)
        ny = (sxz * bxx + syz * bxy + szz * bxz) - (sxx * bzx + sxy * bzy + sxz * bzz)
        nz = (sxx * byx + sxy * byy + sxz * byz) - (sxy * bxx + syy * bxy + syz * bxz)
        put(own, f + 3 * k1 + j, nx + (hy * az - hz * ay))
        put(own, f + 4 * k1 + j, ny + (hz * ax - hx * az))
        put(own, f + 5 * k1 + j, nz + (hx * ay - hy * ax))


def forward_sweep(order, ws, parameters):
    """Root to leaves: motion of every body, then the wrench its inertia needs."""
    count = integer(parameters, BODY_COUNT)
    angles = workspace_rows(order, count) - 3 * count
    scratch = at(ws, angles - 3 * (order + 2))
    sines(ws, angles, count)
    for i in range(count):
        real = at(parameters, HEADER + i * ROW)
        parent, kind = integer(real, PARENT), integer(real, KIND)
        has_beta = integer(real, HAS_BETA) != 0
        own = at(ws, i * block_rows(order))
        above = at(ws, max(parent, 0) * block_rows(order))
        angle = at(ws, angles + i)
        if kind != PRISMATIC:
            turn_series(order, own, angle, count)
        angular_velocity(order, own, above, scratch, real, parent, kind, has_beta)
        spin_matrix(order, own)
        if parent < 0:
            root_acceleration(order, own, real, kind)
        else:
            acceleration(order, own, above, scratch, real, kind, has_beta)
        if kind != REVOLUTE:
            slide(order, own, angle, get(real, PITCH))
        inertial_wrench(order, own, real)


def joint_effort(order, own, kind, pitch):
    """Tau = X^T W: N_z, F_z or N_z + h F_z; overwrites the series of q'."""
    k1, k2 = order + 1, order + 2
    tau, fz = 5 * k2, 6 * k2 + 14 * k1
    for j in range(k1):
        if kind == REVOLUTE:
            put(own, tau + j, get(own, fz + 3 * k1 + j))
        elif kind == PRISMATIC:
            put(own, tau + j, get(own, fz + j))
        else:
            put(own, tau + j, get(own, fz + 3 * k1 + j) + pitch * get(own, fz + j))


def move_torque(order, own, angle, pitch):
    """N += h q e_z × F: the torque about the point where the origin is at q = 0."""
    k1, rate = order + 1, 5 * (order + 2)
    f = 6 * (order + 2) + 12 * k1
    for j in range(k1):
        q = pitch * get(angle, 0)
        x = q * get(own, f + k1 + j)
        y = q * get(own, f + j)
        for m in range(j):
            q = (pitch / (m + 1.0)) * get(own, rate + m)
            x = x + q * get(own, f + k1 + j - m - 1)
            y = y + q * get(own, f + j - m - 1)
        put(own, f + 3 * k1 + j, get(own, f + 3 * k1 + j) - x)
        put(own, f + 4 * k1 + j, get(own, f + 4 * k1 + j) + y)


def turn_forth(order, own, source, j, kind):
    """Coefficient j of Rz(q) x, components 0 and 1, for the own rows of x at `source`."""
    k1, cos, sin = order + 1, 3 * (order + 2), 4 * (order + 2)
    if kind == PRISMATIC:
        return get(own, source + j), get(own, source + k1 + j)
    x = get(own, cos) * get(own, source + j) - get(own, sin) * get(own, source + k1 + j)
    y = get(own, sin) * get(own, source + j) + get(own, cos) * get(own, source + k1 + j)
    for m in range(1, j + 1):
        u, v = get(own, source + j - m), get(own, source + k1 + j - m)
        x = x + get(own, cos + m) * u - get(own, sin + m) * v
        y = y + get(own, sin + m) * u + get(own, cos + m) * v
    return x, y


def pass_to_parent(order, own, above, real, kind, has_beta):
    """F += R F of the child, N += R N + r × R F of the child, R = Rz(beta) Rx(alpha) Rz(q)."""
    k1 = order + 1
    f = 6 * (order + 2) + 12 * k1
    ca, sa = get(real, COS_ALPHA), get(real, SIN_ALPHA)
    rx, ry, rz = get(real, ORIGIN), get(real, ORIGIN + 1), get(real, ORIGIN + 2)
    for j in range(k1):
        fx, v = turn_forth(order, own, f, j, kind)
        fy = ca * v - sa * get(own, f + 2 * k1 + j)
        fz = sa * v + ca * get(own, f + 2 * k1 + j)
        nx, v = turn_forth(order, own, f + 3 * k1, j, kind)
        ny = ca * v - sa * get(own, f + 5 * k1 + j)
        nz = sa * v + ca * get(own, f + 5 * k1 + j)
        if has_beta:
            cb, sb = get(real, COS_BETA), get(real, SIN_BETA)
            x, y = cb * fx - sb * fy, sb * fx + cb * fy
            fx, fy = x, y
            x, y = cb * nx - sb * ny, sb * nx + cb * ny
            nx, ny = x, y
        put(above, f + j, get(above, f + j) + fx)
        put(above, f + k1 + j, get(above, f + k1 + j) + fy)
        put(above, f + 2 * k1 + j, get(above, f + 2 * k1 + j) + fz)
        put(above, f + 3 * k1 + j, get(above, f + 3 * k1 + j) + (nx + (ry * fz - rz * fy)))
        put(above, f + 4 * k1 + j, get(above, f + 4 * k1 + j) + (ny + (rz * fx - rx * fz)))
        put(above, f + 5 * k1 + j, get(above, f + 5 * k1 + j) + (nz + (rx * fy - ry * fx)))


def backward_sweep(order, ws, parameters):
    """Leaves to root: joint efforts, and the wrench that each joint passes to the parent."""
    count = integer(parameters, BODY_COUNT)
    angles = workspace_rows(order, count) - 3 * count
    for i in range(count - 1, -1, -1):
        real = at(parameters, HEADER + i * ROW)
        parent, kind = integer(real, PARENT), integer(real, KIND)
        has_beta = integer(real, HAS_BETA) != 0
        own = at(ws, i * block_rows(order))
        if kind != REVOLUTE and parent >= 0:
            # e_z × F leaves N_z and F alone, so the effort may be taken after it
            move_torque(order, own, at(ws, angles + i), get(real, PITCH))
        joint_effort(order, own, kind, get(real, PITCH))
        if parent >= 0:
            above = at(ws, parent * block_rows(order))
            pass_to_parent(order, own, above, real, kind, has_beta)


ROW_FUNCTIONS: tuple[Any, ...] = (
    integer,
    block_rows,
    workspace_rows,
    gather,
    scatter,
    subtract_wrenches,
    turned,
    turn_series,
    turn_back,
    untilt,
    angular_velocity,
    spin_matrix,
    root_acceleration,
    acceleration,
    slide,
    inertial_wrench,
    forward_sweep,
    joint_effort,
    move_torque,
    turn_forth,
    pass_to_parent,
    backward_sweep,
)
