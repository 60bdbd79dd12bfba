# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Base class of the springs, and the codes of the spring laws in the kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from screw_dynamics.arrays import Array

# code of the spring law of a joint
RIGID, LINEAR, DAMPED, VARIABLE, CUBIC, EXPONENTIAL, TABULATED = range(7)
PAIR_EXPONENTIAL, PAIR_QUADRATIC, PAIR_CUBIC = range(7, 10)

# indices of a pair's parameters: the flag of its tendons, the first parameter of its law
PULL_ONLY, PAIR_LAW = range(2)


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
