# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Coriolis matrices C and Cbar of MK2021 of many samples, by composite rigid bodies."""

import numpy as np

from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.tree.composite_inertia import (
    add_to_parent,
    apply_inertia,
    cross,
    dot,
    place_bodies,
    placed_bodies,
    shift_wrench,
)
from screw_dynamics.kernels.tree.forward_kinematics import all_finite
from screw_dynamics.kernels.tree.layout import COORDINATE, MULTIPLIER, PARENT

# the forms: C and Cbar of MK2021
PLAIN, SKEW = range(2)


def _set_velocity(i, rate, tree, placed, twists, screw_rates):
    """Set twist and screw rate of body i in the fixed frame that now coincides with its own."""
    parent, screws, from_parent = tree[i, PARENT], placed.screws, placed.from_parent
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if parent >= 0:
        wx, wy, wz = twists[parent, 0], twists[parent, 1], twists[parent, 2]
        vx, vy, vz = cross(wx, wy, wz, from_parent[i, 0], from_parent[i, 1], from_parent[i, 2])
        vx += twists[parent, 3]
        vy += twists[parent, 4]
        vz += twists[parent, 5]
    x, y, z = screws[i, 0], screws[i, 1], screws[i, 2]
    u, v, w = screws[i, 3], screws[i, 4], screws[i, 5]
    # J' = ad_V J with V of the parent or of the body, because ad_J J = 0
    screw_rates[i, 0], screw_rates[i, 1], screw_rates[i, 2] = cross(wx, wy, wz, x, y, z)
    ax, ay, az = cross(wx, wy, wz, u, v, w)
    bx, by, bz = cross(vx, vy, vz, x, y, z)
    screw_rates[i, 3], screw_rates[i, 4], screw_rates[i, 5] = ax + bx, ay + by, az + bz
    twists[i, 0], twists[i, 1], twists[i, 2] = wx + rate * x, wy + rate * y, wz + rate * z
    twists[i, 3], twists[i, 4], twists[i, 5] = vx + rate * u, vy + rate * v, vz + rate * w


def _set_flow(twist, m, h, second, momentum, flow):
    """Set the momentum of a body, the integral of u dm, and the flow, that of u x^T dm."""
    wx, wy, wz = twist[0], twist[1], twist[2]
    vx, vy, vz = twist[3], twist[4], twist[5]
    px, py, pz = cross(wx, wy, wz, h[0], h[1], h[2])
    momentum[0], momentum[1], momentum[2] = m * vx + px, m * vy + py, m * vz + pz
    for k in range(3):
        fx, fy, fz = cross(wx, wy, wz, second[0, k], second[1, k], second[2, k])
        flow[0, k], flow[1, k], flow[2, k] = vx * h[k] + fx, vy * h[k] + fy, vz * h[k] + fz


def _set_gyration(twist, m, h, second, column, wrench, gyration):
    """Set the matrix N = -ad_V^T M of a body, by columns."""
    column[:] = 0.0
    for k in range(6):
        column[k] = 1.0
        apply_inertia(m, h, second, column, wrench)
        column[k] = 0.0
        t, f = wrench[:3], wrench[3:]
        ax, ay, az = cross(twist[0], twist[1], twist[2], t[0], t[1], t[2])
        bx, by, bz = cross(twist[3], twist[4], twist[5], f[0], f[1], f[2])
        gyration[0, k], gyration[1, k], gyration[2, k] = ax + bx, ay + by, az + bz
        gyration[3, k], gyration[4, k], gyration[5, k] = cross(
            twist[0], twist[1], twist[2], f[0], f[1], f[2]
        )


def _shift_gyration(step, gyration):
    """Refer a matrix from twists to wrenches to the parent's origin, in place."""
    for k in range(6):
        shift_wrench(step, gyration[:, k])
    for k in range(6):
        shift_wrench(step, gyration[k])  # the transposed matrix transforms in the same way


def _add_flow(flow, momentum, screw, forward, backward):
    """
    Add B J to `forward` and B^T J to `backward`.

    With the flow K: B y = (tr(K) w - K w; w × p) and B^T y = (tr(K) w - K^T w + p × v; 0).
    """
    trace = flow[0, 0] + flow[1, 1] + flow[2, 2]
    x, y, z = screw[0], screw[1], screw[2]
    px, py, pz = momentum[0], momentum[1], momentum[2]
    bx, by, bz = cross(px, py, pz, screw[3], screw[4], screw[5])
    backward[0] += bx
    backward[1] += by
    backward[2] += bz
    for a in range(3):
        forward[a] += trace * screw[a] - flow[a, 0] * x - flow[a, 1] * y - flow[a, 2] * z
        backward[a] += trace * screw[a] - flow[0, a] * x - flow[1, a] * y - flow[2, a] * z
    fx, fy, fz = cross(x, y, z, px, py, pz)
    forward[3] += fx
    forward[4] += fy
    forward[5] += fz


def _set_wrenches(i, form, placed, rates, momenta, flows, gyrations, forward, inertial, backward):
    """
    Set M J' + K J, M J and K^T J of the composite body i.

    K is B + B^T = M' for C, and N for Cbar (N + N^T = M').
    """
    m, h, second, screw = placed.mass[i], placed.first[i], placed.second[i], placed.screws[i]
    apply_inertia(m, h, second, screw, inertial)
    apply_inertia(m, h, second, rates[i], forward)
    backward[:] = 0.0
    if form == SKEW:
        for a in range(6):
            for b in range(6):
                forward[a] += gyrations[i, a, b] * screw[b]
                backward[b] += gyrations[i, a, b] * screw[a]
        return
    _add_flow(flows[i], momenta[i], screw, forward, backward)
    _add_flow(flows[i], momenta[i], screw, backward, forward)


def _add_coriolis_matrix(form, tree, bodies, placed, rates, momenta, flows, gyrations, matrix):
    """Add the Coriolis matrix of one sample; inertias, flows and gyrations become composite."""
    screws, from_parent = placed.screws, placed.from_parent
    forward, inertial, backward = np.empty(6), np.empty(6), np.empty(6)
    for i in range(bodies.shape[0] - 1, -1, -1):
        parent, row = tree[i, PARENT], tree[i, COORDINATE]
        _set_wrenches(
            i, form, placed, rates, momenta, flows, gyrations, forward, inertial, backward
        )
        matrix[row, row] += bodies[i, MULTIPLIER] ** 2 * dot(screws[i], forward)
        for wrench in (forward, inertial, backward):
            shift_wrench(from_parent[i], wrench)
        j = parent
        while j >= 0:
            column = tree[j, COORDINATE]
            factor = bodies[i, MULTIPLIER] * bodies[j, MULTIPLIER]
            matrix[column, row] += factor * dot(screws[j], forward)
            matrix[row, column] += factor * (dot(rates[j], inertial) + dot(screws[j], backward))
            for wrench in (forward, inertial, backward):
                shift_wrench(from_parent[j], wrench)
            j = tree[j, PARENT]
        if parent >= 0:
            add_to_parent(i, parent, placed)
            if form == SKEW:
                _shift_gyration(from_parent[i], gyrations[i])
                gyrations[parent] += gyrations[i]
            for a in range(3):
                for b in range(3):
                    flows[parent, a, b] += flows[i, a, b] + momenta[i, a] * from_parent[i, b]
                momenta[parent, a] += momenta[i, a]


def _coriolis_matrices(q, qd, form, tree, bodies, matrices):
    """Set the Coriolis matrix of every sample; return False if any is not finite."""
    count = bodies.shape[0]
    placed = placed_bodies(count)
    twists, rates = np.empty((count, 6)), np.empty((count, 6))
    momenta, flows = np.empty((count, 3)), np.empty((count, 3, 3))
    gyrations = np.empty((count if form == SKEW else 0, 6, 6))
    column, wrench = np.empty(6), np.empty(6)
    for t in range(q.shape[0]):
        if not (all_finite(q[t]) and all_finite(qd[t])):
            return False
        place_bodies(q[t], tree, bodies, placed)
        mass, first, second = placed.mass, placed.first, placed.second
        for i in range(count):
            rate = bodies[i, MULTIPLIER] * qd[t, tree[i, COORDINATE]]
            _set_velocity(i, rate, tree, placed, twists, rates)
            _set_flow(twists[i], mass[i], first[i], second[i], momenta[i], flows[i])
            if form == SKEW:
                _set_gyration(
                    twists[i], mass[i], first[i], second[i], column, wrench, gyrations[i]
                )
        matrices[t] = 0.0
        _add_coriolis_matrix(
            form, tree, bodies, placed, rates, momenta, flows, gyrations, matrices[t]
        )
        if not all_finite(matrices[t].ravel()):
            return False
    return True


coriolis_matrices = Kernel(
    _coriolis_matrices,
    f'boolean({read_only(2)}, {read_only(2)}, int64, {read_only(2, "int64")}, {read_only(2)}, '
    'float64[:, :, ::1])',
)
