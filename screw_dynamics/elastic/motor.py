# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Motor`: data-sheet values of a motor and its gear."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from screw_dynamics.elastic.values import check_number
from screw_dynamics.errors import ModelError


@dataclass(frozen=True)
class Motor:
    """
    A motor with its gear; all values are on the motor's side of the gear.

    Parameters
    ----------
    rotor_inertia : float
        J of rotor and fast gear parts about the spin axis [kg m^2].
    gear_ratio : float
        r > 0, motor revolutions per revolution of the joint, or rad/m for a prismatic one. It is
        positive also for a gear that reverses the sense, see `Rotor`. With the default 1 all
        values are already reflected to the joint.
    viscous_friction : float
        Coefficient d [N m s/rad].
    coulomb_friction : float
        c of the smooth law ``c tanh(velocity / coulomb_velocity)`` [N m].
    coulomb_velocity : float
        Motor velocity at which this friction reaches 76 % of c, above 0 [rad/s].
    max_effort : float
        Peak effort [N m]. Data for feasibility checks, like `max_velocity`.
    max_velocity : float
        Maximum velocity [rad/s].

    Raises
    ------
    ModelError
        If a value is not a number, out of range, or not finite behind the gear.

    Examples
    --------
    >>> round(Motor(rotor_inertia=3e-5, gear_ratio=160.0).joint_inertia, 12)
    0.768

    """

    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    viscous_friction: float = 0.0
    coulomb_friction: float = 0.0
    coulomb_velocity: float = 0.1
    max_effort: float = np.inf
    max_velocity: float = np.inf

    def __post_init__(self) -> None:
        """Check the numbers."""
        for field in fields(self):
            limit = field.name.startswith('max_')
            above = limit or field.name in ('gear_ratio', 'coulomb_velocity')
            check_number(self, field.name, above=above, infinite=limit)
        if not np.isfinite(self.behind_gear).all():
            raise ModelError(
                'gear_ratio: expected one behind which rotor inertia and friction are finite '
                f'numbers, got {self.gear_ratio:g}'
            )

    @property
    def behind_gear(self) -> tuple[float, float, float, float]:
        """
        Values of the motor reflected to the joint.

        Returns
        -------
        tuple of 4 float
            Inertia r^2 J [kg m^2 or kg], viscous friction r^2 d [N m s/rad or N s/m], Coulomb
            friction r c [N m or N] and the velocity of its law, v / r [rad/s or m/s].

        """
        ratio = self.gear_ratio
        return (
            ratio * ratio * self.rotor_inertia,
            ratio * ratio * self.viscous_friction,
            ratio * self.coulomb_friction,
            self.coulomb_velocity / ratio,
        )

    @property
    def joint_inertia(self) -> float:
        """Rotor inertia reflected to the joint, B = r^2 J [kg m^2 or kg]."""
        return self.behind_gear[0]
