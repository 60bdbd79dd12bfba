# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inertial wrench and efforts of a module known by integrals over its material points.

With the proximal frame's state (w, a, B), a point f has the acceleration
``a + B f + 2 w x f' + f''``; force, torque about the frame's origin and efforts are the integrals
of it, of ``f x`` it and of its product with f_j.
"""

from screw_dynamics.kernels.soft import layout
from screw_dynamics.kernels.soft.frames import (
    ACCELERATION,
    RATES,
    advance,
    set_point_acceleration,
    set_turning,
)


def set_force(ws, mass, block, state, order):
    """Set the inertial force m a + B h + 2 w x h' + h''."""
    count = order + 3
    first, force = block + layout.FIRST_MOMENT * count, block + layout.FORCE * count
    set_point_acceleration(ws, state, first, count, force, order)
    a = state + ACCELERATION * count
    for i in range(3 * (order + 1)):
        ws[force + i] += (mass - 1.0) * ws[a + i]


def set_torque(ws, block, state, order):
    """Set the inertial torque about the origin of the proximal frame."""
    count = order + 3
    first, second = block + layout.FIRST_MOMENT * count, block + layout.SECOND_MOMENT * count
    momentum, torque = block + layout.MOMENTUM * count, block + layout.TORQUE * count
    a, rates = state + ACCELERATION * count, state + RATES * count
    for k in range(order + 1):
        n = k + 1.0
        i = momentum + 3 * (k + 1)
        x, y, z = n * ws[i], n * ws[i + 1], n * ws[i + 2]
        for m in range(k + 1):
            h, i = first + 3 * m, a + 3 * (k - m)
            x += ws[h + 1] * ws[i + 2] - ws[h + 2] * ws[i + 1]
            y += ws[h + 2] * ws[i] - ws[h] * ws[i + 2]
            z += ws[h] * ws[i + 1] - ws[h + 1] * ws[i]
            # twice the skew part of B times the second moment
            s, b = second + 6 * m, rates + 9 * (k - m)
            xx, yy, zz = ws[s], ws[s + 1], ws[s + 2]
            xy, xz, yz = ws[s + 3], ws[s + 4], ws[s + 5]
            x += ws[b + 6] * xy + ws[b + 7] * yy + ws[b + 8] * yz
            x -= ws[b + 3] * xz + ws[b + 4] * yz + ws[b + 5] * zz
            y += ws[b] * xz + ws[b + 1] * yz + ws[b + 2] * zz
            y -= ws[b + 6] * xx + ws[b + 7] * xy + ws[b + 8] * xz
            z += ws[b + 3] * xx + ws[b + 4] * xy + ws[b + 5] * xz
            z -= ws[b] * xy + ws[b + 1] * yy + ws[b + 2] * yz
            # rate of the rotational inertia, and w x (momentum)
            s, n = second + 6 * (m + 1), m + 1.0
            i = state + 3 * (k - m)
            u, v, w = ws[i], ws[i + 1], ws[i + 2]
            x += n * ((ws[s + 1] + ws[s + 2]) * u - ws[s + 3] * v - ws[s + 4] * w)
            y += n * ((ws[s] + ws[s + 2]) * v - ws[s + 3] * u - ws[s + 5] * w)
            z += n * ((ws[s] + ws[s + 1]) * w - ws[s + 4] * u - ws[s + 5] * v)
            i = momentum + 3 * m
            x += v * ws[i + 2] - w * ws[i + 1]
            y += w * ws[i] - u * ws[i + 2]
            z += u * ws[i + 1] - v * ws[i]
        i = torque + 3 * k
        ws[i], ws[i + 1], ws[i + 2] = x, y, z


def add_own_effort(ws, coordinate, state, nu, order):
    """Add stress and inertia of the points of the module to the effort of one coordinate."""
    count = order + 3
    first, cross = coordinate + layout.FIRST_J * count, coordinate + layout.CROSS_J * count
    second, coriolis = coordinate + layout.SECOND_J * count, coordinate + layout.CORIOLIS_J * count
    inertial, stress = coordinate + layout.INERTIAL_J * count, coordinate + layout.STRESS_J * count
    a, rates = state + ACCELERATION * count, state + RATES * count
    for k in range(order + 1):
        total = ws[inertial + k] + ws[stress + k]
        for m in range(k + 1):
            f, g, i = first + 3 * m, cross + 3 * m, a + 3 * (k - m)
            total += ws[f] * ws[i] + ws[f + 1] * ws[i + 1] + ws[f + 2] * ws[i + 2]
            s, b = second + 6 * m, rates + 9 * (k - m)
            twice = ws[g] * (ws[b + 7] - ws[b + 5]) + ws[g + 1] * (ws[b + 2] - ws[b + 6])
            twice += ws[g + 2] * (ws[b + 3] - ws[b + 1])
            twice += ws[s] * ws[b] + ws[s + 1] * ws[b + 4] + ws[s + 2] * ws[b + 8]
            twice += ws[s + 3] * (ws[b + 1] + ws[b + 3]) + ws[s + 4] * (ws[b + 2] + ws[b + 6])
            twice += ws[s + 5] * (ws[b + 5] + ws[b + 7])
            total += 0.5 * twice
            c, i = coriolis + 3 * m, state + 3 * (k - m)
            total += 2.0 * (ws[c] * ws[i] + ws[c + 1] * ws[i + 1] + ws[c + 2] * ws[i + 2])
        ws[nu + k] += total


def integrals_forward(n, mass, ws, nu, block, before, after, scratch, order):
    """Set own wrench and own efforts of a module, and the state of its distal frame."""
    count = order + 3
    set_force(ws, mass, block, before, order)
    set_torque(ws, block, before, order)
    for j in range(n):
        coordinate = block + (layout.COORDINATES + j * layout.coordinate_width(n)) * count
        add_own_effort(ws, coordinate, before, nu + j * count, order)
    set_turning(ws, block + layout.POSE * count, scratch, order)
    advance(ws, block, True, True, scratch, before, after, scratch + 3 * count, order)


def integrals_efforts(n, ws, nu, block, wrench, order):
    """Add the work of the wrench behind a module to its efforts."""
    count = order + 3
    for j in range(n):
        coordinate = block + (layout.COORDINATES + j * layout.coordinate_width(n)) * count
        turn, shift = coordinate + layout.TURN_J * count, coordinate + layout.SHIFT_J * count
        for k in range(order + 1):
            total = 0.0
            for m in range(k + 1):
                i, f = 3 * m, wrench + 3 * (k - m)
                for c in range(3):
                    total += ws[shift + i + c] * ws[f + c]
                    total += ws[turn + i + c] * ws[f + 3 * count + c]
            ws[nu + j * count + k] += total
