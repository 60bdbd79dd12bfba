# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Backward sweep of the Taylor recursion, leaves to root: wrenches and joint efforts."""

from __future__ import annotations

from screw_dynamics.kernels.taylor.rows import (
    at,
    block_rows,
    get,
    integer,
    put,
    workspace_rows,
)
from screw_dynamics.model.joint_aligned import (
    BODY_COUNT,
    COS_ALPHA,
    COS_BETA,
    HAS_BETA,
    HEADER,
    KIND,
    ORIGIN,
    PARENT,
    PITCH,
    PRISMATIC,
    REVOLUTE,
    ROW,
    SIN_ALPHA,
    SIN_BETA,
)


def subtract_wrenches(order, ws, wrenches, bodies, poses):
    """Subtract the wrenches ON the bodies (in their frames) from F and N, between the sweeps."""
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


def joint_effort(order, own, kind, pitch):
    """Write tau = X^T W, i.e. N_z, F_z or N_z + h F_z; overwrites the series of q'."""
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
    """Add h q e_z × F to N, which then refers to the position of the origin at q = 0."""
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
    """Return coefficient j of Rz(q) x, components 0 and 1; x is in the own rows at `source`."""
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
    """Add R F to F and R N + r × R F to N of the parent, with R = Rz(beta) Rx(alpha) Rz(q)."""
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
    """Compute, from leaves to root, the joint efforts and the wrenches on the parents."""
    count = integer(parameters, BODY_COUNT)
    angles = workspace_rows(order, count) - 3 * count
    for i in range(count - 1, -1, -1):
        real = at(parameters, HEADER + i * ROW)
        parent, kind = integer(real, PARENT), integer(real, KIND)
        has_beta = integer(real, HAS_BETA) != 0
        own = at(ws, i * block_rows(order))
        if kind != REVOLUTE and parent >= 0:
            # e_z × F does not change N_z and F, so the effort may be computed after it
            move_torque(order, own, at(ws, angles + i), get(real, PITCH))
        joint_effort(order, own, kind, get(real, PITCH))
        if parent >= 0:
            above = at(ws, parent * block_rows(order))
            pass_to_parent(order, own, above, real, kind, has_beta)
