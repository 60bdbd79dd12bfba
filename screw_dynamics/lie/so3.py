# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotations from axis and angle, roll-pitch-yaw or quaternions; skew matrices; any scalars."""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie.scalars import (
    Scalar,
    ScalarArray,
    cos,
    dtype,
    norm,
    sin,
    value,
    versine,
    zero_like,
)


def skew(x: ScalarArray) -> ScalarArray:
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
    >>> import numpy as np
    >>> from screw_dynamics.lie import skew
    >>> skew(np.array([1.0, 2.0, 3.0])) @ np.array([0.0, 0.0, 1.0])
    array([ 2., -1.,  0.])
    """
    zero = zero_like(x)
    return np.array([[zero, -x[2], x[1]], [x[2], zero, -x[0]], [-x[1], x[0], zero]])


def vee(matrix: ScalarArray) -> ScalarArray:
    """
    Return the vector of the skew-symmetric part of a matrix; the inverse of `skew`.

    Parameters
    ----------
    matrix : (3, 3) ndarray

    Returns
    -------
    (3,) ndarray
    """
    twice: ScalarArray = np.array(
        [matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]
    )
    return twice / 2


def axis_angle_rotation(axis: ScalarArray, angle: Scalar) -> ScalarArray:
    """
    Return R = I + sin(q) e~ + (1 - cos(q)) e~^2 (Rodrigues; [MK2021] (7)).

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
    identity = np.eye(3, dtype=dtype(e, angle))
    rotation: ScalarArray = identity + sin(angle) * e + versine(angle) * (e @ e)
    return rotation


def rpy_rotation(roll: Scalar, pitch: Scalar, yaw: Scalar) -> ScalarArray:
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
    cr, sr = cos(roll), sin(roll)
    cp, sp = cos(pitch), sin(pitch)
    cy, sy = cos(yaw), sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def quaternion_rotation(quaternion: ScalarArray) -> ScalarArray:
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
    >>> import numpy as np
    >>> from screw_dynamics.lie import quaternion_rotation
    >>> quaternion_rotation(np.array([0.7, 0.0, 0.0, 0.7]))
    array([[ 1.,  0.,  0.],
           [ 0.,  0., -1.],
           [ 0.,  1.,  0.]])
    """
    if quaternion.dtype.kind not in 'cO':
        # scaling by a power of two is exact and keeps the squares in the range of doubles
        quaternion = np.ldexp(quaternion, -np.frexp(np.abs(quaternion).max())[1])
    x, y, z, w = quaternion
    scaled = np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
    rotation: ScalarArray = scaled / (x * x + y * y + z * z + w * w)
    return rotation


def rotation_onto_z(axis: ScalarArray) -> ScalarArray:
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
    if not axis[:2].any() and (value(axis[2]) or 0.0) > 0.0:  # (1e-12, 0, 1) is not e_z
        return np.eye(3, dtype=dtype(axis))
    # start from the coordinate axis least aligned with `axis`, z if that is not known
    sizes = [abs(value(entry) or 0.0) for entry in axis]
    x = np.zeros(3, dtype(axis))
    x[int(np.argmin(sizes))] = 1
    for _ in range(2):  # the second time removes rounding errors of the first
        x = x - axis * (axis @ x)
        x = x / norm(x)
    rotation: ScalarArray = np.column_stack([x, np.cross(axis, x), axis])
    return rotation


def is_rotation(matrix: ScalarArray, tolerance: float = 1e-9) -> bool:
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
    defect = np.abs(matrix.T @ matrix - np.eye(3, dtype=dtype(matrix))).max()
    if not defect <= tolerance:
        return False
    # orthonormal rows: the third is the vector product of the others, or its negative
    first = matrix[0, 1] * matrix[1, 2] - matrix[0, 2] * matrix[1, 1]
    second = matrix[0, 2] * matrix[1, 0] - matrix[0, 0] * matrix[1, 2]
    third = matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]
    sign = value(first * matrix[2, 0] + second * matrix[2, 1] + third * matrix[2, 2])
    return sign is None or sign > 0.0
