# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`KelvinVoigt`: viscous dissipation of volume bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.series.series_array import SeriesArray


@dataclass(frozen=True)
class KelvinVoigt:
    """
    Viscosity with the dissipation ``Phi = beta / 2 int C' : C' dV``, where ``C' = d(F^T F)/dt``.

    The efforts are dPhi/dq' = D(q) q' with D positive semidefinite. The factor is explicit: for a
    Neo-Hookean body of the constant C that keeps its volume, ``beta = C eta`` yields
    D(0) = eta K(0) with the time constant eta; half of it is printed in P2025.

    Parameters
    ----------
    viscosity : float
        beta [Pa s].

    Raises
    ------
    InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> sd.soft.KelvinVoigt(0.05 * 0.178e6).viscosity
    8900.0
    """

    viscosity: float

    def __post_init__(self) -> None:
        """Check the constant."""
        require_number('viscosity', self.viscosity)

    def efforts(self, gradient: SeriesArray, qd: Any, volumes: Array) -> SeriesArray:
        """Return dPhi/dq' (n,) from gradients with partials by q and the rates (n,)."""
        plain, slopes = gradient.plain(), gradient.gradient()
        half = plain.swapped() @ slopes
        strains = half + half.swapped()  # partials of F^T F, (n, m, 3, 3)
        flat = strains.reshape(len(strains), -1)
        weights = np.repeat(self.viscosity * volumes, 9)
        efforts: SeriesArray = flat @ (weights * (qd @ flat))
        return efforts
