# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LimitTable`: the limits of a robot by quantity, for guards of samples and generated C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.drives.laws import RIGID
from screw_dynamics.kernels.drives.limits import SLACK, farthest_beyond
from screw_dynamics.limits.quantities import (
    DERIVATIVES,
    is_of_motors,
    joint_limits,
    motor_limits,
    unit_of,
)

# of every quantity in SI units, and of its rates: what no drive has
ABSURD, ABSURD_RATE = 1e6, 1e9
_RATES = 'acceleration', 'jerk', 'effort rate', 'motor effort rate'
# rad or m, and derivatives: a motion that is planned to touch a limit may be beyond it by so much
TOUCH = 1e-6
_TOUCHED = 'position', *DERIVATIVES, 'motor position', 'motor velocity'
# of a step between two samples: their rounding, relative and in rad or m
_STEP_SLACK, _ROUNDING = 1e-6, 1e-9


class LimitRow(NamedTuple):
    """Limits (k,) of a quantity of joints or motors, infinite where there are none."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    lower: Array
    upper: Array
    slack: Array  # by which a value may be beyond them

    def of(self, places: Sequence[int]) -> LimitRow:
        """Return the limits of some of the joints or motors, in this order."""
        names, units = (tuple(texts[i] for i in places) for texts in self[:2])
        index = np.array(places, dtype=np.intp)
        return LimitRow(names, units, *(values[index] for values in self[2:]))

    def within(self, largest: float) -> LimitRow:
        """Return limits of at most a size."""
        return self._replace(
            lower=np.maximum(self.lower, -largest), upper=np.minimum(self.upper, largest)
        )


class LimitTable:
    """
    Limits by quantity, of n joints and of m motors on the joint side of the gear.

    Joints have `position`, `velocity`, `acceleration`, `jerk`, `effort` and `effort rate`; motors
    have `motor position` and so on, but no accelerations and jerks, and `deflection`. Limits of 0
    count as none.
    """

    def __init__(self, rows: dict[str, LimitRow]) -> None:
        self.rows = rows

    @classmethod
    def of(cls, robot: Robot) -> LimitTable:
        """Return the table of a robot; raise InputError if its limits are contradictory."""
        joints = joint_limits(robot.model)
        rates = np.array([drive.max_effort_rate for drive in robot.joint_drives])
        rows = {
            'effort': _row(robot, 'effort', joints.effort),
            'position': _row(robot, 'position', joints.upper, joints.lower),
            **{name: _row(robot, name, getattr(joints, name)) for name in DERIVATIVES},
            'effort rate': _row(robot, 'effort rate', rates),
        }
        if robot.drives is not None:
            motors, table = motor_limits(robot), robot.motors
            owner = table.joint_of_motor
            rigid = table.laws[owner] == RIGID
            room = np.where(rigid, 0.0, motors['deflection'])
            speeds = np.where(rigid, joints.velocity[owner], np.inf)
            lower, upper = joints.lower[owner] - room, joints.upper[owner] + room
            bounds: dict[str, tuple[Array, ...]] = {
                'motor effort': (motors['motor effort'],),
                'motor position': (upper, lower),
                'motor velocity': (np.minimum(speeds, motors['motor velocity']),),
                'motor effort rate': (motors['motor effort rate'],),
                'deflection': (np.where(rigid, np.inf, motors['deflection']),),
            }
            for quantity, given in bounds.items():
                rows[quantity] = _row(robot, quantity, *given, motors=True)
        return cls(rows)

    def of_samples(self, joints: Sequence[str], motors: Sequence[str] = ()) -> LimitTable:
        """Return the table in the order of names in samples, or raise InputError."""
        chosen = {}
        for quantity, row in self.rows.items():
            mine = is_of_motors(quantity)
            if motors or not mine:
                names = motors if mine else joints
                chosen[quantity] = row.of(
                    _places('motor_names' if mine else 'joint_names', names, row.names)
                )
        return LimitTable(chosen)

    def without_limits(self) -> LimitTable:
        """Return a table in which nothing is limited."""
        return LimitTable(
            {
                quantity: row._replace(
                    lower=np.full_like(row.lower, -np.inf), upper=np.full_like(row.upper, np.inf)
                )
                for quantity, row in self.rows.items()
            }
        )

    def against_absurd(self) -> LimitTable:
        """Return a table with limits everywhere, beyond which no drive is."""
        return LimitTable(
            {
                quantity: row.within(ABSURD_RATE if quantity in _RATES else ABSURD)
                for quantity, row in self.rows.items()
            }
        )

    def limited_derivatives(self) -> list[tuple[int, str]]:
        """Return orders and names of velocity, and of other derivatives that are limited."""
        return [
            (d, name)
            for d, name in enumerate(DERIVATIVES, 1)
            if d == 1 or np.isfinite(self.rows[name].upper).any()
        ]

    def violation(self, *values: tuple[str, Array | None]) -> str:
        """Return which value of a quantity (k,) is farthest beyond its limit; '' if none is."""
        for quantity, row in values:
            if row is None:
                continue
            limits = self.rows[quantity]
            j = farthest_beyond.run(row, limits.lower, limits.upper, limits.slack)
            if j >= 0:
                return self._text(quantity, limits, j, float(row[j]))
        return ''

    @staticmethod
    def _text(quantity: str, limits: LimitRow, j: int, value: float) -> str:
        lower, upper = float(limits.lower[j]), float(limits.upper[j])
        bound = lower if value < lower != -upper else upper
        return (
            f'{limits.names[j]}: {quantity} {value:.9g} {limits.units[j]}, limit {bound:g} '
            f'{limits.units[j]}'
        )

    def steps(self, quantity: str, time: float) -> Array:
        """Return the largest changes (k,) of a quantity with limits of its rate within a time."""
        steps: Array = self.rows[quantity].upper * (time * (1.0 + _STEP_SLACK)) + _ROUNDING
        return steps


def _row(
    robot: Robot, quantity: str, upper: Array, lower: Array | None = None, *, motors: bool = False
) -> LimitRow:
    kinds, names = robot.model.coordinate_types, robot.joint_names
    if motors:
        names = robot.motors.names
        kinds = tuple(kinds[j] for j in robot.motors.joint_of_motor)
    units = tuple(unit_of(quantity, kind) for kind in kinds)
    below = -upper if lower is None else lower
    sizes = np.maximum(
        np.where(np.isfinite(upper), np.abs(upper), 0.0),
        np.where(np.isfinite(below), np.abs(below), 0.0),
    )
    slack = SLACK * np.maximum(sizes, 1.0)
    if quantity in _TOUCHED:
        slack = np.maximum(slack, TOUCH)
    return LimitRow(names, units, below, upper + 0.0, slack)


def _places(what: str, names: Sequence[str], known: Sequence[str]) -> list[int]:
    for name in names:
        if name not in known:
            raise InputError(f'{what}: unknown name {name!r}, expected some of {", ".join(known)}')
    return [known.index(name) for name in names]
