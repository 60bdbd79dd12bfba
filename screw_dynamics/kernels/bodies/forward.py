# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Forward sweep of the Newton-Euler recursion, root to leaves: motion and inertial wrenches."""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.joint_frames import set_sines
from screw_dynamics.kernels.bodies.rows import (
    apart,
    at,
    block_rows,
    efforts_rows,
    get,
    integer,
    put,
    sines,
)


def cos_sin_series(order, body, angle, count, row):
    """Write the series of cos and sin of q plus the constant angle of the frame."""
    k2 = order + 2
    cos, sin, rate = 3 * k2, 4 * k2, 5 * k2
    c, s = get(angle, count), get(angle, 2 * count)
    # the constant angle is added by its cos and sin, so that no digits of q are lost
    put(body, cos, get(row, layout.COS_GAMMA) * c - get(row, layout.SIN_GAMMA) * s)
    put(body, sin, get(row, layout.COS_GAMMA) * s + get(row, layout.SIN_GAMMA) * c)
    set_sines(k2, at(body, rate), at(body, cos), at(body, sin))


def rotate_to_child(order, body, out, size, source):
    """Write `size` terms of the series of Rz(-q) x to the rows `out`; x is in `source`."""
    cos, sin = 3 * (order + 2), 4 * (order + 2)
    for j in range(size):
        x = get(body, cos) * get(source, j) + get(body, sin) * get(source, size + j)
        y = get(body, cos) * get(source, size + j) - get(body, sin) * get(source, j)
        for m in range(1, j + 1):
            u, v = get(source, j - m), get(source, size + j - m)
            x = x + get(body, cos + m) * u + get(body, sin + m) * v
            y = y + get(body, cos + m) * v - get(body, sin + m) * u
        put(out, j, x)
        put(out, size + j, y)
        put(out, 2 * size + j, get(source, 2 * size + j))


def apply_fixed_rotation(out, j, size, x, y, z, row, has_beta):
    """Write Rx(-alpha) Rz(-beta) (x, y, z) as coefficient j of the rows `out`."""
    u = x
    v = y
    if has_beta:
        u = get(row, layout.COS_BETA) * x + get(row, layout.SIN_BETA) * y
        v = get(row, layout.COS_BETA) * y - get(row, layout.SIN_BETA) * x
    put(out, j, u)
    put(out, size + j, get(row, layout.COS_ALPHA) * v + get(row, layout.SIN_ALPHA) * z)
    put(out, 2 * size + j, get(row, layout.COS_ALPHA) * z - get(row, layout.SIN_ALPHA) * v)


def angular_velocity(order, body, parent, scratch, row, parent_index, kind, has_beta):
    """Write w = Rz(-q) (w of the parent) + q' e_z, coefficients 0 .. k + 1."""
    k2 = order + 2
    rate = 5 * k2
    if parent_index < 0:
        for j in range(k2):
            zero = 0.0 * get(body, rate + j)
            put(body, j, zero)
            put(body, k2 + j, zero)
            put(body, 2 * k2 + j, zero)
    else:
        for j in range(k2):
            x, y, z = get(parent, j), get(parent, k2 + j), get(parent, 2 * k2 + j)
            apply_fixed_rotation(
                body if kind == layout.PRISMATIC else scratch, j, k2, x, y, z, row, has_beta
            )
        if kind != layout.PRISMATIC:
            rotate_to_child(order, body, body, k2, scratch)
    if kind != layout.PRISMATIC:
        for j in range(k2):
            put(body, 2 * k2 + j, get(body, 2 * k2 + j) + get(body, rate + j))


def spin_matrix(order, body):
    """Write B = w'~ + w w^T - |w|^2 I, coefficients 0 .. k."""
    k1, k2 = order + 1, order + 2
    y, z, b = k2, 2 * k2, 6 * k2 + 3 * k1
    for j in range(k1):
        xx = get(body, 0) * get(body, j)
        yy = get(body, y) * get(body, y + j)
        zz = get(body, z) * get(body, z + j)
        xy = get(body, 0) * get(body, y + j)
        xz = get(body, 0) * get(body, z + j)
        yz = get(body, y) * get(body, z + j)
        for m in range(1, j + 1):
            xx = xx + get(body, m) * get(body, j - m)
            yy = yy + get(body, y + m) * get(body, y + j - m)
            zz = zz + get(body, z + m) * get(body, z + j - m)
            xy = xy + get(body, m) * get(body, y + j - m)
            xz = xz + get(body, m) * get(body, z + j - m)
            yz = yz + get(body, y + m) * get(body, z + j - m)
        dx = (j + 1.0) * get(body, j + 1)
        dy = (j + 1.0) * get(body, y + j + 1)
        dz = (j + 1.0) * get(body, z + j + 1)
        put(body, b + j, -(yy + zz))
        put(body, b + k1 + j, xy - dz)
        put(body, b + 2 * k1 + j, xz + dy)
        put(body, b + 3 * k1 + j, xy + dz)
        put(body, b + 4 * k1 + j, -(xx + zz))
        put(body, b + 5 * k1 + j, yz - dx)
        put(body, b + 6 * k1 + j, xz - dy)
        put(body, b + 7 * k1 + j, yz + dx)
        put(body, b + 8 * k1 + j, -(xx + yy))


def root_acceleration(order, body, row, kind):
    """Write a = Rz(-q) (-g) of a body on the base, coefficients 0 .. k."""
    k1, k2 = order + 1, order + 2
    a, cos, sin, rate = 6 * k2, 3 * k2, 4 * k2, 5 * k2
    x, y, z = get(row, layout.ORIGIN), get(row, layout.ORIGIN + 1), get(row, layout.ORIGIN + 2)
    for j in range(k1):
        zero = 0.0 * get(body, rate + j)
        if kind == layout.PRISMATIC:
            put(body, a + j, zero + x if j == 0 else zero)
            put(body, a + k1 + j, zero + y if j == 0 else zero)
        else:
            put(body, a + j, x * get(body, cos + j) + y * get(body, sin + j))
            put(body, a + k1 + j, y * get(body, cos + j) - x * get(body, sin + j))
        put(body, a + 2 * k1 + j, zero + z if j == 0 else zero)


def acceleration(order, body, parent, scratch, row, kind, has_beta):
    """Write a = Rz(-q) (a + B r of the parent) of the frame's origin, coefficients 0 .. k."""
    k1, k2 = order + 1, order + 2
    a, b = 6 * k2, 6 * k2 + 3 * k1
    rx, ry, rz = get(row, layout.ORIGIN), get(row, layout.ORIGIN + 1), get(row, layout.ORIGIN + 2)
    out = at(body, a)
    for j in range(k1):
        x = get(parent, a + j) + (
            rx * get(parent, b + j)
            + ry * get(parent, b + k1 + j)
            + rz * get(parent, b + 2 * k1 + j)
        )
        y = get(parent, a + k1 + j) + (
            rx * get(parent, b + 3 * k1 + j)
            + ry * get(parent, b + 4 * k1 + j)
            + rz * get(parent, b + 5 * k1 + j)
        )
        z = get(parent, a + 2 * k1 + j) + (
            rx * get(parent, b + 6 * k1 + j)
            + ry * get(parent, b + 7 * k1 + j)
            + rz * get(parent, b + 8 * k1 + j)
        )
        apply_fixed_rotation(
            out if kind == layout.PRISMATIC else scratch, j, k1, x, y, z, row, has_beta
        )
    if kind != layout.PRISMATIC:
        rotate_to_child(order, body, out, k1, scratch)


def add_translation(order, body, angle, pitch):
    """Add h (q B e_z + 2 q' w × e_z + q'' e_z) to a, as the origin moves along z."""
    k1, k2 = order + 1, order + 2
    a, b, rate = 6 * k2, 6 * k2 + 3 * k1, 5 * k2
    for j in range(k1):
        q = get(angle, 0)
        x = q * get(body, b + 2 * k1 + j)
        y = q * get(body, b + 5 * k1 + j)
        z = q * get(body, b + 8 * k1 + j) + (j + 1.0) * get(body, rate + j + 1)
        for m in range(j + 1):
            speed = 2.0 * get(body, rate + m)
            x = x + speed * get(body, k2 + j - m)
            y = y - speed * get(body, j - m)
            if m < j:
                q = (1.0 / (m + 1.0)) * get(body, rate + m)
                x = x + q * get(body, b + 2 * k1 + j - m - 1)
                y = y + q * get(body, b + 5 * k1 + j - m - 1)
                z = z + q * get(body, b + 8 * k1 + j - m - 1)
        put(body, a + j, get(body, a + j) + pitch * x)
        put(body, a + k1 + j, get(body, a + k1 + j) + pitch * y)
        put(body, a + 2 * k1 + j, get(body, a + 2 * k1 + j) + pitch * z)


def inertial_wrench(order, body, row):
    """Write F = m a + B h and N = h × a + vec(B S - (B S)^T), S the second moment of mass."""
    k1, a = order + 1, 6 * (order + 2)
    b, f = a + 3 * k1, a + 12 * k1
    mass, h, s = get(row, layout.MASS), layout.FIRST_MOMENT, layout.SECOND_MOMENT
    hx, hy, hz = get(row, h), get(row, h + 1), get(row, h + 2)
    sxx, syy, szz = get(row, s), get(row, s + 1), get(row, s + 2)
    sxy, sxz, syz = get(row, s + 3), get(row, s + 4), get(row, s + 5)
    for j in range(k1):
        ax, ay, az = get(body, a + j), get(body, a + k1 + j), get(body, a + 2 * k1 + j)
        bxx, bxy, bxz = get(body, b + j), get(body, b + k1 + j), get(body, b + 2 * k1 + j)
        byx, byy = get(body, b + 3 * k1 + j), get(body, b + 4 * k1 + j)
        byz, bzx = get(body, b + 5 * k1 + j), get(body, b + 6 * k1 + j)
        bzy, bzz = get(body, b + 7 * k1 + j), get(body, b + 8 * k1 + j)
        put(body, f + j, mass * ax + (hx * bxx + hy * bxy + hz * bxz))
        put(body, f + k1 + j, mass * ay + (hx * byx + hy * byy + hz * byz))
        put(body, f + 2 * k1 + j, mass * az + (hx * bzx + hy * bzy + hz * bzz))
        nx = (sxy * bzx + syy * bzy + syz * bzz) - (sxz * byx + syz * byy + szz * byz)
        ny = (sxz * bxx + syz * bxy + szz * bxz) - (sxx * bzx + sxy * bzy + sxz * bzz)
        nz = (sxx * byx + sxy * byy + sxz * byz) - (sxy * bxx + syy * bxy + syz * bxz)
        put(body, f + 3 * k1 + j, nx + (hy * az - hz * ay))
        put(body, f + 4 * k1 + j, ny + (hz * ax - hx * az))
        put(body, f + 5 * k1 + j, nz + (hx * ay - hy * ax))


def forward_sweep(order, ws, parameters):
    """Compute, from root to leaves, the motion and the inertial wrench of every body."""
    count = integer(parameters, layout.BODY_COUNT)
    angles = efforts_rows(order, count) - 3 * count
    scratch = apart(ws, angles - 3 * (order + 2), 3 * (order + 2))
    sines(ws, angles, count)
    for i in range(count):
        row = at(parameters, layout.HEADER + i * layout.ROW)
        parent_index, kind = integer(row, layout.PARENT), integer(row, layout.KIND)
        has_beta = integer(row, layout.HAS_BETA) != 0
        body = at(ws, i * block_rows(order))
        parent = at(ws, max(parent_index, 0) * block_rows(order))
        angle = at(ws, angles + i)
        if kind != layout.PRISMATIC:
            cos_sin_series(order, body, angle, count, row)
        angular_velocity(order, body, parent, scratch, row, parent_index, kind, has_beta)
        spin_matrix(order, body)
        if parent_index < 0:
            root_acceleration(order, body, row, kind)
        else:
            acceleration(order, body, parent, scratch, row, kind, has_beta)
        if kind != layout.REVOLUTE:
            add_translation(order, body, angle, get(row, layout.PITCH))
        inertial_wrench(order, body, row)
