# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Base classes of the spring laws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from screw_dynamics.arrays import Array
from screw_dynamics.scalars import check_number, check_order


class Spring(ABC):
    """
    The elastic element between motor and link, behind the gear.

    Efforts are those that the spring transmits to the link [N m or N]; deflections are the motor
    position (behind the gear) minus the link position [rad or m].
    """

    type: ClassVar[str]
    """Name of the law in YAML."""

    @property
    @abstractmethod
    def code(self) -> int:
        """Code of the law for the kernels."""

    @property
    @abstractmethod
    def parameters(self) -> Array:
        """Parameters of the law for the kernels."""


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
