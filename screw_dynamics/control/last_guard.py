# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LastGuard`: limits of what is sent to drives, and of the references behind it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.limits.quantities import joint_limits, motor_limits, unit_of

# of every quantity in SI units: what no drive has
ABSURD = 1e6
_SLACK = 1e-9  # relative, so that a motion that touches a limit passes despite rounding
_STEP_SLACK = 1e-6  # relative, of a change between two samples: their rounding counts here
_ROUNDING = 1e-9  # of a position [rad or m]


class LastGuard:
    """Limits (m,) of what is commanded; with ``limits: off`` only what is absurd is refused."""

    def __init__(
        self,
        robot: Robot,
        joints: Sequence[str],
        motors: Sequence[str],
        settings: DriveCommandsParameters,
    ) -> None:
        order = _places('joint_names', joints, robot.joint_names)
        kinds = np.array(robot.model.coordinate_types)
        limits = joint_limits(robot.model)
        rates = np.array([drive.max_effort_rate for drive in robot.joint_drives])
        if settings.motors:
            table, bounds = robot.motors, motor_limits(robot.with_limited_motors())
            mine = _places('motor_names', motors, table.names)
            owner = table.joint_of_motor[mine]
            rigid = np.array([drive.spring is None for drive in robot.joint_drives])[owner]
            room = bounds.deflections[mine]
            self.deflections = np.where(rigid, ABSURD, np.minimum(room, ABSURD))
            room = np.where(rigid, 0.0, room)
            speeds = np.where(rigid, limits.velocity[owner], np.inf)
            values = {
                'effort': bounds.motor_efforts[mine],
                'effort rate': bounds.motor_effort_rates[mine],
                'velocity': np.minimum(speeds, bounds.motor_velocities[mine]),
            }
            names = [robot.joint_names[j] for j in owner]
            self.owner = np.array(_places('joint_names', names, joints))
            self._prefix = 'motor '
        else:
            owner, room = np.array(order), np.zeros(len(order))
            values = {
                'effort': limits.effort[order],
                'effort rate': rates[order],
                'velocity': limits.velocity[order],
            }
            self.deflections = np.full(len(order), ABSURD)
            self.owner = np.arange(len(order))
            self._prefix = ''
        self.names = tuple(motors if settings.motors else joints)
        self._kinds = kinds[owner]
        self.kinds = tuple(kinds[order].tolist())
        self.turning = kinds[order] == 'continuous'
        self.pace = np.where(np.isfinite(values['velocity']), values['velocity'], 1.0)
        off, moves = settings.limits == 'off', settings.moves
        endless = np.full(len(owner), np.inf)
        lower, upper = limits.lower[owner] - room, limits.upper[owner] + room
        if off:
            values = dict.fromkeys(values, endless)
            self.deflections = np.full(len(owner), ABSURD)
        if off or not moves:
            lower, upper = -endless, endless
        self.lower, self.upper = np.maximum(lower, -ABSURD), np.minimum(upper, ABSURD)
        self.efforts = np.minimum(values['effort'], ABSURD)
        self.rates = values['effort rate']
        self.limited = bool(np.isfinite(self.rates).any())
        self._absurd = np.full(len(owner), 1e3 * ABSURD)
        self.speeds = values['velocity']
        self._velocities = np.minimum(values['velocity'] if moves else endless, ABSURD)

    def violation(
        self, jet: Array, effort: Array, rates: Array | None, deflection: Array | None
    ) -> str:
        """Return what of a sample, with a jet (3, m), is beyond a limit; '' if nothing is."""
        position, velocity, acceleration = jet
        return (
            self._beyond('effort', effort, self.efforts)
            or self._beyond('position', position, self.upper)
            or self._beyond('position', position, self.lower, below=True)
            or self._beyond('velocity', velocity, self._velocities)
            or self._beyond('acceleration', acceleration, self._absurd)
            or self._beyond('effort rate', rates, np.minimum(self.rates, self._absurd))
            or self._beyond('deflection', deflection, self.deflections)
        )

    def _beyond(
        self, quantity: str, values: Array | None, limits: Array, below: bool = False
    ) -> str:
        if values is None:
            return ''
        if quantity == 'position':
            signed = -values if below else values
            limits = -limits if below else limits
        else:
            signed = np.abs(values)
        excess = signed - limits
        within = excess <= _SLACK * np.maximum(np.abs(limits), 1.0)
        if within.all():  # False for what is not a number
            return ''
        j = int(np.argmax(np.where(np.isfinite(excess), excess, np.inf) * ~within))
        bound = -limits[j] if below else limits[j]
        return self._text(j, quantity, values[j], bound)

    def _text(self, j: int, quantity: str, value: float, bound: float) -> str:
        unit = 'per s^2'
        if quantity not in ('position', 'deflection', 'acceleration'):
            quantity = f'{self._prefix}{quantity}'
        if quantity != 'acceleration':
            unit = unit_of(quantity, self._kinds[j])
        return f'{self.names[j]}: {quantity} {value:.9g} {unit}, limit {bound:g} {unit}'

    def step_text(
        self, before: Array, after: Array, tolerance: float, time: float, *, measured: bool
    ) -> str:
        """
        Return which position steps within a time [s] further than its joint can move.

        Without a limit of the velocity those of the rows `before` and `after` count. Where
        positions are measured they have noise, and some may be older than others.
        """
        step = np.abs(after[0] - before[0])
        free = tolerance + 1.5 * time * np.maximum(np.abs(before[1]), np.abs(after[1]))
        limit = self._speed_step(time) + tolerance * measured
        most = np.where(np.isfinite(self.speeds), limit, free)
        within = step <= most
        if within.all():
            return ''
        j = int(np.argmax(np.where(np.isfinite(step), step - most, np.inf) * ~within))
        unit = unit_of('position', self._kinds[j])
        return (
            f'{self.names[j]}: step of the reference {step[j]:.6g} {unit} within {time:.6g} s, '
            f'limit {most[j]:.6g} {unit}'
        )

    def _speed_step(self, time: float) -> Array:
        steps: Array = self.speeds * (time * (1.0 + _STEP_SLACK)) + _ROUNDING
        return steps

    def keep_motion(self, wanted: Array, last: Array, time: float, out: Array) -> None:
        """Write the nearest positions and velocities (2, m) within the limits to `out`."""
        np.clip(wanted[0], self.lower, self.upper, out=out[0])
        np.clip(wanted[1], -self._velocities, self._velocities, out=out[1])
        if time:
            step = self._speed_step(time)
            np.clip(out[0], last[0] - step, last[0] + step, out=out[0])

    def keep_effort(
        self, wanted: Array, last: Array, time: float, added: Array, out: Array
    ) -> None:
        """
        Write the nearest efforts, with rates (2, m), within the limits to `out`.

        Limits are those of the efforts with what the robot has `added`; `last` is with it, too.
        """
        np.clip(wanted[0], -self.efforts - added, self.efforts - added, out=out[0])
        out[1] = wanted[1]
        if time and self.limited:
            step, middle = self.rates * (time * (1.0 + _STEP_SLACK)), last - added
            np.clip(out[0], middle - step, middle + step, out=out[0])


def _places(what: str, names: Sequence[str], known: Sequence[str]) -> list[int]:
    for name in names:
        if name not in known:
            raise InputError(f'{what}: unknown name {name!r}, expected some of {", ".join(known)}')
    return [known.index(name) for name in names]
