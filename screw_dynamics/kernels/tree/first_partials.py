# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the efforts themselves: `effort_partials` for order 0, without series.

The formulas and names are those of `effort_partials`. Rows are read and written number by number,
which the compiler keeps in registers.
"""

import numpy as np

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.tree.composite_inertia import (
    add_at_same_origin,
    apply_inertia,
    cross,
    place_bodies,
    placed_bodies,
    refer_to_first_origin,
)
from screw_dynamics.kernels.tree.forward_kinematics import all_finite
from screw_dynamics.kernels.tree.layout import COORDINATE, MULTIPLIER, PARENT

# columns of the table of joints: S, P, R
_RATE, _RISE = 6, 12
# columns of the table of bodies: twist, acceleration less gravity; momentum, its flow, wrench
_ACCELERATION, _MOMENTUM, _FLOW, _FORCE = 6, 12, 15, 24
_COLUMNS = 30
# of the wrenches of a joint: I S; those of the columns by q and by q'; torque of 2 B^T S
_BY_POSITION, _BY_RATE, _BACKWARD = 6, 12, 18


def _set_bracket(wx, wy, wz, vx, vy, vz, screw, result):
    """Set the Lie bracket [(w; v), screw] of two twists."""
    x, y, z = screw[0], screw[1], screw[2]
    ax, ay, az = cross(wx, wy, wz, screw[3], screw[4], screw[5])
    bx, by, bz = cross(vx, vy, vz, x, y, z)
    result[0], result[1], result[2] = cross(wx, wy, wz, x, y, z)
    result[3], result[4], result[5] = ax + bx, ay + by, az + bz


def _set_motion(i, parent, rate, acceleration, gravity, joints, moving):
    """Set P, R, the twist and the acceleration of body i."""
    s, p, r, own = joints[i], joints[i, _RATE:], joints[i, _RISE:], moving[i]
    if parent < 0:
        p[:6] = 0.0
        _set_bracket(0.0, 0.0, 0.0, -gravity[0], -gravity[1], -gravity[2], s, r)
        for a in range(6):
            own[a] = rate * s[a]
            own[_ACCELERATION + a] = acceleration * s[a]
        for a in range(3):
            own[_ACCELERATION + 3 + a] -= gravity[a]
        return
    v = moving[parent]
    _set_bracket(v[0], v[1], v[2], v[3], v[4], v[5], s, p)
    _set_bracket(v[0], v[1], v[2], v[3], v[4], v[5], p, r)
    x, y, z, e, f, g = r[0], r[1], r[2], r[3], r[4], r[5]
    _set_bracket(v[6], v[7], v[8], v[9], v[10], v[11], s, r)
    r[0], r[1], r[2], r[3], r[4], r[5] = r[0] + x, r[1] + y, r[2] + z, r[3] + e, r[4] + f, r[5] + g
    for a in range(6):
        own[a] = v[a] + rate * s[a]
        own[_ACCELERATION + a] = v[_ACCELERATION + a] + acceleration * s[a] + rate * p[a]


def _set_loads(i, placed, moving):
    """Set momentum, flow and wrench of the single body i."""
    m, h, second, row = placed.mass[i], placed.first[i], placed.second[i], moving[i]
    wx, wy, wz, vx, vy, vz = row[0], row[1], row[2], row[3], row[4], row[5]
    px, py, pz = cross(wx, wy, wz, h[0], h[1], h[2])
    px, py, pz = px + m * vx, py + m * vy, pz + m * vz
    row[_MOMENTUM], row[_MOMENTUM + 1], row[_MOMENTUM + 2] = px, py, pz
    flow, force = row[_FLOW:], row[_FORCE:]
    for b in range(3):
        x, y, z = cross(wx, wy, wz, second[0, b], second[1, b], second[2, b])
        flow[b], flow[3 + b], flow[6 + b] = x + vx * h[b], y + vy * h[b], z + vz * h[b]
    apply_inertia(m, h, second, row[_ACCELERATION:], force)
    ax, ay, az = cross(wx, wy, wz, flow[7] - flow[5], flow[2] - flow[6], flow[3] - flow[1])
    bx, by, bz = cross(vx, vy, vz, px, py, pz)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    force[0] += ax + bx
    force[1] += ay + by
    force[2] += az + bz
    force[3] += cx
    force[4] += cy
    force[5] += cz


def _add_flow(flow, p, twist, result):
    """Add 2 B x = 2 (tr(K) w - K w; w × p) of a twist x = (w; v)."""
    x, y, z = twist[0], twist[1], twist[2]
    trace = flow[0] + flow[4] + flow[8]
    result[0] += 2.0 * (trace * x - flow[0] * x - flow[1] * y - flow[2] * z)
    result[1] += 2.0 * (trace * y - flow[3] * x - flow[4] * y - flow[5] * z)
    result[2] += 2.0 * (trace * z - flow[6] * x - flow[7] * y - flow[8] * z)
    ax, ay, az = cross(x, y, z, p[0], p[1], p[2])
    result[3] += 2.0 * ax
    result[4] += 2.0 * ay
    result[5] += 2.0 * az


def _set_wrenches(i, placed, joints, moving, wrenches):
    """Set the wrenches of joint i from its composite body."""
    m, h, second, row = placed.mass[i], placed.first[i], placed.second[i], moving[i]
    s, p, r = joints[i], joints[i, _RATE:], joints[i, _RISE:]
    momentum, flow, f = row[_MOMENTUM:], row[_FLOW:], row[_FORCE:]
    by_position, by_rate = wrenches[_BY_POSITION:], wrenches[_BY_RATE:]
    apply_inertia(m, h, second, s, wrenches)
    apply_inertia(m, h, second, p, by_rate)
    for a in range(6):
        by_rate[a] *= 2.0
    _add_flow(flow, momentum, s, by_rate)
    apply_inertia(m, h, second, r, by_position)
    _add_flow(flow, momentum, p, by_position)
    x, y, z = s[0], s[1], s[2]
    ax, ay, az = cross(x, y, z, f[0], f[1], f[2])
    bx, by, bz = cross(s[3], s[4], s[5], f[3], f[4], f[5])
    cx, cy, cz = cross(x, y, z, f[3], f[4], f[5])
    by_position[0] += ax + bx
    by_position[1] += ay + by
    by_position[2] += az + bz
    by_position[3] += cx
    by_position[4] += cy
    by_position[5] += cz
    trace = flow[0] + flow[4] + flow[8]
    ax, ay, az = cross(momentum[0], momentum[1], momentum[2], s[3], s[4], s[5])
    k = _BACKWARD
    wrenches[k] = 2.0 * (trace * x - flow[0] * x - flow[3] * y - flow[6] * z + ax)
    wrenches[k + 1] = 2.0 * (trace * y - flow[1] * x - flow[4] * y - flow[7] * z + ay)
    wrenches[k + 2] = 2.0 * (trace * z - flow[2] * x - flow[5] * y - flow[8] * z + az)


def _power(wrenches, k, joints, j, c):
    """Return the product of the wrench in columns k and the twist in columns c of joint j."""
    return (
        wrenches[k] * joints[j, c]
        + wrenches[k + 1] * joints[j, c + 1]
        + wrenches[k + 2] * joints[j, c + 2]
        + wrenches[k + 3] * joints[j, c + 3]
        + wrenches[k + 4] * joints[j, c + 4]
        + wrenches[k + 5] * joints[j, c + 5]
    )


def _torque_power(wrenches, joints, j, c):
    """Return the product of the torque of 2 B^T S and the twist in columns c of joint j."""
    k = _BACKWARD
    return (
        wrenches[k] * joints[j, c]
        + wrenches[k + 1] * joints[j, c + 1]
        + wrenches[k + 2] * joints[j, c + 2]
    )


def _add_partials(tree, bodies, placed, joints, moving, wrenches, result):
    """Add the derivatives by q, q', q'' to `result` (3, n, n); inertias become composite."""
    for i in range(bodies.shape[0] - 1, -1, -1):
        parent, row, multiplier = tree[i, PARENT], tree[i, COORDINATE], bodies[i, MULTIPLIER]
        _set_wrenches(i, placed, joints, moving, wrenches)
        j = i
        while j >= 0:
            column, factor = tree[j, COORDINATE], multiplier * bodies[j, MULTIPLIER]
            inertia = factor * _power(wrenches, 0, joints, j, 0)
            result[0, row, column] += factor * (
                _power(wrenches, 0, joints, j, _RISE) + _torque_power(wrenches, joints, j, _RATE)
            )
            result[1, row, column] += factor * (
                2.0 * _power(wrenches, 0, joints, j, _RATE) + _torque_power(wrenches, joints, j, 0)
            )
            result[2, row, column] += inertia
            if j != i:
                result[0, column, row] += factor * _power(wrenches, _BY_POSITION, joints, j, 0)
                result[1, column, row] += factor * _power(wrenches, _BY_RATE, joints, j, 0)
                result[2, column, row] += inertia
            j = tree[j, PARENT]
        if parent >= 0:
            add_at_same_origin(i, parent, placed)
            for a in range(_MOMENTUM, _COLUMNS):
                moving[parent, a] += moving[i, a]


def _first_partials(jets, tree, bodies, gravity, results):
    """Set (T, 1, 3, n, n) from joint jets (T, 3, n); return False if not finite."""
    count = bodies.shape[0]
    placed, origins = placed_bodies(count), np.empty((count, 3))
    joints, moving, wrenches = np.empty((count, 18)), np.empty((count, _COLUMNS)), np.empty(21)
    for t in range(jets.shape[0]):
        if not all_finite(jets[t].ravel()):
            return False
        place_bodies(jets[t, 0], tree, bodies, placed)
        refer_to_first_origin(tree, placed, origins)
        for i in range(count):
            c, multiplier = tree[i, COORDINATE], bodies[i, MULTIPLIER]
            rate, acceleration = multiplier * jets[t, 1, c], multiplier * jets[t, 2, c]
            for a in range(6):
                joints[i, a] = placed.screws[i, a]
            _set_motion(i, tree[i, PARENT], rate, acceleration, gravity, joints, moving)
            _set_loads(i, placed, moving)
        results[t] = 0.0
        _add_partials(tree, bodies, placed, joints, moving, wrenches, results[t, 0])
        if not all_finite(results[t].ravel()):
            return False
    return True


first_partials = Kernel(
    _first_partials,
    f'boolean({read_only(3)}, {read_only(2, "int64")}, {read_only(2)}, {read_only(1)}, '
    'float64[:, :, :, :, ::1])',
)


def _single_partials(jet, tree, bodies, gravity, result):
    """Set (1, 3, n, n) from a joint jet (3, n); return False if not finite."""
    rows, columns = jet.shape
    jets = jet.reshape(1, rows, columns)
    return _first_partials(jets, tree, bodies, gravity, result.reshape(1, 1, 3, columns, columns))


single_partials = Kernel(
    _single_partials,
    f'boolean({read_only(2)}, {read_only(2, "int64")}, {read_only(2)}, {read_only(1)}, '
    'float64[:, :, :, ::1])',
)
