# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Places of the bodies: joint frames in the axes of the root.

The axes of a root are those of the frame before its joint; bodies of different roots have nothing
to do with each other. Each body's block of the workspace begins with its rotation matrix (9, by
rows) and the vector from the origin of its parent (3).
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.rows import absolute, at, get, integer, put, sines

STEP = 9  # of the vector from the parent's origin
PLACE = 12  # rows of a place


def joint_row(parameters, i):
    """Return the parameters of body i."""
    return at(parameters, layout.HEADER + i * layout.ROW)


def set_angles(ws, start, q, parameters):
    """Write the joint variables and their cosines and sines, in three runs from `start` on."""
    count = integer(parameters, layout.BODY_COUNT)
    for i in range(count):
        joint = joint_row(parameters, i)
        angle = get(joint, layout.MULTIPLIER) * get(q, integer(joint, layout.COORDINATE)) + get(
            joint, layout.OFFSET
        )
        put(ws, start + i, angle)
    sines(ws, start, count)


def cos_sin(angle, count, joint):
    """Return cos and sin of the rotation between the frames before and behind a joint."""
    if integer(joint, layout.KIND) == layout.PRISMATIC:
        zero = 0.0 * get(angle, 0)
        return zero + 1.0, zero
    c, s = get(angle, count), get(angle, 2 * count)
    # the constant angle is added by its cos and sin, so that no digits of q are lost
    cg, sg = get(joint, layout.COS_GAMMA), get(joint, layout.SIN_GAMMA)
    return cg * c - sg * s, cg * s + sg * c


def place(body, parent, angle, count, joint):
    """Write the place of a body, from that of its parent unless it is a root."""
    c, s = cos_sin(angle, count, joint)
    zero = 0.0 * c
    if integer(joint, layout.PARENT) < 0:
        put(body, 0, c)
        put(body, 1, -s)
        put(body, 3, s)
        put(body, 4, c)
        for k in (2, 5, 6, 7, STEP, STEP + 1, STEP + 2):
            put(body, k, zero)
        put(body, 8, zero + 1.0)
    else:
        ca, sa = get(joint, layout.COS_ALPHA), get(joint, layout.SIN_ALPHA)
        cb, sb = get(joint, layout.COS_BETA), get(joint, layout.SIN_BETA)
        rx, ry, rz = (
            get(joint, layout.ORIGIN),
            get(joint, layout.ORIGIN + 1),
            get(joint, layout.ORIGIN + 2),
        )
        has_beta = integer(joint, layout.HAS_BETA) != 0
        for k in range(0, 9, 3):
            x, y, z = get(parent, k), get(parent, k + 1), get(parent, k + 2)
            put(body, STEP + k // 3, rx * x + ry * y + rz * z)
            u = x
            v = y
            if has_beta:
                u = cb * x + sb * y
                v = cb * y - sb * x
            w = ca * v + sa * z
            put(body, k, c * u + s * w)
            put(body, k + 1, c * w - s * u)
            put(body, k + 2, ca * z - sa * v)
    if integer(joint, layout.KIND) != layout.REVOLUTE:
        shift = get(joint, layout.PITCH) * get(angle, 0)
        for k in range(3):
            put(body, STEP + k, get(body, STEP + k) + shift * get(body, 3 * k + 2))


def rotate(body, x, y, z):
    """Return a vector of a body's joint frame in the axes of the root."""
    return (
        get(body, 0) * x + get(body, 1) * y + get(body, 2) * z,
        get(body, 3) * x + get(body, 4) * y + get(body, 5) * z,
        get(body, 6) * x + get(body, 7) * y + get(body, 8) * z,
    )


def to_root_axes(body, target, start, joint_h, s):
    """
    Write a body's first moment (3) and second moment (6) in the axes of the root to `target`.

    `joint_h` and `s` point to the parameters of both in the joint frame.
    """
    hx, hy, hz = rotate(body, get(joint_h, 0), get(joint_h, 1), get(joint_h, 2))
    put(target, start, hx)
    put(target, start + 1, hy)
    put(target, start + 2, hz)
    xx, yy, zz = get(s, 0), get(s, 1), get(s, 2)
    xy, xz, yz = get(s, 3), get(s, 4), get(s, 5)
    a, b, c = rotate(body, xx, xy, xz)
    d, e, f = rotate(body, xy, yy, yz)
    g, h, k = rotate(body, xz, yz, zz)
    # rows of R S are (a, d, g), (b, e, h), (c, f, k)
    put(target, start + 3, get(body, 0) * a + get(body, 1) * d + get(body, 2) * g)
    put(target, start + 4, get(body, 3) * b + get(body, 4) * e + get(body, 5) * h)
    put(target, start + 5, get(body, 6) * c + get(body, 7) * f + get(body, 8) * k)
    put(target, start + 6, get(body, 3) * a + get(body, 4) * d + get(body, 5) * g)
    put(target, start + 7, get(body, 6) * a + get(body, 7) * d + get(body, 8) * g)
    put(target, start + 8, get(body, 6) * b + get(body, 7) * e + get(body, 8) * h)


def screw(body, joint):
    """Return the joint screw (w; v) at the origin of the body, in root axes."""
    x, y, z = get(body, 2), get(body, 5), get(body, 8)
    if integer(joint, layout.KIND) == layout.REVOLUTE:
        zero = 0.0 * x
        return x, y, z, zero, zero, zero
    if integer(joint, layout.KIND) == layout.PRISMATIC:
        zero = 0.0 * x
        return zero, zero, zero, x, y, z
    pitch = get(joint, layout.PITCH)
    return x, y, z, pitch * x, pitch * y, pitch * z


def moved_inertia(body, mass, second, joint):
    """Return the second moment, or mass, of all that a joint moves, of composite bodies."""
    kind, m = integer(joint, layout.KIND), absolute(get(body, mass))
    if kind == layout.PRISMATIC:
        return m
    spread = absolute(get(body, second)) + absolute(get(body, second + 1))
    spread = spread + absolute(get(body, second + 2))
    if kind == layout.REVOLUTE:
        return spread
    return spread + (get(joint, layout.PITCH) * get(joint, layout.PITCH)) * m


def cross(ax, ay, az, bx, by, bz):
    """Return the components of a × b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def put3(rows, start, vector):
    """Write three consecutive rows."""
    put(rows, start, vector[0])
    put(rows, start + 1, vector[1])
    put(rows, start + 2, vector[2])


def get3(rows, start):
    """Return three consecutive rows."""
    return get(rows, start), get(rows, start + 1), get(rows, start + 2)


def add3(rows, start, x, y, z):
    """Add to three consecutive rows."""
    put(rows, start, get(rows, start) + x)
    put(rows, start + 1, get(rows, start + 1) + y)
    put(rows, start + 2, get(rows, start + 2) + z)


def dot6(a, b):
    """Return the product of an acceleration and a wrench."""
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


def get6(rows, start):
    """Return six consecutive rows."""
    return (
        get(rows, start),
        get(rows, start + 1),
        get(rows, start + 2),
        get(rows, start + 3),
        get(rows, start + 4),
        get(rows, start + 5),
    )


def clear(out, size, q):
    """Set `size` rows to zero; `q` is any finite row."""
    zero = 0.0 * get(q, 0)
    for k in range(size):
        put(out, k, zero)
