# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the efforts and of their time derivatives, by composite rigid bodies.

All quantities are Taylor series in base-link axes, about the point at which the first joint
origin is at this instant, which does not move with it: twists, screws and momenta of all bodies
then add, and time derivatives are those of components. With a joint screw S, the twist v and the
acceleration a of the parent, P = [v, S], R = [a, S] + [v, P], the inertia I, the momentum flow
matrix B and the wrench f of the bodies behind a joint, for j on the path of i,

    dtau_i/dq_j = S_i^T (2 B_i P_j + I_i R_j)
    dtau_j/dq_i = S_j^T (2 B_i P_i + I_i R_i - [S_i, .]^T f_i)
    dtau_i/dq_j' = S_i^T (2 B_i S_j + 2 I_i P_j)
    dtau_j/dq_i' = S_j^T (2 B_i S_i + 2 I_i P_i)
    dtau_i/dq_j'' = S_i^T I_i S_j
"""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.tree.composite_inertia import (
    PlacedBodies,
    place_bodies,
    placed_bodies,
    refer_to_first_origin,
)
from screw_dynamics.kernels.tree.forward_kinematics import all_finite
from screw_dynamics.kernels.tree.layout import COORDINATE, MULTIPLIER, PARENT


class Motion(NamedTuple):
    """Series of the joints and bodies, (N, m, ..)."""

    screws: Array
    """(N, m, 6) S."""
    rates: Array
    """(N, m, 6) P."""
    accelerations: Array
    """(N, m, 6) R."""
    twists: Array
    """(N, m, 6) v."""
    first: Array
    """(N, m, 3) first moments."""
    second: Array
    """(N, m, 3, 3) second moments, the integral of x x^T dm."""
    flow: Array
    """(N, m, 3, 3) the integral of u x^T dm with the velocity u; composite in the second sweep."""
    momentum: Array
    """(N, m, 3) the integral of u dm."""
    force: Array
    """(N, m, 6) f, torque and force."""
    placed: PlacedBodies


class Products(NamedTuple):
    """Series of wrenches of a joint, (m, 6): I S, 2 B^T S, and what the columns need."""

    inertial: Array
    flowing: Array
    by_position: Array
    by_rate: Array


def motion_series(count, terms):
    """Return uninitialised arrays for N bodies and m terms."""
    return Motion(
        np.empty((count, terms, 6)), np.empty((count, terms, 6)), np.empty((count, terms, 6)),
        np.empty((count, terms, 6)), np.empty((count, terms, 3)), np.empty((count, terms, 3, 3)),
        np.empty((count, terms, 3, 3)), np.empty((count, terms, 3)), np.empty((count, terms, 6)),
        placed_bodies(count),
    )  # fmt: skip


def _start(tree, motion):
    """Set the constant terms: screws and inertias about the first joint origin."""
    placed = motion.placed
    refer_to_first_origin(tree, placed, np.empty_like(placed.first))
    motion.screws[:, 0] = placed.screws
    motion.first[:, 0] = placed.first
    motion.second[:, 0] = placed.second


def _add_bracket(a, b, factor, result):
    """Add the Lie bracket [a, b] of two twists, times a factor."""
    for x, y, z in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[x] += factor * (a[y] * b[z] - a[z] * b[y])
        result[3 + x] += factor * (
            a[3 + y] * b[z] - a[3 + z] * b[y] + a[y] * b[3 + z] - a[z] * b[3 + y]
        )


def _set_twist(k, i, parent, multiplier, rates, coordinate, motion):
    """Set term k of the screw rate P, of the twist, and term k + 1 of the screw."""
    screws, twists, moved = motion.screws[i], motion.twists[i], motion.rates[i, k]
    moved[:] = 0.0
    twists[k] = 0.0
    if parent >= 0:
        twists[k] = motion.twists[parent, k]
        for s in range(k + 1):
            _add_bracket(motion.twists[parent, s], screws[k - s], 1.0, moved)
    for a in range(6):
        if k + 1 < screws.shape[0]:
            screws[k + 1, a] = moved[a] / (k + 1.0)
        for s in range(k + 1):
            twists[k, a] += multiplier * rates[k - s, coordinate] * screws[s, a]


def _set_inertia(k, i, mass, motion):
    """Set term k of flow and momentum, and term k + 1 of the first and second moments."""
    first, second, twists = motion.first[i], motion.second[i], motion.twists[i]
    flow, momentum = motion.flow[i, k], motion.momentum[i, k]
    for a in range(3):
        momentum[a] = mass * twists[k, 3 + a]
        for b in range(3):
            flow[a, b] = 0.0
    for s in range(k + 1):
        w, h = twists[k - s], first[s]
        momentum[0] += w[1] * h[2] - w[2] * h[1]
        momentum[1] += w[2] * h[0] - w[0] * h[2]
        momentum[2] += w[0] * h[1] - w[1] * h[0]
        for b in range(3):
            x, y, z = second[s, 0, b], second[s, 1, b], second[s, 2, b]
            flow[0, b] += w[3] * h[b] + w[1] * z - w[2] * y
            flow[1, b] += w[4] * h[b] + w[2] * x - w[0] * z
            flow[2, b] += w[5] * h[b] + w[0] * y - w[1] * x
    if k + 1 < first.shape[0]:
        rise = 1.0 / (k + 1.0)
        for a in range(3):
            first[k + 1, a] = rise * momentum[a]
            for b in range(3):
                second[k + 1, a, b] = rise * (flow[a, b] + flow[b, a])


def _set_force(k, i, mass, gravity, motion):
    """Set term k of the wrench on a body: the rate of its momentum, less its weight."""
    rise, force, flow = k + 1.0, motion.force[i, k], motion.flow[i, k + 1]
    h = motion.first[i, k]
    for x, y, z in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        force[x] = rise * (flow[z, y] - flow[y, z]) - (h[y] * gravity[z] - h[z] * gravity[y])
        force[3 + x] = rise * motion.momentum[i, k + 1, x]
        if k == 0:
            force[3 + x] -= mass * gravity[x]


def _set_acceleration(k, i, parent, gravity, motion):
    """Set term k of R = [a, S] + [v, P] with the parent's acceleration a less gravity."""
    result, screws = motion.accelerations[i, k], motion.screws[i]
    result[:] = 0.0
    x, y, z = screws[k, 0], screws[k, 1], screws[k, 2]
    result[3] -= gravity[1] * z - gravity[2] * y
    result[4] -= gravity[2] * x - gravity[0] * z
    result[5] -= gravity[0] * y - gravity[1] * x
    if parent >= 0:
        for s in range(k + 1):
            _add_bracket(motion.twists[parent, s + 1], screws[k - s], s + 1.0, result)
            _add_bracket(motion.twists[parent, s], motion.rates[i, k - s], 1.0, result)


def _set_motion(jet_rates, tree, bodies, gravity, terms, motion):
    """Set all series of one sample, `terms` of them and one more of the twists."""
    _start(tree, motion)
    for i in range(bodies.shape[0]):
        parent, mass = tree[i, PARENT], motion.placed.mass[i]
        multiplier, c = bodies[i, MULTIPLIER], tree[i, COORDINATE]
        for k in range(terms + 1):
            _set_twist(k, i, parent, multiplier, jet_rates, c, motion)
            _set_inertia(k, i, mass, motion)
        for k in range(terms):
            _set_force(k, i, mass, gravity, motion)
            _set_acceleration(k, i, parent, gravity, motion)


def _add_inertial(k, i, mass, vectors, factor, motion, result):
    """Add term k of I x, times a factor, for a series of twists x."""
    first, second = motion.first[i], motion.second[i]
    for s in range(k + 1):
        x, h, m = vectors[k - s], first[s], second[s]
        trace = m[0, 0] + m[1, 1] + m[2, 2]
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            turned = trace * x[a] - m[a, 0] * x[0] - m[a, 1] * x[1] - m[a, 2] * x[2]
            result[a] += factor * (turned + h[b] * x[3 + c] - h[c] * x[3 + b])
            result[3 + a] += factor * (x[b] * h[c] - x[c] * h[b])
    for a in range(3):
        result[3 + a] += factor * mass * vectors[k, 3 + a]


def _add_flow(k, i, vectors, motion, result):
    """Add term k of 2 B x = 2 (tr(K) w - K w; w × p) for a series of twists x = (w; v)."""
    for s in range(k + 1):
        x, flow, p = vectors[k - s], motion.flow[i, s], motion.momentum[i, s]
        trace = flow[0, 0] + flow[1, 1] + flow[2, 2]
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            turned = trace * x[a] - flow[a, 0] * x[0] - flow[a, 1] * x[1] - flow[a, 2] * x[2]
            result[a] += 2.0 * turned
            result[3 + a] += 2.0 * (x[b] * p[c] - x[c] * p[b])


def _set_transposed_flow(k, i, vectors, motion, result):
    """Set term k of 2 B^T x = 2 (tr(K) w - K^T w + p × v; 0)."""
    result[:] = 0.0
    for s in range(k + 1):
        x, flow, p = vectors[k - s], motion.flow[i, s], motion.momentum[i, s]
        trace = flow[0, 0] + flow[1, 1] + flow[2, 2]
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            turned = trace * x[a] - flow[0, a] * x[0] - flow[1, a] * x[1] - flow[2, a] * x[2]
            result[a] += 2.0 * (turned + p[b] * x[3 + c] - p[c] * x[3 + b])


def _add_turned_force(k, screws, forces, result):
    """Add term k of -[S, .]^T f = (w × n + v × f; w × f)."""
    for s in range(k + 1):
        x, f = screws[k - s], forces[s]
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            result[a] += x[b] * f[c] - x[c] * f[b] + x[3 + b] * f[3 + c] - x[3 + c] * f[3 + b]
            result[3 + a] += x[b] * f[3 + c] - x[c] * f[3 + b]


def _set_products(i, mass, terms, motion, products):
    """Set the series of the wrenches of a joint from its composite body."""
    screws, rates = motion.screws[i], motion.rates[i]
    for k in range(terms):
        products.inertial[k] = 0.0
        _add_inertial(k, i, mass, screws, 1.0, motion, products.inertial[k])
        _set_transposed_flow(k, i, screws, motion, products.flowing[k])
        products.by_position[k] = 0.0
        _add_flow(k, i, rates, motion, products.by_position[k])
        _add_inertial(k, i, mass, motion.accelerations[i], 1.0, motion, products.by_position[k])
        _add_turned_force(k, screws, motion.force[i], products.by_position[k])
        products.by_rate[k] = 0.0
        _add_flow(k, i, screws, motion, products.by_rate[k])
        _add_inertial(k, i, mass, rates, 2.0, motion, products.by_rate[k])


def _product(k, a, b):
    """Return term k of the product of two series of 6-vectors."""
    total = 0.0
    for s in range(k + 1):
        for c in range(6):
            total += a[s, c] * b[k - s, c]
    return total


def _add_partials(tree, bodies, terms, motion, products, series):
    """Add the series (3, m, n, n) of the derivatives by q, q', q''; inertias become composite."""
    by_position, by_rate, mass_matrix = series[0], series[1], series[2]
    mass = motion.placed.mass
    for i in range(bodies.shape[0] - 1, -1, -1):
        parent, row = tree[i, PARENT], tree[i, COORDINATE]
        _set_products(i, mass[i], terms, motion, products)
        j = i
        while j >= 0:
            column, factor = tree[j, COORDINATE], bodies[i, MULTIPLIER] * bodies[j, MULTIPLIER]
            screws, rates = motion.screws[j], motion.rates[j]
            for k in range(terms):
                inertia = factor * _product(k, products.inertial, screws)
                mass_matrix[k, row, column] += inertia
                by_rate[k, row, column] += factor * (
                    _product(k, products.flowing, screws)
                    + 2.0 * _product(k, products.inertial, rates)
                )
                by_position[k, row, column] += factor * (
                    _product(k, products.flowing, rates)
                    + _product(k, products.inertial, motion.accelerations[j])
                )
                if j != i:
                    mass_matrix[k, column, row] += inertia
                    by_rate[k, column, row] += factor * _product(k, products.by_rate, screws)
                    by_position[k, column, row] += factor * _product(
                        k, products.by_position, screws
                    )
            j = tree[j, PARENT]
        if parent >= 0:
            mass[parent] += mass[i]
            for k in range(terms):
                for a in range(3):
                    motion.first[parent, k, a] += motion.first[i, k, a]
                    motion.momentum[parent, k, a] += motion.momentum[i, k, a]
                    motion.force[parent, k, a] += motion.force[i, k, a]
                    motion.force[parent, k, 3 + a] += motion.force[i, k, 3 + a]
                    for b in range(3):
                        motion.second[parent, k, a, b] += motion.second[i, k, a, b]
                        motion.flow[parent, k, a, b] += motion.flow[i, k, a, b]


def _assemble(series, result):
    """
    Set the partials (k + 1, k + 3, n, n) of the derivatives of the efforts.

    That of tau^(d) by q^(r) is the sum over p = 0, 1, 2 of comb(d, r - p) times the (d - r + p)-th
    time derivative of dtau/dq^(p).
    """
    result[:] = 0.0
    for d in range(result.shape[0]):
        for p in range(3):
            weight = 1.0  # comb(d, k) k!
            for k in range(d + 1):
                if k > 0:
                    weight *= d - k + 1.0
                result[d, d - k + p] += weight * series[p, k]


def _effort_partials(jets, tree, bodies, gravity, results):
    """Set (T, k + 1, k + 3, n, n) from joint jets (T, k + 3, n); return False if not finite."""
    count, terms, n = bodies.shape[0], results.shape[1], jets.shape[2]
    motion = motion_series(count, terms + 1)
    products = Products(
        np.empty((terms, 6)), np.empty((terms, 6)), np.empty((terms, 6)), np.empty((terms, 6))
    )
    series, rates = np.empty((3, terms, n, n)), np.empty((terms + 1, n))
    for t in range(jets.shape[0]):
        if not all_finite(jets[t].ravel()):
            return False
        factor = 1.0
        for k in range(terms + 1):
            rates[k] = jets[t, k + 1] / factor
            factor *= k + 1.0
        place_bodies(jets[t, 0], tree, bodies, motion.placed)
        _set_motion(rates, tree, bodies, gravity, terms, motion)
        series[:] = 0.0
        _add_partials(tree, bodies, terms, motion, products, series)
        _assemble(series, results[t])
        if not all_finite(results[t].ravel()):
            return False
    return True


effort_partials = Kernel(
    _effort_partials,
    f'boolean({read_only(3)}, {read_only(2, "int64")}, {read_only(2)}, {read_only(1)}, '
    'float64[:, :, :, :, ::1])',
)
