# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Motion` and `Sample`: positions, efforts, motors and loads for the viewer, by instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.common.quantities import MOTORS
from screw_dynamics.drives import elastic_feedforward
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError, ShapeError, SpringRangeError, UnknownNameError
from screw_dynamics.recordings.results.results import Results

_EFFORT_ROWS = 3  # of a joint jet, from which there are efforts


class Sample(NamedTuple):
    """One instant, or all of a motion along a first axis; rows of efforts are derivatives."""

    position: Array  # (n,)
    efforts: Array | None = None  # (k + 1, n)
    motor_positions: Array | None = None  # (m,)
    motor_efforts: Array | None = None  # (m,)
    wrenches: Mapping[str, Array] = {}  # (6,) [torque; force] in axes of their frames


@dataclass(frozen=True, eq=False)
class Motion:
    """Samples (T, ...) at times (T,) [s]."""

    times: Array
    positions: Array  # (T, n)
    efforts: Array | None = None  # (T, k + 1, n)
    motor_positions: Array | None = None  # (T, m)
    wrenches: Mapping[str, Array] = field(default_factory=dict)  # (T, 6)
    motor_efforts: Array | None = None  # (T, m)

    def sample(self, i: int | slice | NDArray[np.int64]) -> Sample:
        """Return the sample of a number, or some."""

        def chosen(rows: Array | None) -> Array | None:
            return None if rows is None else rows[i]

        return Sample(
            self.positions[i],
            chosen(self.efforts),
            chosen(self.motor_positions),
            chosen(self.motor_efforts),
            {name: wrench[i] for name, wrench in self.wrenches.items()},
        )

    def indices(self, rate: float, most: int) -> NDArray[np.int64]:
        """Return the numbers of samples for pictures at a rate [1/s], and of not too many."""
        begin, end = float(self.times[0]), float(self.times[-1])
        step = max(1.0 / rate, (end - begin) / most)
        seconds = np.append(np.arange(begin, end, step), end)
        return np.unique(np.searchsorted(self.times, seconds + 1e-9, 'right') - 1)

    def index(self, time: float) -> int:
        """Return the number of the last sample at or before a time, or of the first one."""
        return max(int(np.searchsorted(self.times, time + 1e-9, 'right')) - 1, 0)


def motion_of_results(results: Results, robot: Robot) -> Motion:
    """Return the motion of computed or recorded results in the order of the robot's joints."""
    names = results.joint_names
    for name in robot.joint_names:
        if name not in names:
            raise UnknownNameError('joint', name, names)
    order = [names.index(name) for name in robot.joint_names]
    efforts = results.effort_jet[:, :, order]
    known = int(np.isfinite(efforts).all(axis=(0, 2)).cumprod().sum())
    motion = Motion(
        results.times, results.joint_jet[:, 0, order], efforts[:, :known] if known else None
    )
    motors = results.motors
    if motors is None or set(wanted := robot.motors.names) - set(motors.names):
        return motion  # also if the motors are those of another robot
    chosen = [motors.names.index(name) for name in wanted]
    rows = {quantity.name: motors.values[:, d, chosen] for d, quantity in enumerate(MOTORS)}
    return replace(
        motion, motor_positions=rows['motor_position'], motor_efforts=rows['motor_effort']
    )


def motion_of_jets(
    robot: Robot,
    times: ArrayLike,
    joint_jet: ArrayLike,
    efforts: ArrayLike | None = None,
    motor_positions: ArrayLike | None = None,
    wrenches: Mapping[str, ArrayLike] | None = None,
) -> Motion:
    """
    Return the motion of joint jets (T, r, n), or positions (T, n), for the arguments of `view`.

    Efforts and motor positions that are not given are computed if the jets have enough rows.
    """
    instants = require_finite('times', as_float_array('times', times))
    if instants.ndim != 1 or len(instants) == 0:
        raise ShapeError('times', '(T,), with T > 0', instants.shape)
    if (np.diff(instants) <= 0.0).any():
        raise InputError('times: expected increasing ones')
    count, n = len(instants), robot.n
    jet = require_finite('joint_jet', as_float_array('joint_jet', joint_jet))
    if jet.ndim == 2:
        jet = jet[:, np.newaxis]
    if jet.ndim != 3 or jet.shape[1] == 0:
        raise ShapeError('joint_jet', '(T, r, n) or (T, n)', np.shape(joint_jet))
    _require_shape('joint_jet', jet, (count, jet.shape[1], n))
    known = None if efforts is None else as_float_array('efforts', efforts)
    if known is not None:
        known = known[:, np.newaxis] if known.ndim == 2 else known
        _require_shape('efforts', known, (count, known.shape[1] if known.ndim == 3 else 1, n))
    elif jet.shape[1] >= _EFFORT_ROWS:
        known = inverse_dynamics(robot.model, jet)
    motors = motor_efforts = None
    if motor_positions is not None:
        motors = as_float_array('motor_positions', motor_positions)
        _require_shape('motor_positions', motors, (count, robot.motors.m))
    elif robot.drives is not None and jet.shape[1] >= robot.required_rows:
        commands = elastic_feedforward(robot, jet, times=instants)
        motors, motor_efforts = commands.motor_position, commands.motor_effort
    loads = {}
    for name, wrench in (wrenches or {}).items():
        loads[name] = as_float_array(f'wrenches[{name!r}]', wrench)
        _require_shape(f'wrenches[{name!r}]', loads[name], (count, 6))
    return Motion(instants, jet[:, 0], known, motors, loads, motor_efforts)


def at_rest(robot: Robot, position: Array) -> Sample:
    """Return a position (n,), the efforts of gravity, and motors if a spring can hold them."""
    jet = np.zeros((robot.required_rows, robot.n))
    jet[0] = position
    held = Sample(position, inverse_dynamics(robot.model, jet[:_EFFORT_ROWS]))
    if robot.drives is None:
        return held
    try:
        motors = elastic_feedforward(robot, jet)
    except SpringRangeError:
        return held
    return held._replace(motor_positions=motors.motor_position, motor_efforts=motors.motor_effort)


def _require_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ShapeError(name, str(shape), array.shape)
    require_finite(name, array)
