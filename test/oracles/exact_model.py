# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The floats of a `ScrewModel` as 60-digit numbers, and the poses of its bodies as Taylor series.

Floats enter exactly; rotations and axes, which no float can hold exactly, are made orthonormal
to 60 digits first, so that the robot is a rigid one.
"""

from __future__ import annotations

import gmpy2
import numpy as np
from numpy.typing import ArrayLike

from oracles.taylor import Series, constant, exact, product, series_of, sine_cosine
from screw_dynamics.common.arrays import Array
from screw_dynamics.model import ScrewModel


def tree_joint_series(model: ScrewModel, joint_jet: ArrayLike) -> Series:
    """Return the series (terms, N) of s_i = multiplier_i q_c(i) + offset_i of the tree joints."""
    jet = exact(joint_jet)
    joints = jet[:, model.coordinates] * exact(model.multipliers)
    joints[0] += exact(model.offsets)
    return series_of(joints)


def body_poses(model: ScrewModel, joints: Series) -> list[Series]:
    """Return the series of C_i(t) = C_p(t) B_i exp(X_i s_i(t)) of every body."""
    poses: list[Series] = []
    for i, p in enumerate(model.parents):
        home = constant(orthonormal_pose(model.home_poses[i]), len(joints))
        moved = product(home, _screw_motion(model.screws[i], joints[:, i]))
        poses.append(moved if p < 0 else product(poses[p], moved))
    return poses


def orthonormal_pose(matrix: Array) -> Series:
    """Return a pose of floats with its rotation made orthonormal to 60 digits."""
    c = exact(matrix)
    r = c[:3, :3]
    for _ in range(3):  # Newton's iteration for the polar factor: the error is squared each time
        r = r @ (3 * exact(np.eye(3)) - r.T @ r) / 2
    c[:3, :3] = r
    return c


def axis_of(screw: Array) -> tuple[Series, Series, Series]:
    """
    Return direction e (exactly unit), a point on the axis, and the translation per unit of q.

    The direction is zero for a prismatic joint.
    """
    e, v = exact(screw[:3]), exact(screw[3:])
    if not screw[:3].any():
        return e, exact(np.zeros(3)), v / gmpy2.sqrt(v @ v)
    e = e / gmpy2.sqrt(e @ e)
    return e, np.cross(e, v), e * (e @ v)


def cross_matrix(x: Series) -> Series:
    """Return the matrix x~ with x~ y = x × y."""
    zero = 0 * x[0]
    return np.array([[zero, -x[2], x[1]], [x[2], zero, -x[0]], [-x[1], x[0], zero]], dtype=object)


def pseudo_inertia(inertia: Array) -> Series:
    """Return P = [[Sigma, m c], [m c^T, m]] with Sigma = tr(Theta) / 2 I - Theta."""
    matrix = exact(inertia)
    theta = (matrix[:3, :3] + matrix[:3, :3].T) / 2
    p = np.empty((4, 4), dtype=object)
    p[:3, :3] = exact(np.eye(3)) * (theta[0, 0] + theta[1, 1] + theta[2, 2]) / 2 - theta
    p[:3, 3] = p[3, :3] = [matrix[2, 4], matrix[0, 5], matrix[1, 3]]
    p[3, 3] = matrix[3, 3]
    return p


def _screw_motion(screw: Array, q: Series) -> Series:
    """Return the pose series of rotating by q about the axis and sliding along it."""
    direction, point, slide = axis_of(screw)
    cross = cross_matrix(direction)
    sine, cosine = sine_cosine(q)
    motion = constant(exact(np.eye(4)), len(q))
    versine = -cosine
    versine[0] += 1
    turned = sine[:, None, None] * cross + versine[:, None, None] * (cross @ cross)
    motion[:, :3, :3] += turned
    motion[:, :3, 3] = q[:, None] * slide - turned @ point
    return motion


def generator(screw: Array) -> Series:
    """Return the 4x4 matrix of a joint screw."""
    direction, point, slide = axis_of(screw)
    matrix = exact(np.zeros((4, 4)))
    matrix[:3, :3] = cross_matrix(direction)
    matrix[:3, 3] = np.cross(point, direction) + slide
    return matrix


def inverse(pose: Series) -> Series:
    """Return the series of C^-1 = (R^T, -R^T r)."""
    back = pose.copy()
    back[:, :3, :3] = pose[:, :3, :3].transpose(0, 2, 1)
    back[:, :3, 3:] = -product(back[:, :3, :3], pose[:, :3, 3:])
    return back
