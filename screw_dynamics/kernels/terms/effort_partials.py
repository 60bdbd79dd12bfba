# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the efforts by q, q' and q'', by composite rigid bodies.

The formulas and names are those of `kernels.tree.effort_partials`, which has them for derivatives
of the efforts as well. All is in the axes of the root and about its origin, where screws, momenta
and wrenches of all bodies add and a pair of joints costs products only. The factors of these
products are the columns of a table, one per body: the bodies of a chain that are numbered one
after the other, as are their coordinates, are consecutive in the table and in the result.
"""

from screw_dynamics.kernels.taylor import layout
from screw_dynamics.kernels.taylor.rows import at, get, independent, integer, put
from screw_dynamics.kernels.terms.articulated import add3, dot6, get6, screw
from screw_dynamics.kernels.terms.places import (
    PLACE,
    STEP,
    clear,
    cross,
    get3,
    joint_row,
    place,
    put3,
    set_angles,
    to_root_axes,
)

# Of a body: origin (3); twist, acceleration less gravity (6 each); composite mass, first and
# second moment (3, 6: xx, yy, zz, xy, xz, yz), momentum (3), flow (9, by rows), wrench (6)
_O, _V, _A = PLACE, PLACE + 3, PLACE + 9
_M, _H, _I = PLACE + 15, PLACE + 16, PLACE + 19
_L, _K, _F = PLACE + 25, PLACE + 28, PLACE + 37
_BLOCK = PLACE + 43

# Rows of the table: screw S of the coordinate, its rate P and R; the torque of B^T S, the wrench
# of I S, those of the columns by q and q'.
_S, _P, _R, _BACKWARD, _INERTIAL, _BY_Q, _BY_RATE = 0, 6, 12, 18, 21, 27, 33
_TABLE = 39


def table_stride(count):
    """Return the length of a row of the table: an odd number of fours, to spread over a cache."""
    return 8 * ((count + 3) // 8) + 4


def partials_rows(count):
    """Return the number of rows of the workspace."""
    return (_BLOCK + 3) * count + _TABLE * table_stride(count)


def bracket(a, b):
    """Return the Lie bracket of two twists."""
    wx, wy, wz, vx, vy, vz = a
    x, y, z, u, v, w = b
    rx, ry, rz = cross(wx, wy, wz, x, y, z)
    ax, ay, az = cross(wx, wy, wz, u, v, w)
    bx, by, bz = cross(vx, vy, vz, x, y, z)
    return rx, ry, rz, ax + bx, ay + by, az + bz


def put6(rows, start, values):
    """Write six consecutive rows."""
    a, b, c, d, e, f = values
    put3(rows, start, (a, b, c))
    put3(rows, start + 3, (d, e, f))


def put_column(column, stride, row, values):
    """Write six rows of a column of the table."""
    a, b, c, d, e, f = values
    put_column3(column, stride, row, (a, b, c))
    put_column3(column, stride, row + 3, (d, e, f))


def put_column3(column, stride, row, values):
    """Write three rows of a column of the table."""
    put(column, row * stride, values[0])
    put(column, (row + 1) * stride, values[1])
    put(column, (row + 2) * stride, values[2])


def get_column3(column, stride, row):
    """Return three rows of a column of the table."""
    column = at(column, row * stride)
    return get(column, 0), get(column, stride), get(column, 2 * stride)


def get_column(column, stride, row):
    """Return six rows of a column of the table."""
    a, b, c = get_column3(column, stride, row)
    d, e, f = get_column3(column, stride, row + 3)
    return a, b, c, d, e, f


def coordinate_screw(body, joint):
    """Return the twist of a body per rate of its coordinate, at its origin, in root axes."""
    factor = get(joint, layout.MULTIPLIER)
    x, y, z, u, v, w = screw(body, joint)
    return factor * x, factor * y, factor * z, factor * u, factor * v, factor * w


def set_root_motion(body, column, stride, joint, rate, acceleration):
    """Write origin, S, P, R, twist and acceleration of a root body."""
    zero = 0.0 * rate
    sx, sy, sz, u, v, w = coordinate_screw(body, joint)
    dx, dy, dz = get3(body, STEP)
    put3(body, _O, (dx, dy, dz))
    cx, cy, cz = cross(dx, dy, dz, sx, sy, sz)
    u, v, w = u + cx, v + cy, w + cz
    gx, gy, gz = get3(joint, layout.ORIGIN)
    put_column(column, stride, _S, (sx, sy, sz, u, v, w))
    put_column(column, stride, _P, (zero, zero, zero, zero, zero, zero))
    cx, cy, cz = cross(gx, gy, gz, sx, sy, sz)
    put_column(column, stride, _R, (zero, zero, zero, cx, cy, cz))
    put6(body, _V, (rate * sx, rate * sy, rate * sz, rate * u, rate * v, rate * w))
    a = acceleration
    put6(body, _A, (a * sx, a * sy, a * sz, gx + a * u, gy + a * v, gz + a * w))


def set_motion(body, parent, column, stride, joint, rate, acceleration):
    """Write origin, S, P, R, twist and acceleration of a body from those of its parent."""
    sx, sy, sz, u, v, w = coordinate_screw(body, joint)
    ox, oy, oz = get3(parent, _O)
    dx, dy, dz = get3(body, STEP)
    ox, oy, oz = ox + dx, oy + dy, oz + dz
    put3(body, _O, (ox, oy, oz))
    cx, cy, cz = cross(ox, oy, oz, sx, sy, sz)
    s = sx, sy, sz, u + cx, v + cy, w + cz
    twist, before = get6(parent, _V), get6(parent, _A)
    p = bracket(twist, s)
    put_column(column, stride, _S, s)
    put_column(column, stride, _P, p)
    x, y, z, e, f, g = bracket(before, s)
    a, b, c, d, h, k = bracket(twist, p)
    put_column(column, stride, _R, (x + a, y + b, z + c, e + d, f + h, g + k))
    sx, sy, sz, u, v, w = s
    x, y, z, e, f, g = twist
    r = rate
    put6(body, _V, (x + r * sx, y + r * sy, z + r * sz, e + r * u, f + r * v, g + r * w))
    x, y, z, e, f, g = before
    px, py, pz, pu, pv, pw = p
    t = acceleration
    put3(body, _A, (x + (t * sx + r * px), y + (t * sy + r * py), z + (t * sz + r * pz)))
    put3(body, _A + 3, (e + (t * u + r * pu), f + (t * v + r * pv), g + (t * w + r * pw)))


def set_moments(body, joint):
    """Write the moments of a single body about the origin of the root."""
    m = get(joint, layout.MASS)
    put(body, _M, 0.0 * get(body, 0) + m)
    to_root_axes(body, _H, at(joint, layout.FIRST_MOMENT), at(joint, layout.SECOND_MOMENT))
    dx, dy, dz = get3(body, _O)
    hx, hy, hz = get3(body, _H)
    ux, uy, uz = hx + m * dx, hy + m * dy, hz + m * dz
    add3(body, _I, dx * (hx + ux), dy * (hy + uy), dz * (hz + uz))
    add3(body, _I + 3, dx * hy + ux * dy, dx * hz + ux * dz, dy * hz + uy * dz)
    put3(body, _H, (ux, uy, uz))  # last: rows of a batch are read as views


def set_loads(body):
    """Write momentum, flow and wrench of a single body."""
    wx, wy, wz, vx, vy, vz = get6(body, _V)
    m = get(body, _M)
    hx, hy, hz = get3(body, _H)
    xx, yy, zz = get3(body, _I)
    xy, xz, yz = get3(body, _I + 3)
    cx, cy, cz = cross(wx, wy, wz, hx, hy, hz)
    px, py, pz = m * vx + cx, m * vy + cy, m * vz + cz
    a = vx * hx + (wy * xz - wz * xy)
    b = vx * hy + (wy * yz - wz * yy)
    c = vx * hz + (wy * zz - wz * yz)
    d = vy * hx + (wz * xx - wx * xz)
    e = vy * hy + (wz * xy - wx * yz)
    f = vy * hz + (wz * xz - wx * zz)
    g = vz * hx + (wx * xy - wy * xx)
    h = vz * hy + (wx * yy - wy * xy)
    k = vz * hz + (wx * yz - wy * xz)
    put3(body, _L, (px, py, pz))
    put3(body, _K, (a, b, c))
    put3(body, _K + 3, (d, e, f))
    put3(body, _K + 6, (g, h, k))
    tx, ty, tz, fx, fy, fz = momentum(body, get6(body, _A))
    ax, ay, az = cross(wx, wy, wz, h - f, c - g, d - b)
    bx, by, bz = cross(vx, vy, vz, px, py, pz)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    put3(body, _F, (tx + (ax + bx), ty + (ay + by), tz + (az + bz)))
    put3(body, _F + 3, (fx + cx, fy + cy, fz + cz))


def momentum(body, twist):
    """Return the wrench I y of a twist y."""
    x, y, z, u, v, w = twist
    m = get(body, _M)
    hx, hy, hz = get3(body, _H)
    xx, yy, zz = get3(body, _I)
    xy, xz, yz = get3(body, _I + 3)
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
    a, b, c = get3(body, _K)
    d, e, f = get3(body, _K + 3)
    g, h, k = get3(body, _K + 6)
    px, py, pz = get3(body, _L)
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
    a, b, c = get3(body, _K)
    d, e, f = get3(body, _K + 3)
    g, h, k = get3(body, _K + 6)
    px, py, pz = get3(body, _L)
    bx, by, bz = cross(px, py, pz, u, v, w)
    return (
        (e + k) * x - d * y - g * z + bx,
        (a + k) * y - b * x - h * z + by,
        (a + e) * z - c * x - f * y + bz,
    )


def turned_force(body, twist):
    """Return -[y, .]^T f = (w × n + v × f; w × f) of a twist y = (w; v) and the wrench (n; f)."""
    x, y, z, u, v, w = twist
    tx, ty, tz, fx, fy, fz = get6(body, _F)
    ax, ay, az = cross(x, y, z, tx, ty, tz)
    bx, by, bz = cross(u, v, w, fx, fy, fz)
    cx, cy, cz = cross(x, y, z, fx, fy, fz)
    return ax + bx, ay + by, az + bz, cx, cy, cz


def set_wrenches(body, column, stride):
    """Write the factors of the entries in row and column of a composite body."""
    s, p = get_column(column, stride, _S), get_column(column, stride, _P)
    put_column3(column, stride, _BACKWARD, backward_torque(body, s))
    put_column(column, stride, _INERTIAL, momentum(body, s))
    a, b, c, d, e, f = flow_wrench(body, s)
    g, h, k, l, m, n = momentum(body, p)  # noqa: E741
    a, b, c, d, e, f = a + g, b + h, c + k, d + l, e + m, f + n
    by_rate = 2.0 * a, 2.0 * b, 2.0 * c, 2.0 * d, 2.0 * e, 2.0 * f
    put_column(column, stride, _BY_RATE, by_rate)
    a, b, c, d, e, f = flow_wrench(body, p)
    g, h, k, l, m, n = momentum(body, get_column(column, stride, _R))  # noqa: E741
    x, y, z, u, v, w = turned_force(body, s)
    a, b, c = 2.0 * a + (g + x), 2.0 * b + (h + y), 2.0 * c + (k + z)
    d, e, f = 2.0 * d + (l + u), 2.0 * e + (m + v), 2.0 * f + (n + w)
    put_column(column, stride, _BY_Q, (a, b, c, d, e, f))


def add_to_parent(body, parent):
    """Add inertia, momentum, flow and wrench of a composite body to those of its parent."""
    for k in range(_M, _BLOCK):
        put(parent, k, get(parent, k) + get(body, k))


def add(out, k, value):
    """Add a value to an entry of the result."""
    put(out, k, get(out, k) + value)


def follows(parameters, i):
    """Return whether body i is the child of body i - 1, and its coordinate the next one."""
    joint, before = joint_row(parameters, i), joint_row(parameters, i - 1)
    step = integer(joint, layout.COORDINATE) - integer(before, layout.COORDINATE)
    return step == 1 and integer(joint, layout.PARENT) == i - 1


def clear_row(out, row, n, q):
    """Set a row of the three matrices to zero."""
    for k in range(3):
        clear(at(out, (k * n + row) * n), n, q)


def add_rows(out, table, stride, n, row, i, first, size, start):
    """Add the entries in the row of body i and the columns of `size` bodies from `first` on."""
    rows, many, target = at(table, i), at(table, first), at(out, row * n + start)
    p, q, r = get_column3(rows, stride, _BACKWARD)
    inertial = get_column(rows, stride, _INERTIAL)
    by_rate, mass = at(target, n * n), at(target, 2 * n * n)
    for j in independent(size):
        column = at(many, j)
        screw_j, rate_j = get_column(column, stride, _S), get_column(column, stride, _P)
        a, b, c, d, e, f = screw_j
        x, y, z, u, v, w = rate_j
        add(mass, j, dot6(inertial, screw_j))
        add(by_rate, j, 2.0 * (dot6(inertial, rate_j) + (p * a + q * b + r * c)))
        entry = dot6(inertial, get_column(column, stride, _R))
        add(target, j, entry + 2.0 * (p * x + q * y + r * z))


def add_columns(out, table, stride, n, row, j, first, size, start):
    """Add the entries in the row of body j and the columns of `size` bodies below it."""
    many, target = at(table, first), at(out, row * n + start)
    screw_j = get_column(at(table, j), stride, _S)
    by_rate, mass = at(target, n * n), at(target, 2 * n * n)
    for i in independent(size):
        column = at(many, i)
        add(target, i, dot6(screw_j, get_column(column, stride, _BY_Q)))
        add(by_rate, i, dot6(screw_j, get_column(column, stride, _BY_RATE)))
        add(mass, i, dot6(screw_j, get_column(column, stride, _INERTIAL)))


def effort_partials(ws, q, qd, qdd, out, parameters):
    """Write the derivatives (3, n, n) by q, q' and q''."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    angles, stride = _BLOCK * count, table_stride(count)
    table = at(ws, angles + 3 * count)
    set_angles(ws, angles, q, parameters)
    for i in range(count):
        joint, body, column = joint_row(parameters, i), at(ws, i * _BLOCK), at(table, i)
        j, c = integer(joint, layout.PARENT), integer(joint, layout.COORDINATE)
        rate, acceleration = get(qd, c), get(qdd, c)
        parent = at(ws, max(j, 0) * _BLOCK)
        place(body, parent, at(ws, angles + i), count, joint)
        if j < 0:
            set_root_motion(body, column, stride, joint, rate, acceleration)
        else:
            set_motion(body, parent, column, stride, joint, rate, acceleration)
        set_moments(body, joint)
        set_loads(body)
    for i in range(count - 1, -1, -1):
        body, j = at(ws, i * _BLOCK), integer(joint_row(parameters, i), layout.PARENT)
        set_wrenches(body, at(table, i), stride)
        if j >= 0:
            add_to_parent(body, at(ws, j * _BLOCK))
    if count != n:
        # some bodies share a row
        clear(out, 3 * n * n, q)
    first = 0
    while first < count:
        last = first
        while last + 1 < count and follows(parameters, last + 1):
            last = last + 1
        size, start = last - first + 1, integer(joint_row(parameters, first), layout.COORDINATE)
        for i in range(size):
            row, here = start + i, first + i
            if count == n:
                clear_row(out, row, n, q)
            add_rows(out, table, stride, n, row, here, first, i + 1, start)
            add_columns(out, table, stride, n, row, here, here + 1, size - i - 1, row + 1)
        # the bodies between these and the base, as far as they follow each other
        last = integer(joint_row(parameters, first), layout.PARENT)
        while last >= 0:
            top = last
            while top > 0 and follows(parameters, top):
                top = top - 1
            others, above = last - top + 1, integer(joint_row(parameters, top), layout.COORDINATE)
            for i in range(size):
                add_rows(out, table, stride, n, start + i, first + i, top, others, above)
            for j in range(others):
                add_columns(out, table, stride, n, above + j, top + j, first, size, start)
            last = integer(joint_row(parameters, top), layout.PARENT)
        first = first + size
