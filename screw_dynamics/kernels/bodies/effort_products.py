# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Products of the partial derivatives of the efforts with vectors, without the matrices: O(n).

With the series of `momenta` and the wrench f of the bodies behind a joint, the directions (x, y,
z) of (q, q', q'') give each body, summed from its root on, ``X = sum of P x + S y`` and ``Y = sum
of R x + 2 P y + S z``, and so

    dtau_i = S_i^T (sum over the bodies behind joint i of 2 B X + I Y
                    - sum over the joints j behind i of [S_j x_j, .]^T f_j)

A covector l of the efforts gives each body ``w = sum of S l`` and, summed over the bodies behind a
joint, ``A = sum of I w`` and ``Z = sum of B^T w``; the covectors of q, q' and q'' are

    2 P_j^T Z + R_j^T A - w^T [S_j, .]^T f_j,   2 (S_j^T Z + P_j^T A),   S_j^T A

with the w of the parent in the first. Products of series with covectors are those with their
coefficients in reversed order. The direction and the covector are rows below those of the jet.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.effort_partials import add, turned_force
from screw_dynamics.kernels.bodies.joint_frames import (
    add3,
    add6,
    clear,
    dot6,
    get3,
    get6,
    joint_row,
    put6,
    scaled6,
)
from screw_dynamics.kernels.bodies.momenta import (
    BY_BASE,
    SCREW,
    SCREW_RATE,
    TABLE,
    TERM,
    TERMS,
    WRENCH,
    backward_torque,
    block_rows,
    flow_wrench,
    get_column,
    momenta_rows,
    momentum,
    set_bodies,
    table_start,
    table_stride,
)
from screw_dynamics.kernels.bodies.rows import at, get, integer, put

# Rows of every term of a body, after those of `momenta`; the first are those of the base. X, then
# S x; Y, then the wrench of the bodies behind. Or w, A and the torque of Z.
_FIRST, _SECOND, _TORQUE, _OWN = 0, 6, 12, 15


def product_rows(order, count):
    """Return the number of rows of the workspace."""
    return momenta_rows(order, count) + (count + 1) * (order + 1) * _OWN


def add_turned(k, terms, own, target, start):
    """Add term k of -[S x, .]^T f."""
    for s in range(k + 1):
        turned = turned_force(at(terms, s * TERM), get6(at(own, (k - s) * _OWN), _FIRST))
        add6(target, start, turned)


def add_wrenches_behind(order, terms, parent):
    """Add the wrench of the bodies behind a joint to that of those behind the one before."""
    for k in range(order + 1):
        add6(parent, k * TERM + WRENCH, get6(terms, k * TERM + WRENCH))


def effort_changes(order, ws, jet, qd, tau, out, parameters):
    """Write the derivatives (k + 1, n) of tau^(d) along a direction (k + 3, n) of the jet."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    block, stride, size = block_rows(order), table_stride(count), (order + 1) * _OWN
    bodies, table = at(ws, block), at(ws, table_start(order, count))
    owns, step = at(ws, momenta_rows(order, count)), TABLE * stride
    direction = at(jet, (order + 3) * n)
    set_bodies(order, ws, jet, parameters)
    clear(owns, size, jet)
    clear(out, (order + 1) * n, jet)
    for i in range(count):
        joint, column, own = joint_row(parameters, i), at(table, i), at(owns, (i + 1) * size)
        before = at(owns, (integer(joint, layout.PARENT) + 1) * size)
        c = integer(joint, layout.COORDINATE)
        for k in range(order + 1):
            now = at(own, k * _OWN)
            put6(now, _FIRST, get6(at(before, k * _OWN), _FIRST))
            put6(now, _SECOND, get6(at(before, k * _OWN), _SECOND))
            factor = 1.0
            for s in range(k + 1):
                factor = factor / max(s, 1)
                x = factor * get(direction, s * n + c)
                y = factor * get(direction, (s + 1) * n + c)
                z = factor * get(direction, (s + 2) * n + c)
                here = at(column, (k - s) * step)
                screw, rate = get_column(here, stride, SCREW), get_column(here, stride, SCREW_RATE)
                add6(now, _FIRST, scaled6(x, rate))
                add6(now, _FIRST, scaled6(y, screw))
                add6(now, _SECOND, scaled6(x, get_column(here, stride, BY_BASE)))
                add6(now, _SECOND, scaled6(2.0 * y, rate))
                add6(now, _SECOND, scaled6(z, screw))
    for i in range(count):
        joint, column, own = joint_row(parameters, i), at(table, i), at(owns, (i + 1) * size)
        terms, c = at(bodies, i * block + TERMS), integer(joint, layout.COORDINATE)
        for k in range(order, -1, -1):
            now = at(own, k * _OWN)
            put6(now, _SECOND, momentum(terms, get6(now, _SECOND)))
            for s in range(k):
                body, twist = at(terms, (k - s) * TERM), get6(at(own, s * _OWN), _SECOND)
                add6(now, _SECOND, momentum(body, twist))
            for s in range(k + 1):
                body, twist = at(terms, (k - s) * TERM), get6(at(own, s * _OWN), _FIRST)
                add6(now, _SECOND, scaled6(2.0, flow_wrench(body, twist)))
        for k in range(order, -1, -1):
            now, factor = at(own, k * _OWN), 1.0
            clear(now, 6, jet)
            for s in range(k + 1):
                factor = factor / max(s, 1)
                x = factor * get(direction, s * n + c)
                screw = get_column(at(column, (k - s) * step), stride, SCREW)
                add6(now, _FIRST, scaled6(x, screw))
    for i in range(count - 1, -1, -1):
        joint, column, own = joint_row(parameters, i), at(table, i), at(owns, (i + 1) * size)
        terms, c = at(bodies, i * block + TERMS), integer(joint, layout.COORDINATE)
        j, factor = integer(joint, layout.PARENT), 1.0
        for k in range(order + 1):
            factor = factor * max(k, 1)
            for s in range(k + 1):
                screw = get_column(at(column, (k - s) * step), stride, SCREW)
                add(out, k * n + c, factor * dot6(screw, get6(at(own, s * _OWN), _SECOND)))
        if j >= 0:
            parent = at(owns, (j + 1) * size)
            for k in range(order + 1):
                add6(parent, k * _OWN + _SECOND, get6(own, k * _OWN + _SECOND))
                add_turned(k, terms, own, parent, k * _OWN + _SECOND)
            add_wrenches_behind(order, terms, at(bodies, j * block + TERMS))


def effort_covectors(order, ws, jet, qd, tau, out, parameters):
    """Write the covectors (k + 3, n) of the jet that belong to those (k + 1, n) of tau^(d)."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    block, stride, size = block_rows(order), table_stride(count), (order + 1) * _OWN
    bodies, table = at(ws, block), at(ws, table_start(order, count))
    owns, step = at(ws, momenta_rows(order, count)), TABLE * stride
    covector = at(jet, (order + 3) * n)
    set_bodies(order, ws, jet, parameters)
    clear(owns, size, jet)
    clear(out, (order + 3) * n, jet)
    for i in range(count):
        joint, column, own = joint_row(parameters, i), at(table, i), at(owns, (i + 1) * size)
        before = at(owns, (integer(joint, layout.PARENT) + 1) * size)
        terms, c = at(bodies, i * block + TERMS), integer(joint, layout.COORDINATE)
        for k in range(order + 1):
            now = at(own, k * _OWN)
            put6(now, _FIRST, get6(at(before, k * _OWN), _FIRST))
            for s in range(k + 1):
                factor = 1.0
                for b in range(order - s):
                    factor = factor * (b + 1.0)
                value = factor * get(covector, (order - s) * n + c)
                screw = get_column(at(column, (k - s) * step), stride, SCREW)
                add6(now, _FIRST, scaled6(value, screw))
            clear(at(now, _SECOND), _OWN - _SECOND, jet)
            for s in range(k + 1):
                body, twist = at(terms, (k - s) * TERM), get6(at(own, s * _OWN), _FIRST)
                add6(now, _SECOND, momentum(body, twist))
                x, y, z = backward_torque(body, twist)
                add3(now, _TORQUE, x, y, z)
    for i in range(count - 1, -1, -1):
        joint, column, own = joint_row(parameters, i), at(table, i), at(owns, (i + 1) * size)
        terms, c = at(bodies, i * block + TERMS), integer(joint, layout.COORDINATE)
        j = integer(joint, layout.PARENT)
        parent = at(owns, (j + 1) * size)
        for k in range(order + 1):  # of the reversed series
            factor = 1.0
            for b in range(order - k):
                factor = factor / (b + 1.0)
            row = (order - k) * n + c
            for s in range(k + 1):
                here, now = at(column, (k - s) * step), at(own, s * _OWN)
                screw, rate = get_column(here, stride, SCREW), get_column(here, stride, SCREW_RATE)
                a, (x, y, z) = get6(now, _SECOND), get3(now, _TORQUE)
                by_rate = dot6(rate, a) + (x * screw[0] + y * screw[1] + z * screw[2])
                by_place = dot6(get_column(here, stride, BY_BASE), a)
                by_place = by_place + 2.0 * (x * rate[0] + y * rate[1] + z * rate[2])
                add(out, row, factor * by_place)
                add(out, row + n, factor * 2.0 * by_rate)
                add(out, row + 2 * n, factor * dot6(screw, a))
        if j >= 0:
            for k in range(order + 1):  # the wrench [S, .]^T f, in place of w
                now = at(own, k * _OWN)
                clear(now, 6, jet)
                for s in range(k + 1):
                    screw = get_column(at(column, (k - s) * step), stride, SCREW)
                    add6(now, _FIRST, turned_force(at(terms, s * TERM), screw))
            for k in range(order + 1):
                factor = 1.0
                for b in range(order - k):
                    factor = factor / (b + 1.0)
                for s in range(k + 1):
                    virtual = get6(at(parent, s * _OWN), _FIRST)
                    turned = get6(at(own, (k - s) * _OWN), _FIRST)
                    add(out, (order - k) * n + c, factor * dot6(virtual, turned))
                for b in range(_SECOND, _OWN):
                    put(parent, k * _OWN + b, get(parent, k * _OWN + b) + get(own, k * _OWN + b))
            add_wrenches_behind(order, terms, at(bodies, j * block + TERMS))
