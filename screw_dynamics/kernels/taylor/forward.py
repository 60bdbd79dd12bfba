# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Forward sweep of the Taylor recursion, root to leaves: motion and inertial wrenches."""

from __future__ import annotations

from screw_dynamics.kernels.taylor.rows import (
    at,
    block_rows,
    get,
    integer,
    put,
    sines,
    workspace_rows,
)
from screw_dynamics.model.joint_aligned import (
    BODY_COUNT,
    COS_ALPHA,
    COS_BETA,
    COS_TURN,
    FIRST_MOMENT,
    HAS_BETA,
    HEADER,
    KIND,
    MASS,
    ORIGIN,
    PARENT,
    PITCH,
    PRISMATIC,
    REVOLUTE,
    ROW,
    SECOND_MOMENT,
    SIN_ALPHA,
    SIN_BETA,
    SIN_TURN,
)


def turn_series(order, own, angle, count, real):
    """
    Write the series of cos and sin of q plus the constant angle of the frame.

    j s_[j] = sum q'_[l] c_[j-1-l], and likewise for c. The constant angle is added by its cos and
    sin, so that no digits of q are lost.
    """
    k2 = order + 2
    cos, sin, rate = 3 * k2, 4 * k2, 5 * k2
    c, s = get(angle, count), get(angle, 2 * count)
    put(own, cos, get(real, COS_TURN) * c - get(real, SIN_TURN) * s)
    put(own, sin, get(real, COS_TURN) * s + get(real, SIN_TURN) * c)
    for j in range(1, k2):
        c = get(own, rate) * get(own, sin + j - 1)
        s = get(own, rate) * get(own, cos + j - 1)
        for m in range(1, j):
            c = c + get(own, rate + m) * get(own, sin + j - 1 - m)
            s = s + get(own, rate + m) * get(own, cos + j - 1 - m)
        put(own, cos + j, (-1.0 / j) * c)
        put(own, sin + j, (1.0 / j) * s)


def turn_back(order, own, out, size, source):
    """Write `size` terms of the series of Rz(-q) x to the rows `out`; x is in `source`."""
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
    """Write w = Rz(-q) (w of the parent) + q' e_z, coefficients 0 .. k + 1."""
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
    """Write B = w'~ + w w^T - |w|^2 I, coefficients 0 .. k."""
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
    """Write a = Rz(-q) (-g) of a body on the base, coefficients 0 .. k."""
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
    """Write a = Rz(-q) (a + B r of the parent) of the frame's origin, coefficients 0 .. k."""
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
    """Add h (q B e_z + 2 q' w × e_z + q'' e_z) to a, as the origin moves along z."""
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
    """Write F = m a + B h and N = h × a + vec(B S - (B S)^T), S the second moment of mass."""
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
    """Compute, from root to leaves, the motion and the inertial wrench of every body."""
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
            turn_series(order, own, angle, count, real)
        angular_velocity(order, own, above, scratch, real, parent, kind, has_beta)
        spin_matrix(order, own)
        if parent < 0:
            root_acceleration(order, own, real, kind)
        else:
            acceleration(order, own, above, scratch, real, kind, has_beta)
        if kind != REVOLUTE:
            slide(order, own, angle, get(real, PITCH))
        inertial_wrench(order, own, real)
