# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Efforts by the Newton-Euler recursion; those against gravity by composite first moments.

Newton-Euler would take more than twice the time for gravity, which compensation needs alone.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.backward import backward_sweep, subtract_wrenches
from screw_dynamics.kernels.bodies.forward import forward_sweep
from screw_dynamics.kernels.bodies.joint_frames import clear, cos_sin, joint_row, set_angles
from screw_dynamics.kernels.bodies.rows import (
    at,
    block_rows,
    efforts_rows,
    gather,
    get,
    integer,
    put,
    scatter,
)

# of a moment: composite mass, first moment (3)
MASS, MOMENT = 0, 1
# of a body: acceleration against gravity (3), moment
_A, _CARRIED = 0, 3
_BLOCK = 7


def gravity_rows(order, count):
    """Return the number of rows of the workspace of `gravity_efforts`."""
    return (_BLOCK + 3) * count


def set_acceleration(body, parent, angle, count, joint):
    """Write the acceleration against gravity in the joint frame."""
    c, s = cos_sin(angle, count, joint)
    zero = 0.0 * c
    if integer(joint, layout.PARENT) < 0:
        u = zero + get(joint, layout.ORIGIN)
        v = zero + get(joint, layout.ORIGIN + 1)
        w = zero + get(joint, layout.ORIGIN + 2)
    else:
        x, y, z = get(parent, _A), get(parent, _A + 1), get(parent, _A + 2)
        u = x
        if integer(joint, layout.HAS_BETA) != 0:
            u = get(joint, layout.COS_BETA) * x + get(joint, layout.SIN_BETA) * y
            y = get(joint, layout.COS_BETA) * y - get(joint, layout.SIN_BETA) * x
        v = get(joint, layout.COS_ALPHA) * y + get(joint, layout.SIN_ALPHA) * z
        w = get(joint, layout.COS_ALPHA) * z - get(joint, layout.SIN_ALPHA) * y
    put(body, _A, c * u + s * v)
    put(body, _A + 1, c * v - s * u)
    put(body, _A + 2, w)


def set_moment(body, joint, zero):
    """Write the mass and first moment of a body alone; `zero` is a row of zeros."""
    put(body, MASS, zero + get(joint, layout.MASS))
    for k in range(3):
        put(body, MOMENT + k, zero + get(joint, layout.FIRST_MOMENT + k))


def add_moment(body, parent, angle, count, joint):
    """Add the composite mass and first moment of a body to those of its parent."""
    m, x, y, z = get(body, MASS), get(body, MOMENT), get(body, MOMENT + 1), get(body, MOMENT + 2)
    if integer(joint, layout.KIND) != layout.REVOLUTE:
        z = z + get(joint, layout.PITCH) * get(angle, 0) * m
    c, s = cos_sin(angle, count, joint)
    u, v = c * x - s * y, s * x + c * y
    v, z = (
        get(joint, layout.COS_ALPHA) * v - get(joint, layout.SIN_ALPHA) * z,
        get(joint, layout.SIN_ALPHA) * v + get(joint, layout.COS_ALPHA) * z,
    )
    if integer(joint, layout.HAS_BETA) != 0:
        u, v = (
            get(joint, layout.COS_BETA) * u - get(joint, layout.SIN_BETA) * v,
            get(joint, layout.SIN_BETA) * u + get(joint, layout.COS_BETA) * v,
        )
    put(parent, MASS, get(parent, MASS) + m)
    put(parent, MOMENT, get(parent, MOMENT) + (u + m * get(joint, layout.ORIGIN)))
    put(parent, MOMENT + 1, get(parent, MOMENT + 1) + (v + m * get(joint, layout.ORIGIN + 1)))
    put(parent, MOMENT + 2, get(parent, MOMENT + 2) + (z + m * get(joint, layout.ORIGIN + 2)))


def gravity_efforts(order, ws, q, qd, tau, out, parameters):
    """Write the efforts (n,) that keep the bodies at rest against gravity."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    angles = _BLOCK * count
    set_angles(ws, angles, q, parameters)
    for i in range(count):
        joint = joint_row(parameters, i)
        body, parent = at(ws, i * _BLOCK), at(ws, max(integer(joint, layout.PARENT), 0) * _BLOCK)
        set_acceleration(body, parent, at(ws, angles + i), count, joint)
        set_moment(at(body, _CARRIED), joint, 0.0 * get(body, _A))
    clear(out, n, at(ws, angles))
    for i in range(count - 1, -1, -1):
        joint = joint_row(parameters, i)
        body, kind = at(ws, i * _BLOCK), integer(joint, layout.KIND)
        moment = at(body, _CARRIED)
        effort = get(moment, MOMENT) * get(body, _A + 1) - get(moment, MOMENT + 1) * get(body, _A)
        along = get(moment, MASS) * get(body, _A + 2)
        if kind == layout.PRISMATIC:
            effort = along
        elif kind != layout.REVOLUTE:
            effort = effort + get(joint, layout.PITCH) * along
        c = integer(joint, layout.COORDINATE)
        put(out, c, get(out, c) + get(joint, layout.MULTIPLIER) * effort)
        if integer(joint, layout.PARENT) >= 0:
            parent = at(ws, integer(joint, layout.PARENT) * _BLOCK + _CARRIED)
            add_moment(moment, parent, at(ws, angles + i), count, joint)


def inverse_dynamics(order, ws, jet, qd, tau, out, parameters):
    """Write the efforts and their derivatives (k + 1, n); wrenches are behind the joint jet."""
    n = integer(parameters, layout.COORDINATE_COUNT)
    gather(order, ws, jet, parameters)
    forward_sweep(order, ws, parameters)
    subtract_wrenches(order, ws, at(jet, (order + 3) * n), parameters)
    backward_sweep(order, ws, parameters)
    scatter(order, ws, out, parameters)


def bias_efforts(order, ws, q, qd, tau, out, parameters):
    """Write the efforts (n,) of a motion without joint accelerations."""
    gather_state(ws, q, qd, parameters)
    forward_sweep(0, ws, parameters)
    backward_sweep(0, ws, parameters)
    scatter(0, ws, out, parameters)


def gather_state(ws, q, qd, parameters):
    """Write the coordinates and rates of every tree joint for order 0, no accelerations."""
    count = integer(parameters, layout.BODY_COUNT)
    angles = efforts_rows(0, count) - 3 * count
    for i in range(count):
        joint = joint_row(parameters, i)
        c, factor = integer(joint, layout.COORDINATE), get(joint, layout.MULTIPLIER)
        rate = at(ws, i * block_rows(0) + 10)
        put(ws, angles + i, factor * get(q, c) + get(joint, layout.OFFSET))
        put(rate, 0, factor * get(qd, c))
        put(rate, 1, 0.0 * get(qd, c))
