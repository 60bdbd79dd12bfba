# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Regressors of the inertia parameters along a motion, with derivatives of any order.

The wrench that moves a body is linear in its ten parameters: with the acceleration a + B r of its
points r, the force is m a + B h and the torque h × a plus that of B on the inertia. The efforts
are the products of these wrenches with the screws of the joints before the body, in its frame.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.forward import forward_sweep
from screw_dynamics.kernels.bodies.joint_frames import (
    clear,
    cross,
    get3,
    get6,
    joint_row,
    put6,
    scaled6,
    shift_screws,
    turn_screws,
)
from screw_dynamics.kernels.bodies.rows import (
    at,
    block_rows,
    efforts_rows,
    gather,
    get,
    integer,
    put,
)

PARAMETERS = 10  # per body: m, m c, Theta about the origin as xx, xy, yy, xz, yz, zz
# of a term of a body: a (3) and B (9) in its frame
_FIELD = 12


def regressor_rows(order, count):
    """Return the number of rows of the workspace: one screw per body and joint before it."""
    return efforts_rows(order, count) + (order + 1) * (6 * (count + 1) * count + _FIELD)


def to_child(order, body, joint, angle, source, target):
    """Write a screw (w; v), 6 rows per term, of the parent's frame in that of a body."""
    k1, cos, sin, rate = order + 1, 3 * (order + 2), 4 * (order + 2), 5 * (order + 2)
    kind, pitch = integer(joint, layout.KIND), get(joint, layout.PITCH)
    ca, sa = get(joint, layout.COS_ALPHA), get(joint, layout.SIN_ALPHA)
    cb, sb = get(joint, layout.COS_BETA), get(joint, layout.SIN_BETA)
    rx, ry, rz = get3(joint, layout.ORIGIN)
    for k in range(k1):
        x, y, z, u, v, w = get6(source, 6 * k)
        cx, cy, cz = cross(x, y, z, rx, ry, rz)
        u, v, w = u + cx, v + cy, w + cz
        if integer(joint, layout.HAS_BETA) != 0:
            x, y = cb * x + sb * y, cb * y - sb * x
            u, v = cb * u + sb * v, cb * v - sb * u
        y, z, v, w = ca * y + sa * z, ca * z - sa * y, ca * v + sa * w, ca * w - sa * v
        put6(target, 6 * k, (x, y, z, u, v, w))
    if kind != layout.REVOLUTE:
        shift_screws(order, target, angle, at(body, rate), pitch)
    if kind != layout.PRISMATIC:
        turn_screws(order, target, at(body, cos), at(body, sin))


def set_own_screw(order, joint, zero, target):
    """Write the screw of a joint in the frame of its body."""
    clear(target, 6 * (order + 1), zero)
    if integer(joint, layout.KIND) != layout.PRISMATIC:
        put(target, 2, 1.0 + get(target, 2))
    put(target, 5, get(target, 5) + get(joint, layout.PITCH))


def to_frame(carrier, source, target):
    """Write a screw (w; v) of the joint frame in a frame that is fixed in the body."""
    p = at(carrier, layout.CARRIER_POSE)
    x, y, z = get3(source, 0)
    cx, cy, cz = cross(x, y, z, get(p, 3), get(p, 7), get(p, 11))
    u, v, w = get(source, 3) + cx, get(source, 4) + cy, get(source, 5) + cz
    for a in range(3):
        c, d, e = get(p, a), get(p, 4 + a), get(p, 8 + a)
        put(target, a, c * x + d * y + e * z)
        put(target, 3 + a, c * u + d * v + e * w)


def set_field(order, body, k, carrier, field):
    """Write term k of a and B in the frame of a body."""
    k1, p = order + 1, at(carrier, layout.CARRIER_POSE)
    a, b = 6 * (order + 2) + k, 6 * (order + 2) + 3 * (order + 1) + k
    px, py, pz = get(p, 3), get(p, 7), get(p, 11)
    for row in range(3):
        start = b + 3 * row * k1
        x, y, z = get(body, start), get(body, start + k1), get(body, start + 2 * k1)
        put(field, row, get(body, a + row * k1) + (x * px + y * py + z * pz))
        for c in range(3):  # B R
            put(field, 3 + 3 * row + c, x * get(p, c) + y * get(p, 4 + c) + z * get(p, 8 + c))
    for c in range(4):  # R^T a, and R^T (B R)
        start, step = (0, 1) if c == 0 else (2 + c, 3)
        x, y, z = get(field, start), get(field, start + step), get(field, start + 2 * step)
        u = get(p, 0) * x + get(p, 4) * y + get(p, 8) * z
        v = get(p, 1) * x + get(p, 5) * y + get(p, 9) * z
        w = get(p, 2) * x + get(p, 6) * y + get(p, 10) * z
        put(field, start, u)
        put(field, start + step, v)
        put(field, start + 2 * step, w)


def add_entries(screw, field, factor, out):
    """Add a screw (w; v) times the wrenches of the parameters, with a factor, to ten entries."""
    x, y, z, u, v, w = scaled6(factor, get6(screw, 0))
    ax, ay, az = get3(field, 0)
    bxx, bxy, bxz = get3(field, 3)
    byx, byy, byz = get3(field, 6)
    bzx, bzy, bzz = get3(field, 9)
    cx, cy, cz = cross(ax, ay, az, x, y, z)
    # of B = w'~ + w w^T - |w|^2 I
    rx, ry, rz = 0.5 * (bzy - byz), 0.5 * (bxz - bzx), 0.5 * (byx - bxy)
    xy, xz, yz = 0.5 * (bxy + byx), 0.5 * (bxz + bzx), 0.5 * (byz + bzy)
    put(out, 0, get(out, 0) + (u * ax + v * ay + w * az))
    put(out, 1, get(out, 1) + ((u * bxx + v * byx + w * bzx) + cx))
    put(out, 2, get(out, 2) + ((u * bxy + v * byy + w * bzy) + cy))
    put(out, 3, get(out, 3) + ((u * bxz + v * byz + w * bzz) + cz))
    put(out, 4, get(out, 4) + (x * rx + y * xz - z * xy))
    put(out, 5, get(out, 5) + (y * bzy - x * bzx + z * (bxx - byy)))
    put(out, 6, get(out, 6) + (y * ry - x * yz + z * xy))
    put(out, 7, get(out, 7) + (x * byx + y * (bzz - bxx) - z * byz))
    put(out, 8, get(out, 8) + (x * (byy - bzz) - y * bxy + z * bxz))
    put(out, 9, get(out, 9) + (x * yz - y * xz + z * rz))


def regressor(order, ws, jet, qd, tau, out, parameters):
    """Write the regressor (k + 1, n, 10 N); the parameters end with the frames of all bodies."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    size, width = 6 * (order + 1), PARAMETERS * count
    angles = efforts_rows(order, count) - 3 * count
    screws, carriers = at(ws, angles + 3 * count), layout.HEADER + count * layout.ROW
    moved = at(screws, size * count * count)
    field = at(moved, size * count)
    gather(order, ws, jet, at(jet, n), order + 2, parameters)
    forward_sweep(order, ws, parameters)
    clear(out, (order + 1) * n * width, jet)
    for i in range(count):
        joint, body = joint_row(parameters, i), at(ws, i * block_rows(order))
        carrier = at(parameters, carriers + i * layout.CARRIER_ROW)
        own, j = at(screws, size * count * i), i
        while j >= 0:
            screw, parent = at(own, size * j), integer(joint, layout.PARENT)
            if j == i:
                set_own_screw(order, joint, jet, screw)
            else:
                before = at(screws, size * (count * parent + j))
                to_child(order, body, joint, at(ws, angles + i), before, screw)
            for k in range(order + 1):
                to_frame(carrier, at(screw, 6 * k), at(moved, size * j + 6 * k))
            j = integer(joint_row(parameters, j), layout.PARENT)
        for k in range(order + 1):
            set_field(order, body, k, carrier, at(field, _FIELD * k))
        j = i
        while j >= 0:
            joint = joint_row(parameters, j)
            column = integer(joint, layout.COORDINATE) * width + PARAMETERS * i
            factor = get(joint, layout.MULTIPLIER)
            for k in range(order + 1):
                factor = factor * max(k, 1)
                for s in range(k + 1):
                    screw = at(moved, size * j + 6 * s)
                    target = at(out, k * n * width + column)
                    add_entries(screw, at(field, _FIELD * (k - s)), factor, target)
            j = integer(joint, layout.PARENT)
