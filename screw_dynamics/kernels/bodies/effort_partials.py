# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the efforts and of their time derivatives, by composite rigid bodies.

With the series of `momenta` and the wrench f of the bodies behind a joint, for j on the path of i,

    dtau_i/dq_j = S_i^T (2 B_i P_j + I_i R_j)
    dtau_j/dq_i = S_j^T (2 B_i P_i + I_i R_i - [S_i, .]^T f_i)
    dtau_i/dq_j' = S_i^T (2 B_i S_j + 2 I_i P_j)
    dtau_j/dq_i' = S_j^T (2 B_i S_i + 2 I_i P_i)
    dtau_i/dq_j'' = S_i^T I_i S_j

The factors of these products are further rows of the table. A chain of bodies that are numbered
one after the other, as are their coordinates, is consecutive in the table and in the result.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.joint_frames import (
    clear,
    cross,
    dot6,
    get6,
    joint_row,
    scaled6,
    sum6,
)
from screw_dynamics.kernels.bodies.momenta import (
    BACKWARD,
    BY_BASE,
    BY_Q,
    BY_RATE,
    INERTIAL,
    SCREW,
    SCREW_RATE,
    TABLE,
    TERM,
    TERMS,
    WRENCH,
    add_to_parent,
    backward_torque,
    block_rows,
    flow_wrench,
    get_column,
    get_column3,
    momentum,
    put_column,
    put_column3,
    set_bodies,
    table_start,
    table_stride,
)
from screw_dynamics.kernels.bodies.rows import at, get, independent, integer, put


def turned_force(body, twist):
    """Return -[y, .]^T f = (w × n + v × f; w × f) of a twist y = (w; v) and the wrench (n; f)."""
    x, y, z, u, v, w = twist
    tx, ty, tz, fx, fy, fz = get6(body, WRENCH)
    ax, ay, az = cross(x, y, z, tx, ty, tz)
    bx, by, bz = cross(u, v, w, fx, fy, fz)
    cx, cy, cz = cross(x, y, z, fx, fy, fz)
    return ax + bx, ay + by, az + bz, cx, cy, cz


def add_wrenches(first, body, column, here, stride):
    """Write the factors of the entries of a composite body from one term each, or add them."""
    s, p = get_column(column, stride, SCREW), get_column(column, stride, SCREW_RATE)
    put_column3(first, here, stride, BACKWARD, backward_torque(body, s))
    put_column(first, here, stride, INERTIAL, momentum(body, s))
    by_rate = sum6(flow_wrench(body, s), momentum(body, p))
    put_column(first, here, stride, BY_RATE, scaled6(2.0, by_rate))
    rest = sum6(momentum(body, get_column(column, stride, BY_BASE)), turned_force(body, s))
    put_column(first, here, stride, BY_Q, sum6(scaled6(2.0, flow_wrench(body, p)), rest))


def add(out, k, value):
    """Add a value to an entry of the result."""
    put(out, k, get(out, k) + value)


def follows(parameters, i):
    """Return whether body i is the child of body i - 1, and its coordinate the next one."""
    joint, before = joint_row(parameters, i), joint_row(parameters, i - 1)
    step = integer(joint, layout.COORDINATE) - integer(before, layout.COORDINATE)
    return step == 1 and integer(joint, layout.PARENT) == i - 1


def add_rows(order, out, table, stride, n, row, i, first, size, start):
    """Add the entries in the row of body i and the columns of `size` bodies from `first` on."""
    step, factorial = TABLE * stride, 1.0
    for k in range(order + 1):
        target = at(out, k * (order + 3) * n * n + row * n + start)
        by_rate, mass = at(target, n * n), at(target, 2 * n * n)
        factorial = factorial * max(k, 1)
        for s in range(k + 1):
            rows, many = at(table, s * step + i), at(table, (k - s) * step + first)
            p, q, r = get_column3(rows, stride, BACKWARD)
            inertial = get_column(rows, stride, INERTIAL)
            for j in independent(size):
                column = at(many, j)
                screw_j = get_column(column, stride, SCREW)
                rate_j = get_column(column, stride, SCREW_RATE)
                a, b, c, d, e, f = screw_j
                x, y, z, u, v, w = rate_j
                add(mass, j, factorial * dot6(inertial, screw_j))
                entry = 2.0 * (dot6(inertial, rate_j) + (p * a + q * b + r * c))
                add(by_rate, j, factorial * entry)
                entry = dot6(inertial, get_column(column, stride, BY_BASE))
                add(target, j, factorial * (entry + 2.0 * (p * x + q * y + r * z)))


def add_columns(order, out, table, stride, n, row, j, first, size, start):
    """Add the entries in the row of body j and the columns of `size` bodies below it."""
    step, factorial = TABLE * stride, 1.0
    for k in range(order + 1):
        target = at(out, k * (order + 3) * n * n + row * n + start)
        by_rate, mass = at(target, n * n), at(target, 2 * n * n)
        factorial = factorial * max(k, 1)
        for s in range(k + 1):
            many = at(table, (k - s) * step + first)
            screw_j = get_column(at(table, s * step + j), stride, SCREW)
            for i in independent(size):
                column = at(many, i)
                add(target, i, factorial * dot6(screw_j, get_column(column, stride, BY_Q)))
                add(by_rate, i, factorial * dot6(screw_j, get_column(column, stride, BY_RATE)))
                add(mass, i, factorial * dot6(screw_j, get_column(column, stride, INERTIAL)))


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
    bodies, table = at(ws, block), at(ws, table_start(order, count))
    set_bodies(order, ws, jet, parameters)
    for i in range(count - 1, -1, -1):
        terms, column = at(bodies, i * block + TERMS), at(table, i)
        for k in range(order + 1):
            for s in range(k + 1):
                other = at(column, (k - s) * TABLE * stride)
                target = at(column, k * TABLE * stride)
                add_wrenches(s == 0, at(terms, s * TERM), other, target, stride)
        j = integer(joint_row(parameters, i), layout.PARENT)
        if j >= 0:
            add_to_parent(order, terms, at(bodies, j * block + TERMS))
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
                for k in range(3):
                    clear(at(out, (k * n + row) * n), n, jet)
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
