# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`CubicSpring`: a hardening spring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array
from screw_dynamics.elastic.springs.linear_spring import Spring
from screw_dynamics.kernels.springs.layout import CUBIC, EXPONENTIAL
from screw_dynamics.scalars import check_number


@dataclass(frozen=True)
class CubicSpring(Spring):
    """
    ``tau = stiffness * phi + cubic_stiffness * phi^3`` of the deflection phi.

    Parameters
    ----------
    stiffness : float
        Stiffness at rest, above 0 [N m/rad or N/m].
    cubic_stiffness : float
        0 or more [N m/rad^3 or N/m^3].

    Examples
    --------
    >>> float(CubicSpring(150.0, 4000.0).effort(0.1))
    19.0

    """

    stiffness: float
    cubic_stiffness: float

    type: ClassVar[str] = 'cubic'
    code: ClassVar[int] = CUBIC

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_number(self, 'stiffness', above=True)
        check_number(self, 'cubic_stiffness')

    @property
    def parameters(self) -> Array:
        """Both coefficients."""
        return np.array([self.stiffness, self.cubic_stiffness])

    def effort(self, deflection: ArrayLike) -> Array:
        """
        Return the effort that the spring transmits.

        Parameters
        ----------
        deflection : array_like
            [rad or m]

        Returns
        -------
        ndarray
            [N m or N]

        """
        phi = as_float_array('deflection', deflection)
        return phi * (self.stiffness + self.cubic_stiffness * phi * phi)


@dataclass(frozen=True)
class ExponentialSpring(Spring):
    """
    ``tau = (stiffness / rate) sinh(rate * phi)`` of the deflection phi.

    Parameters
    ----------
    stiffness : float
        Stiffness at rest, above 0 [N m/rad or N/m].
    rate : float
        Above 0 [1/rad or 1/m]; the stiffness is ``stiffness * cosh(rate * phi)``.

    Examples
    --------
    >>> round(float(ExponentialSpring(100.0, 5.0).effort(0.2)), 6)
    23.504024

    """

    stiffness: float
    rate: float

    type: ClassVar[str] = 'exponential'
    code: ClassVar[int] = EXPONENTIAL

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_number(self, 'stiffness', above=True)
        check_number(self, 'rate', above=True)

    @property
    def parameters(self) -> Array:
        """Stiffness and rate."""
        return np.array([self.stiffness, self.rate])

    def effort(self, deflection: ArrayLike) -> Array:
        """
        Return the effort that the spring transmits.

        Parameters
        ----------
        deflection : array_like
            [rad or m]

        Returns
        -------
        ndarray
            [N m or N]

        """
        phi = as_float_array('deflection', deflection)
        return self.stiffness / self.rate * np.sinh(self.rate * phi)
