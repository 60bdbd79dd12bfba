# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LastGuard`: limits of what is sent to drives, and of the references behind it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.drives.robot import Robot
from screw_dynamics.limits.quantities import DERIVATIVES, unit_of
from screw_dynamics.limits.table import LimitTable

_FASTER = 1.5  # times its own velocity, by which the reference of an unlimited joint may step


class LastGuard:
    """
    Limits (m,) of what is commanded of joints or motors, and (n,) of the joints.

    With ``limits: off`` only what is absurd, and what steps, is refused.
    """

    def __init__(
        self,
        robot: Robot,
        joints: Sequence[str],
        motors: Sequence[str],
        settings: DriveCommandsParameters,
    ) -> None:
        commands_motors = settings.motors
        if commands_motors:
            robot = robot.with_limited_motors()
        table = LimitTable.of(robot).of_samples(joints, motors if commands_motors else ())
        order = [robot.joint_names.index(name) for name in joints]
        self.kinds = tuple(robot.model.coordinate_types[j] for j in order)
        self.turning = np.array([kind == 'continuous' for kind in self.kinds])
        self.owner, side = np.arange(len(order)), ''
        if commands_motors:
            side, names = 'motor ', [robot.motors.names.index(name) for name in motors]
            self.owner = np.array([order.index(j) for j in robot.motors.joint_of_motor[names]])
        self.side, self._moves = side, settings.moves
        self.names = table.rows[f'{side}effort'].names
        # joints without a limit of their velocity count as fast as 1 rad/s or m/s
        fast = table.rows['velocity'].upper
        self.pace = np.where(np.isfinite(fast), fast, 1.0)
        if settings.limits == 'off':
            table = table.without_limits()
        self._joint_speeds = table.rows['velocity'].upper
        self.rates = table.rows[f'{side}effort rate'].upper
        self.speeds = table.rows[f'{side}velocity'].upper
        self.limited = bool(np.isfinite(self.rates).any())
        self._steps = table
        self.table = table.against_absurd()
        self._free = table.without_limits().against_absurd()
        row = self.table.rows[f'{side}effort']
        self.efforts = row.upper
        places = (self.table if self._moves else self._free).rows
        self._limited = table.limited_derivatives()[1:]
        self.lower, self.upper = places[f'{side}position'][2:4]
        self._velocities = places[f'{side}velocity'].upper

    def violation(
        self,
        joints: Array,
        jet: Array,
        effort: Array,
        rates: Array | None,
        deflection: Array | None,
    ) -> str:
        """
        Return what of a sample is beyond a limit; '' if nothing is.

        `joints` (4, n) is the jet of the joints, `jet` (3, m) that of what is commanded.
        """
        side, places = self.side, self.table if self._moves else self._free
        found = self.table.violation((f'{side}effort', effort)) or places.violation(
            (f'{side}position', jet[0]),
            (f'{side}velocity', jet[1]),
            ('acceleration', joints[2]),
            ('jerk', joints[3]),
        )
        return found or self.table.violation(
            (f'{side}effort rate', rates),
            ('deflection', deflection),
        )

    def absurd_effort(self, effort: Array) -> str:
        """Return which effort (m,) no robot has; '' if none is."""
        return self._free.violation((f'{self.side}effort', effort))

    def step_text(
        self,
        before: Array,
        after: Array,
        tolerance: float,
        time: float,
        *,
        measured: bool,
        smooth: int = 0,
    ) -> str:
        """
        Return which joint steps within a time [s] further than it can move; '' if none does.

        Rows `before` and `after` (3, n) are positions, velocities and accelerations, whose first
        `smooth` derivatives are continuous. Without a limit of the velocity those of the rows
        count. Where positions are measured they have noise, and some may be older than others.
        """
        free = tolerance + _FASTER * time * np.maximum(np.abs(before[1]), np.abs(after[1]))
        limit = self._steps.steps('velocity', time) + tolerance * measured
        most = np.where(np.isfinite(self._joint_speeds), limit, free)
        found = self._farther(np.abs(after[0] - before[0]), most, time)
        for d, rate in self._limited:
            if found or measured or d - 1 > smooth:
                break
            step = np.abs(after[d - 1] - before[d - 1])
            found = self._farther(step, self._steps.steps(rate, time), time, DERIVATIVES[d - 2])
        return found

    def far_text(self, before: Array, after: Array, tolerance: float, time: float) -> str:
        """Return which joint jumps by more than a tolerance beside its motion; '' if none does."""
        change = after[0] - before[0] - (0.5 * time) * (before[1] + after[1])
        return self._farther(np.abs(change), np.full(len(change), tolerance), time)

    def _farther(self, step: Array, most: Array, time: float, quantity: str = '') -> str:
        within = step <= most
        if within.all():
            return ''
        excess = np.where(within, -np.inf, step - most)
        j = int(np.argmax(np.where(np.isfinite(step), excess, np.inf)))
        unit = unit_of(quantity or 'position', self.kinds[j])
        name = self.table.rows['position'].names[j]
        return (
            f'{name}: step of the {quantity and quantity + " of the "}reference {step[j]:.6g} '
            f'{unit} within {time:.6g} s, limit {most[j]:.6g} {unit}'
        )

    def keep_motion(self, wanted: Array, last: Array, step: Array | None, out: Array) -> None:
        """
        Write the nearest positions and velocities (2, m) within the limits to `out`.

        Positions change by at most `step` (m,) since the last ones, if that is given.
        """
        np.clip(wanted[0], self.lower, self.upper, out=out[0])
        np.clip(wanted[1], -self._velocities, self._velocities, out=out[1])
        if step is not None:
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
            step = self._steps.steps(f'{self.side}effort rate', time)
            middle = last - added
            np.clip(out[0], middle - step, middle + step, out=out[0])
