# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Coriolis matrix of the Christoffel symbols by composite rigid bodies (see `momenta`).

For the composite body of joint j and a joint i before it, C_ij = S_i^T (I P_j + B S_j) and
C_ji = P_i^T I S_j + S_i^T B^T S_j (see `dynamics.coriolis_matrix`). `effort_partials`, which have
twice this matrix, would take twice the time for thirty joints.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.joint_frames import clear, dot6, joint_row, sum6
from screw_dynamics.kernels.bodies.momenta import (
    SCREW,
    SCREW_RATE,
    TERMS,
    add_to_parent,
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


def coriolis_rows(order, count):
    """Return the number of rows of the workspace."""
    return momenta_rows(0, count) + 3 * count


def coriolis_matrix(order, ws, q, qd, tau, out, parameters):
    """Write the Coriolis matrix (n, n)."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    stride, jet = table_stride(count), at(ws, momenta_rows(0, count))
    table = at(ws, table_start(0, count))
    for k in range(n):
        put(jet, k, get(q, k))
        put(jet, n + k, get(qd, k))
        put(jet, 2 * n + k, 0.0 * get(q, k))
    set_bodies(0, ws, jet, parameters)
    clear(out, n * n, q)
    for i in range(count - 1, -1, -1):
        row, column = integer(joint_row(parameters, i), layout.COORDINATE), at(table, i)
        body = at(ws, (i + 1) * block_rows(0) + TERMS)
        screw_i = get_column(column, stride, SCREW)
        inertial = momentum(body, screw_i)
        x, y, z = backward_torque(body, screw_i)
        moving = momentum(body, get_column(column, stride, SCREW_RATE))
        moving = sum6(moving, flow_wrench(body, screw_i))
        put(out, row * (n + 1), get(out, row * (n + 1)) + dot6(screw_i, moving))
        j = integer(joint_row(parameters, i), layout.PARENT)
        if j >= 0:
            add_to_parent(0, body, at(ws, (j + 1) * block_rows(0) + TERMS))
        while j >= 0:
            before = at(table, j)
            screw_j = get_column(before, stride, SCREW)
            rate_j = get_column(before, stride, SCREW_RATE)
            other = integer(joint_row(parameters, j), layout.COORDINATE)
            above, left = other * n + row, row * n + other
            put(out, above, get(out, above) + dot6(screw_j, moving))
            turning = x * screw_j[0] + y * screw_j[1] + z * screw_j[2]
            put(out, left, get(out, left) + (dot6(rate_j, inertial) + turning))
            j = integer(joint_row(parameters, j), layout.PARENT)
