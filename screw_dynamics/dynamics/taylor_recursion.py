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
same source serves all three. `get` and `put` are the only access to rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from screw_dynamics.model.joint_aligned import (
    COORDINATE,
    COS_ALPHA,
    COS_BETA,
    FIRST_MOMENT,
    HAS_BETA,
    INTS_HEADER,
    INTS_ROW,
    KIND,
    MASS,
    MULTIPLIER,
    OFFSET,
    ORIGIN,
    PARENT,
    PITCH,
    PRISMATIC,
    REALS_ROW,
    REVOLUTE,
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


def index(i):
    """Return an array index that is not negative (the compiled form skips Python's wrap)."""
    return i


def sines(ws, start, count):
    """Fill the runs of cos q and sin q that follow the run of q."""
    for i in range(start, start + count):
        put(ws, i + count, np.cos(get(ws, i)))
        put(ws, i + 2 * count, np.sin(get(ws, i)))


def gather(order, jet, view, lane, ints, reals):
    """Write the joint jet of one sample as series, mimic relation applied; 0 if it is finite."""
    count = ints[index(0)]
    angles = workspace_rows(order, count) - 3 * count
    check = 0.0
    for d in range(order + 3):
        for c in range(ints[index(1)]):
            check = check + 0.0 * jet[index(d), index(c)]
    for i in range(count):
        c = ints[index(INTS_HEADER + i * INTS_ROW + COORDINATE)]
        multiplier = reals[index(i * REALS_ROW + MULTIPLIER)]
        view[index(angles + i), index(lane)] = multiplier * jet[index(0), index(c)] + reals[index(i * REALS_ROW + OFFSET)]
        rate = i * block_rows(order) + 5 * (order + 2)
        factor = multiplier
        for j in range(order + 2):
            view[index(rate + j), index(lane)] = factor * jet[index(j + 1), index(c)]
            factor = factor / (j + 1.0)
    return check


def scatter(order, view, lane, tau, ints, reals):
    """Write the effort jet of one sample, tau = G^T tau of the tree joints; 0 if it is finite."""
    check = 0.0
    factorial = 1.0
    for d in range(order + 1):
        for c in range(ints[index(1)]):
            tau[index(d), index(c)] = 0.0
        for i in range(ints[index(0)]):
            c = ints[index(INTS_HEADER + i * INTS_ROW + COORDINATE)]
            scale = factorial * reals[index(i * REALS_ROW + MULTIPLIER)]
            row = i * block_rows(order) + 5 * (order + 2) + d
            tau[index(d), index(c)] = tau[index(d), index(c)] + scale * view[index(row), index(lane)]
        for c in range(ints[index(1)]):
            check = check + 0.0 * tau[index(d), index(c)]
        factorial = factorial * (d + 1.0)
    return check


def subtract_wrenches(order, view, lane, wrenches, bodies, poses):
    """Take the wrenches ON the bodies (in their frames) from F and N, between the sweeps."""
    k1 = order + 1
    for e in range(len(bodies)):
        force = bodies[e] * block_rows(order) + 6 * (order + 2) + 12 * k1
        torque = force + 3 * k1
        p = poses[e]
        factor = 1.0
        for d in range(k1):
            w = wrenches[e, d]
            fx = factor * (p[0, 0] * w[3] + p[0, 1] * w[4] + p[0, 2] * w[5])
            fy = factor * (p[1, 0] * w[3] + p[1, 1] * w[4] + p[1, 2] * w[5])
            fz = factor * (p[2, 0] * w[3] + p[2, 1] * w[4] + p[2, 2] * w[5])
            nx = factor * (p[0, 0] * w[0] + p[0, 1] * w[1] + p[0, 2] * w[2])
            ny = factor * (p[1, 0] * w[0] + p[1, 1] * w[1] + p[1, 2] * w[2])
            nz = factor * (p[2, 0] * w[0] + p[2, 1] * w[1] + p[2, 2] * w[2])
            view[index(force + d), index(lane)] -= fx
            view[index(force + k1 + d), index(lane)] -= fy
            view[index(force + 2 * k1 + d), index(lane)] -= fz
            view[index(torque + d), index(lane)] -= nx + p[1, 3] * fz - p[2, 3] * fy
            view[index(torque + k1 + d), index(lane)] -= ny + p[2, 3] * fx - p[0, 3] * fz
            view[index(torque + 2 * k1 + d), index(lane)] -= nz + p[0, 3] * fy - p[1, 3] * fx
            factor = factor / (d + 1.0)


def turn_series(order, ws, block, angles, count, i):
    """Series of cos q and sin q from q': j s_[j] = sum q'_[l] c_[j-1-l], and so for c."""
    k2 = order + 2
    cos, sin, rate = block + 3 * k2, block + 4 * k2, block + 5 * k2
    put(ws, cos, get(ws, angles + count + i))
    put(ws, sin, get(ws, angles + 2 * count + i))
    for j in range(1, k2):
        c = get(ws, rate) * get(ws, sin + j - 1)
        s = get(ws, rate) * get(ws, cos + j - 1)
        for m in range(1, j):
            c = c + get(ws, rate + m) * get(ws, sin + j - 1 - m)
            s = s + get(ws, rate + m) * get(ws, cos + j - 1 - m)
        put(ws, cos + j, (-1.0 / j) * c)
        put(ws, sin + j, (1.0 / j) * s)


def turn_back(ws, out, source, size, stride, cos, sin):
    """Series of Rz(-q) x: rows of x at `source`, each component `stride` apart."""
    for j in range(size):
        x = get(ws, cos) * get(ws, source + j) + get(ws, sin) * get(ws, source + stride + j)
        y = get(ws, cos) * get(ws, source + stride + j) - get(ws, sin) * get(ws, source + j)
        for m in range(1, j + 1):
            u, v = get(ws, source + j - m), get(ws, source + stride + j - m)
            x = x + get(ws, cos + m) * u + get(ws, sin + m) * v
            y = y + get(ws, cos + m) * v - get(ws, sin + m) * u
        put(ws, out + j, x)
        put(ws, out + size + j, y)
        put(ws, out + 2 * size + j, get(ws, source + 2 * stride + j))


def untilt(ws, out, j, stride, x, y, z, p, has_beta, reals):
    """Write Rx(-alpha) Rz(-beta) (x, y, z) as coefficient j of the rows at `out`."""
    u = x
    v = y
    if has_beta:
        u = reals[index(p + COS_BETA)] * x + reals[index(p + SIN_BETA)] * y
        v = reals[index(p + COS_BETA)] * y - reals[index(p + SIN_BETA)] * x
    put(ws, out + j, u)
    put(ws, out + stride + j, reals[index(p + COS_ALPHA)] * v + reals[index(p + SIN_ALPHA)] * z)
    put(ws, out + 2 * stride + j, reals[index(p + COS_ALPHA)] * z - reals[index(p + SIN_ALPHA)] * v)


def angular_velocity(order, ws, block, parent, scratch, kind, p, has_beta, reals):
    """w = Rz(-q) (w of the parent) + q' e_z, coefficients 0 .. k + 1."""
    k2 = order + 2
    rate = block + 5 * k2
    if parent < 0:
        for j in range(k2):
            zero = 0.0 * get(ws, rate + j)
            put(ws, block + j, zero)
            put(ws, block + k2 + j, zero)
            put(ws, block + 2 * k2 + j, zero)
    else:
        w = parent * block_rows(order)
        out = block if kind == PRISMATIC else scratch
        for j in range(k2):
            x, y, z = get(ws, w + j), get(ws, w + k2 + j), get(ws, w + 2 * k2 + j)
            untilt(ws, out, j, k2, x, y, z, p, has_beta, reals)
        if kind != PRISMATIC:
            turn_back(ws, block, scratch, k2, k2, block + 3 * k2, block + 4 * k2)
    if kind != PRISMATIC:
        for j in range(k2):
            put(ws, block + 2 * k2 + j, get(ws, block + 2 * k2 + j) + get(ws, rate + j))


def spin_matrix(order, ws, block):
    """B = w'~ + w w^T - |w|^2 I, coefficients 0 .. k."""
    k1, k2 = order + 1, order + 2
    b = block + 6 * k2 + 3 * k1
    x, y, z = block, block + k2, block + 2 * k2
    for j in range(k1):
        xx = get(ws, x) * get(ws, x + j)
        yy = get(ws, y) * get(ws, y + j)
        zz = get(ws, z) * get(ws, z + j)
        xy = get(ws, x) * get(ws, y + j)
        xz = get(ws, x) * get(ws, z + j)
        yz = get(ws, y) * get(ws, z + j)
        for m in range(1, j + 1):
            xx = xx + get(ws, x + m) * get(ws, x + j - m)
            yy = yy + get(ws, y + m) * get(ws, y + j - m)
            zz = zz + get(ws, z + m) * get(ws, z + j - m)
            xy = xy + get(ws, x + m) * get(ws, y + j - m)
            xz = xz + get(ws, x + m) * get(ws, z + j - m)
            yz = yz + get(ws, y + m) * get(ws, z + j - m)
        dx = (j + 1.0) * get(ws, x + j + 1)
        dy = (j + 1.0) * get(ws, y + j + 1)
        dz = (j + 1.0) * get(ws, z + j + 1)
        put(ws, b + j, -(yy + zz))
        put(ws, b + k1 + j, xy - dz)
        put(ws, b + 2 * k1 + j, xz + dy)
        put(ws, b + 3 * k1 + j, xy + dz)
        put(ws, b + 4 * k1 + j, -(xx + zz))
        put(ws, b + 5 * k1 + j, yz - dx)
        put(ws, b + 6 * k1 + j, xz - dy)
        put(ws, b + 7 * k1 + j, yz + dx)
        put(ws, b + 8 * k1 + j, -(xx + yy))


def acceleration(order, ws, block, parent, scratch, kind, p, has_beta, reals):
    """a of the frame's origin: Rz(-q) (a + B r of the parent), coefficients 0 .. k."""
    k1, k2 = order + 1, order + 2
    a, cos, sin = block + 6 * k2, block + 3 * k2, block + 4 * k2
    rx, ry, rz = reals[index(p + ORIGIN)], reals[index(p + ORIGIN + 1)], reals[index(p + ORIGIN + 2)]
    if parent < 0:  # (rx, ry, rz) is -g, a constant
        for j in range(k1):
            zero = 0.0 * get(ws, block + 5 * k2 + j)
            if kind == PRISMATIC:
                put(ws, a + j, zero + rx if j == 0 else zero)
                put(ws, a + k1 + j, zero + ry if j == 0 else zero)
            else:
                c, s = get(ws, cos + j), get(ws, sin + j)
                put(ws, a + j, rx * c + ry * s)
                put(ws, a + k1 + j, ry * c - rx * s)
            put(ws, a + 2 * k1 + j, zero + rz if j == 0 else zero)
    else:
        pa = parent * block_rows(order) + 6 * k2
        b = pa + 3 * k1
        out = a if kind == PRISMATIC else scratch
        for j in range(k1):
            x = get(ws, pa + j) + (
                rx * get(ws, b + j) + ry * get(ws, b + k1 + j) + rz * get(ws, b + 2 * k1 + j)
            )
            y = get(ws, pa + k1 + j) + (
                rx * get(ws, b + 3 * k1 + j)
                + ry * get(ws, b + 4 * k1 + j)
                + rz * get(ws, b + 5 * k1 + j)
            )
            z = get(ws, pa + 2 * k1 + j) + (
                rx * get(ws, b + 6 * k1 + j)
                + ry * get(ws, b + 7 * k1 + j)
                + rz * get(ws, b + 8 * k1 + j)
            )
            untilt(ws, out, j, k1, x, y, z, p, has_beta, reals)
        if kind != PRISMATIC:
            turn_back(ws, a, scratch, k1, k1, cos, sin)


def slide(order, ws, block, angles, i, pitch):
    """Add h (q B e_z + 2 q' w × e_z + q'' e_z) to a: the origin moves along z."""
    k1, k2 = order + 1, order + 2
    a, b, rate = block + 6 * k2, block + 6 * k2 + 3 * k1, block + 5 * k2
    for j in range(k1):
        q = get(ws, angles + i)
        x = q * get(ws, b + 2 * k1 + j)
        y = q * get(ws, b + 5 * k1 + j)
        z = q * get(ws, b + 8 * k1 + j) + (j + 1.0) * get(ws, rate + j + 1)
        for m in range(j + 1):
            speed = 2.0 * get(ws, rate + m)
            x = x + speed * get(ws, block + k2 + j - m)
            y = y - speed * get(ws, block + j - m)
            if m < j:
                q = (1.0 / (m + 1.0)) * get(ws, rate + m)
                x = x + q * get(ws, b + 2 * k1 + j - m - 1)
                y = y + q * get(ws, b + 5 * k1 + j - m - 1)
                z = z + q * get(ws, b + 8 * k1 + j - m - 1)
        put(ws, a + j, get(ws, a + j) + pitch * x)
        put(ws, a + k1 + j, get(ws, a + k1 + j) + pitch * y)
        put(ws, a + 2 * k1 + j, get(ws, a + 2 * k1 + j) + pitch * z)


def inertial_wrench(order, ws, block, p, reals):
    """F = m a + B h and N = h × a + vec(B S - (B S)^T), S the second moment of mass."""
    k1, k2 = order + 1, order + 2
    a = block + 6 * k2
    b, f = a + 3 * k1, a + 12 * k1
    mass = reals[index(p + MASS)]
    hx, hy, hz = reals[index(p + FIRST_MOMENT)], reals[index(p + FIRST_MOMENT + 1)], reals[index(p + FIRST_MOMENT + 2)]
    sxx, syy, szz = (
        reals[index(p + SECOND_MOMENT)],
        reals[index(p + SECOND_MOMENT + 1)],
        reals[index(p + SECOND_MOMENT + 2)],
    )
    sxy, sxz, syz = (
        reals[index(p + SECOND_MOMENT + 3)],
        reals[index(p + SECOND_MOMENT + 4)],
        reals[index(p + SECOND_MOMENT + 5)],
    )
    for j in range(k1):
        ax, ay, az = get(ws, a + j), get(ws, a + k1 + j), get(ws, a + 2 * k1 + j)
        bxx, bxy, bxz = get(ws, b + j), get(ws, b + k1 + j), get(ws, b + 2 * k1 + j)
        byx, byy, byz = get(ws, b + 3 * k1 + j), get(ws, b + 4 * k1 + j), get(ws, b + 5 * k1 + j)
        bzx, bzy, bzz = get(ws, b + 6 * k1 + j), get(ws, b + 7 * k1 + j), get(ws, b + 8 * k1 + j)
        put(ws, f + j, mass * ax + (hx * bxx + hy * bxy + hz * bxz))
        put(ws, f + k1 + j, mass * ay + (hx * byx + hy * byy + hz * byz))
        put(ws, f + 2 * k1 + j, mass * az + (hx * bzx + hy * bzy + hz * bzz))
        nx = (sxy * bzx + syy * bzy + syz * bzz) - (sxz * byx + syz * byy + szz * byz)
        ny = (sxz * bxx + syz * bxy + szz * bxz) - (sxx * bzx + sxy * bzy + sxz * bzz)
        nz = (sxx * byx + sxy * byy + sxz * byz) - (sxy * bxx + syy * bxy + syz * bxz)
        put(ws, f + 3 * k1 + j, nx + (hy * az - hz * ay))
        put(ws, f + 4 * k1 + j, ny + (hz * ax - hx * az))
        put(ws, f + 5 * k1 + j, nz + (hx * ay - hy * ax))


def forward_sweep(order, ws, ints, reals):
    """Root to leaves: motion of every body, then the wrench its inertia needs."""
    count = ints[index(0)]
    angles = workspace_rows(order, count) - 3 * count
    scratch = angles - 3 * (order + 2)
    sines(ws, angles, count)
    for i in range(count):
        row = INTS_HEADER + i * INTS_ROW
        parent, kind, has_beta = ints[index(row + PARENT)], ints[index(row + KIND)], ints[index(row + HAS_BETA)] != 0
        p = i * REALS_ROW
        block = i * block_rows(order)
        if kind != PRISMATIC:
            turn_series(order, ws, block, angles, count, i)
        angular_velocity(order, ws, block, parent, scratch, kind, p, has_beta, reals)
        spin_matrix(order, ws, block)
        acceleration(order, ws, block, parent, scratch, kind, p, has_beta, reals)
        if kind != REVOLUTE:
            slide(order, ws, block, angles, i, reals[index(p + PITCH)])
        inertial_wrench(order, ws, block, p, reals)


def joint_effort(order, ws, block, kind, pitch):
    """tau = X^T W: N_z, F_z or N_z + h F_z; overwrites the series of q'."""
    k1, k2 = order + 1, order + 2
    tau, fz = block + 5 * k2, block + 6 * k2 + 14 * k1
    for j in range(k1):
        if kind == REVOLUTE:
            put(ws, tau + j, get(ws, fz + 3 * k1 + j))
        elif kind == PRISMATIC:
            put(ws, tau + j, get(ws, fz + j))
        else:
            put(ws, tau + j, get(ws, fz + 3 * k1 + j) + pitch * get(ws, fz + j))


def move_torque(order, ws, block, angles, i, pitch):
    """N += h q e_z × F: the torque about the point where the origin is at q = 0."""
    k1, k2 = order + 1, order + 2
    f, rate = block + 6 * k2 + 12 * k1, block + 5 * k2
    for j in range(k1):
        q = pitch * get(ws, angles + i)
        x = q * get(ws, f + k1 + j)
        y = q * get(ws, f + j)
        for m in range(j):
            q = (pitch / (m + 1.0)) * get(ws, rate + m)
            x = x + q * get(ws, f + k1 + j - m - 1)
            y = y + q * get(ws, f + j - m - 1)
        put(ws, f + 3 * k1 + j, get(ws, f + 3 * k1 + j) - x)
        put(ws, f + 4 * k1 + j, get(ws, f + 4 * k1 + j) + y)


def turn_forth(ws, source, j, k1, cos, sin, kind):
    """Coefficient j of Rz(q) x, components 0 and 1, for the rows of x at `source`."""
    if kind == PRISMATIC:
        return get(ws, source + j), get(ws, source + k1 + j)
    x = get(ws, cos) * get(ws, source + j) - get(ws, sin) * get(ws, source + k1 + j)
    y = get(ws, sin) * get(ws, source + j) + get(ws, cos) * get(ws, source + k1 + j)
    for m in range(1, j + 1):
        u, v = get(ws, source + j - m), get(ws, source + k1 + j - m)
        x = x + get(ws, cos + m) * u - get(ws, sin + m) * v
        y = y + get(ws, sin + m) * u + get(ws, cos + m) * v
    return x, y


def pass_to_parent(order, ws, block, parent, kind, p, has_beta, reals):
    """F += R F of the child, N += R N + r × R F of the child, R = Rz(beta) Rx(alpha) Rz(q)."""
    k1, k2 = order + 1, order + 2
    f = block + 6 * k2 + 12 * k1
    out = parent * block_rows(order) + 6 * k2 + 12 * k1
    cos, sin = block + 3 * k2, block + 4 * k2
    ca, sa = reals[index(p + COS_ALPHA)], reals[index(p + SIN_ALPHA)]
    rx, ry, rz = reals[index(p + ORIGIN)], reals[index(p + ORIGIN + 1)], reals[index(p + ORIGIN + 2)]
    for j in range(k1):
        fx, v = turn_forth(ws, f, j, k1, cos, sin, kind)
        fy = ca * v - sa * get(ws, f + 2 * k1 + j)
        fz = sa * v + ca * get(ws, f + 2 * k1 + j)
        nx, v = turn_forth(ws, f + 3 * k1, j, k1, cos, sin, kind)
        ny = ca * v - sa * get(ws, f + 5 * k1 + j)
        nz = sa * v + ca * get(ws, f + 5 * k1 + j)
        if has_beta:
            cb, sb = reals[index(p + COS_BETA)], reals[index(p + SIN_BETA)]
            x, y = cb * fx - sb * fy, sb * fx + cb * fy
            fx, fy = x, y
            x, y = cb * nx - sb * ny, sb * nx + cb * ny
            nx, ny = x, y
        put(ws, out + j, get(ws, out + j) + fx)
        put(ws, out + k1 + j, get(ws, out + k1 + j) + fy)
        put(ws, out + 2 * k1 + j, get(ws, out + 2 * k1 + j) + fz)
        put(ws, out + 3 * k1 + j, get(ws, out + 3 * k1 + j) + (nx + (ry * fz - rz * fy)))
        put(ws, out + 4 * k1 + j, get(ws, out + 4 * k1 + j) + (ny + (rz * fx - rx * fz)))
        put(ws, out + 5 * k1 + j, get(ws, out + 5 * k1 + j) + (nz + (rx * fy - ry * fx)))


def backward_sweep(order, ws, ints, reals):
    """Leaves to root: joint efforts, and the wrench that each joint passes to the parent."""
    count = ints[index(0)]
    angles = workspace_rows(order, count) - 3 * count
    for i in range(count - 1, -1, -1):
        row = INTS_HEADER + i * INTS_ROW
        parent, kind, has_beta = ints[index(row + PARENT)], ints[index(row + KIND)], ints[index(row + HAS_BETA)] != 0
        p = i * REALS_ROW
        block = i * block_rows(order)
        if kind != REVOLUTE and parent >= 0:
            # e_z × F leaves N_z and F alone, so the effort may be taken after it
            move_torque(order, ws, block, angles, i, reals[index(p + PITCH)])
        joint_effort(order, ws, block, kind, reals[index(p + PITCH)])
        if parent >= 0:
            pass_to_parent(order, ws, block, parent, kind, p, has_beta, reals)


ROW_FUNCTIONS: tuple[Any, ...] = (
    block_rows,
    workspace_rows,
    gather,
    scatter,
    subtract_wrenches,
    turn_series,
    turn_back,
    untilt,
    angular_velocity,
    spin_matrix,
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
