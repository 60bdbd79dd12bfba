# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bases of strains along a rod, for `VariableStrain`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_choice, require_number
from screw_dynamics.errors import InputError, shown
from screw_dynamics.soft.checks import require_mapping
from screw_dynamics.soft.module import numbered

STRAINS = ('bend_x', 'bend_y', 'twist', 'shear_x', 'shear_y', 'stretch')
_CHOICES = ('monomial', 'legendre', 'chebyshev', 'fourier', 'hermite')


@dataclass(frozen=True)
class StrainBasis:
    """A basis Phi: functions by strain over a length; made by `strain_basis`."""

    length: float
    functions: str
    counts: Mapping[str, int]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return numbered([strain for strain, count in self.counts.items() for _ in range(count)])

    def __call__(self, s: float) -> Array:
        """Return Phi (6, n) at an arc length."""
        result = np.zeros((6, sum(self.counts.values())))
        first = 0
        for strain, count in self.counts.items():
            values = _values(self.functions, count, s / self.length) / self.length
            result[STRAINS.index(strain), first : first + count] = values
            first += count
        return result


def strain_basis(length: float, functions: str, counts: Mapping[str, int]) -> StrainBasis:
    """
    Return a basis Phi: arc length s to (6, n) [P2025, Table 3].

    Strains are scaled by 1 / L, so that coordinates of bend and twist are angles [rad] of the
    whole rod and those of shear and stretch its displacements [m]; with u = s / L there are

    - 'monomial': u^k
    - 'legendre', 'chebyshev': the polynomials of 2 u - 1
    - 'fourier': 1, cos(2 pi u), sin(2 pi u), cos(4 pi u), ...
    - 'hermite': cubic, continuous with their slopes, over equal pieces; an even number: values
      and slopes at count / 2 places

    Parameters
    ----------
    length : float
        L [m].
    functions : str
    counts : mapping of str to int
        Number of functions by strain: 'bend_x' and 'bend_y' (about x, y), 'twist', 'shear_x',
        'shear_y', 'stretch'. Coordinates go strain by strain in the order given.

    Returns
    -------
    StrainBasis
        A function of s, with names of the `coordinates`.

    Raises
    ------
    InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> basis = sd.soft.strain_basis(0.5, 'monomial', {'bend_y': 2, 'stretch': 1})
    >>> basis.coordinates
    ('bend_y_1', 'bend_y_2', 'stretch')
    >>> basis(0.25)[[1, 5]]
    array([[2., 1., 0.],
           [0., 0., 2.]])
    """
    require_number('length', length, above=True)
    require_choice('functions', functions, _CHOICES)
    for strain, count in require_mapping('counts', counts, 'numbers by strain').items():
        if strain not in STRAINS:
            raise InputError(f'counts: expected strains of {STRAINS}, got {shown(strain)}')
        lowest = 4 if functions == 'hermite' and count else 0
        if isinstance(count, bool) or not isinstance(count, int) or count < lowest:
            raise InputError(
                f'counts[{strain!r}]: expected a whole number of at least {lowest}, got {count!r}'
            )
        if functions == 'hermite' and count % 2:
            raise InputError(f'counts[{strain!r}]: expected an even number, got {count}')
    return StrainBasis(length, functions, dict(counts))


def _values(functions: str, count: int, u: float) -> Array:
    if count == 0:
        return np.zeros(0)
    if functions == 'monomial':
        return np.asarray(np.power(u, np.arange(count)))
    if functions == 'fourier':
        k = np.arange(count)
        angle = 2.0 * np.pi * ((k + 1) // 2) * u
        return np.where(k % 2, np.cos(angle), np.where(k == 0, 1.0, np.sin(angle)))
    if functions == 'hermite':
        return _hermite(count, u)
    x = np.array([2.0 * u - 1.0])
    if functions == 'legendre':
        return np.asarray(np.polynomial.legendre.legvander(x, count - 1)[0])
    return np.asarray(np.polynomial.chebyshev.chebvander(x, count - 1)[0])


def _hermite(count: int, u: float) -> Array:
    pieces = count // 2 - 1
    piece = min(int(u * pieces), pieces - 1)
    v = u * pieces - piece
    values = np.zeros(count)
    values[2 * piece : 2 * piece + 4] = (
        (1.0 + 2.0 * v) * (1.0 - v) ** 2,
        v * (1.0 - v) ** 2,
        v**2 * (3.0 - 2.0 * v),
        v**2 * (v - 1.0),
    )
    return values
