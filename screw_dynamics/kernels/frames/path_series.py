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
from screw_dynamics.kernels.frames.motion import product3
from screw_dynamics.kernels.frames.pose_and_jacobian import (
    COORDINATE,
    FRAME_BLOCK,
    FRAME_STEP,
    SPATIAL,
    frame_rows,
    place_along_path,
)
from screw_dynamics.kernels.pointers import row_pointer


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
    places: Array
    """Places of the joint frames and the frame, as of `pose_and_jacobian`."""


def path_series(joints, count, n):
    """Return arrays of `count` coefficients; the base has no angular velocity."""
    return PathSeries(
        np.empty((count, n)), np.empty((joints, count, 3)), np.empty((joints + 1, count, 3)),
        np.empty((joints + 1, count, 3)), np.zeros((joints + 1, count, 3)),
        np.empty((joints, count, 3)), np.empty(frame_rows(0, joints)),
    )  # fmt: skip


def start_path(q, parameters, bodies, series):
    """Set coefficient 0, at the coordinates q; `bodies` (p, ROW) are those of the parameters."""
    axes, links, steps, places = series.axes, series.links, series.steps, series.places
    place_along_path(row_pointer(places, 0), row_pointer(q, 0), row_pointer(parameters, 0))
    for j in range(len(steps)):
        place, travel = places[FRAME_BLOCK * j :], 0.0
        if j < len(axes):
            travel = bodies[j, layout.TRANSLATION] * _joint(0, bodies[j], q, series.rates)
        for a in range(3):
            steps[j, 0, a] = links[j, 0, a] = place[FRAME_STEP + a]
            if j < len(axes):
                axes[j, 0, a] = place[3 * a + 2]
                links[j, 0, a] -= travel * axes[j, 0, a]


def _joint(k, body, q, rates):
    """Return coefficient k of the joint variable of a body."""
    c = int(body[COORDINATE])
    if k == 0:
        return body[layout.MULTIPLIER] * q[c] + body[layout.OFFSET]
    return body[layout.MULTIPLIER] * rates[k - 1, c] / k


def advance_path(k, q, bodies, series):
    """Set coefficient k > 0 of axes and steps, and k - 1 of the angular velocities."""
    axes, links, steps, angular = series.axes, series.links, series.steps, series.angular
    for j in range(len(steps)):
        _turn(k, angular[j], links[j])
        for a in range(3):
            steps[j, k, a] = links[j, k, a]
        if j < len(axes):
            body = bodies[j]
            _turn(k, angular[j], axes[j])
            turn, travel = body[layout.ROTATION], body[layout.TRANSLATION]
            for a in range(3):
                angular[j + 1, k - 1, a] = angular[j, k - 1, a]
            for s in range(k + 1):
                joint = _joint(s, body, q, series.rates)
                for a in range(3):
                    steps[j, k, a] += travel * joint * axes[j, k - s, a]
                    angular[j + 1, k - 1, a] += turn * s * joint * axes[j, k - s, a]


def _turn(k, angular, vector):
    """Set coefficient k > 0 of a vector (m, 3) with x' = w × x."""
    x, y, z = product3(k - 1, row_pointer(angular, 0), row_pointer(vector, 0))
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


def set_column(k, body, axes, levers, column):
    """Set a column (6,) to coefficient k of the screw of a joint, times the multiplier."""
    turn = body[layout.MULTIPLIER] * body[layout.ROTATION]
    travel = body[layout.MULTIPLIER] * body[layout.TRANSLATION]
    x, y, z = product3(k, row_pointer(axes, 0), row_pointer(levers, 0))
    for a in range(3):
        column[a], column[3 + a] = turn * axes[k, a], travel * axes[k, a]
    column[3] += turn * x
    column[4] += turn * y
    column[5] += turn * z
