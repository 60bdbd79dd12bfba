# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Spring`: base class of the spring laws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from screw_dynamics.arrays import Array


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
