# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Backward sweep of the Newton-Euler recursion, leaves to root: wrenches and joint efforts."""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.rows import at, block_rows, efforts_rows, get, integer, put


def subtract_wrenches(order, ws, wrenches, parameters):
    """Subtract the wrenches ON the bodies (in their frames) from F and N, between the sweeps."""
    k1, carriers = order + 1, layout.HEADER + integer(parameters, layout.BODY_COUNT) * layout.ROW
    for e in range(integer(parameters, layout.WRENCH_COUNT)):
        carrier = at(parameters, carriers + e * layout.CARRIER_ROW)
        body, p = integer(carrier, layout.CARRIER), at(carrier, layout.CARRIER_POSE)
        force = at(ws, body * block_rows(order) + 6 * (order + 2) + 12 * k1)
        rx, ry, rz = get(p, 3), get(p, 7), get(p, 11)
        factor = 1.0
        for d in range(k1):
            w = at(wrenches, (e * k1 + d) * 6)
            f = rotated(p, get(w, 3), get(w, 4), get(w, 5))
            n = rotated(p, get(w, 0), get(w, 1), get(w, 2))
            x = n[0] + (ry * f[2] - rz * f[1])
            y = n[1] + (rz * f[0] - rx * f[2])
            z = n[2] + (rx * f[1] - ry * f[0])
            put(force, d, get(force, d) - factor * f[0])
            put(force, k1 + d, get(force, k1 + d) - factor * f[1])
            put(force, 2 * k1 + d, get(force, 2 * k1 + d) - factor * f[2])
            put(force, 3 * k1 + d, get(force, 3 * k1 + d) - factor * x)
            put(force, 4 * k1 + d, get(force, 4 * k1 + d) - factor * y)
            put(force, 5 * k1 + d, get(force, 5 * k1 + d) - factor * z)
            factor = factor / (d + 1.0)


def rotated(p, x, y, z):
    """Return R (x, y, z) for the pose p = (R, r), by rows."""
    return (
        get(p, 0) * x + get(p, 1) * y + get(p, 2) * z,
        get(p, 4) * x + get(p, 5) * y + get(p, 6) * z,
        get(p, 8) * x + get(p, 9) * y + get(p, 10) * z,
    )


def joint_effort(order, body, kind, pitch):
    """Write tau = X^T W, i.e. N_z, F_z or N_z + h F_z; overwrites the series of q'."""
    k1, k2 = order + 1, order + 2
    tau, fz = 5 * k2, 6 * k2 + 14 * k1
    for j in range(k1):
        if kind == layout.REVOLUTE:
            put(body, tau + j, get(body, fz + 3 * k1 + j))
        elif kind == layout.PRISMATIC:
            put(body, tau + j, get(body, fz + j))
        else:
            put(body, tau + j, get(body, fz + 3 * k1 + j) + pitch * get(body, fz + j))


def shift_torque(order, body, angle, pitch):
    """Add h q e_z × F to N, which then refers to the position of the origin at q = 0."""
    k1, rate = order + 1, 5 * (order + 2)
    f = 6 * (order + 2) + 12 * k1
    for j in range(k1):
        q = pitch * get(angle, 0)
        x = q * get(body, f + k1 + j)
        y = q * get(body, f + j)
        for m in range(j):
            q = (pitch / (m + 1.0)) * get(body, rate + m)
            x = x + q * get(body, f + k1 + j - m - 1)
            y = y + q * get(body, f + j - m - 1)
        put(body, f + 3 * k1 + j, get(body, f + 3 * k1 + j) - x)
        put(body, f + 4 * k1 + j, get(body, f + 4 * k1 + j) + y)


def rotate_to_parent(order, body, source, j, kind):
    """Return coefficient j of Rz(q) x, components 0 and 1; x is in the body's rows at `source`."""
    k1, cos, sin = order + 1, 3 * (order + 2), 4 * (order + 2)
    if kind == layout.PRISMATIC:
        return get(body, source + j), get(body, source + k1 + j)
    x = get(body, cos) * get(body, source + j) - get(body, sin) * get(body, source + k1 + j)
    y = get(body, sin) * get(body, source + j) + get(body, cos) * get(body, source + k1 + j)
    for m in range(1, j + 1):
        u, v = get(body, source + j - m), get(body, source + k1 + j - m)
        x = x + get(body, cos + m) * u - get(body, sin + m) * v
        y = y + get(body, sin + m) * u + get(body, cos + m) * v
    return x, y


def pass_to_parent(order, body, parent, row, kind, has_beta):
    """Add R F to F and R N + r × R F to N of the parent, with R = Rz(beta) Rx(alpha) Rz(q)."""
    k1 = order + 1
    f = 6 * (order + 2) + 12 * k1
    ca, sa = get(row, layout.COS_ALPHA), get(row, layout.SIN_ALPHA)
    rx, ry, rz = get(row, layout.ORIGIN), get(row, layout.ORIGIN + 1), get(row, layout.ORIGIN + 2)
    for j in range(k1):
        fx, v = rotate_to_parent(order, body, f, j, kind)
        fy = ca * v - sa * get(body, f + 2 * k1 + j)
        fz = sa * v + ca * get(body, f + 2 * k1 + j)
        nx, v = rotate_to_parent(order, body, f + 3 * k1, j, kind)
        ny = ca * v - sa * get(body, f + 5 * k1 + j)
        nz = sa * v + ca * get(body, f + 5 * k1 + j)
        if has_beta:
            cb, sb = get(row, layout.COS_BETA), get(row, layout.SIN_BETA)
            x, y = cb * fx - sb * fy, sb * fx + cb * fy
            fx, fy = x, y
            x, y = cb * nx - sb * ny, sb * nx + cb * ny
            nx, ny = x, y
        put(parent, f + j, get(parent, f + j) + fx)
        put(parent, f + k1 + j, get(parent, f + k1 + j) + fy)
        put(parent, f + 2 * k1 + j, get(parent, f + 2 * k1 + j) + fz)
        put(parent, f + 3 * k1 + j, get(parent, f + 3 * k1 + j) + (nx + (ry * fz - rz * fy)))
        put(parent, f + 4 * k1 + j, get(parent, f + 4 * k1 + j) + (ny + (rz * fx - rx * fz)))
        put(parent, f + 5 * k1 + j, get(parent, f + 5 * k1 + j) + (nz + (rx * fy - ry * fx)))


def backward_sweep(order, ws, parameters):
    """Compute, from leaves to root, the joint efforts and the wrenches on the parents."""
    count = integer(parameters, layout.BODY_COUNT)
    angles = efforts_rows(order, count) - 3 * count
    for i in range(count - 1, -1, -1):
        row = at(parameters, layout.HEADER + i * layout.ROW)
        parent_index, kind = integer(row, layout.PARENT), integer(row, layout.KIND)
        has_beta = integer(row, layout.HAS_BETA) != 0
        body = at(ws, i * block_rows(order))
        if kind != layout.REVOLUTE and parent_index >= 0:
            # e_z × F does not change N_z and F, so the effort may be computed after it
            shift_torque(order, body, at(ws, angles + i), get(row, layout.PITCH))
        joint_effort(order, body, kind, get(row, layout.PITCH))
        if parent_index >= 0:
            parent = at(ws, parent_index * block_rows(order))
            pass_to_parent(order, body, parent, row, kind, has_beta)
