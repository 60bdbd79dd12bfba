# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Efforts by the Newton-Euler recursion; those against gravity by composite first moments.

Newton-Euler would take more than twice the time for gravity, which compensation needs alone.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.backward import backward_sweep, subtract_wrenches
from screw_dynamics.kernels.bodies.forward import forward_sweep
from screw_dynamics.kernels.bodies.joint_frames import (
    add3,
    clear,
    cos_sin,
    get3,
    joint_row,
    put3,
    set_angles,
)
from screw_dynamics.kernels.bodies.rows import (
    at,
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
        u, v, w = get3(joint, layout.ORIGIN)
        w = zero + w
    else:
        x, y, z = get3(parent, _A)
        u = x
        if integer(joint, layout.HAS_BETA) != 0:
            u = get(joint, layout.COS_BETA) * x + get(joint, layout.SIN_BETA) * y
            y = get(joint, layout.COS_BETA) * y - get(joint, layout.SIN_BETA) * x
        v = get(joint, layout.COS_ALPHA) * y + get(joint, layout.SIN_ALPHA) * z
        w = get(joint, layout.COS_ALPHA) * z - get(joint, layout.SIN_ALPHA) * y
    put3(body, _A, (c * u + s * v, c * v - s * u, w))


def set_moment(body, joint, zero):
    """Write the mass and first moment of a body alone; `zero` is a row of zeros."""
    put(body, MASS, zero + get(joint, layout.MASS))
    for k in range(3):
        put(body, MOMENT + k, zero + get(joint, layout.FIRST_MOMENT + k))


def add_moment(body, parent, angle, count, joint):
    """Add the composite mass and first moment of a body to those of its parent."""
    m, (x, y, z) = get(body, MASS), get3(body, MOMENT)
    if integer(joint, layout.KIND) != layout.REVOLUTE:
        z = z + get(joint, layout.PITCH) * get(angle, 0) * m
    c, s = cos_sin(angle, count, joint)
    u, v = c * x - s * y, s * x + c * y
    c, s = get(joint, layout.COS_ALPHA), get(joint, layout.SIN_ALPHA)
    v, z = c * v - s * z, s * v + c * z
    if integer(joint, layout.HAS_BETA) != 0:
        c, s = get(joint, layout.COS_BETA), get(joint, layout.SIN_BETA)
        u, v = c * u - s * v, s * u + c * v
    put(parent, MASS, get(parent, MASS) + m)
    rx, ry, rz = get3(joint, layout.ORIGIN)
    add3(parent, MOMENT, u + m * rx, v + m * ry, z + m * rz)


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
    gather(order, ws, jet, at(jet, n), order + 2, parameters)
    forward_sweep(order, ws, parameters)
    subtract_wrenches(order, ws, at(jet, (order + 3) * n), parameters)
    backward_sweep(order, ws, parameters)
    scatter(order, ws, out, parameters)


def bias_efforts(order, ws, q, qd, tau, out, parameters):
    """Write the efforts (n,) of a motion without joint accelerations."""
    gather(0, ws, q, qd, 1, parameters)
    forward_sweep(0, ws, parameters)
    backward_sweep(0, ws, parameters)
    scatter(0, ws, out, parameters)
