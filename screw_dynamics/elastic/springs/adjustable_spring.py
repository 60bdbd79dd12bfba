# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`AdjustableSpring`: base of the springs whose stiffness follows a trajectory."""

from __future__ import annotations

from screw_dynamics.elastic.springs.spring import Spring
from screw_dynamics.elastic.values import check_number, check_order


class AdjustableSpring(Spring):
    """A spring whose stiffness varies over time; base of frozen dataclasses."""

    stiffness: float
    """Where no trajectory of it is given [N m/rad or N/m]."""
    min_stiffness: float
    max_stiffness: float

    def _check_stiffness(self) -> None:
        """Check the stiffness and its range."""
        check_number(self, 'stiffness', above=True)
        check_number(self, 'min_stiffness')
        check_number(self, 'max_stiffness', above=True, infinite=True)
        check_order(self, 'min_stiffness', 'stiffness')
        check_order(self, 'stiffness', 'max_stiffness')
