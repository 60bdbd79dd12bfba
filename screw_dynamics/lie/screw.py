# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Unit screws (e; x × e + h e) and (0; e) of any scalars: type, pitch, axis, exponential.

[MK2021] (4), (5).
"""

from __future__ import annotations

import math

import numpy as np

from screw_dynamics.lie.scalars import Scalar, ScalarArray, dtype, norm, value
from screw_dynamics.lie.se3 import pose
from screw_dynamics.lie.so3 import axis_angle_rotation, rotation_onto_z

# A smaller pitch, relative to the linear part, is a rounding error of the cross product x × e.
_NO_PITCH = 1e-14


def screw_pitch(screw: ScalarArray) -> Scalar:
    """
    Return the pitch of a unit screw.

    Parameters
    ----------
    screw : (6,) ndarray
        X = (e; v).

    Returns
    -------
    float
        h = e . v [m/rad]; infinite for (0; e). Of floats, exactly 0 if within rounding error.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import screw_pitch
    >>> screw_pitch(np.array([0.0, 0.0, 1.0, 2.0, 0.0, 0.1]))
    0.1
    """
    e, v = screw[:3], screw[3:]
    if not e.any():
        return float('inf')
    pitch = e @ v
    if screw.dtype.kind in 'cO':
        return pitch
    return 0.0 if _is_rounding(pitch, v) else float(pitch)


def screw_type(screw: ScalarArray) -> str:
    """
    Return the joint type of a unit screw: 'revolute', 'helical' or 'prismatic'.

    Parameters
    ----------
    screw : (6,) ndarray

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import screw_type
    >>> screw_type(np.array([0.0, 0.0, 1.0, 2.0, 0.0, 0.0]))
    'revolute'
    """
    if not screw[:3].any():
        return 'prismatic'
    return 'revolute' if _is_rounding(screw_pitch(screw), screw[3:]) else 'helical'


def rotation_and_translation_rate(screw: ScalarArray) -> tuple[float, Scalar]:
    """
    Return rotation about and translation along the axis per unit of the joint variable.

    Parameters
    ----------
    screw : (6,) ndarray

    Returns
    -------
    rotation, translation : float
        (1, h) with the pitch h, or (0, 1) for a prismatic joint.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import rotation_and_translation_rate
    >>> rotation_and_translation_rate(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    (0.0, 1.0)
    """
    return (1.0, screw_pitch(screw)) if screw[:3].any() else (0.0, 1.0)


turn_and_travel = rotation_and_translation_rate  # name before the first release


def pose_on_axis(screw: ScalarArray) -> ScalarArray:
    """
    Return the pose of a frame with z along the axis and its origin on it.

    Parameters
    ----------
    screw : (6,) ndarray

    Returns
    -------
    (4, 4) ndarray
        Pose in the frame of the screw. Its origin is the point of the axis nearest to the origin
        of that frame; for a prismatic joint, which has a direction but no axis, the same origin.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import pose_on_axis
    >>> pose_on_axis(np.array([0.0, 0.0, 1.0, 2.0, 0.0, 0.1]))[:3, 3]
    array([0., 2., 0.])
    """
    e, v = screw[:3], screw[3:]
    if not e.any():
        return pose(rotation_onto_z(v / norm(v)), np.zeros(3, dtype(v)))
    return pose(rotation_onto_z(e / norm(e)), np.cross(e, v))


def exp_screw(screw: ScalarArray, q: Scalar) -> ScalarArray:
    """
    Return exp(q X) for a unit screw of any pitch ([MK2021] (6), (7)).

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
    >>> import numpy as np
    >>> from screw_dynamics.lie import exp_screw
    >>> exp_screw(np.array([0.0, 0, 0, 0, 0, 1]), 0.5)[:3, 3]
    array([0. , 0. , 0.5])
    """
    e, v = screw[:3], screw[3:]
    if not e.any():
        return pose(np.eye(3, dtype=dtype(q, v)), q * v)
    rotation = axis_angle_rotation(e, q)
    point = np.cross(e, v)  # point of the axis nearest to the origin
    return pose(rotation, point - rotation @ point + q * screw_pitch(screw) * e)


def _is_rounding(pitch: Scalar, linear: ScalarArray) -> bool:
    """Return whether a pitch is zero, or a rounding error of the linear part."""
    known, size = value(pitch), value(linear @ linear)
    if known is None or size is None:
        return bool(pitch == 0)
    return not abs(known) > _NO_PITCH * max(1.0, math.sqrt(size))  # also NaN
