# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Taylor series of a frame's pose, and of body-fixed twists in the other representations.

Row k of a series is the normalised coefficient x^(k) / k!: products are Cauchy products.
"""

from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array

BODY, SPATIAL, HYBRID, MIXED = range(4)  # representations of twists


class PoseSeries(NamedTuple):
    """Series of the pose of a frame in base-link axes, m coefficients."""

    rotations: Array
    """(m, 3, 3) R."""
    positions: Array
    """(m, 3) r [m]."""
    moments: Array
    """(m, 3, 3) r~ R; maps body-fixed angular to spatial linear velocity."""


def pose_series(count):
    """Return uninitialised arrays of `count` coefficients."""
    return PoseSeries(np.empty((count, 3, 3)), np.empty((count, 3)), np.empty((count, 3, 3)))


def start_pose(path, local, rotations, from_parent, pose):
    """Set coefficient 0 from the joint frames on the path to the frame."""
    for a in range(3):
        pose.positions[0, a] = local[a, 3]
        for b in range(3):
            pose.rotations[0, a, b] = local[a, b]
    if path.size:
        last = rotations[path[-1]]
        for a in range(3):
            x, y, z = last[a, 0], last[a, 1], last[a, 2]
            for b in range(3):
                pose.rotations[0, a, b] = x * local[0, b] + y * local[1, b] + z * local[2, b]
            pose.positions[0, a] = x * local[0, 3] + y * local[1, 3] + z * local[2, 3]
            for i in path:
                pose.positions[0, a] += from_parent[i, a]
    _set_moment(0, pose.positions, pose.rotations, pose.moments)


def advance_pose(k, twist, pose):
    """Set coefficient k > 0 of R' = R w~ and r' = R v from the body-fixed twist (m, 6)."""
    rotations, positions = pose.rotations, pose.positions
    for a in range(3):
        x, y, z, moved = 0.0, 0.0, 0.0, 0.0
        for s in range(k):
            v = twist[k - 1 - s]
            p, q, r = rotations[s, a, 0], rotations[s, a, 1], rotations[s, a, 2]
            x += q * v[2] - r * v[1]
            y += r * v[0] - p * v[2]
            z += p * v[1] - q * v[0]
            moved += p * v[3] + q * v[4] + r * v[5]
        rotations[k, a, 0], rotations[k, a, 1], rotations[k, a, 2] = x / k, y / k, z / k
        positions[k, a] = moved / k
    _set_moment(k, positions, rotations, pose.moments)


def _set_moment(k, positions, rotations, moments):
    """Set coefficient k of r~ R."""
    for b in range(3):
        x, y, z = 0.0, 0.0, 0.0
        for s in range(k + 1):
            r, e = positions[s], rotations[k - s]
            x += r[1] * e[2, b] - r[2] * e[1, b]
            y += r[2] * e[0, b] - r[0] * e[2, b]
            z += r[0] * e[1, b] - r[1] * e[0, b]
        moments[k, 0, b], moments[k, 1, b], moments[k, 2, b] = x, y, z


def represent(k, twist, pose, representation, result):
    """Set `result` (6,) to coefficient k of a body-fixed series (m, 6) in a representation."""
    for a in range(3):
        angular, linear = twist[k, a], twist[k, 3 + a]
        if representation != BODY:
            linear = _rotated(k, a, pose.rotations, twist, 3)
            if representation != MIXED:
                angular = _rotated(k, a, pose.rotations, twist, 0)
            if representation == SPATIAL:
                linear += _rotated(k, a, pose.moments, twist, 0)
        result[a], result[3 + a] = angular, linear


def _rotated(k, row, matrices, twist, first):
    """Return coefficient k of a row of the matrices times the 3-vectors from column `first`."""
    total = 0.0
    for s in range(k + 1):
        for b in range(3):
            total += matrices[s, row, b] * twist[k - s, first + b]
    return total
