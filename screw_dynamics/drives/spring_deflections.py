# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`spring_deflections`: deflections of the springs of an elastic robot from its link efforts."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.drives.deflection_filter import DeflectionFilter
from screw_dynamics.drives.failures import raise_failure
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.dynamics.state_calls import output
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
from screw_dynamics.kernels.drives.deflections import OK, set_spring_deflections
from screw_dynamics.kernels.drives.laws import LINEAR
from screw_dynamics.model import ScrewModel


def spring_deflections(
    robot: Robot | ScrewModel,
    effort_jet: ArrayLike,
    *,
    stiffness_jets: Mapping[str, ArrayLike] | None = None,
    times: ArrayLike | None = None,
    deflection: Mapping[str, float] | DeflectionFilter | None = None,
    out: Array | None = None,
) -> Array:
    """
    Return the deflections with which the springs transmit efforts, and their time derivatives.

    Parameters
    ----------
    robot : Robot
        With drives.
    effort_jet : (k + 1, n) or (T, k + 1, n) array_like
        Efforts that springs and rigid joints transmit, see `transmitted_efforts` [N m or N, per
        s^d]. k >= 2; 1 if every spring has a damper, 0 if every joint is rigid.
    stiffness_jets, times, deflection : optional
        See `elastic_feedforward`.
    out : (p, m) or (T, p, m) ndarray, optional
        C-contiguous float64 array to fill and return.

    Returns
    -------
    (p, m) or (T, p, m) ndarray
        phi = theta - q at each motor [rad or m, per s^d]; p = k + 1 if any joint has a spring
        without damper, else k + 2 if any joint is damped, k + 3 if every joint is rigid.

    Raises
    ------
    SpringRangeError, ShapeError, NotFiniteError, UnknownNameError, InputError
        See `elastic_feedforward`.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.drives import spring_deflections
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [np.eye(6)])
    >>> drives = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(100.0))})
    >>> spring_deflections(sd.Robot(pendulum, drives), [[5.0], [10.0], [0.0]])
    array([[0.05],
           [0.1 ],
           [0.  ]])
    """
    robot = robot_with_drives(robot)
    table = robot.motors
    efforts = as_effort_jet(table, effort_jet)
    shape = (*efforts.shape[:-2], efforts.shape[-2] + 2 - table.lost_orders, table.m)
    out = output(out, shape, effort_jet=efforts)
    fill_deflections(robot, efforts, stiffness_jets, times, deflection, out)
    return out


def as_effort_jet(table: MotorTable, effort_jet: ArrayLike) -> Array:
    """Return link efforts as an array with the rows that the springs require."""
    efforts = as_float_array('effort_jet', effort_jet)
    least = 1 + table.lost_orders
    if efforts.ndim not in (2, 3) or efforts.shape[-1] != table.n or efforts.shape[-2] < least:
        raise ShapeError(
            'effort_jet',
            f'(k + 1, {table.n}) or (T, k + 1, {table.n}) with k >= {least - 1}, which the motor '
            f'effort of {table.most_demanding} needs',
            efforts.shape,
        )
    return efforts


def fill_deflections(
    robot: Robot,
    efforts: Array,
    stiffness_jets: Mapping[str, ArrayLike] | None,
    times: ArrayLike | None,
    deflection: Mapping[str, float] | DeflectionFilter | None,
    out: Array,
) -> None:
    """Fill the deflections `out` for checked efforts; after an error a filter is unchanged."""
    table = robot.motors
    stiffness = as_stiffness_jets(table, stiffness_jets, out.shape[:-1])
    instants = _times(table, times, deflection, out.shape[:-2])
    state, rows = _NO_STATE, efforts.shape[-2] + 2
    if isinstance(deflection, DeflectionFilter):
        state = deflection.require(table, rows).state
        deflection.keep_state()
    elif table.damped_names:
        state = DeflectionFilter(robot, rows=rows, deflection=deflection).state
    single = efforts.ndim == 2
    failure = np.zeros(5)
    status = set_spring_deflections(
        efforts[np.newaxis] if single else efforts,
        stiffness,
        *table.spring_arrays,
        instants,
        *state,
        out[np.newaxis] if single else out,
        failure,
    )
    if status != OK:
        if isinstance(deflection, DeflectionFilter):
            deflection.restore_state()
        raise_failure(robot, status, failure, single, effort_jet=efforts)


def joint_deflections(
    robot: Robot,
    joint: int,
    effort_jets: Array,
    stiffness: Array,
    *,
    single: bool,
) -> Array:
    """
    Return the deflection of each motor of an undamped joint, as jets (T, r, 1 or 2).

    `effort_jets` is (T, r), `stiffness` (1 or T, r or more, V) as from `as_stiffness_jets`. With
    `single` the error text omits the sample index.
    """
    table = robot.motors
    samples, rows = effort_jets.shape
    row = slice(joint, joint + 1)
    deflections = np.empty((samples, rows, int((table.joint_of_motor == joint).sum())))
    failure = np.zeros(5)
    status = set_spring_deflections(
        effort_jets[:, :, np.newaxis],
        np.ascontiguousarray(stiffness[:, :rows]),
        table.laws[row],
        table.offsets[row],
        table.parameters,
        _WITHOUT_MEMORY,
        table.variable[row],
        _FIRST,
        table.gears,
        _NO_TIMES,
        *_NO_STATE,
        deflections,
        failure,
    )
    if status != OK:
        failure[1] = joint
        raise_failure(robot, status, failure, single)
    return deflections


def slipped_deflections(deflections: Array, hysteresis: float) -> Array:
    """Return motor minus link (T,) for deflections (T,) of a spring, one after the other."""
    memory, found = np.full((2, 1, 1), np.nan), np.empty((len(deflections), 1, 1))
    none = _WITHOUT_MEMORY
    set_spring_deflections(
        np.ascontiguousarray(deflections[:, np.newaxis, np.newaxis]),
        _NO_STIFFNESS,
        *(np.full(1, LINEAR), _FIRST, np.ones(1), _FIRST, none, _FIRST),
        np.array([[hysteresis, 0.0, 0.0]]),
        np.arange(len(deflections), dtype=np.float64),
        np.zeros(2),
        *memory,
        found,
        np.zeros(5),
    )
    slipped: Array = found[:, 0, 0]
    return slipped


def as_stiffness_jets(
    table: MotorTable, stiffness_jets: Mapping[str, ArrayLike] | None, shape: tuple[int, ...]
) -> Array:
    """
    Return the stiffness of the V joints that vary it and its time derivatives, (1 or T, p, V).

    `shape` is (p,) or (T, p). Joints without a jet have the constant of their record.
    """
    rows = shape[-1]
    if not stiffness_jets:
        return _constant(table, rows)
    jets: dict[str, Array] = {}
    if not isinstance(stiffness_jets, Mapping):
        raise InputError(
            f'stiffness_jets: expected a mapping of joint names to arrays, '
            f'got {type(stiffness_jets).__name__}'
        )
    for name, value in stiffness_jets.items():
        if name not in table.variable_names:
            raise UnknownNameError('joint of variable stiffness', name, table.variable_names)
        label = f'stiffness_jets[{name!r}]'
        array = as_float_array(label, value)
        if array.ndim < 1 or array.shape[-1] < rows or array.shape[:-1] not in ((), shape[:-1]):
            expected = ' or '.join(str((*batch, rows)) for batch in {(), shape[:-1]})
            expected += f' or more rows: the stiffness up to order {rows - 1}'
            raise ShapeError(label, expected, array.shape)
        jets[name] = require_finite(label, array)
    batched = any(jet.ndim > 1 for jet in jets.values())
    result = np.repeat(_constant(table, rows), shape[0] if batched else 1, axis=0)
    for i, name in enumerate(table.variable_names):
        if name in jets:
            result[:, :, i] = jets[name][..., :rows]
    return result


def _constant(table: MotorTable, rows: int) -> Array:
    if not len(table.stiffness):
        return _NO_STIFFNESS
    result = np.zeros((1, rows, len(table.stiffness)))
    result[0, 0] = table.stiffness
    return result


def _times(
    table: MotorTable,
    times: ArrayLike | None,
    deflection: Mapping[str, float] | DeflectionFilter | None,
    batch: tuple[int, ...],
) -> Array:
    """Return the time of every sample; empty if no joint is damped."""
    instant: object = times
    if isinstance(instant, float) and not batch and isfinite(instant):
        # the case of a control loop, without conversions
        instants = np.array([instant]) if table.damped_names else _NO_TIMES
    elif times is not None:
        instants = require_finite('times', as_float_array('times', times))
        if instants.shape != batch:
            raise ShapeError('times', str(batch), instants.shape)
    if not table.damped_names:
        if deflection:
            raise InputError(
                'deflection: expected None: no joint has a damper, hysteresis or backlash'
            )
        return _NO_TIMES
    if times is None:
        if batch or isinstance(deflection, DeflectionFilter):
            raise InputError(
                f'times: expected the times of the samples, which the damper, '
                f'hysteresis or backlash of joint {table.damped_names[0]!r} needs, got none'
            )
        return _ONE_TIME
    return instants.reshape(-1)


_FIRST, _WITHOUT_MEMORY = np.zeros(1, dtype=np.int64), np.full(1, -1, dtype=np.int64)
_NO_TIMES, _ONE_TIME = np.empty(0), np.zeros(1)
_NO_STIFFNESS = np.empty((1, 0, 0))
_NO_STATE = np.zeros(2), np.empty((0, 0)), np.empty((0, 0))
