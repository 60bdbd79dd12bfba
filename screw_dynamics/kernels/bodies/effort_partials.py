# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the efforts and of their time derivatives, by composite rigid bodies.

All quantities are Taylor series in the axes of the root and about its origin, where screws,
momenta and wrenches of all bodies add and a pair of joints costs products only. With a joint screw
S, the twist v and the acceleration a of the parent, P = [v, S], R = [a, S] + [v, P], the inertia
I, the momentum flow matrix B and the wrench f of the bodies behind a joint, for j on the path of i,

    dtau_i/dq_j = S_i^T (2 B_i P_j + I_i R_j)
    dtau_j/dq_i = S_j^T (2 B_i P_i + I_i R_i - [S_i, .]^T f_i)
    dtau_i/dq_j' = S_i^T (2 B_i S_j + 2 I_i P_j)
    dtau_j/dq_i' = S_j^T (2 B_i S_i + 2 I_i P_i)
    dtau_i/dq_j'' = S_i^T I_i S_j

The factors of these products are the columns of a table, one per body: the bodies of a chain that
are numbered one after the other, as are their coordinates, are consecutive in the table and in the
result. The first block of the workspace is that of the base.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.rows import at, get, independent, integer, put
from screw_dynamics.kernels.bodies.joint_frames import (
    PLACE,
    STEP,
    add3,
    clear,
    cross,
    dot6,
    get3,
    get6,
    joint_row,
    place,
    put3,
    screw,
    set_angles,
    to_root_axes,
)

# Of a body: its origin (3), then of every term: twist, acceleration less gravity (6 each);
# composite mass, first and second moment (3, 6: xx, yy, zz, xy, xz, yz), momentum (3), flow (9, by
# rows), wrench (6); rate and acceleration of the coordinate
_O, _TERMS = PLACE, PLACE + 3
_V, _A, _M, _H, _I, _L, _K, _F, _RATE = 0, 6, 12, 13, 16, 22, 25, 34, 40
_TERM = 42

# Rows of the table, of every term: screw S of the coordinate, its rate P and R; the torque of
# B^T S, the wrench of I S, those of the columns by q and q'.
_S, _P, _R, _BACKWARD, _INERTIAL, _BY_Q, _BY_RATE = 0, 6, 12, 18, 21, 27, 33
_TABLE = 39


def block_rows(order):
    """Return the number of rows of a body."""
    return _TERMS + (order + 1) * _TERM


def table_stride(count):
    """Return the length of a row of the table: an odd number of fours, to spread over a cache."""
    return 8 * ((count + 3) // 8) + 4


def partials_rows(order, count):
    """Return the number of rows of the workspace."""
    table = (order + 1) * _TABLE * table_stride(count)
    return (count + 1) * block_rows(order) + 3 * count + table


def bracket(a, b):
    """Return the Lie bracket of two twists."""
    wx, wy, wz, vx, vy, vz = a
    x, y, z, u, v, w = b
    rx, ry, rz = cross(wx, wy, wz, x, y, z)
    ax, ay, az = cross(wx, wy, wz, u, v, w)
    bx, by, bz = cross(vx, vy, vz, x, y, z)
    return rx, ry, rz, ax + bx, ay + by, az + bz


def put_or_add(first, rows, start, values):
    """Write three rows if they are the first ones of a sum, or add to them."""
    x, y, z = values
    if first:
        put3(rows, start, (x, y, z))
    else:
        add3(rows, start, x, y, z)


def put_or_add6(first, rows, start, values):
    """Write six rows if they are the first ones of a sum, or add to them."""
    a, b, c, d, e, f = values
    put_or_add(first, rows, start, (a, b, c))
    put_or_add(first, rows, start + 3, (d, e, f))


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


def coordinate_screw(body, joint):
    """Return the twist of a body per rate of its coordinate, at its origin, in root axes."""
    factor = get(joint, layout.MULTIPLIER)
    x, y, z, u, v, w = screw(body, joint)
    return factor * x, factor * y, factor * z, factor * u, factor * v, factor * w


def set_base(base, jet, order, gravity):
    """Write the motion of the base of a root, which accelerates against gravity."""
    zero = 0.0 * get(jet, 0)
    put3(base, _O, (zero, zero, zero))
    for k in range((order + 1) * _TERM):
        put(base, _TERMS + k, zero)
    gx, gy, gz = get3(gravity, 0)
    put3(base, _TERMS + _A + 3, (zero + gx, zero + gy, zero + gz))


def set_rates(order, terms, jet, n, c):
    """Write the series of rate and acceleration of a coordinate."""
    factor = 1.0
    for k in range(order + 1):
        rates = at(terms, k * _TERM + _RATE)
        put(rates, 0, factor * get(jet, (k + 1) * n + c))
        put(rates, 1, factor * get(jet, (k + 2) * n + c))
        factor = factor / (k + 1.0)


def set_screw(body, parent, column, stride, joint):
    """Write the origin and the constant term of S."""
    sx, sy, sz, u, v, w = coordinate_screw(body, joint)
    ox, oy, oz = get3(parent, _O)
    dx, dy, dz = get3(body, STEP)
    ox, oy, oz = ox + dx, oy + dy, oz + dz
    put3(body, _O, (ox, oy, oz))
    cx, cy, cz = cross(ox, oy, oz, sx, sy, sz)
    put_column(True, column, stride, _S, (sx, sy, sz, u + cx, v + cy, w + cz))


def set_motion(k, order, terms, before, column, stride):
    """Write term k of P, R, twist and acceleration from those of the parent, and k + 1 of S."""
    here, step = at(column, k * _TABLE * stride), _TABLE * stride
    for s in range(k + 1):
        screw_s = get_column(at(column, (k - s) * step), stride, _S)
        put_column(s == 0, here, stride, _P, bracket(get6(at(before, s * _TERM), _V), screw_s))
    a, b, c, d, e, f = get_column(here, stride, _P)
    if k < order:
        r = 1.0 / (k + 1.0)
        screw_k = r * a, r * b, r * c, r * d, r * e, r * f
        put_column(True, at(here, step), stride, _S, screw_k)
    now = at(terms, k * _TERM)
    for j in range(12):
        put(now, j, get(before, k * _TERM + j))
    for s in range(k + 1):
        old, other = at(before, s * _TERM), at(column, (k - s) * step)
        screw_s, rate_s = get_column(other, stride, _S), get_column(other, stride, _P)
        x, y, z, u, v, w = bracket(get6(old, _A), screw_s)
        a, b, c, d, e, f = bracket(get6(old, _V), rate_s)
        put_column(s == 0, here, stride, _R, (x + a, y + b, z + c, u + d, v + e, w + f))
        x, y, z, u, v, w = screw_s
        a, b, c, d, e, f = rate_s
        rates = at(terms, s * _TERM + _RATE)
        r, t = get(rates, 0), get(rates, 1)
        add3(now, _V, r * x, r * y, r * z)
        add3(now, _V + 3, r * u, r * v, r * w)
        add3(now, _A, t * x + r * a, t * y + r * b, t * z + r * c)
        add3(now, _A + 3, t * u + r * d, t * v + r * e, t * w + r * f)


def set_moments(body, terms, joint):
    """Write the constant term of the moments of a single body about the origin of the root."""
    m = get(joint, layout.MASS)
    put(terms, _M, 0.0 * get(body, 0) + m)
    to_root_axes(body, terms, _H, at(joint, layout.FIRST_MOMENT), at(joint, layout.SECOND_MOMENT))
    dx, dy, dz = get3(body, _O)
    hx, hy, hz = get3(terms, _H)
    ux, uy, uz = hx + m * dx, hy + m * dy, hz + m * dz
    add3(terms, _I, dx * (hx + ux), dy * (hy + uy), dz * (hz + uz))
    add3(terms, _I + 3, dx * hy + ux * dy, dx * hz + ux * dz, dy * hz + uy * dz)
    put3(terms, _H, (ux, uy, uz))  # last: rows of a batch are read as views


def set_next_moments(k, before, now):
    """Write term k > 0 of the moments from the momentum and flow before."""
    r = 1.0 / k
    px, py, pz = get3(before, _L)
    a, b, c = get3(before, _K)
    d, e, f = get3(before, _K + 3)
    g, h, i = get3(before, _K + 6)
    put(now, _M, 0.0 * px)
    put3(now, _H, (r * px, r * py, r * pz))
    put3(now, _I, (2.0 * r * a, 2.0 * r * e, 2.0 * r * i))
    put3(now, _I + 3, (r * (b + d), r * (c + g), r * (f + h)))


def add_flow(first, moving, body, now):
    """Write momentum and flow of one term of the twist and one of the moments, or add them."""
    wx, wy, wz, vx, vy, vz = get6(moving, _V)
    m = get(body, _M)
    hx, hy, hz = get3(body, _H)
    xx, yy, zz = get3(body, _I)
    xy, xz, yz = get3(body, _I + 3)
    cx, cy, cz = cross(wx, wy, wz, hx, hy, hz)
    put_or_add(first, now, _L, (m * vx + cx, m * vy + cy, m * vz + cz))
    a = vx * hx + (wy * xz - wz * xy)
    b = vx * hy + (wy * yz - wz * yy)
    c = vx * hz + (wy * zz - wz * yz)
    put_or_add(first, now, _K, (a, b, c))
    a = vy * hx + (wz * xx - wx * xz)
    b = vy * hy + (wz * xy - wx * yz)
    c = vy * hz + (wz * xz - wx * zz)
    put_or_add(first, now, _K + 3, (a, b, c))
    a = vz * hx + (wx * xy - wy * xx)
    b = vz * hy + (wx * yy - wy * xy)
    c = vz * hz + (wx * yz - wy * xz)
    put_or_add(first, now, _K + 6, (a, b, c))


def add_wrench(first, moving, body, now):
    """Write the wrench of one term of the motion and one of moments and flow, or add it."""
    tx, ty, tz, fx, fy, fz = momentum(body, get6(moving, _A))
    wx, wy, wz, vx, vy, vz = get6(moving, _V)
    px, py, pz = get3(body, _L)
    x = get(body, _K + 7) - get(body, _K + 5)
    y = get(body, _K + 2) - get(body, _K + 6)
    z = get(body, _K + 3) - get(body, _K + 1)
    ax, ay, az = cross(wx, wy, wz, x, y, z)
    bx, by, bz = cross(vx, vy, vz, px, py, pz)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    torque = tx + (ax + bx), ty + (ay + by), tz + (az + bz)
    put_or_add(first, now, _F, torque)
    put_or_add(first, now, _F + 3, (fx + cx, fy + cy, fz + cz))


def set_loads(k, terms):
    """Write term k of momentum, flow and wrench of a single body."""
    now = at(terms, k * _TERM)
    for s in range(k + 1):
        add_flow(s == 0, at(terms, s * _TERM), at(terms, (k - s) * _TERM), now)
    for s in range(k + 1):
        add_wrench(s == 0, at(terms, s * _TERM), at(terms, (k - s) * _TERM), now)


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


def add_wrenches(first, body, column, here, stride):
    """Write the factors of the entries of a composite body from one term each, or add them."""
    s, p = get_column(column, stride, _S), get_column(column, stride, _P)
    put_column3(first, here, stride, _BACKWARD, backward_torque(body, s))
    put_column(first, here, stride, _INERTIAL, momentum(body, s))
    a, b, c, d, e, f = flow_wrench(body, s)
    g, h, k, l, m, n = momentum(body, p)  # noqa: E741
    a, b, c, d, e, f = a + g, b + h, c + k, d + l, e + m, f + n
    by_rate = 2.0 * a, 2.0 * b, 2.0 * c, 2.0 * d, 2.0 * e, 2.0 * f
    put_column(first, here, stride, _BY_RATE, by_rate)
    a, b, c, d, e, f = flow_wrench(body, p)
    g, h, k, l, m, n = momentum(body, get_column(column, stride, _R))  # noqa: E741
    x, y, z, u, v, w = turned_force(body, s)
    a, b, c = 2.0 * a + (g + x), 2.0 * b + (h + y), 2.0 * c + (k + z)
    d, e, f = 2.0 * d + (l + u), 2.0 * e + (m + v), 2.0 * f + (n + w)
    put_column(first, here, stride, _BY_Q, (a, b, c, d, e, f))


def add_to_parent(order, terms, parent):
    """Add inertia, momentum, flow and wrench of a composite body to those of its parent."""
    for t in range(order + 1):
        for k in range(t * _TERM + _M, t * _TERM + _RATE):
            put(parent, k, get(parent, k) + get(terms, k))


def add(out, k, value):
    """Add a value to an entry of the result."""
    put(out, k, get(out, k) + value)


def follows(parameters, i):
    """Return whether body i is the child of body i - 1, and its coordinate the next one."""
    joint, before = joint_row(parameters, i), joint_row(parameters, i - 1)
    step = integer(joint, layout.COORDINATE) - integer(before, layout.COORDINATE)
    return step == 1 and integer(joint, layout.PARENT) == i - 1


def clear_row(out, row, n, q):
    """Set a row of the three matrices of order 0 to zero."""
    for k in range(3):
        clear(at(out, (k * n + row) * n), n, q)


def add_rows(order, out, table, stride, n, row, i, first, size, start):
    """Add the entries in the row of body i and the columns of `size` bodies from `first` on."""
    step, factorial = _TABLE * stride, 1.0
    for k in range(order + 1):
        target = at(out, k * (order + 3) * n * n + row * n + start)
        by_rate, mass = at(target, n * n), at(target, 2 * n * n)
        factorial = factorial * max(k, 1)
        for s in range(k + 1):
            rows, many = at(table, s * step + i), at(table, (k - s) * step + first)
            p, q, r = get_column3(rows, stride, _BACKWARD)
            inertial = get_column(rows, stride, _INERTIAL)
            for j in independent(size):
                column = at(many, j)
                screw_j, rate_j = get_column(column, stride, _S), get_column(column, stride, _P)
                a, b, c, d, e, f = screw_j
                x, y, z, u, v, w = rate_j
                add(mass, j, factorial * dot6(inertial, screw_j))
                entry = 2.0 * (dot6(inertial, rate_j) + (p * a + q * b + r * c))
                add(by_rate, j, factorial * entry)
                entry = dot6(inertial, get_column(column, stride, _R))
                add(target, j, factorial * (entry + 2.0 * (p * x + q * y + r * z)))


def add_columns(order, out, table, stride, n, row, j, first, size, start):
    """Add the entries in the row of body j and the columns of `size` bodies below it."""
    step, factorial = _TABLE * stride, 1.0
    for k in range(order + 1):
        target = at(out, k * (order + 3) * n * n + row * n + start)
        by_rate, mass = at(target, n * n), at(target, 2 * n * n)
        factorial = factorial * max(k, 1)
        for s in range(k + 1):
            many = at(table, (k - s) * step + first)
            screw_j = get_column(at(table, s * step + j), stride, _S)
            for i in independent(size):
                column = at(many, i)
                add(target, i, factorial * dot6(screw_j, get_column(column, stride, _BY_Q)))
                add(by_rate, i, factorial * dot6(screw_j, get_column(column, stride, _BY_RATE)))
                add(mass, i, factorial * dot6(screw_j, get_column(column, stride, _INERTIAL)))


def assemble(order, out, size, q):
    """
    Write the derivatives of tau^(d) by q^(r), in place of k! times terms k of dtau/dq^(p).

    They are the sums over p of comb(d, r - p) times the (d - r + p)-th derivatives of dtau/dq^(p).
    """
    zero = 0.0 * get(q, 0)
    for d in range(order, 0, -1):
        for r in range(d + 3):
            for e in range(size):
                total = zero
                for p in range(max(r - d, 0), min(r, 2) + 1):
                    binomial = 1.0
                    for b in range(r - p):
                        binomial = binomial * (d - b) / (b + 1.0)
                    row = ((d - r + p) * (order + 3) + p) * size + e
                    total = total + binomial * get(out, row)
                put(out, (d * (order + 3) + r) * size + e, total)


def effort_partials(order, ws, jet, qd, tau, out, parameters):
    """Write the derivatives (k + 1, k + 3, n, n) of tau^(d) by q^(r)."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    block, stride = block_rows(order), table_stride(count)
    bodies, angles = at(ws, block), (count + 1) * block
    table = at(ws, angles + 3 * count)
    set_angles(ws, angles, jet, parameters)
    for i in range(count):
        joint, body, column = joint_row(parameters, i), at(bodies, i * block), at(table, i)
        j, terms = integer(joint, layout.PARENT), at(body, _TERMS)
        parent = at(ws, (j + 1) * block)
        if j < 0:
            set_base(parent, jet, order, at(joint, layout.ORIGIN))
        place(body, parent, at(ws, angles + i), count, joint)
        set_rates(order, terms, jet, n, integer(joint, layout.COORDINATE))
        set_screw(body, parent, column, stride, joint)
        set_moments(body, terms, joint)
        for k in range(order + 1):
            set_motion(k, order, terms, at(parent, _TERMS), column, stride)
            if k > 0:
                set_next_moments(k, at(terms, (k - 1) * _TERM), at(terms, k * _TERM))
            set_loads(k, terms)
    for i in range(count - 1, -1, -1):
        terms, column = at(bodies, i * block + _TERMS), at(table, i)
        for k in range(order + 1):
            for s in range(k + 1):
                other = at(column, (k - s) * _TABLE * stride)
                target = at(column, k * _TABLE * stride)
                add_wrenches(s == 0, at(terms, s * _TERM), other, target, stride)
        j = integer(joint_row(parameters, i), layout.PARENT)
        if j >= 0:
            add_to_parent(order, terms, at(bodies, j * block + _TERMS))
    by_rows = order == 0 and count == n  # no bodies share a row
    if not by_rows:
        clear(out, (order + 1) * (order + 3) * n * n, jet)
    first = 0
    while first < count:
        last = first
        while last + 1 < count and follows(parameters, last + 1):
            last = last + 1
        size, start = last - first + 1, integer(joint_row(parameters, first), layout.COORDINATE)
        for i in range(size):
            row, here = start + i, first + i
            if by_rows:
                clear_row(out, row, n, jet)
            add_rows(order, out, table, stride, n, row, here, first, i + 1, start)
            rest = size - i - 1
            add_columns(order, out, table, stride, n, row, here, here + 1, rest, row + 1)
        # the bodies between these and the base, as far as they follow each other
        last = integer(joint_row(parameters, first), layout.PARENT)
        while last >= 0:
            top = last
            while top > 0 and follows(parameters, top):
                top = top - 1
            others, above = last - top + 1, integer(joint_row(parameters, top), layout.COORDINATE)
            for i in range(size):
                row = start + i
                add_rows(order, out, table, stride, n, row, first + i, top, others, above)
            for j in range(others):
                row = above + j
                add_columns(order, out, table, stride, n, row, top + j, first, size, start)
            last = integer(joint_row(parameters, top), layout.PARENT)
        first = first + size
    assemble(order, out, n * n, jet)
