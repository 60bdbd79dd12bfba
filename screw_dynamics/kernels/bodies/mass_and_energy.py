# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Centre of mass with its Jacobian, and energies.

The centre is that of the composite mass and first moment of all bodies. Its parameters
(`KernelTables.with_base`) have the base as the first body, which carries the others: so their
moments come to its axes as those of any child do. The kinetic energy is a sum over the twists of
the bodies, in their joint frames.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.efforts import MASS, MOMENT, add_moment, set_moment
from screw_dynamics.kernels.bodies.joint_frames import (
    PLACE,
    clear,
    cos_sin,
    cross,
    get3,
    get6,
    joint_row,
    place,
    put6,
    rotate,
    set_angles,
)
from screw_dynamics.kernels.bodies.rows import at, get, integer, put

_MOMENT_BLOCK = 4
# of a body: its place, then its moment
_BLOCK = PLACE + _MOMENT_BLOCK
# of a body: its twist (w; v) at the origin of its joint frame, in the axes of this frame
_TWIST = 6


def moment_rows(order, count):
    """Return the number of rows of the workspace of `centre_of_mass` and `potential_energy`."""
    return (_MOMENT_BLOCK + 3) * count


def centre_rows(order, count):
    """Return the number of rows of the workspace of `centre_of_mass_jacobian`."""
    return (_BLOCK + 3) * count


def kinetic_rows(order, count):
    """Return the number of rows of the workspace of `kinetic_energy`."""
    return (_TWIST + 3) * count


def set_moments(ws, q, parameters):
    """Write the moments of the bodies with all that they carry, that of the base first."""
    count = integer(parameters, layout.BODY_COUNT)
    angles = _MOMENT_BLOCK * count
    set_angles(ws, angles, q, parameters)
    for i in range(count):
        set_moment(at(ws, i * _MOMENT_BLOCK), joint_row(parameters, i), 0.0 * get(ws, angles))
    for i in range(count - 1, 0, -1):
        joint = joint_row(parameters, i)
        parent = at(ws, integer(joint, layout.PARENT) * _MOMENT_BLOCK)
        add_moment(at(ws, i * _MOMENT_BLOCK), parent, at(ws, angles + i), count, joint)


def centre_of_mass(order, ws, q, qd, tau, out, parameters):
    """Write the centre of mass (3,) of all bodies."""
    set_moments(ws, q, parameters)
    for k in range(3):
        put(out, k, get(ws, MOMENT + k) / get(ws, MASS))


def potential_energy(order, ws, q, qd, tau, out, parameters):
    """Write the energy (1,) of all bodies in the field of gravity."""
    set_moments(ws, q, parameters)
    x, y, z = get3(ws, MOMENT)
    ax, ay, az = get3(joint_row(parameters, 0), layout.ORIGIN)
    put(out, 0, x * ax + y * ay + z * az)


def moment_rate(body, joint):
    """Return the first moment, per rate of a joint, of all that it moves, in base axes."""
    moment = at(body, PLACE)
    x, y, zero = get(moment, MOMENT), get(moment, MOMENT + 1), 0.0 * get(moment, MOMENT)
    if integer(joint, layout.KIND) == layout.REVOLUTE:
        return rotate(body, -y, x, zero)
    along = get(joint, layout.PITCH) * get(moment, MASS)
    if integer(joint, layout.KIND) == layout.PRISMATIC:
        return rotate(body, zero, zero, along)
    return rotate(body, -y, x, along)


def centre_of_mass_jacobian(order, ws, q, qd, tau, out, parameters):
    """Write the Jacobian (3, n) of the centre of mass of all bodies."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    angles = _BLOCK * count
    set_angles(ws, angles, q, parameters)
    for i in range(count):
        joint = joint_row(parameters, i)
        body, parent = at(ws, i * _BLOCK), at(ws, max(integer(joint, layout.PARENT), 0) * _BLOCK)
        place(body, parent, at(ws, angles + i), count, joint)
        set_moment(at(body, PLACE), joint, 0.0 * get(body, 0))
    clear(out, 3 * n, at(ws, angles))
    for i in range(count - 1, 0, -1):
        joint = joint_row(parameters, i)
        body, parent = at(ws, i * _BLOCK), at(ws, integer(joint, layout.PARENT) * _BLOCK)
        x, y, z = moment_rate(body, joint)
        column, factor = at(out, integer(joint, layout.COORDINATE)), get(joint, layout.MULTIPLIER)
        put(column, 0, get(column, 0) + factor * x)
        put(column, n, get(column, n) + factor * y)
        put(column, 2 * n, get(column, 2 * n) + factor * z)
        add_moment(at(body, PLACE), at(parent, PLACE), at(ws, angles + i), count, joint)
    for k in range(3 * n):
        put(out, k, get(out, k) / get(ws, PLACE + MASS))


def set_twist(body, parent, angle, count, joint, rate):
    """Write the twist of a body from that of its parent and the rate of its joint."""
    c, s = cos_sin(angle, count, joint)
    kind, pitch = integer(joint, layout.KIND), get(joint, layout.PITCH)
    x = y = z = u = v = w = 0.0 * c
    if integer(joint, layout.PARENT) >= 0:
        x, y, z, u, v, w = get6(parent, 0)
        rx, ry, rz = get3(joint, layout.ORIGIN)
        dx, dy, dz = cross(x, y, z, rx, ry, rz)
        u, v, w = u + dx, v + dy, w + dz
        if integer(joint, layout.HAS_BETA) != 0:
            cb, sb = get(joint, layout.COS_BETA), get(joint, layout.SIN_BETA)
            x, y = cb * x + sb * y, cb * y - sb * x
            u, v = cb * u + sb * v, cb * v - sb * u
        ca, sa = get(joint, layout.COS_ALPHA), get(joint, layout.SIN_ALPHA)
        y, z = ca * y + sa * z, ca * z - sa * y
        v, w = ca * v + sa * w, ca * w - sa * v
        x, y = c * x + s * y, c * y - s * x
        u, v = c * u + s * v, c * v - s * u
    if kind != layout.REVOLUTE:
        shift = pitch * get(angle, 0)
        u, v, w = u + shift * y, v - shift * x, w + pitch * rate
    if kind != layout.PRISMATIC:
        z = z + rate
    put6(body, 0, (x, y, z, u, v, w))


def twice_energy(body, joint):
    """Return twice the kinetic energy of a body."""
    x, y, z, u, v, w = get6(body, 0)
    hx, hy, hz = get3(joint, layout.FIRST_MOMENT)
    dx, dy, dz = cross(x, y, z, hx, hy, hz)
    xx, yy, zz, xy, xz, yz = get6(joint, layout.SECOND_MOMENT)
    straight = get(joint, layout.MASS) * (u * u + v * v + w * w)
    both = u * dx + v * dy + w * dz
    turning = (yy + zz) * (x * x) + (zz + xx) * (y * y) + (xx + yy) * (z * z)
    crossed = xy * (x * y) + xz * (x * z) + yz * (y * z)
    return straight + turning + 2.0 * (both - crossed)


def kinetic_energy(order, ws, q, qd, tau, out, parameters):
    """Write the kinetic energy (1,) of all bodies."""
    count = integer(parameters, layout.BODY_COUNT)
    angles = _TWIST * count
    set_angles(ws, angles, q, parameters)
    total = 0.0 * get(ws, angles)
    for i in range(count):
        joint = joint_row(parameters, i)
        body, parent = at(ws, i * _TWIST), at(ws, max(integer(joint, layout.PARENT), 0) * _TWIST)
        rate = get(joint, layout.MULTIPLIER) * get(qd, integer(joint, layout.COORDINATE))
        set_twist(body, parent, at(ws, angles + i), count, joint, rate)
        total = total + twice_energy(body, joint)
    put(out, 0, 0.5 * total)
