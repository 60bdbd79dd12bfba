# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`NeoHookean`: the elastic energy of rubber, in weak form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.materials.deformation import cofactors


@dataclass(frozen=True)
class NeoHookean:
    """
    Neo-Hookean material with the energy ``U = C int (tr(F^T F) - 3) dV``.

    The form without `first_lame` is for maps that keep the volume (det F = 1), where the pressure
    does no work; shear modulus and Young's modulus then are 2 C and 6 C. With the first Lame
    constant lambda, ``-2 C ln J + lambda / 2 (ln J)^2`` with J = det F is added to the integrand,
    for any map. The weak form replaces the printed strong one, which drops boundary tractions.

    Parameters
    ----------
    coefficient : float
        C [Pa], half the shear modulus.
    first_lame : float, optional
        lambda [Pa].

    Raises
    ------
    InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> rubber = sd.soft.NeoHookean(0.178e6)
    >>> round(rubber.energy(np.diag([2.0, 1.0, 0.5])[np.newaxis], np.array([1e-6])), 4)
    0.4005
    """

    coefficient: float
    first_lame: float | None = None

    def __post_init__(self) -> None:
        """Check the constants."""
        require_number('coefficient', self.coefficient)
        if self.first_lame is not None:
            require_number('first_lame', self.first_lame)

    def energy(self, gradient: Any, volumes: Array) -> Any:
        """Return the energy [J] of points with gradients F (m, 3, 3) and volumes (m,) [m^3]."""
        density = self.coefficient * (np.sum(np.sum(gradient * gradient, axis=-1), axis=-1) - 3.0)
        if self.first_lame is not None:
            logarithm = np.log(_determinants(gradient, cofactors(gradient)))
            density = density - 2.0 * self.coefficient * logarithm
            density = density + 0.5 * self.first_lame * logarithm * logarithm
        total = np.sum(volumes * density)
        return total if isinstance(total, SeriesArray) or np.iscomplexobj(total) else float(total)

    def efforts(self, gradient: SeriesArray, volumes: Array) -> SeriesArray:
        """Return dU/dq (n,) from gradients with partials, as series without partials."""
        plain = gradient.plain()
        stress = 2.0 * self.coefficient * plain
        if self.first_lame is not None:
            adjugate = cofactors(plain)
            determinants = _determinants(plain, adjugate)
            factor = self.first_lame * np.log(determinants) - 2.0 * self.coefficient
            stress = stress + (factor / determinants)[:, np.newaxis, np.newaxis] * adjugate
        work: SeriesArray = stress * gradient.gradient() * volumes[:, np.newaxis, np.newaxis]
        return work.reshape(-1, gradient.data[0, 0].size).sum(axis=-1)


def _determinants(gradient: Any, adjugate: Any) -> Any:
    return np.sum(gradient[..., 0] * adjugate[..., 0], axis=-1)
