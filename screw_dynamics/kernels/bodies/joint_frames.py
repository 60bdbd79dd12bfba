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


def set_sines(count, rate, cosine, sine):
    """Write the terms of cos and sin of an angle behind the constant ones, from those of q'."""
    for j in range(1, count):
        c, s = get(rate, 0) * get(sine, j - 1), get(rate, 0) * get(cosine, j - 1)
        for m in range(1, j):
            c = c + get(rate, m) * get(sine, j - 1 - m)
            s = s + get(rate, m) * get(cosine, j - 1 - m)
        put(cosine, j, (-1.0 / j) * c)
        put(sine, j, (1.0 / j) * s)


def shift_screws(order, screws, q, rate, travel):
    """Refer screws (w; v), 6 rows per term, to an origin that moves along z by travel q."""
    # in place, from the highest order on: term k depends on those up to k only
    for k in range(6 * order, -1, -6):
        shift = travel * get(q, 0)
        u = get(screws, k + 3) + shift * get(screws, k + 1)
        v = get(screws, k + 4) - shift * get(screws, k)
        for s in range(1, k // 6 + 1):
            shift = (travel / s) * get(rate, s - 1)
            u = u + shift * get(screws, k - 6 * s + 1)
            v = v - shift * get(screws, k - 6 * s)
        put(screws, k + 3, u)
        put(screws, k + 4, v)


def turn_screws(order, screws, cosine, sine):
    """Refer screws, 6 rows per term, to axes that turn about z, in place as `shift_screws`."""
    for k in range(6 * order, -1, -6):
        for part in (k, k + 3):
            c, s = get(cosine, 0), get(sine, 0)
            x = c * get(screws, part) + s * get(screws, part + 1)
            y = c * get(screws, part + 1) - s * get(screws, part)
            for m in range(1, k // 6 + 1):
                c, s = get(cosine, m), get(sine, m)
                u, v = get(screws, part - 6 * m), get(screws, part - 6 * m + 1)
                x, y = x + (c * u + s * v), y + (c * v - s * u)
            put(screws, part, x)
            put(screws, part + 1, y)


def place(body, parent, angle, count, joint):
    """Write the place of a body, from that of its parent unless it is a root."""
    c, s = cos_sin(angle, count, joint)
    zero = 0.0 * c
    if integer(joint, layout.PARENT) < 0:
        put3(body, 0, (c, -s, zero))
        put3(body, 3, (s, c, zero))
        put3(body, 6, (zero, zero, zero + 1.0))
        put3(body, STEP, (zero, zero, zero))
    else:
        ca, sa = get(joint, layout.COS_ALPHA), get(joint, layout.SIN_ALPHA)
        cb, sb = get(joint, layout.COS_BETA), get(joint, layout.SIN_BETA)
        rx, ry, rz = get3(joint, layout.ORIGIN)
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
    hx, hy, hz = get3(joint_h, 0)
    put3(target, start, rotate(body, hx, hy, hz))
    xx, yy, zz, xy, xz, yz = get6(s, 0)
    a, b, c = rotate(body, xx, xy, xz)
    d, e, f = rotate(body, xy, yy, yz)
    g, h, k = rotate(body, xz, yz, zz)
    # rows of R S are (a, d, g), (b, e, h), (c, f, k)
    xx, xy, xz = rotate(body, a, d, g)
    _, yy, yz = rotate(body, b, e, h)
    _, _, zz = rotate(body, c, f, k)
    put6(target, start + 3, (xx, yy, zz, xy, xz, yz))


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


def put6(rows, start, vector):
    """Write six consecutive rows."""
    a, b, c, d, e, f = vector
    put3(rows, start, (a, b, c))
    put3(rows, start + 3, (d, e, f))


def add6(rows, start, vector):
    """Add to six consecutive rows."""
    a, b, c, d, e, f = vector
    add3(rows, start, a, b, c)
    add3(rows, start + 3, d, e, f)


def sum6(a, b):
    """Return the sum of two vectors of six components."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


def scaled6(factor, a):
    """Return a multiple of a vector of six components."""
    return factor * a[0], factor * a[1], factor * a[2], factor * a[3], factor * a[4], factor * a[5]


def clear(out, size, q):
    """Set `size` rows to zero; `q` is any finite row."""
    zero = 0.0 * get(q, 0)
    for k in range(size):
        put(out, k, zero)
