# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics of one body: a step shared by all kernels on joint frames."""

import numpy as np

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

_LARGEST = float(np.finfo(np.float64).max)


def forward_kinematics_step(i, q, tree, bodies, rotations, from_parent):
    """
    Compute the joint frame of body i from that of its parent (MK2021 (3) in joint frames).

    Sets row i of `rotations` (N, 3, 3) to R_i, the rotation to base-link axes, and row i of
    `from_parent` (N, 3) to r_i - r_p, the vector from the parent's origin in base-link axes [m].
    """
    parent = tree[i, PARENT]
    s = bodies[i, MULTIPLIER] * q[tree[i, COORDINATE]] + bodies[i, OFFSET]
    cosine, sine = np.cos(bodies[i, ROTATION] * s), np.sin(bodies[i, ROTATION] * s)
    shift = bodies[i, TRANSLATION] * s
    for a in range(3):
        if parent < 0:
            k = HOME_ROTATION + 3 * a
            x, y, z = bodies[i, k], bodies[i, k + 1], bodies[i, k + 2]
            origin = bodies[i, HOME_POSITION + a]
        else:
            u, v, w = rotations[parent, a, 0], rotations[parent, a, 1], rotations[parent, a, 2]
            k = HOME_ROTATION
            x = u * bodies[i, k] + v * bodies[i, k + 3] + w * bodies[i, k + 6]
            y = u * bodies[i, k + 1] + v * bodies[i, k + 4] + w * bodies[i, k + 7]
            z = u * bodies[i, k + 2] + v * bodies[i, k + 5] + w * bodies[i, k + 8]
            k = HOME_POSITION
            origin = u * bodies[i, k] + v * bodies[i, k + 1] + w * bodies[i, k + 2]
        rotations[i, a, 0] = cosine * x + sine * y
        rotations[i, a, 1] = cosine * y - sine * x
        rotations[i, a, 2] = z
        from_parent[i, a] = origin + shift * z


def all_finite(values):
    """Return whether every entry of a vector is finite; a count, which the compiler vectorises."""
    bad = 0
    for value in values:
        bad += not (abs(value) <= _LARGEST)
    return bad == 0
