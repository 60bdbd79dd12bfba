# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`VariableStiffness`: a spring whose stiffness a motor of its own changes over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array
from screw_dynamics.elastic.springs.spring import VARIABLE, Spring, as_deflections
from screw_dynamics.elastic.values import check_range, checked_number


@dataclass(frozen=True)
class VariableStiffness(Spring):
    """
    ``tau = K(t) phi`` of the deflection phi.

    Parameters
    ----------
    stiffness : float
        K where no trajectory of it is given, above 0 [N m/rad or N/m].
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

    def __post_init__(self) -> None:
        """Check the parameters."""
        stiffness = checked_number('stiffness', self.stiffness, above=True)
        low = checked_number('min_stiffness', self.min_stiffness)
        high = checked_number('max_stiffness', self.max_stiffness, above=True, infinite=True)
        check_range('min_stiffness', low, 'stiffness', stiffness)
        check_range('stiffness', stiffness, 'max_stiffness', high)
        object.__setattr__(self, 'stiffness', stiffness)
        object.__setattr__(self, 'min_stiffness', low)
        object.__setattr__(self, 'max_stiffness', high)

    @property
    def code(self) -> int:
        """Code of the law for the kernels."""
        return VARIABLE

    @property
    def parameters(self) -> Array:
        """The constant stiffness."""
        return np.array([self.stiffness])

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
        value = self.stiffness if stiffness is None else stiffness
        return np.asarray(value, dtype=np.float64) * as_deflections(deflection)
