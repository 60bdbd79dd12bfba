# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the efforts by q, q' and q'', by composite rigid bodies.

The formulas and names are those of `kernels.tree.effort_partials`, which has them for derivatives
of the efforts as well. All is in the axes of the root and about its origin, where screws, momenta
and wrenches of all bodies add and a pair of joints costs products only.
"""

from screw_dynamics.kernels.taylor import layout
from screw_dynamics.kernels.taylor.rows import at, get, integer, put
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

# Of a body: origin (3); joint screw S, its rate P and R (6 each); twist, acceleration less gravity
# (6 each); composite mass, first and second moment (3, 6: xx, yy, zz, xy, xz, yz), momentum (3),
# flow (9, by rows), wrench (6)
_O, _S, _P, _R = PLACE, PLACE + 3, PLACE + 9, PLACE + 15
_V, _A = PLACE + 21, PLACE + 27
_M, _H, _I = PLACE + 33, PLACE + 34, PLACE + 37
_L, _K, _F = PLACE + 43, PLACE + 46, PLACE + 55
_BLOCK = PLACE + 61


def partials_rows(count):
    """Return the number of rows of the workspace."""
    return (_BLOCK + 3) * count


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


def set_root_motion(body, joint, rate, acceleration):
    """Write origin, S, P, R, twist and acceleration of a root body."""
    zero = 0.0 * rate
    sx, sy, sz, u, v, w = screw(body, joint)
    dx, dy, dz = get3(body, STEP)
    put3(body, _O, (dx, dy, dz))
    cx, cy, cz = cross(dx, dy, dz, sx, sy, sz)
    u, v, w = u + cx, v + cy, w + cz
    gx, gy, gz = get3(joint, layout.ORIGIN)
    put6(body, _S, (sx, sy, sz, u, v, w))
    put6(body, _P, (zero, zero, zero, zero, zero, zero))
    cx, cy, cz = cross(gx, gy, gz, sx, sy, sz)
    put6(body, _R, (zero, zero, zero, cx, cy, cz))
    put6(body, _V, (rate * sx, rate * sy, rate * sz, rate * u, rate * v, rate * w))
    a = acceleration
    put6(body, _A, (a * sx, a * sy, a * sz, gx + a * u, gy + a * v, gz + a * w))


def set_motion(body, parent, joint, rate, acceleration):
    """Write origin, S, P, R, twist and acceleration of a body from those of its parent."""
    sx, sy, sz, u, v, w = screw(body, joint)
    ox, oy, oz = get3(parent, _O)
    dx, dy, dz = get3(body, STEP)
    ox, oy, oz = ox + dx, oy + dy, oz + dz
    put3(body, _O, (ox, oy, oz))
    cx, cy, cz = cross(ox, oy, oz, sx, sy, sz)
    s = sx, sy, sz, u + cx, v + cy, w + cz
    twist, before = get6(parent, _V), get6(parent, _A)
    p = bracket(twist, s)
    put6(body, _S, s)
    put6(body, _P, p)
    x, y, z, e, f, g = bracket(before, s)
    a, b, c, d, h, k = bracket(twist, p)
    put6(body, _R, (x + a, y + b, z + c, e + d, f + h, g + k))
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


def dot3(x, y):
    """Return the product of a torque and the turn of a twist."""
    a, b, c = x
    d, e, f = y
    return a * d + b * e + c * f


def column_wrenches(body):
    """Return the wrenches of the column by q, and half of those by q'."""
    s, p = get6(body, _S), get6(body, _P)
    a, b, c, d, e, f = flow_wrench(body, s)
    g, h, k, l, m, n = momentum(body, p)  # noqa: E741
    by_rate = a + g, b + h, c + k, d + l, e + m, f + n
    a, b, c, d, e, f = flow_wrench(body, p)
    g, h, k, l, m, n = momentum(body, get6(body, _R))  # noqa: E741
    x, y, z, u, v, w = turned_force(body, s)
    return (
        (
            2.0 * a + (g + x),
            2.0 * b + (h + y),
            2.0 * c + (k + z),
            2.0 * d + (l + u),
            2.0 * e + (m + v),
            2.0 * f + (n + w),
        ),
        by_rate,
    )


def add_to_parent(body, parent):
    """Add inertia, momentum, flow and wrench of a composite body to those of its parent."""
    for k in range(_M, _BLOCK):
        put(parent, k, get(parent, k) + get(body, k))


def add(out, k, value):
    """Add a value to an entry of the result."""
    put(out, k, get(out, k) + value)


def effort_partials(ws, q, qd, qdd, out, parameters):
    """Write the derivatives (3, n, n) by q, q' and q''."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    angles = _BLOCK * count
    set_angles(ws, angles, q, parameters)
    for i in range(count):
        joint, body = joint_row(parameters, i), at(ws, i * _BLOCK)
        j, c = integer(joint, layout.PARENT), integer(joint, layout.COORDINATE)
        factor = get(joint, layout.MULTIPLIER)
        rate, acceleration = factor * get(qd, c), factor * get(qdd, c)
        parent = at(ws, max(j, 0) * _BLOCK)
        place(body, parent, at(ws, angles + i), count, joint)
        if j < 0:
            set_root_motion(body, joint, rate, acceleration)
        else:
            set_motion(body, parent, joint, rate, acceleration)
        set_moments(body, joint)
        set_loads(body)
    clear(out, 3 * n * n, q)
    by_rate, mass = at(out, n * n), at(out, 2 * n * n)
    for i in range(count - 1, -1, -1):
        joint, body = joint_row(parameters, i), at(ws, i * _BLOCK)
        row, factor = integer(joint, layout.COORDINATE), get(joint, layout.MULTIPLIER)
        screw_i = get6(body, _S)
        inertial, backward = momentum(body, screw_i), backward_torque(body, screw_i)
        column, rate_column = column_wrenches(body)
        j = integer(joint, layout.PARENT)
        if j >= 0:
            add_to_parent(body, at(ws, j * _BLOCK))
        j = i
        while j >= 0:
            joint, body = joint_row(parameters, j), at(ws, j * _BLOCK)
            other, both = integer(joint, layout.COORDINATE), factor * get(joint, layout.MULTIPLIER)
            s, p = get6(body, _S), get6(body, _P)
            w, r = get3(body, _S), get3(body, _P)
            inertia = both * dot6(inertial, s)
            entry = dot6(inertial, get6(body, _R)) + 2.0 * dot3(backward, r)
            k = row * n + other
            add(out, k, both * entry)
            add(by_rate, k, (2.0 * both) * (dot6(inertial, p) + dot3(backward, w)))
            add(mass, k, inertia)
            if j != i:
                k = other * n + row
                add(out, k, both * dot6(column, s))
                add(by_rate, k, (2.0 * both) * dot6(rate_column, s))
                add(mass, k, inertia)
            j = integer(joint, layout.PARENT)
