# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantities of results: names in files, symbols and units in plots."""

from __future__ import annotations

from typing import NamedTuple


class Quantity(NamedTuple):
    """
    One quantity of a joint or motor.

    `name` is used in the columns of files and `symbol` in plots. `units` are those of a revolute
    and of a prismatic joint; `per` follows them in time derivatives.
    """

    name: str
    symbol: str
    units: tuple[str, str]
    per: str = ''

    def unit(self, slides: bool | None) -> str:
        """Return the unit; `slides` is None if the joint type is unknown."""
        turning, sliding = self.units
        if slides is None:
            both = f'{turning} or {sliding}'
            return f'({both}){self.per}' if self.per else both
        unit = sliding if slides else turning
        return f'{unit}{self.per}'


_POSITION, _EFFORT = ('rad', 'm'), ('N m', 'N')

# row d is the d-th time derivative
MOTION = (
    Quantity('position', r'$q$', _POSITION),
    Quantity('velocity', r'$\dot q$', _POSITION, '/s'),
    Quantity('acceleration', r'$\ddot q$', _POSITION, '/s²'),
    Quantity('jerk', r'$q^{(3)}$', _POSITION, '/s³'),
    Quantity('snap', r'$q^{(4)}$', _POSITION, '/s⁴'),
)
EFFORTS = (
    Quantity('effort', r'$\tau$', _EFFORT),
    Quantity('effort_dot', r'$\dot\tau$', _EFFORT, '/s'),
    Quantity('effort_ddot', r'$\ddot\tau$', _EFFORT, '/s²'),
)
MOTORS = (
    Quantity('motor_position', r'$\theta$', _POSITION),
    Quantity('motor_velocity', r'$\dot\theta$', _POSITION, '/s'),
    Quantity('motor_acceleration', r'$\ddot\theta$', _POSITION, '/s²'),
    Quantity('motor_effort', r'$\tau_m$', _EFFORT),
    Quantity('deflection', r'$\varphi$', _POSITION),
)
