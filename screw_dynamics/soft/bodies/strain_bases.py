# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bases of strains along a rod, for `VariableStrain`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError, shown
from screw_dynamics.scalars import require_number
from screw_dynamics.soft.checks import require_mapping

STRAINS = ('bend_x', 'bend_y', 'twist', 'shear_x', 'shear_y', 'stretch')
_CHOICES = ('monomial', 'legendre', 'chebyshev', 'fourier', 'hermite')


def strain_basis(
    length: float, functions: str, counts: dict[str, int]
) -> Callable[[float], Array]:
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
    counts : dict
        Number of functions by strain: 'bend_x' and 'bend_y' (about x, y), 'twist', 'shear_x',
        'shear_y', 'stretch'. Coordinates go strain by strain in that order.

    Returns
    -------
    callable

    Raises
    ------
    InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> basis = sd.soft.strain_basis(0.5, 'monomial', {'bend_y': 2, 'stretch': 1})
    >>> basis(0.25)[[1, 5]]
    array([[2., 1., 0.],
           [0., 0., 2.]])
    """
    require_number('length', length, above=True)
    if functions not in _CHOICES:
        raise InputError(f'functions: expected one of {_CHOICES}, got {shown(functions)}')
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
    rows: Sequence[int] = [counts.get(strain, 0) for strain in STRAINS]

    def basis(s: float) -> Array:
        result = np.zeros((6, sum(rows)))
        first = 0
        for i, count in enumerate(rows):
            result[i, first : first + count] = _values(functions, count, s / length) / length
            first += count
        return result

    return basis


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
