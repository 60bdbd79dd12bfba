# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses (4x4) and the exponential of a joint screw."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie.so3 import axis_angle_rotation, is_rotation


def pose(rotation: Array, position: Array) -> Array:
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
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    matrix[:3, 3] = position
    return matrix


def inverse_pose(c: Array) -> Array:
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


def exp_screw(screw: Array, q: float) -> Array:
    """
    Return exp(q X) for a unit screw of any pitch (MK2021 (6), (7)).

    Parameters
    ----------
    screw : (6,) ndarray
        X = (e; x × e + h e) with |e| = 1 (revolute h = 0, helical), or (0; e) (prismatic).
    q : float
        Joint variable [rad or m].

    Returns
    -------
    (4, 4) ndarray

    Examples
    --------
    >>> exp_screw(np.array([0.0, 0, 0, 0, 0, 1]), 0.5)[:3, 3]
    array([0. , 0. , 0.5])

    """
    e, v = screw[:3], screw[3:]
    if not e.any():
        return pose(np.eye(3), q * v)
    rotation = axis_angle_rotation(e, q)
    point = np.cross(e, v)  # foot of the axis nearest the origin
    return pose(rotation, point - rotation @ point + q * (e @ v) * e)


def is_pose(matrix: Array, tolerance: float = 1e-9) -> bool:
    """
    Say whether a matrix is a rigid-body pose.

    Parameters
    ----------
    matrix : (4, 4) ndarray
    tolerance : float
        For the rotation part, see `is_rotation`; the position need only be finite.

    Returns
    -------
    bool

    """
    return bool(
        is_rotation(matrix[:3, :3], tolerance)
        and np.isfinite(matrix[:3, 3]).all()
        and (matrix[3] == [0.0, 0.0, 0.0, 1.0]).all()
    )
