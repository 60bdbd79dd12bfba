# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs whose stiffness follows a trajectory: one stiffness motor, or an antagonistic pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.common.scalars import check_number
from screw_dynamics.drives.springs.fixed_springs import AdjustableSpring
from screw_dynamics.errors import ModelError, among, shown
from screw_dynamics.kernels.drives.laws import (
    PAIR_CUBIC,
    PAIR_EXPONENTIAL,
    PAIR_QUADRATIC,
    VARIABLE,
)


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
    >>> from screw_dynamics import VariableStiffness
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
        Return the effort [N m or N] that the spring transmits at deflections [rad or m].

        `stiffness` is K at that time [N m/rad or N/m]; by default that of the record.
        """
        value = self.stiffness if stiffness is None else as_float_array('stiffness', stiffness)
        return value * as_float_array('deflection', deflection)


# parameters and code of each law
_FIELDS = {
    'exponential': ('spring_stiffness', 'rate'),
    'quadratic': ('quadratic_stiffness',),
    'cubic': ('spring_stiffness', 'cubic_stiffness'),
}
_CODES = {'exponential': PAIR_EXPONENTIAL, 'quadratic': PAIR_QUADRATIC, 'cubic': PAIR_CUBIC}


@dataclass(frozen=True)
class AntagonisticPair(AdjustableSpring):
    """
    ``tau = f1(phi1) + f2(phi2)``, phi_i = theta_i - q, with the mirrored law f2(x) = -f1(-x).

    Effort tau and stiffness sigma = f1'(phi1) + f2'(phi2) are chosen independently. Laws of f1:

    - 'exponential': ``(k / a) (exp(a x) - 1)``, k = spring_stiffness, a = rate
    - 'quadratic': ``c x^2`` for x > 0, c = quadratic_stiffness
    - 'cubic': ``k1 x + k3 x^3``, k1 = spring_stiffness, k3 = cubic_stiffness

    Parameters
    ----------
    law : str
        'exponential', 'quadratic' or 'cubic'.
    stiffness : float
        sigma if no trajectory of it is given, above 0 [N m/rad or N/m].
    spring_stiffness : float
        Stiffness of one spring at rest [N m/rad or N/m]; exponential and cubic law.
    rate : float
        [1/rad or 1/m]; exponential law.
    quadratic_stiffness : float
        [N m/rad^2 or N/m^2]; quadratic law.
    cubic_stiffness : float
        [N m/rad^3 or N/m^3]; cubic law.
    pull_only : bool
        Tendons: phi1 >= 0 >= phi2 is required. The quadratic law always requires it.
    min_stiffness, max_stiffness : float
        Range of sigma [N m/rad or N/m]. Data for feasibility checks.

    Examples
    --------
    >>> from screw_dynamics import AntagonisticPair
    >>> pair = AntagonisticPair('quadratic', stiffness=100.0, quadratic_stiffness=250.0)
    >>> [float(f) for f in pair.efforts(0.1, -0.1)]
    [2.5, -2.5]
    """

    law: str
    stiffness: float
    spring_stiffness: float = 0.0
    rate: float = 0.0
    quadratic_stiffness: float = 0.0
    cubic_stiffness: float = 0.0
    pull_only: bool = False
    min_stiffness: float = 0.0
    max_stiffness: float = np.inf

    type: ClassVar[str] = 'antagonistic'

    def __post_init__(self) -> None:
        """Check the parameters; those of other laws must be 0."""
        if not isinstance(self.law, str) or self.law not in _FIELDS:
            raise ModelError(f'law: expected one of {among(_FIELDS, self.law)}')
        object.__setattr__(self, 'law', str(self.law))
        for name in ('spring_stiffness', 'rate', 'quadratic_stiffness', 'cubic_stiffness'):
            needed = name in _FIELDS[self.law]
            check_number(self, name, above=needed)
            value = getattr(self, name)
            if value and not needed:
                raise ModelError(f'{name}: expected none with the law {self.law!r}, got {value:g}')
        if not isinstance(self.pull_only, bool):
            raise ModelError(f'pull_only: expected true or false, got {shown(self.pull_only)}')
        self._check_stiffness()

    @property
    def code(self) -> int:
        """Code of the law for the kernels."""
        return _CODES[self.law]

    @property
    def parameters(self) -> Array:
        """The flag `pull_only` (0 or 1), then the parameters of the law."""
        law = [getattr(self, name) for name in _FIELDS[self.law]]
        return np.array([float(self.pull_only), *law])

    def feasible_range(self, effort: float) -> str:
        """Return a text with the stiffness range of the pair at an effort [N m or N]."""
        if self.law == 'exponential':
            return f'above rate * |effort| = {self.rate * abs(effort):g}'
        if self.law == 'quadratic':
            least = 2.0 * np.sqrt(self.quadratic_stiffness * abs(effort))
            return f'above 2 sqrt(quadratic_stiffness * |effort|) = {least:g}'
        least = 2.0 * self.spring_stiffness
        return f'above 2 spring_stiffness = {least:g}, the larger the larger the |effort|,'

    def efforts(self, deflection_1: ArrayLike, deflection_2: ArrayLike) -> tuple[Array, Array]:
        """
        Return the efforts f1, f2 [N m or N] that both springs transmit; their sum is the link's.

        The deflections are those of the first and the second motor [rad or m].
        """
        phi_1 = as_float_array('deflection_1', deflection_1)
        phi_2 = as_float_array('deflection_2', deflection_2)
        return self._pull(phi_1), -self._pull(-phi_2)

    def _pull(self, phi: Array) -> Array:
        if self.law == 'exponential':
            return self.spring_stiffness / self.rate * np.expm1(self.rate * phi)
        if self.law == 'quadratic':
            slack_free = np.maximum(phi, 0.0)
            return self.quadratic_stiffness * slack_free * slack_free
        return phi * (self.spring_stiffness + self.cubic_stiffness * phi * phi)
