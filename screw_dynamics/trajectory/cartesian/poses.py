# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`PoseWaypoints`: poses of a frame at times, checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.errors import ShapeError, TrajectoryError, shown
from screw_dynamics.lie import quaternion_rotation
from screw_dynamics.trajectory.cartesian.rotations import rotation_vectors
from screw_dynamics.trajectory.waypoint_checks import check_times

_LARGEST = 1e6  # of coordinates
_UNIT = 0.01  # the same deviation from length 1 that tf2 accepts
_LARGEST_TURN = 179.0  # deg: at 180 rounding decides on the direction


@dataclass(frozen=True, eq=False)
class PoseWaypoints:
    """
    P poses of a frame in the frame of the base link, at strictly increasing times >= 0.

    Parameters
    ----------
    frame : str
        A link name; the link may be attached by fixed joints.
    times : (P,) ndarray
        Time from the start of the trajectory [s].
    positions : (P, 3) ndarray
        Origins of the frame, at most 1e6 in size [m]; or all poses as scipy's `RigidTransform`,
        or a list of Pinocchio's `SE3`.
    orientations : (P, 4) ndarray
        Quaternions x, y, z, w of length 1, to 0.01; the copy is normalised. Or scipy's `Rotation`.
        Between two poses the frame turns by the smaller angle, which must be below 179 degrees.

    Raises
    ------
    TrajectoryError
        If times do not increase, a value is not finite, a quaternion does not have the length 1,
        or the frame turns too far between two poses; the error names the pose, counted from 0.
    ShapeError, InputError
        If the shapes of the arrays are inconsistent.

    Examples
    --------
    >>> from screw_dynamics import PoseWaypoints
    >>> PoseWaypoints('tool', [0, 2], [[0.4, 0, 0.3], [0.4, 0.2, 0.3]], 2 * [[0, 0, 0, 1]]).times
    array([0., 2.])
    """

    frame: str
    times: Array
    positions: Array
    orientations: Array = ()  # type: ignore[assignment]  # part of a RigidTransform

    def __post_init__(self) -> None:
        """Check all values, copy the arrays, normalise and make the copies read-only."""
        if not isinstance(self.frame, str) or not self.frame:
            raise TrajectoryError(f'frame: expected the name of a link, got {shown(self.frame)}')
        times = check_times(self.times)
        given: object = self.positions
        if isinstance(given, list) and given and hasattr(given[0], 'homogeneous'):
            from scipy.spatial.transform import Rotation  # slow to import

            poses = np.array([pose.homogeneous for pose in given])
            object.__setattr__(self, 'positions', poses[:, :3, 3])
            object.__setattr__(self, 'orientations', Rotation.from_matrix(poses[:, :3, :3]))
        for name, part in (('orientations', 'rotation'), ('positions', 'translation')):
            if hasattr(self.positions, part):
                object.__setattr__(self, name, getattr(self.positions, part))
        if hasattr(self.orientations, 'as_quat'):
            object.__setattr__(self, 'orientations', self.orientations.as_quat())
        positions = _rows('positions', self.positions, times, 3)
        orientations = _rows('orientations', self.orientations, times, 4)
        lengths = np.linalg.norm(orientations, axis=1)
        for i in np.flatnonzero(~(np.abs(lengths - 1.0) <= _UNIT))[:1]:
            raise TrajectoryError(
                f'{pose_name(i, times)}: orientation: expected a quaternion x, y, z, w of length '
                f'1, got {orientations[i].tolist()} of length {lengths[i]:.6g}'
            )
        arrays = {
            'times': times,
            'positions': positions,
            'orientations': orientations / lengths[:, None],
        }
        for name, array in arrays.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        require_clear_turns(self.rotations, times)

    @property
    def rotations(self) -> Array:
        """Rotation matrices (P, 3, 3) of the orientations."""
        return np.array([quaternion_rotation(quaternion) for quaternion in self.orientations])


def pose_name(i: int, times: Array) -> str:
    """Return number and time of a pose, for error texts."""
    return f'pose #{i} (at {times[i]:g} s)'


def _rows(name: str, values: ArrayLike, times: Array, size: int) -> Array:
    """Return a copy (P, size) of checked values."""
    array: Array = as_float_array(name, values).copy()
    if array.shape != (len(times), size):
        raise ShapeError(name, f'({len(times)}, {size})', array.shape)
    for i in np.flatnonzero(~(np.abs(array) <= _LARGEST).all(axis=1))[:1]:
        raise TrajectoryError(
            f'{pose_name(i, times)}: {name[:-1]}: expected finite numbers of at most {_LARGEST:g} '
            f'in size, got {array[i].tolist()}'
        )
    return array


def rotation_steps(rotations: Array) -> Array:
    """Return the rotation vectors (P - 1, 3) from each rotation to the next, in base axes."""
    return rotation_vectors(rotations[1:] @ rotations[:-1].swapaxes(1, 2))


def require_clear_turns(rotations: Array, times: Array, first: int = 0, start: str = '') -> None:
    """
    Raise TrajectoryError if a turn is too near 180 degrees.

    `first` is the number of the first pose, `start` its name if it is not one of the poses.
    """
    turns = np.degrees(np.linalg.norm(rotation_steps(rotations), axis=1))
    for i in np.flatnonzero(turns > _LARGEST_TURN)[:1]:
        before = start if start and i == 0 else f'pose #{first + i}'
        raise TrajectoryError(
            f'{before} to pose #{first + i + 1} (at {times[i + 1]:g} s): expected a turn of at '
            f'most {_LARGEST_TURN:g} degrees, got {turns[i]:.4g}: its direction is ambiguous, add '
            'a pose between them'
        )
