# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses: homogeneous 4x4 matrices of SE(3)."""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie.scalars import ScalarArray, dtype
from screw_dynamics.lie.so3 import is_rotation, skew


def pose(rotation: ScalarArray, position: ScalarArray) -> ScalarArray:
    """
    Return C = (R, r) as a homogeneous matrix.

    Parameters
    ----------
    rotation : (3, 3) ndarray
    position : (3,) ndarray
        [m].

    Returns
    -------
    (4, 4) ndarray
    """
    matrix = np.eye(4, dtype=dtype(rotation, position))
    matrix[:3, :3] = rotation
    matrix[:3, 3] = position
    return matrix


def hat(twist: ScalarArray) -> ScalarArray:
    """
    Return the matrix of a twist: C' = C hat(V) with the body-fixed twist V.

    Parameters
    ----------
    twist : (6,) ndarray
        [angular; linear].

    Returns
    -------
    (4, 4) ndarray
        [[w~, v], [0, 0]].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import hat
    >>> hat(np.array([0.0, 0, 3, 1, 2, 0]))
    array([[ 0., -3.,  0.,  1.],
           [ 3.,  0., -0.,  2.],
           [-0.,  0.,  0.,  0.],
           [ 0.,  0.,  0.,  0.]])
    """
    matrix = np.zeros((4, 4), dtype(twist))
    matrix[:3, :3], matrix[:3, 3] = skew(twist[:3]), twist[3:]
    return matrix


def inverse_pose(c: ScalarArray) -> ScalarArray:
    """
    Return C^-1 = (R^T, -R^T r).

    Parameters
    ----------
    c : (4, 4) ndarray

    Returns
    -------
    (4, 4) ndarray
    """
    rotation = c[:3, :3].T
    return pose(rotation, -rotation @ c[:3, 3])


def is_pose(matrix: ScalarArray, tolerance: float = 1e-9) -> bool:
    """
    Return whether a matrix is a rigid-body pose.

    Parameters
    ----------
    matrix : (4, 4) ndarray
    tolerance : float
        For the rotation, see `is_rotation`; the position must only be finite.

    Returns
    -------
    bool
    """
    return bool(
        is_rotation(matrix[:3, :3], tolerance)
        and (matrix.dtype.kind == 'O' or np.isfinite(matrix[:3, 3]).all())
        and (matrix[3] == [0.0, 0.0, 0.0, 1.0]).all()
    )
