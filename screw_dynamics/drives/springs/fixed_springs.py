# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Spring`, base class of the spring laws, and springs without variable stiffness."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.common.scalars import check_number, check_order
from screw_dynamics.kernels.drives.laws import CUBIC, DAMPED, EXPONENTIAL, LINEAR


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


@dataclass(frozen=True)
class LinearSpring(Spring):
    """
    ``tau = stiffness * phi + damping * phi'`` of the deflection phi.

    Parameters
    ----------
    stiffness : float
        K > 0 [N m/rad or N/m], behind the gear; for a spring before a gear of ratio r, r^2 K.
    damping : float
        Damping d >= 0 of a damper parallel to the spring [N m s/rad or N s/m]. With d > 0 the
        deflection is a state of its own, a filter of the effort with the time constant d / K.

    Examples
    --------
    >>> from screw_dynamics import LinearSpring
    >>> float(LinearSpring(200.0).effort(0.01))
    2.0
    """

    stiffness: float
    damping: float = 0.0

    type: ClassVar[str] = 'linear'

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_number(self, 'stiffness', above=True)
        check_number(self, 'damping')

    @property
    def code(self) -> int:
        """Code of the law for the kernels."""
        return DAMPED if self.damping > 0.0 else LINEAR

    @property
    def parameters(self) -> Array:
        """Stiffness and damping."""
        return np.array([self.stiffness, self.damping])

    def effort(self, deflection: ArrayLike, rate: ArrayLike = 0.0) -> Array:
        """Return the effort [N m or N] at deflections and their rates [rad or m, per s]."""
        phi, phi_rate = as_float_array('deflection', deflection), as_float_array('rate', rate)
        return self.stiffness * phi + self.damping * phi_rate


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
    >>> from screw_dynamics import CubicSpring
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
        """Return the effort [N m or N] that the spring transmits at deflections [rad or m]."""
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
    >>> from screw_dynamics import ExponentialSpring
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
        """Return the effort [N m or N] that the spring transmits at deflections [rad or m]."""
        phi = as_float_array('deflection', deflection)
        return self.stiffness / self.rate * np.sinh(self.rate * phi)
