# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ElasticJoint`: spring, motors and limits of one joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screw_dynamics.elastic.motor import Motor
from screw_dynamics.elastic.rotor import Rotor
from screw_dynamics.elastic.springs import AntagonisticPair, Spring
from screw_dynamics.elastic.values import check_number
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import ModelError


@dataclass(frozen=True)
class ElasticJoint:
    """
    Spring, motors and limits of one joint.

    Parameters
    ----------
    spring : Spring, optional
        Between motor and link, behind the gear; None for a rigid joint.
    motor : Motor
    second_motor : Motor, optional
        Second motor of an antagonistic pair; default equal to `motor`. None for other springs.
    max_deflection : float
        Spring stop [rad or m]. Data for feasibility checks, like `max_effort_rate`.
    max_effort_rate : float
        Maximum rate of the transmitted effort [N m/s or N/s].
    rotor : Rotor, optional
        Used only with `ElasticJoints.rotor_coupling`.

    Examples
    --------
    >>> from screw_dynamics.elastic import LinearSpring
    >>> len(ElasticJoint(LinearSpring(200.0), Motor(rotor_inertia=0.1)).motors)
    1

    """

    spring: Spring | None = None
    motor: Motor = Motor()
    second_motor: Motor | None = None
    max_deflection: float = np.inf
    max_effort_rate: float = np.inf
    rotor: Rotor | None = None

    def __post_init__(self) -> None:
        """Check the parts."""
        for name, kind, optional in (
            ('spring', Spring, True),
            ('motor', Motor, False),
            ('second_motor', Motor, True),
            ('rotor', Rotor, True),
        ):
            value = getattr(self, name)
            if not isinstance(value, kind) and not (optional and value is None):
                raise ModelError(f'{name}: expected a {kind.__name__}, got {shown(value)}')
        for name in ('max_deflection', 'max_effort_rate'):
            check_number(self, name, above=True, infinite=True)
        if isinstance(self.spring, AntagonisticPair):
            if self.second_motor is None:
                object.__setattr__(self, 'second_motor', self.motor)
        elif self.second_motor is not None:
            raise ModelError('second_motor: expected none, only an antagonistic pair has two')

    @property
    def motors(self) -> tuple[Motor, ...]:
        """The motor, or both motors of an antagonistic pair."""
        return (self.motor,) if self.second_motor is None else (self.motor, self.second_motor)
