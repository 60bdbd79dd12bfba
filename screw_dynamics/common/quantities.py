# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantities of joints and motors over time: names, symbols, units."""

from __future__ import annotations

import re
from typing import NamedTuple

# of a revolute and of a prismatic joint
POSITION_UNITS, EFFORT_UNITS = ('rad', 'm'), ('N m', 'N')


class Quantity(NamedTuple):
    """A quantity of a joint or motor, the time derivative of order `derivative` of another."""

    name: str  # in columns of files
    symbol: str  # in figures
    units: tuple[str, str]  # without the derivative, of a revolute and of a prismatic joint
    derivative: int = 0

    def unit(self, slides: bool | None) -> str:
        """Return the unit; `slides` is None if the joint type is unknown."""
        unit = ' or '.join(self.units) if slides is None else self.units[slides]
        return derivative_unit(unit, self.derivative)

    def typeset_unit(self, slides: bool | None) -> str:
        """Return the unit for figures and pages, with superscripts."""
        return re.sub(r'\^([234])', lambda found: '²³⁴'[int(found[1]) - 2], self.unit(slides))

    def column(self, owner: str, slides: bool | None, ending: str = '') -> str:
        """Return the name of a column of a joint or motor, with its unit if it is known."""
        name = f'{owner}.{self.name}{ending}'
        return name if slides is None else f'{name} [{self.unit(slides)}]'


def derivative_unit(unit: str, derivative: int) -> str:
    """Return the unit of a time derivative of a quantity."""
    if not derivative:
        return unit
    power = f'^{derivative}' if derivative > 1 else ''
    return f'({unit})/s{power}' if ' or ' in unit else f'{unit}/s{power}'


# row d is the d-th time derivative
MOTION = (
    Quantity('position', r'$q$', POSITION_UNITS),
    Quantity('velocity', r'$\dot q$', POSITION_UNITS, 1),
    Quantity('acceleration', r'$\ddot q$', POSITION_UNITS, 2),
    Quantity('jerk', r'$q^{(3)}$', POSITION_UNITS, 3),
    Quantity('snap', r'$q^{(4)}$', POSITION_UNITS, 4),
)
EFFORTS = (
    Quantity('effort', r'$\tau$', EFFORT_UNITS),
    Quantity('effort_dot', r'$\dot\tau$', EFFORT_UNITS, 1),
    Quantity('effort_ddot', r'$\ddot\tau$', EFFORT_UNITS, 2),
)
MOTORS = (
    Quantity('motor_position', r'$\theta$', POSITION_UNITS),
    Quantity('motor_velocity', r'$\dot\theta$', POSITION_UNITS, 1),
    Quantity('motor_acceleration', r'$\ddot\theta$', POSITION_UNITS, 2),
    Quantity('motor_effort', r'$\tau_m$', EFFORT_UNITS),
    Quantity('deflection', r'$\varphi$', POSITION_UNITS),
)
