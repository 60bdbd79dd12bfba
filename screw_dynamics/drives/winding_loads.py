# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`winding_loads`: current, voltage and temperature of motors along a motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.common.scalars import require_number
from screw_dynamics.drives.motor_feedforward import MotorFeedforward
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.model import ScrewModel

_COPPER = 0.0039  # relative rise of the resistance [1/K], from that at 25 deg C
_REFERENCE = 25.0


@dataclass(frozen=True, eq=False)
class WindingLoads:
    """
    Load of m motors along a motion of T samples; NaN for motors without `Winding`.

    Parameters
    ----------
    motor_names : tuple of str
    current, voltage : (T, m) ndarray
        ``i = tau_M / kt`` [A] and ``u = R i + L i' + kt theta_M'`` [V], on the motor's side.
    rms_current : (m,) ndarray
        Over the motion [A]; times kt and the gear ratio it is the rms effort.
    temperature : (T, m) ndarray
        Of the winding, which is at that of the surroundings at first [deg C].
    repeated_temperature : (m,) ndarray
        Its mean after many repeats without pause; inf if it runs away [deg C].
    """

    motor_names: tuple[str, ...]
    current: Array
    voltage: Array
    rms_current: Array
    temperature: Array
    repeated_temperature: Array


def winding_loads(
    robot: Robot | ScrewModel,
    motors: MotorFeedforward,
    times: ArrayLike,
    *,
    ambient: float = _REFERENCE,
) -> WindingLoads:
    """
    Return current, voltage and temperature of the motors along a motion.

    Heat flows from the winding to the housing and from there to the surroundings,
    ``C_w T_w' = R i^2 - (T_w - T_h) / R_w``, ``C_h T_h' = (T_w - T_h) / R_w - (T_h - T_a) / R_h``,
    with the resistance R of copper at T_w, by the trapezoidal rule. The voltage counts that at 25
    deg C.

    Parameters
    ----------
    robot : Robot
        With a `Winding` in some of its drives.
    motors : MotorFeedforward
        T samples of this robot. The voltage at an inductance has L i' if they have the rates of
        the motor efforts: one row of the joint jet more.
    times : (T,) array_like
        Increasing [s].
    ambient : float
        Temperature of the surroundings [deg C].

    Returns
    -------
    WindingLoads

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> drive = sd.JointDrive(motor=sd.Motor(gear_ratio=100.0), winding=sd.Winding(0.05))
    >>> robot = sd.Robot(arm, sd.Drives({'joint_1': drive}))
    >>> motors = sd.elastic_feedforward(robot, np.zeros((2, 3, 2)))
    >>> loads = sd.winding_loads(robot, motors, [0.0, 1.0])
    >>> np.allclose(loads.current[:, 0], motors.motor_effort[:, 0] / 100.0 / 0.05)
    True
    """
    robot = robot_with_drives(robot)
    table = robot.motors
    if not isinstance(motors, MotorFeedforward):
        raise InputError(f'motors: expected a MotorFeedforward, got {type(motors).__name__}')
    instants = require_finite('times', as_float_array('times', times))
    ambient = require_number('ambient', ambient, -np.inf)
    jets = motors.motor_effort_jet
    if jets.ndim != 3 or jets.shape[-1] != table.m:
        raise ShapeError('motors.motor_effort_jet', f'(T, p, {table.m})', jets.shape)
    if instants.shape != jets.shape[:1]:
        raise ShapeError('times', f'({len(jets)},), one per sample', instants.shape)
    if not len(instants) or (np.diff(instants) <= 0.0).any():
        raise InputError('times: expected at least one, increasing, got others')
    values = partial(winding_values, robot)
    current, voltage = currents_and_voltages(robot, motors)
    resistance = values('resistance')
    steps, squares = np.diff(instants)[:, np.newaxis], current**2
    means = 0.5 * (squares[1:] + squares[:-1])
    mean = (steps * means).sum(axis=0) / steps.sum() if len(steps) else squares[0]
    of_winding, of_housing = values('thermal_resistance'), values('housing_resistance')
    path = (of_winding, values('thermal_time')), (of_housing, values('housing_time'))
    rises = _rises(resistance * means, steps, *path, ambient)
    power, through = resistance * mean, of_winding + of_housing
    gain = 1.0 - _COPPER * through * power
    at_ambient = through * power * (1.0 + _COPPER * (ambient - _REFERENCE))
    repeated = np.where(gain > 0.0, at_ambient / np.where(gain > 0.0, gain, 1.0), np.inf)
    repeated = np.where(np.isnan(resistance), np.nan, ambient + repeated)
    return WindingLoads(table.names, current, voltage, np.sqrt(mean), ambient + rises, repeated)


def winding_values(robot: Robot, name: str, missing: float = np.nan) -> Array:
    """Return a field of the windings of all motors (m,), `missing` where there is none."""
    owners = [robot.joint_drives[j].winding for j in robot.motors.joint_of_motor]
    return np.array([missing if one is None else getattr(one, name) for one in owners])


def currents_and_voltages(robot: Robot, motors: MotorFeedforward) -> tuple[Array, Array]:
    """Return both (T, m); the voltage has L i' if the rates of motor efforts are known."""
    jets = motors.motor_effort_jet
    constant = robot.motors.gear_ratios * winding_values(robot, 'torque_constant')
    current = jets[:, 0] / constant
    voltage = winding_values(robot, 'resistance') * current + constant * motors.motor_velocity
    if jets.shape[1] > 1:
        voltage = voltage + winding_values(robot, 'inductance') * jets[:, 1] / constant
    return current, voltage


def _rises(
    heat: Array,
    steps: Array,
    winding: tuple[Array, Array],
    housing: tuple[Array, Array],
    ambient: float,
) -> Array:
    """
    Return the temperature (T, m) of windings above the surroundings.

    `heat` (T - 1, m) is R i^2 at 25 deg C, over `steps`; of winding and housing, resistance and
    time constant (m,).
    """
    resistances, times = winding
    share, slow = housing[0] / np.where(resistances > 0.0, resistances, 1.0), housing[1]
    m = len(times)
    if not np.nan_to_num(resistances).any():
        return np.zeros((len(heat) + 1, m)) * resistances
    power, h = resistances * heat, steps[:, :, np.newaxis, np.newaxis]
    # in units of the winding's resistance: T_w' = (p (warm + a T_w) - T_w + T_h) / t_w
    matrix = np.empty((*heat.shape, 2, 2))
    matrix[..., 0, 0], matrix[..., 0, 1] = (_COPPER * power - 1.0) / times, 1.0 / times
    matrix[..., 1, 0], matrix[..., 1, 1] = share / slow, -(1.0 + share) / slow
    constant = np.zeros((*heat.shape, 2, 1))
    constant[..., 0, 0] = power * (1.0 + _COPPER * (ambient - _REFERENCE)) / times
    # the trapezoidal rule, from the rate at the begin
    gain = h * np.linalg.inv(np.eye(2) - 0.5 * h * matrix)
    rise, rows = np.zeros((m, 2, 1)), [np.zeros(m)]
    for slopes, offset, step in zip(matrix, constant, gain, strict=True):
        rise = rise + step @ (slopes @ rise + offset)
        rows.append(rise[:, 0, 0])
    return np.array(rows)
