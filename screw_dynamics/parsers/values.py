# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Single values of a robot description: what is legal, whatever parser they came from."""

from __future__ import annotations

import math

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InertiaError, UnsupportedJointError, UrdfError
from screw_dynamics.lie import is_pose, quaternion_rotation
from screw_dynamics.parsers.records import JOINT_TYPES, Inertial, Place


def finite(place: Place, what: str, value: float) -> float:
    """
    Return `value`, or name the place where it is NaN or infinite.

    Parameters
    ----------
    place : Place
    what : str
        Name of the attribute.
    value : float

    Returns
    -------
    float

    Raises
    ------
    UrdfError

    """
    if not math.isfinite(value):
        raise UrdfError(f'{place}: {what}: expected a finite number, got {value}')
    return value


def limit_bound(place: Place, what: str, value: float) -> float:
    """
    Return a limit, which may be infinite, or name the place where it is NaN.

    Parameters
    ----------
    place : Place
    what : str
        Name of the attribute.
    value : float

    Returns
    -------
    float

    Raises
    ------
    UrdfError

    """
    if math.isnan(value):
        raise UrdfError(f'{place}: {what}: expected a number, got nan')
    return value


def joint_type(place: Place, value: object) -> str:
    """
    Return a URDF joint type.

    Parameters
    ----------
    place : Place
    value : object
        The type as read.

    Returns
    -------
    str

    Raises
    ------
    UnsupportedJointError
        If URDF has no such type.

    """
    if not isinstance(value, str) or value not in JOINT_TYPES:
        raise UnsupportedJointError(
            f'{place}: type: expected one of {", ".join(JOINT_TYPES)}, got {shown(value)}'
        )
    return value


def unit_axis(place: Place, axis: Array) -> Array:
    """
    Return the axis with length one.

    Parameters
    ----------
    place : Place
    axis : (3,) ndarray
        Any length but zero.

    Returns
    -------
    (3,) ndarray

    Raises
    ------
    UrdfError
        If the axis is zero.

    """
    largest = float(np.abs(axis).max())
    if largest == 0.0:
        raise UrdfError(
            f'{place}: xyz: expected an axis that is not zero, got {shown(axis.tolist())}'
        )
    scaled = axis / largest  # no overflow or underflow of the squares
    unit: Array = scaled / np.linalg.norm(scaled)
    return unit


def rotation(place: Place, quaternion: Array) -> Array:
    """
    Return the rotation of a quaternion, which need not have length one.

    Parameters
    ----------
    place : Place
    quaternion : (4,) ndarray
        x, y, z, w; any length but zero.

    Returns
    -------
    (3, 3) ndarray

    Raises
    ------
    UrdfError
        If the quaternion is zero.

    """
    if not quaternion.any():
        raise UrdfError(f'{place}: quat_xyzw: expected a quaternion that is not zero, got zeros')
    return quaternion_rotation(quaternion)


def rigid_pose(place: Place, matrix: Array) -> Array:
    """
    Return a pose that a parsed object carries as a 4x4 matrix.

    Parameters
    ----------
    place : Place
    matrix : ndarray

    Returns
    -------
    (4, 4) ndarray

    Raises
    ------
    UrdfError
        If it is not a finite rigid-body pose.

    """
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all() or not is_pose(matrix):
        raise UrdfError(f'{place}: expected a 4x4 rigid-body pose, got {shown(matrix.tolist())}')
    return matrix


def inertial(place: Place, mass: float, pose: Array, tensor: Array) -> Inertial:
    """
    Return the inertial record of a link.

    Parameters
    ----------
    place : Place
        Of the `<inertial>` element.
    mass : float
        [kg].
    pose : (4, 4) ndarray
        Of the inertial frame in the link frame.
    tensor : (3, 3) ndarray
        About the centre of mass [kg m^2].

    Returns
    -------
    Inertial

    Raises
    ------
    InertiaError
        If a number is not finite, the mass is negative or the tensor is not symmetric. A tensor
        that no solid body has is legal here; see `inertia_report`.

    """
    if not math.isfinite(mass):
        raise InertiaError(f'{place}: mass: expected a finite number, got {mass}')
    if mass < 0.0:
        raise InertiaError(f'{place}: mass: expected 0 or more, got {mass:.12g} kg')
    if tensor.shape != (3, 3) or not np.isfinite(tensor).all():
        raise InertiaError(
            f'{place}: inertia: expected 3x3 finite numbers, got {shown(tensor.tolist())}'
        )
    if np.abs(tensor - tensor.T).max() > 1e-9 * np.abs(tensor).max():
        raise InertiaError(
            f'{place}: inertia: expected a symmetric tensor, got {shown(tensor.tolist())}'
        )
    return Inertial(mass, pose, tensor)
