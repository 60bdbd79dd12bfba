# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotations: skew matrices, axis-angle, roll-pitch-yaw, quaternions."""

from __future__ import annotations

import math

import numpy as np

from screw_dynamics.arrays import Array


def skew(x: Array) -> Array:
    """
    Return the matrix x~ with x~ y = x × y.

    Parameters
    ----------
    x : (3,) ndarray

    Returns
    -------
    (3, 3) ndarray

    Examples
    --------
    >>> skew(np.array([1.0, 2.0, 3.0])) @ np.array([0.0, 0.0, 1.0])
    array([ 2., -1.,  0.])

    """
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def vee(matrix: Array) -> Array:
    """
    Return the vector of the skew-symmetric part of a matrix; the inverse of `skew`.

    Parameters
    ----------
    matrix : (3, 3) ndarray

    Returns
    -------
    (3,) ndarray

    """
    return 0.5 * np.array(
        [
            matrix[2, 1] - matrix[1, 2],
            matrix[0, 2] - matrix[2, 0],
            matrix[1, 0] - matrix[0, 1],
        ]
    )


def axis_angle_rotation(axis: Array, angle: float) -> Array:
    """
    Return R = I + sin(q) e~ + (1 - cos(q)) e~^2 (Rodrigues; MK2021 (7)).

    Parameters
    ----------
    axis : (3,) ndarray
        Unit vector e.
    angle : float
        Angle q [rad].

    Returns
    -------
    (3, 3) ndarray

    """
    e = skew(axis)
    # 1 - cos(q) = 2 sin(q/2)^2 is accurate at small angles
    return np.eye(3) + math.sin(angle) * e + 2.0 * math.sin(0.5 * angle) ** 2 * (e @ e)


def rpy_rotation(roll: float, pitch: float, yaw: float) -> Array:
    """
    Return R = Rz(yaw) Ry(pitch) Rx(roll), the fixed-axis convention of URDF and REP-103.

    Parameters
    ----------
    roll, pitch, yaw : float
        Angles [rad].

    Returns
    -------
    (3, 3) ndarray

    """
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def quaternion_rotation(quaternion: Array) -> Array:
    """
    Return the rotation matrix of a nonzero quaternion of any length.

    Parameters
    ----------
    quaternion : (4,) ndarray
        x, y, z, w.

    Returns
    -------
    (3, 3) ndarray

    Examples
    --------
    >>> quaternion_rotation(np.array([0.7, 0.0, 0.0, 0.7]))
    array([[ 1.,  0.,  0.],
           [ 0.,  0., -1.],
           [ 0.,  1.,  0.]])

    """
    # scaling by a power of two is exact and keeps the squares in the range of doubles
    x, y, z, w = np.ldexp(quaternion, -np.frexp(np.abs(quaternion).max())[1])
    scaled: Array = np.array(
        [
            [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
    scaled /= x * x + y * y + z * z + w * w
    return scaled


def rotation_onto_z(axis: Array) -> Array:
    """
    Return a rotation R with R e_z = axis.

    It is the identity for e_z; entries are exactly 0 or ±1 if the axis is a coordinate axis.

    Parameters
    ----------
    axis : (3,) ndarray
        Unit vector.

    Returns
    -------
    (3, 3) ndarray

    """
    if axis[2] > 0.0 and not axis[:2].any():  # (1e-12, 0, 1) is not e_z
        return np.eye(3)
    # start from the coordinate axis least aligned with `axis`
    x = np.zeros(3)
    x[int(np.argmin(np.abs(axis)))] = 1.0
    x -= axis * (axis @ x)
    x /= np.linalg.norm(x)
    x -= axis * (axis @ x)
    x /= np.linalg.norm(x)
    rotation: Array = np.column_stack([x, np.cross(axis, x), axis])
    return rotation


def is_rotation(matrix: Array, tolerance: float = 1e-9) -> bool:
    """
    Return whether a matrix is orthonormal with determinant +1.

    Parameters
    ----------
    matrix : (3, 3) ndarray
    tolerance : float
        Largest allowed entry of ``R^T R - I``.

    Returns
    -------
    bool

    """
    defect = np.abs(matrix.T @ matrix - np.eye(3)).max()
    return bool(defect <= tolerance and np.linalg.det(matrix) > 0.0)
