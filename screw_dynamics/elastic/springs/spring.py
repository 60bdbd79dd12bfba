# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What every spring record offers, and the codes by which kernels know the laws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from screw_dynamics.arrays import Array

# the law of a joint as the kernels take it
RIGID, LINEAR, DAMPED, VARIABLE, CUBIC, EXPONENTIAL, TABULATED = range(7)
PAIR_EXPONENTIAL, PAIR_QUADRATIC, PAIR_CUBIC = range(7, 10)

# parameters of a pair: whether its tendons only pull, then those of the law from here on
PULL_ONLY, PAIR_LAW = range(2)


class Spring(ABC):
    """
    The elastic element between motor and link, behind the gear.

    Efforts are those the spring transmits to the link [N m or N], deflections the motor position
    (behind the gear) less the link position [rad or m].
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
