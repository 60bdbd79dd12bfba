# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Unit screws (e; x × e + h e) and (0; e): type, pitch, frame on the axis, exponential."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie.se3 import pose
from screw_dynamics.lie.so3 import axis_angle_rotation, rotation_onto_z

# A smaller pitch, relative to the linear part, is a rounding error of the cross product x × e.
_NO_PITCH = 1e-14


def screw_pitch(screw: Array) -> float:
    """
    Return the pitch of a unit screw.

    Parameters
    ----------
    screw : (6,) ndarray
        X = (e; v).

    Returns
    -------
    float
        h = e . v [m/rad]; exactly 0 if it is within rounding error, infinite for (0; e).

    Examples
    --------
    >>> screw_pitch(np.array([0.0, 0.0, 1.0, 2.0, 0.0, 0.1]))
    0.1

    """
    e, v = screw[:3], screw[3:]
    if not e.any():
        return float('inf')
    pitch = float(e @ v)
    return pitch if abs(pitch) > _NO_PITCH * max(1.0, float(np.linalg.norm(v))) else 0.0


def screw_type(screw: Array) -> str:
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
    >>> screw_type(np.array([0.0, 0.0, 1.0, 2.0, 0.0, 0.0]))
    'revolute'

    """
    pitch = screw_pitch(screw)
    if pitch == 0.0:
        return 'revolute'
    return 'helical' if np.isfinite(pitch) else 'prismatic'


def turn_and_travel(screw: Array) -> tuple[float, float]:
    """
    Return rotation about and translation along the axis per unit of the joint variable.

    Parameters
    ----------
    screw : (6,) ndarray

    Returns
    -------
    turn, travel : float
        (1, h) with the pitch h, or (0, 1) for a prismatic joint.

    Examples
    --------
    >>> turn_and_travel(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    (0.0, 1.0)

    """
    pitch = screw_pitch(screw)
    return (1.0, pitch) if np.isfinite(pitch) else (0.0, 1.0)


def pose_on_axis(screw: Array) -> Array:
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
    >>> pose_on_axis(np.array([0.0, 0.0, 1.0, 2.0, 0.0, 0.1]))[:3, 3]
    array([0., 2., 0.])

    """
    e, v = screw[:3], screw[3:]
    if not e.any():
        return pose(rotation_onto_z(v / np.linalg.norm(v)), np.zeros(3))
    return pose(rotation_onto_z(e / np.linalg.norm(e)), np.cross(e, v))


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
    point = np.cross(e, v)  # point of the axis nearest to the origin
    return pose(rotation, point - rotation @ point + q * screw_pitch(screw) * e)
