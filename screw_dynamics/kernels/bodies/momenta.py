# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Taylor series of the screws, momenta and wrenches of bodies, about the origin of the root.

In the axes of the root and about one point, those of all bodies add. With a joint screw S, the
twist v and the acceleration a of the parent, P = [v, S] is the rate of the screw, and R =
[a, S] + [v, P]. Beside its inertia I, a body has the momentum p = integral of u dm and the flow
K = integral of u x^T dm, with the velocity u of the point x: B y = (tr(K) w - K w; w × p) and
B^T y = (tr(K) w - K^T w + p × v; 0) for a twist y = (w; v).

The series of screws are the columns of a table, one per body: the bodies of a chain that are
numbered one after the other are consecutive in it. The first block of the workspace is the base's.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.joint_frames import (
    PLACE,
    STEP,
    add3,
    add6,
    cross,
    get3,
    get6,
    joint_row,
    place,
    put3,
    scaled6,
    screw,
    set_angles,
    sum6,
    to_root_axes,
)
from screw_dynamics.kernels.bodies.rows import at, get, integer, put

# Of a body: its origin (3), then of every term: twist, acceleration less gravity (6 each);
# composite mass, first and second moment (3, 6: xx, yy, zz, xy, xz, yz), momentum (3), flow (9, by
# rows), wrench (6); rate and acceleration of the coordinate
ORIGIN, TERMS = PLACE, PLACE + 3
TWIST, ACCELERATION, MASS, FIRST, SECOND, MOMENTUM = 0, 6, 12, 13, 16, 22
FLOW, WRENCH, RATE, TERM = 25, 34, 40, 42

# Rows of the table, of every term: screw S of the coordinate, its rate P and R; the torque of
# B^T S, the wrench of I S, those of the columns by q and q'.
SCREW, SCREW_RATE, BY_BASE, BACKWARD, INERTIAL, BY_Q, BY_RATE = 0, 6, 12, 18, 21, 27, 33
TABLE = 39


def block_rows(order):
    """Return the number of rows of a body."""
    return TERMS + (order + 1) * TERM


def table_stride(count):
    """Return the length of a row of the table: an odd number of fours, to spread over a cache."""
    return 8 * ((count + 3) // 8) + 4


def put_or_add(first, rows, start, values):
    """Write three rows if they are the first ones of a sum, or add to them."""
    x, y, z = values
    if first:
        put3(rows, start, (x, y, z))
    else:
        add3(rows, start, x, y, z)


def put_column(first, column, stride, row, values):
    """Write six rows of a column of the table, or add to them."""
    a, b, c, d, e, f = values
    put_column3(first, column, stride, row, (a, b, c))
    put_column3(first, column, stride, row + 3, (d, e, f))


def put_column3(first, column, stride, row, values):
    """Write three rows of a column of the table, or add to them."""
    column = at(column, row * stride)
    x, y, z = values
    if not first:
        x, y, z = get(column, 0) + x, get(column, stride) + y, get(column, 2 * stride) + z
    put(column, 0, x)
    put(column, stride, y)
    put(column, 2 * stride, z)


def get_column3(column, stride, row):
    """Return three rows of a column of the table."""
    column = at(column, row * stride)
    return get(column, 0), get(column, stride), get(column, 2 * stride)


def get_column(column, stride, row):
    """Return six rows of a column of the table."""
    a, b, c = get_column3(column, stride, row)
    d, e, f = get_column3(column, stride, row + 3)
    return a, b, c, d, e, f


def bracket(a, b):
    """Return the Lie bracket of two twists."""
    wx, wy, wz, vx, vy, vz = a
    x, y, z, u, v, w = b
    rx, ry, rz = cross(wx, wy, wz, x, y, z)
    ax, ay, az = cross(wx, wy, wz, u, v, w)
    bx, by, bz = cross(vx, vy, vz, x, y, z)
    return rx, ry, rz, ax + bx, ay + by, az + bz


def coordinate_screw(body, joint):
    """Return the twist of a body per rate of its coordinate, at its origin, in root axes."""
    return scaled6(get(joint, layout.MULTIPLIER), screw(body, joint))


def set_base(base, jet, order, gravity):
    """Write the motion of the base of a root, which accelerates against gravity."""
    zero = 0.0 * get(jet, 0)
    put3(base, ORIGIN, (zero, zero, zero))
    for k in range((order + 1) * TERM):
        put(base, TERMS + k, zero)
    gx, gy, gz = get3(gravity, 0)
    put3(base, TERMS + ACCELERATION + 3, (zero + gx, zero + gy, zero + gz))


def set_rates(order, terms, jet, n, c):
    """Write the series of rate and acceleration of a coordinate."""
    factor = 1.0
    for k in range(order + 1):
        rates = at(terms, k * TERM + RATE)
        put(rates, 0, factor * get(jet, (k + 1) * n + c))
        put(rates, 1, factor * get(jet, (k + 2) * n + c))
        factor = factor / (k + 1.0)


def set_screw(body, parent, column, stride, joint):
    """Write the origin and the constant term of S."""
    sx, sy, sz, u, v, w = coordinate_screw(body, joint)
    ox, oy, oz = get3(parent, ORIGIN)
    dx, dy, dz = get3(body, STEP)
    ox, oy, oz = ox + dx, oy + dy, oz + dz
    put3(body, ORIGIN, (ox, oy, oz))
    cx, cy, cz = cross(ox, oy, oz, sx, sy, sz)
    put_column(True, column, stride, SCREW, (sx, sy, sz, u + cx, v + cy, w + cz))


def set_motion(k, order, terms, before, column, stride):
    """Write term k of P, R, twist and acceleration from those of the parent, and k + 1 of S."""
    here, step = at(column, k * TABLE * stride), TABLE * stride
    for s in range(k + 1):
        screw_s = get_column(at(column, (k - s) * step), stride, SCREW)
        put_column(
            s == 0, here, stride, SCREW_RATE, bracket(get6(at(before, s * TERM), TWIST), screw_s)
        )
    if k < order:
        screw_k = scaled6(1.0 / (k + 1.0), get_column(here, stride, SCREW_RATE))
        put_column(True, at(here, step), stride, SCREW, screw_k)
    now = at(terms, k * TERM)
    for j in range(12):
        put(now, j, get(before, k * TERM + j))
    for s in range(k + 1):
        old, other = at(before, s * TERM), at(column, (k - s) * step)
        screw_s, rate_s = get_column(other, stride, SCREW), get_column(other, stride, SCREW_RATE)
        by_base = sum6(
            bracket(get6(old, ACCELERATION), screw_s), bracket(get6(old, TWIST), rate_s)
        )
        put_column(s == 0, here, stride, BY_BASE, by_base)
        rates = at(terms, s * TERM + RATE)
        rate, acceleration = get(rates, 0), get(rates, 1)
        add6(now, TWIST, scaled6(rate, screw_s))
        add6(now, ACCELERATION, sum6(scaled6(acceleration, screw_s), scaled6(rate, rate_s)))


def set_moments(body, terms, joint):
    """Write the constant term of the moments of a single body about the origin of the root."""
    m = get(joint, layout.MASS)
    put(terms, MASS, 0.0 * get(body, 0) + m)
    to_root_axes(
        body, terms, FIRST, at(joint, layout.FIRST_MOMENT), at(joint, layout.SECOND_MOMENT)
    )
    dx, dy, dz = get3(body, ORIGIN)
    hx, hy, hz = get3(terms, FIRST)
    ux, uy, uz = hx + m * dx, hy + m * dy, hz + m * dz
    add3(terms, SECOND, dx * (hx + ux), dy * (hy + uy), dz * (hz + uz))
    add3(terms, SECOND + 3, dx * hy + ux * dy, dx * hz + ux * dz, dy * hz + uy * dz)
    put3(terms, FIRST, (ux, uy, uz))  # last: rows of a batch are read as views


def set_next_moments(k, before, now):
    """Write term k > 0 of the moments from the momentum and flow before."""
    r = 1.0 / k
    px, py, pz = get3(before, MOMENTUM)
    a, b, c = get3(before, FLOW)
    d, e, f = get3(before, FLOW + 3)
    g, h, i = get3(before, FLOW + 6)
    put(now, MASS, 0.0 * px)
    put3(now, FIRST, (r * px, r * py, r * pz))
    put3(now, SECOND, (2.0 * r * a, 2.0 * r * e, 2.0 * r * i))
    put3(now, SECOND + 3, (r * (b + d), r * (c + g), r * (f + h)))


def add_flow(first, moving, body, now):
    """Write momentum and flow of one term of the twist and one of the moments, or add them."""
    wx, wy, wz, vx, vy, vz = get6(moving, TWIST)
    m = get(body, MASS)
    hx, hy, hz = get3(body, FIRST)
    xx, yy, zz = get3(body, SECOND)
    xy, xz, yz = get3(body, SECOND + 3)
    cx, cy, cz = cross(wx, wy, wz, hx, hy, hz)
    put_or_add(first, now, MOMENTUM, (m * vx + cx, m * vy + cy, m * vz + cz))
    a = vx * hx + (wy * xz - wz * xy)
    b = vx * hy + (wy * yz - wz * yy)
    c = vx * hz + (wy * zz - wz * yz)
    put_or_add(first, now, FLOW, (a, b, c))
    a = vy * hx + (wz * xx - wx * xz)
    b = vy * hy + (wz * xy - wx * yz)
    c = vy * hz + (wz * xz - wx * zz)
    put_or_add(first, now, FLOW + 3, (a, b, c))
    a = vz * hx + (wx * xy - wy * xx)
    b = vz * hy + (wx * yy - wy * xy)
    c = vz * hz + (wx * yz - wy * xz)
    put_or_add(first, now, FLOW + 6, (a, b, c))


def add_wrench(first, moving, body, now):
    """Write the wrench of one term of the motion and one of moments and flow, or add it."""
    tx, ty, tz, fx, fy, fz = momentum(body, get6(moving, ACCELERATION))
    wx, wy, wz, vx, vy, vz = get6(moving, TWIST)
    px, py, pz = get3(body, MOMENTUM)
    x = get(body, FLOW + 7) - get(body, FLOW + 5)
    y = get(body, FLOW + 2) - get(body, FLOW + 6)
    z = get(body, FLOW + 3) - get(body, FLOW + 1)
    ax, ay, az = cross(wx, wy, wz, x, y, z)
    bx, by, bz = cross(vx, vy, vz, px, py, pz)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    torque = tx + (ax + bx), ty + (ay + by), tz + (az + bz)
    put_or_add(first, now, WRENCH, torque)
    put_or_add(first, now, WRENCH + 3, (fx + cx, fy + cy, fz + cz))


def set_loads(k, terms):
    """Write term k of momentum, flow and wrench of a single body."""
    now = at(terms, k * TERM)
    for s in range(k + 1):
        add_flow(s == 0, at(terms, s * TERM), at(terms, (k - s) * TERM), now)
    for s in range(k + 1):
        add_wrench(s == 0, at(terms, s * TERM), at(terms, (k - s) * TERM), now)


def momentum(body, twist):
    """Return the wrench I y of a twist y."""
    x, y, z, u, v, w = twist
    m = get(body, MASS)
    hx, hy, hz = get3(body, FIRST)
    xx, yy, zz = get3(body, SECOND)
    xy, xz, yz = get3(body, SECOND + 3)
    return (
        ((yy + zz) * x - xy * y - xz * z) + (hy * w - hz * v),
        ((xx + zz) * y - xy * x - yz * z) + (hz * u - hx * w),
        ((xx + yy) * z - xz * x - yz * y) + (hx * v - hy * u),
        m * u + (y * hz - z * hy),
        m * v + (z * hx - x * hz),
        m * w + (x * hy - y * hx),
    )


def flow_wrench(body, twist):
    """Return B y = (tr(K) w - K w; w × p) of a twist y = (w; v)."""
    x, y, z, u, v, w = twist
    a, b, c = get3(body, FLOW)
    d, e, f = get3(body, FLOW + 3)
    g, h, k = get3(body, FLOW + 6)
    px, py, pz = get3(body, MOMENTUM)
    fx, fy, fz = cross(x, y, z, px, py, pz)
    return (
        (e + k) * x - b * y - c * z,
        (a + k) * y - d * x - f * z,
        (a + e) * z - g * x - h * y,
        fx,
        fy,
        fz,
    )


def backward_torque(body, twist):
    """Return the torque of B^T y = (tr(K) w - K^T w + p × v; 0) of a twist y = (w; v)."""
    x, y, z, u, v, w = twist
    a, b, c = get3(body, FLOW)
    d, e, f = get3(body, FLOW + 3)
    g, h, k = get3(body, FLOW + 6)
    px, py, pz = get3(body, MOMENTUM)
    bx, by, bz = cross(px, py, pz, u, v, w)
    return (
        (e + k) * x - d * y - g * z + bx,
        (a + k) * y - b * x - h * z + by,
        (a + e) * z - c * x - f * y + bz,
    )


def add_to_parent(order, terms, parent):
    """Add inertia, momentum, flow and wrench of a composite body to those of its parent."""
    for t in range(order + 1):
        for k in range(t * TERM + MASS, t * TERM + RATE):
            put(parent, k, get(parent, k) + get(terms, k))


def table_start(order, count):
    """Return the first row of the table in the workspace."""
    return (count + 1) * block_rows(order) + 3 * count


def momenta_rows(order, count):
    """Return the number of rows of the workspace."""
    return table_start(order, count) + (order + 1) * TABLE * table_stride(count)


def set_bodies(order, ws, jet, parameters):
    """Write the series of all bodies, which are not composite yet, and their table."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    block, stride = block_rows(order), table_stride(count)
    bodies, angles = at(ws, block), (count + 1) * block
    table = at(ws, table_start(order, count))
    set_angles(ws, angles, jet, parameters)
    for i in range(count):
        joint, body, column = joint_row(parameters, i), at(bodies, i * block), at(table, i)
        j, terms = integer(joint, layout.PARENT), at(body, TERMS)
        parent = at(ws, (j + 1) * block)
        if j < 0:
            set_base(parent, jet, order, at(joint, layout.ORIGIN))
        place(body, parent, at(ws, angles + i), count, joint)
        set_rates(order, terms, jet, n, integer(joint, layout.COORDINATE))
        set_screw(body, parent, column, stride, joint)
        set_moments(body, terms, joint)
        for k in range(order + 1):
            set_motion(k, order, terms, at(parent, TERMS), column, stride)
            if k > 0:
                set_next_moments(k, at(terms, (k - 1) * TERM), at(terms, k * TERM))
            set_loads(k, terms)
