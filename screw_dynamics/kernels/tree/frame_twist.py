# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kernel of the twists of a frame and their time derivatives, O(n) per order.

Body-fixed twists by the recursion of KM2021, (15)-(18), along the joint frames of the path to the
frame, the others in base-link axes, on normalised Taylor coefficients as in `kernels.taylor`. A
conversion of one into the other would lose the digits by which their derivatives differ in size.
"""

import numpy as np

from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.tree.forward_kinematics import all_finite
from screw_dynamics.kernels.tree.layout import (
    COORDINATE,
    HOME_POSITION,
    HOME_ROTATION,
    MULTIPLIER,
    OFFSET,
    PARENT,
    ROTATION,
    TRANSLATION,
)
from screw_dynamics.kernels.tree.path_series import (
    BODY,
    MIXED,
    SPATIAL,
    advance_path,
    path_series,
    set_column,
    set_levers,
    start_path,
)


def _to_child(rotation, position, twist):
    """Transform twists (m, 6) of a frame to those of a frame that is fixed in it."""
    x, y, z = position[0], position[1], position[2]
    for k in range(twist.shape[0]):
        p, q, r = twist[k, 0], twist[k, 1], twist[k, 2]
        u = twist[k, 3] + q * z - r * y
        v = twist[k, 4] + r * x - p * z
        w = twist[k, 5] + p * y - q * x
        for a in range(3):
            c, d, e = rotation[0, a], rotation[1, a], rotation[2, a]
            twist[k, a] = c * p + d * q + e * r
            twist[k, 3 + a] = c * u + d * v + e * w


def _set_joint(i, jet, tree, bodies, joint, sines):
    """Set the series of the joint variable (r,), of its cosine and of its sine (2, r - 1)."""
    c = tree[i, COORDINATE]
    factor = bodies[i, MULTIPLIER]
    for k in range(jet.shape[0]):
        joint[k] = factor * jet[k, c]
        factor /= k + 1.0
    joint[0] += bodies[i, OFFSET]
    turn = bodies[i, ROTATION]
    sines[0, 0], sines[1, 0] = np.cos(turn * joint[0]), np.sin(turn * joint[0])
    for k in range(1, sines.shape[1]):
        cosine, sine = 0.0, 0.0
        for s in range(1, k + 1):
            rate = turn * s * joint[s]
            cosine -= rate * sines[1, k - s]
            sine += rate * sines[0, k - s]
        sines[0, k], sines[1, k] = cosine / k, sine / k


def _across_joint(turn, travel, joint, sines, twist):
    """Transform twists from the frame before the joint to that behind it, and add the rates."""
    count = twist.shape[0]
    # in place, from the highest order on: coefficient k depends on those up to k only
    if travel != 0.0:
        for k in range(count - 1, -1, -1):
            for s in range(k + 1):
                twist[k, 3] += travel * joint[s] * twist[k - s, 1]
                twist[k, 4] -= travel * joint[s] * twist[k - s, 0]
    if turn != 0.0:
        for k in range(count - 1, -1, -1):
            for a in (0, 3):
                x, y = 0.0, 0.0
                for s in range(k + 1):
                    c, d = sines[0, s], sines[1, s]
                    x += c * twist[k - s, a] + d * twist[k - s, a + 1]
                    y += c * twist[k - s, a + 1] - d * twist[k - s, a]
                twist[k, a], twist[k, a + 1] = x, y
    for k in range(count):
        rate = (k + 1.0) * joint[k + 1]
        twist[k, 2] += turn * rate
        twist[k, 5] += travel * rate


def _set_body_twist(jet, tree, bodies, path, local, joint, sines, twist):
    """Set the series (m, 6) of the body-fixed twist."""
    twist[:] = 0.0
    for i in path:
        if tree[i, PARENT] >= 0:
            home = bodies[i, HOME_ROTATION : HOME_ROTATION + 9].reshape((3, 3))
            _to_child(home, bodies[i, HOME_POSITION : HOME_POSITION + 3], twist)
        _set_joint(i, jet, tree, bodies, joint, sines)
        _across_joint(bodies[i, ROTATION], bodies[i, TRANSLATION], joint, sines, twist)
    _to_child(local[:3, :3], local[:3, 3], twist)


def _set_base_twist(jet, tree, bodies, path, local, representation, series, twist):
    """Set the series (m, 6) of the spatial or hybrid twist, the linear part only if mixed."""
    factor = 1.0
    for k in range(twist.shape[0]):
        series.rates[k] = jet[k + 1] / factor
        factor *= k + 1.0
    start_path(jet[0], tree, bodies, path, local, series)
    for k in range(1, twist.shape[0] + 1):
        advance_path(k, jet[0], tree, bodies, path, series)
    for k in range(twist.shape[0]):
        if representation == SPATIAL:
            set_levers(k, SPATIAL, series)
        for a in range(3):
            if representation != MIXED:
                twist[k, a] = series.angular[path.size, k, a]
            twist[k, 3 + a] = 0.0
            if representation != SPATIAL:
                for j in range(path.size + 1):
                    twist[k, 3 + a] += (k + 1.0) * series.steps[j, k + 1, a]
    if representation == SPATIAL:
        _add_moments(tree, bodies, path, series, twist)


def _add_moments(tree, bodies, path, series, twist):
    """Add the linear parts of the columns times the rates."""
    column = np.empty(6)
    for j in range(path.size):
        c = tree[path[j], COORDINATE]
        for k in range(twist.shape[0]):
            set_column(k, path[j], bodies, series.axes[j], series.levers[j], column)
            for s in range(twist.shape[0] - k):
                for a in range(3, 6):
                    twist[k + s, a] += column[a] * series.rates[s, c]


def _frame_twists(jets, tree, bodies, path, local, representation, twists):
    """Set twists (T, r - 1, 6) of all joint jets (T, r, n); return False if any is not finite."""
    rows = twists.shape[1]
    joint, sines, twist = np.empty(rows + 1), np.empty((2, rows)), np.empty((rows, 6))
    series = path_series(path.size, bodies.shape[0], rows + 1, jets.shape[2])
    for t in range(jets.shape[0]):
        if not all_finite(jets[t].ravel()):
            return False
        if representation == BODY or representation == MIXED:
            _set_body_twist(jets[t], tree, bodies, path, local, joint, sines, twist)
        if representation != BODY:
            _set_base_twist(jets[t], tree, bodies, path, local, representation, series, twist)
        factor = 1.0
        for k in range(rows):
            for a in range(6):
                twists[t, k, a] = factor * twist[k, a]
            factor *= k + 1.0
        if not all_finite(twists[t].ravel()):
            return False
    return True


frame_twists = Kernel(
    _frame_twists,
    f'boolean({read_only(3)}, {read_only(2, "int64")}, {read_only(2)}, {read_only(1, "int64")}, '
    f'{read_only(2)}, int64, float64[:, :, ::1])',
)
