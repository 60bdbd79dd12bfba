# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of single values of a robot description, common to all parsers."""

import math
from collections.abc import Callable

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InertiaError, UnsupportedJointError, UrdfError, among, shown
from screw_dynamics.lie import is_pose, quaternion_rotation
from screw_dynamics.model.urdf.records import JOINT_TYPES, Inertial, Limit, SourceLocation

# attributes of <limit>; version 1.2 adds the last three, which are read in any version
UPPER_LIMITS = 'upper', 'velocity', 'effort', 'acceleration', 'deceleration', 'jerk'


def finite(location: SourceLocation, what: str, value: float) -> float:
    """Return `value`; raise UrdfError if it is NaN or infinite."""
    if not math.isfinite(value):
        raise UrdfError(f'{location}: {what}: expected a finite number, got {value}')
    return value


def limit_bound(location: SourceLocation, what: str, value: float) -> float:
    """Return a limit, which may be infinite; raise UrdfError if it is NaN."""
    if math.isnan(value):
        raise UrdfError(f'{location}: {what}: expected a number, got nan')
    return value


def limit_record(lower: float, bounds: dict[str, float]) -> Limit:
    """Return the record of `UPPER_LIMITS`; a deceleration narrows the acceleration, 0 is none."""
    accelerations = bounds['acceleration'], bounds.pop('deceleration')
    bounds['acceleration'] = min(bound or math.inf for bound in accelerations)
    return Limit(lower, **bounds)


def joint_type(location: SourceLocation, value: object) -> str:
    """Return a URDF joint type; raise UnsupportedJointError for any other value."""
    if not isinstance(value, str) or value not in JOINT_TYPES:
        raise UnsupportedJointError(
            f'{location}: type: expected one of {among(JOINT_TYPES, value)}'
        )
    return value


def unit_axis(location: SourceLocation, axis: Array) -> Array:
    """Return the axis (3,) with length one; raise UrdfError if it is zero."""
    largest = float(np.abs(axis).max())
    if largest == 0.0:
        raise UrdfError(
            f'{location}: xyz: expected an axis that is not zero, got {shown(axis.tolist())}'
        )
    scaled = axis / largest  # no overflow or underflow of the squares
    unit: Array = scaled / np.linalg.norm(scaled)
    return unit


def rotation(location: SourceLocation, quaternion: Array) -> Array:
    """Return the rotation of a quaternion (x, y, z, w) of any length but zero (UrdfError)."""
    if not quaternion.any():
        raise UrdfError(
            f'{location}: quat_xyzw: expected a quaternion that is not zero, got zeros'
        )
    return quaternion_rotation(quaternion)


def rigid_pose(location: SourceLocation, matrix: Array) -> Array:
    """Return `matrix`; raise UrdfError if it is not a finite 4x4 rigid-body pose."""
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all() or not is_pose(matrix):
        raise UrdfError(
            f'{location}: expected a 4x4 rigid-body pose, got {shown(matrix.tolist())}'
        )
    return matrix


def symmetric_tensor(entry: Callable[[str], float]) -> Array:
    """Return the tensor (3, 3) of the entries with the names 'ixx', 'ixy', ..."""
    xx, xy, xz, yy, yz, zz = map(entry, ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def inertial(location: SourceLocation, mass: float, pose: Array, tensor: Array) -> Inertial:
    """Return the record of a link; raise InertiaError for a bad mass or an asymmetric tensor."""
    if not math.isfinite(mass):
        raise InertiaError(f'{location}: mass: expected a finite number, got {mass}')
    if mass < 0.0:
        raise InertiaError(f'{location}: mass: expected 0 or more, got {mass:.12g} kg')
    if tensor.shape != (3, 3) or not np.isfinite(tensor).all():
        raise InertiaError(
            f'{location}: inertia: expected 3x3 finite numbers, got {shown(tensor.tolist())}'
        )
    if np.abs(tensor - tensor.T).max() > 1e-9 * np.abs(tensor).max():
        raise InertiaError(
            f'{location}: inertia: expected a symmetric tensor, got {shown(tensor.tolist())}'
        )
    return Inertial(mass, pose, tensor)
