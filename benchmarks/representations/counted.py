# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Operations of an algorithm, counted by the scalars that it computes with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


class Counted:
    """
    A number that counts the operations with it; those with constants 0, 1 and -1 are free.

    A product with the constant 0 is the constant 0, so what is structurally zero costs nothing.
    """

    operations = 0
    __slots__ = ('number',)

    def __init__(self, number: float) -> None:
        self.number = number

    def _result(self, number: float) -> Counted:
        Counted.operations += 1
        return Counted(number)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Counted):
            return self._result(self.number + other.number)
        return self._result(self.number + other) if other else self

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Counted):
            return self._result(self.number * other.number)
        if isinstance(other, np.ndarray):
            return NotImplemented
        if other in (0, 1, -1):
            return 0.0 if other == 0 else self if other == 1 else -self
        return self._result(self.number * other)

    __rmul__ = __mul__

    def __neg__(self) -> Counted:
        return Counted(-self.number)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> Any:
        return self * (1.0 / other)

    def __pow__(self, power: int) -> Any:
        return math.prod([self] * power)

    def __complex__(self) -> complex:
        return complex(self.number)

    def sin(self) -> Counted:
        return self._result(math.sin(self.number))

    def cos(self) -> Counted:
        return self._result(math.cos(self.number))


def operations_of(function: Callable[..., Any], model: Any, joint_jet: Any) -> int:
    """Return the operations of `function(model, joint_jet)`."""
    counting = np.frompyfunc(Counted, 1, 1)(np.asarray(joint_jet))
    Counted.operations = 0
    function(model, counting)
    return Counted.operations
