# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Taylor series of the joint axes on the path to a frame, in base-link axes.

Row k of a series is the normalised coefficient x^(k) / k!: products are Cauchy products. A vector
x that is fixed in a body has x' = w × x, with the angular velocity w of the body. Coefficient k of
all series needs the rates of the joints up to k - 1 only, so that an equation for the rates can be
solved order by order.
"""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.bodies import tables as layout

BODY, SPATIAL, HYBRID, MIXED = range(4)  # representations of twists


class PathSeries(NamedTuple):
    """Series of m coefficients at the p joints of a path; row p is the frame at its end."""

    rates: Array
    """(m, n) of all coordinates, not only of the path."""
    axes: Array
    """(p, m, 3) e of the joints."""
    links: Array
    """(p + 1, m, 3) steps before the displacement of the joint; fixed in the parent [m]."""
    steps: Array
    """(p + 1, m, 3) vectors from the origin of the parent to that of the joint frame [m]."""
    angular: Array
    """(p + 1, m, 3) angular velocities of the parents."""
    levers: Array
    """(p, m, 3) from the origins of the joint frames to the reference point of a twist [m]."""
    rotations: Array
    """(N, 3, 3) of the joint frames at the start."""
    from_parent: Array
    """(N, 3) steps at the start [m]."""


def path_series(joints, bodies, count, n):
    """Return arrays of `count` coefficients; the base has no angular velocity."""
    return PathSeries(
        np.empty((count, n)), np.empty((joints, count, 3)), np.empty((joints + 1, count, 3)),
        np.empty((joints + 1, count, 3)), np.zeros((joints + 1, count, 3)),
        np.empty((joints, count, 3)), np.empty((bodies, 3, 3)), np.empty((bodies, 3)),
    )  # fmt: skip


def forward_kinematics_step(i, q, tree, bodies, rotations, from_parent):
    """
    Compute the joint frame of body i from that of its parent (MK2021 (3) in joint frames).

    Sets row i of `rotations` (N, 3, 3) to R_i, the rotation to base-link axes, and row i of
    `from_parent` (N, 3) to r_i - r_p, the vector from the parent's origin in base-link axes [m].
    """
    parent = tree[i, layout.PARENT]
    s = bodies[i, layout.MULTIPLIER] * q[tree[i, layout.COORDINATE]] + bodies[i, layout.OFFSET]
    cosine, sine = np.cos(bodies[i, layout.ROTATION] * s), np.sin(bodies[i, layout.ROTATION] * s)
    shift = bodies[i, layout.TRANSLATION] * s
    for a in range(3):
        if parent < 0:
            k = layout.HOME_ROTATION + 3 * a
            x, y, z = bodies[i, k], bodies[i, k + 1], bodies[i, k + 2]
            origin = bodies[i, layout.HOME_POSITION + a]
        else:
            u, v, w = rotations[parent, a, 0], rotations[parent, a, 1], rotations[parent, a, 2]
            k = layout.HOME_ROTATION
            x = u * bodies[i, k] + v * bodies[i, k + 3] + w * bodies[i, k + 6]
            y = u * bodies[i, k + 1] + v * bodies[i, k + 4] + w * bodies[i, k + 7]
            z = u * bodies[i, k + 2] + v * bodies[i, k + 5] + w * bodies[i, k + 8]
            k = layout.HOME_POSITION
            origin = u * bodies[i, k] + v * bodies[i, k + 1] + w * bodies[i, k + 2]
        rotations[i, a, 0] = cosine * x + sine * y
        rotations[i, a, 1] = cosine * y - sine * x
        rotations[i, a, 2] = z
        from_parent[i, a] = origin + shift * z


def start_path(q, tree, bodies, path, local, series):
    """Set coefficient 0, at the coordinates q."""
    for i in path:
        forward_kinematics_step(i, q, tree, bodies, series.rotations, series.from_parent)
    for j in range(path.size):
        i = path[j]
        travel = bodies[i, layout.TRANSLATION] * _joint(0, i, q, series.rates, tree, bodies)
        for a in range(3):
            axis, step = series.rotations[i, a, 2], series.from_parent[i, a]
            series.axes[j, 0, a], series.steps[j, 0, a] = axis, step
            series.links[j, 0, a] = step - travel * axis
    for a in range(3):
        end = local[a, 3]
        if path.size:
            last = series.rotations[path[-1], a]
            end = last[0] * local[0, 3] + last[1] * local[1, 3] + last[2] * local[2, 3]
        series.steps[path.size, 0, a] = series.links[path.size, 0, a] = end


def _joint(k, i, q, rates, tree, bodies):
    """Return coefficient k of the joint variable of body i."""
    c = tree[i, layout.COORDINATE]
    if k == 0:
        return bodies[i, layout.MULTIPLIER] * q[c] + bodies[i, layout.OFFSET]
    return bodies[i, layout.MULTIPLIER] * rates[k - 1, c] / k


def advance_path(k, q, tree, bodies, path, series):
    """Set coefficient k > 0 of axes and steps, and k - 1 of the angular velocities."""
    axes, links, steps, angular = series.axes, series.links, series.steps, series.angular
    for j in range(path.size + 1):
        _turn(k, angular[j], links[j])
        for a in range(3):
            steps[j, k, a] = links[j, k, a]
        if j < path.size:
            i = path[j]
            _turn(k, angular[j], axes[j])
            turn, travel = bodies[i, layout.ROTATION], bodies[i, layout.TRANSLATION]
            for a in range(3):
                angular[j + 1, k - 1, a] = angular[j, k - 1, a]
            for s in range(k + 1):
                joint = _joint(s, i, q, series.rates, tree, bodies)
                for a in range(3):
                    steps[j, k, a] += travel * joint * axes[j, k - s, a]
                    angular[j + 1, k - 1, a] += turn * s * joint * axes[j, k - s, a]


def _turn(k, angular, vector):
    """Set coefficient k > 0 of a vector (m, 3) with x' = w × x."""
    x, y, z = 0.0, 0.0, 0.0
    for s in range(k):
        w, r = angular[k - 1 - s], vector[s]
        x += w[1] * r[2] - w[2] * r[1]
        y += w[2] * r[0] - w[0] * r[2]
        z += w[0] * r[1] - w[1] * r[0]
    vector[k, 0], vector[k, 1], vector[k, 2] = x / k, y / k, z / k


def set_levers(k, representation, series):
    """Set coefficient k of the levers to the base origin ('spatial') or to the frame."""
    levers, steps = series.levers, series.steps
    count = levers.shape[0]
    for a in range(3):
        lever = 0.0
        if representation == SPATIAL:
            for j in range(count):
                lever -= steps[j, k, a]
                levers[j, k, a] = lever
        else:
            for j in range(count - 1, -1, -1):
                lever += steps[j + 1, k, a]
                levers[j, k, a] = lever


def set_column(k, i, bodies, axes, levers, column):
    """Set a column (6,) to coefficient k of the screw of joint i, times the multiplier."""
    turn = bodies[i, layout.MULTIPLIER] * bodies[i, layout.ROTATION]
    travel = bodies[i, layout.MULTIPLIER] * bodies[i, layout.TRANSLATION]
    x, y, z = 0.0, 0.0, 0.0
    for s in range(k + 1):
        e, r = axes[s], levers[k - s]
        x += e[1] * r[2] - e[2] * r[1]
        y += e[2] * r[0] - e[0] * r[2]
        z += e[0] * r[1] - e[1] * r[0]
    for a in range(3):
        column[a], column[3 + a] = turn * axes[k, a], travel * axes[k, a]
    column[3] += turn * x
    column[4] += turn * y
    column[5] += turn * z
