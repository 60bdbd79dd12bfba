# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The quantities of results: their names in files, their symbols and units in plots."""

from __future__ import annotations

from typing import NamedTuple


class Quantity(NamedTuple):
    """
    One quantity of a joint or motor.

    Parameters
    ----------
    name : str
        In the columns of files.
    symbol : str
        In plots.
    unit : str
        Of revolute | prismatic joints.

    """

    name: str
    symbol: str
    unit: str


# row d is the d-th time derivative
MOTION = (
    Quantity('position', r'$q$', 'rad|m'),
    Quantity('velocity', r'$\dot q$', 'rad|m /s'),
    Quantity('acceleration', r'$\ddot q$', 'rad|m /s²'),
    Quantity('jerk', r'$q^{(3)}$', 'rad|m /s³'),
    Quantity('snap', r'$q^{(4)}$', 'rad|m /s⁴'),
)
EFFORTS = (
    Quantity('effort', r'$\tau$', 'N m|N'),
    Quantity('effort_dot', r'$\dot\tau$', 'N m|N /s'),
    Quantity('effort_ddot', r'$\ddot\tau$', 'N m|N /s²'),
)
MOTORS = (
    Quantity('motor_position', r'$\theta$', 'rad|m'),
    Quantity('motor_velocity', r'$\dot\theta$', 'rad|m /s'),
    Quantity('motor_acceleration', r'$\ddot\theta$', 'rad|m /s²'),
    Quantity('motor_effort', r'$\tau_m$', 'N m|N'),
    Quantity('deflection', r'$\varphi$', 'rad|m'),
)
