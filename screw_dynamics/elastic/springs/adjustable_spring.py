# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`AdjustableSpring`: what springs have in common whose stiffness follows a trajectory."""

from __future__ import annotations

from screw_dynamics.elastic.springs.spring import Spring
from screw_dynamics.elastic.values import check_range, checked_number


class AdjustableSpring(Spring):
    """A spring whose stiffness is chosen over time; base of frozen dataclasses."""

    stiffness: float
    """Where no trajectory of it is given [N m/rad or N/m]."""
    min_stiffness: float
    max_stiffness: float

    def _check_stiffness(self) -> None:
        """Check the stiffness and its range."""
        stiffness = checked_number('stiffness', self.stiffness, above=True)
        low = checked_number('min_stiffness', self.min_stiffness)
        high = checked_number('max_stiffness', self.max_stiffness, above=True, infinite=True)
        check_range('min_stiffness', low, 'stiffness', stiffness)
        check_range('stiffness', stiffness, 'max_stiffness', high)
        object.__setattr__(self, 'stiffness', stiffness)
        object.__setattr__(self, 'min_stiffness', low)
        object.__setattr__(self, 'max_stiffness', high)
