# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`AdjustableSpring`: base of the springs whose stiffness follows a trajectory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array
from screw_dynamics.elastic.springs.linear_spring import Spring
from screw_dynamics.kernels.springs.layout import VARIABLE
from screw_dynamics.scalars import check_number, check_order


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


@dataclass(frozen=True)
class VariableStiffness(AdjustableSpring):
    """
    ``tau = K(t) phi`` of the deflection phi.

    Parameters
    ----------
    stiffness : float
        K if no trajectory of it is given, above 0 [N m/rad or N/m].
    min_stiffness, max_stiffness : float
        Range that the mechanism can reach [N m/rad or N/m]. Data for feasibility checks.

    Examples
    --------
    >>> float(VariableStiffness(100.0).effort(0.1, stiffness=50.0))
    5.0

    """

    stiffness: float
    min_stiffness: float = 0.0
    max_stiffness: float = np.inf

    type: ClassVar[str] = 'variable'
    code: ClassVar[int] = VARIABLE

    def __post_init__(self) -> None:
        """Check the parameters."""
        self._check_stiffness()

    @property
    def parameters(self) -> Array:
        """Empty: the stiffness is part of every sample."""
        return np.empty(0)

    def effort(self, deflection: ArrayLike, stiffness: ArrayLike | None = None) -> Array:
        """
        Return the effort that the spring transmits.

        Parameters
        ----------
        deflection : array_like
            [rad or m]
        stiffness : array_like, optional
            K at that time [N m/rad or N/m]; default `stiffness`.

        Returns
        -------
        ndarray
            [N m or N]

        """
        value = self.stiffness if stiffness is None else as_float_array('stiffness', stiffness)
        return value * as_float_array('deflection', deflection)
