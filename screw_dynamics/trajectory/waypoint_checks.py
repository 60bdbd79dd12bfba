# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TrajectoryPoint`, and the checks of incoming points with their error messages."""

from collections.abc import Mapping, Sequence, Sized
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.errors import InputError, NotFiniteError, TrajectoryError, listed, short, shown

FIELDS = ('positions', 'velocities', 'accelerations')

# joint_trajectory_controller compares the last velocity with the spacing of single precision
_REST_VELOCITY = float(np.finfo(np.float32).eps)

# Within these bounds no power of a step, up to h^-7 of the squared snap, over- or underflows.
# Clocks of robots tick in nanoseconds; differences of rounded times may be slightly shorter.
SHORTEST_STEP = 1e-10  # [s]
LATEST = 1e10  # [s]
LARGEST = 1e100  # positions and derivatives, [rad or m, per s^d]


class TrajectoryPoint(NamedTuple):
    """
    One received point: values in the order of the received joint names, empty if absent.

    Parameters
    ----------
    time_from_start : float
        Time from the start of the trajectory, not from the previous point [s].
    positions : sequence of float
        Positions [rad or m].
    velocities : sequence of float
        Velocities [rad/s or m/s]; may be empty.
    accelerations : sequence of float
        Accelerations [rad/s^2 or m/s^2]; may be empty.
    """

    time_from_start: float
    positions: Sequence[float]
    velocities: Sequence[float] = ()
    accelerations: Sequence[float] = ()


def check_joint_names(
    joint_names: Sequence[str],
    model_joint_names: Sequence[str],
    allow_partial_joints: bool,
    other_joints: Mapping[str, str],
) -> list[str]:
    """Return the model joints that are left out; raise TrajectoryError for invalid names."""
    both = {'joint_names': joint_names, 'model_joint_names': model_joint_names}
    for argument, names in both.items():
        if isinstance(names, str) or not isinstance(names, (Sequence, np.ndarray)):
            raise TrajectoryError(f'{argument}: expected a sequence of names, got {shown(names)}')
    expected = listed(model_joint_names)
    if not len(joint_names):
        raise TrajectoryError(f'Empty joint names on incoming trajectory: expected {expected}')
    for i, name in enumerate(joint_names):
        if name in joint_names[:i]:
            raise TrajectoryError(
                f'Joint {short(str(name))} is named twice on incoming trajectory, at places '
                f'{list(joint_names).index(name)} and {i}'
            )
        if name in model_joint_names:
            continue
        if name in other_joints:
            raise TrajectoryError(
                f'Incoming joint {short(str(name))} cannot be commanded: it is '
                f'{other_joints[name]}; expected joints: {expected}'
            )
        raise TrajectoryError(
            f"Incoming joint {short(str(name))} doesn't match the joints: {expected}"
        )
    missing = [name for name in model_joint_names if name not in joint_names]
    if missing and not allow_partial_joints:
        raise TrajectoryError(
            f"Joints on incoming trajectory don't match the joints: expected "
            f'{len(model_joint_names)}, got {len(joint_names)}; missing: {listed(missing)}'
        )
    return missing


def check_sizes(joint_count: int, points: Sequence[TrajectoryPoint]) -> None:
    """Raise TrajectoryError unless all points have positions and complete rows otherwise."""
    if not len(points):
        raise TrajectoryError('Empty trajectory received.')
    for i, point in enumerate(points):
        for field in FIELDS:
            row = getattr(point, field)
            if not isinstance(row, Sized):
                raise TrajectoryError(
                    f'Point #{i}: {field}: expected a sequence of numbers, got {shown(row)}'
                )
        if not len(point.positions):
            raise TrajectoryError(
                f'Point #{i} has no positions: expected {joint_count}; positions are not '
                'integrated from velocities or accelerations'
            )
        for field in FIELDS:
            got = len(getattr(point, field))
            if got != joint_count and (got or field == 'positions'):
                raise TrajectoryError(
                    f'Mismatch between joint_names size ({joint_count}) and {field} ({got}) '
                    f'at point #{i}.'
                )
        if len(point.accelerations) and not len(point.velocities):
            raise TrajectoryError(
                f'Point #{i} has accelerations but no velocities: expected both or neither'
            )


def check_times(times: Sequence[float] | Array) -> Array:
    """Return times (P,) [s]; raise TrajectoryError unless they increase within the bounds."""
    found = _numbers('time_from_start', times)
    if not found.size:
        raise TrajectoryError('time_from_start: expected at least one number, got none')
    bad = np.flatnonzero(~np.isfinite(found))
    if bad.size:
        i = bad[0]
        raise TrajectoryError(f'time_from_start of point #{i}: expected a number, got {found[i]}')
    if found[0] < 0.0:
        raise TrajectoryError(f'time_from_start of point #0 is negative: {found[0]:f}')
    if 0.0 < found[0] < SHORTEST_STEP:
        raise TrajectoryError(
            f'time_from_start of point #0: expected 0 or at least {SHORTEST_STEP:g} s, '
            f'got {float(found[0])!r} s'
        )
    if found[-1] > LATEST:
        raise TrajectoryError(
            f'time_from_start of point #{len(found) - 1}: expected at most {LATEST:g} s, '
            f'got {float(found[-1])!r} s'
        )
    steps = np.diff(found)
    for i in np.flatnonzero(~(steps >= SHORTEST_STEP))[:1]:
        if steps[i] > 0.0:
            raise TrajectoryError(
                f'Time between points {i} and {i + 1}: expected at least {SHORTEST_STEP:g} s, '
                f'got {float(steps[i])!r} s'
            )
        raise TrajectoryError(
            f'Time between points {i} and {i + 1} is not strictly increasing, '
            f'it is {found[i]:f} and {found[i + 1]:f} respectively'
        )
    return found


class NotFinitePointError(TrajectoryError):
    """A value of a trajectory point is NaN or infinite; point and joint are named."""


def finite_row(field: str, point: int, row: Sequence[float], joint_names: Sequence[str]) -> Array:
    """Return the checked values of one point; the TrajectoryError names the joint of a bad one."""
    values = _numbers(f'{field} at point #{point}', row)
    bad = np.flatnonzero(~(np.abs(values) <= LARGEST))
    if bad.size:
        value = values[bad[0]]
        kind, expected = TrajectoryError, f'at most {LARGEST:g} in size'
        if not np.isfinite(value):
            kind, expected = NotFinitePointError, 'a finite number'
        raise kind(
            f'{field} of joint {joint_names[bad[0]]} at point #{point}: '
            f'expected {expected}, got {value}'
        )
    return values


def check_values(field: str, array: Array, joint_names: Sequence[str]) -> None:
    """Raise an error for values (P, n) out of bounds; derivatives may be NaN, if not given."""
    bad = ~(np.abs(array) <= LARGEST)
    if field != 'positions':
        bad &= ~np.isnan(array)
    for i, j in np.argwhere(bad)[:1]:
        value, where = float(array[i, j]), f'point #{i}, joint {joint_names[j]!r}'
        if not np.isfinite(value):
            raise NotFiniteError(field, (int(i), int(j)), value, where)
        raise TrajectoryError(
            f'{field}[{i}, {j}] ({where}): expected at most {LARGEST:g} in size, got {value!r}'
        )


def _numbers(name: str, row: Sequence[float] | Array) -> Array:
    """Return a copy of a row of numbers as an array, or raise TrajectoryError."""
    try:
        values: Array = as_float_array(name, row).copy()
    except InputError as error:
        raise TrajectoryError(str(error)) from None
    if values.ndim != 1:
        raise TrajectoryError(f'{name}: expected a row of numbers, got shape {values.shape}')
    return values


def check_end_velocity(velocities: Array, joint_names: Sequence[str]) -> None:
    """Raise TrajectoryError unless the last point rests, within single-precision rounding."""
    moving = np.flatnonzero(np.abs(velocities) > _REST_VELOCITY)
    if moving.size:
        raise TrajectoryError(
            f'Velocity of last trajectory point of joint {joint_names[moving[0]]} is not zero: '
            f'{velocities[moving[0]]:f}'
        )
