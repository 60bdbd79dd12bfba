# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`VariableStrain` and `ConstantStrain`: rods whose strain is a combination of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, as_vector, require_finite
from screw_dynamics.common.scalars import require_count, require_number
from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.soft.bodies.rod import (
    ALONG,
    STRAIGHT,
    Rod,
    checked_basis,
    rod_steps,
    strain_integral,
)
from screw_dynamics.soft.bodies.strain_bases import STRAINS, strain_basis
from screw_dynamics.soft.checks import as_tuple


class VariableStrain(Rod):
    """
    A rod of geometric variable strain: ``xi(s) = xi_0 + Phi(s) q``.

    Parameters
    ----------
    length, radius : float
        [m]
    mass : float
        [kg], at Gauss points along the rod.
    basis : callable
        Phi: arc length s [m] to (6, n), angular rows [1/m] first; of `strain_basis` or your own.
        An attribute `coordinates` names its columns.
    strain : (6,) array_like
        Stress-free strain xi_0; straight by default.
    stiffness : (6,) or (6, 6) array_like
        K_s of the section [N m^2, N], ``diag(E I1, E I2, G I3, G A, G A, E A)``.
    damping : float
        Time constant eta of the material [s]; the damping is eta K_s.
    nodes : int
        Number of Gauss points, between which the steps of the Magnus expansion run: more of them
        for functions that vary much from one to the next.
    order : {4, 2}
        Order of the Magnus expansion between them.
    name : str, optional

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> def bending(s):
    ...     basis = np.zeros((6, 2))
    ...     basis[1] = 1.0, s
    ...     return basis
    >>> sd.soft.VariableStrain(1.0, 0.02, 1.0, bending).n
    2
    """

    def __init__(
        self,
        length: float,
        radius: float,
        mass: float,
        basis: Callable[[float], Array],
        *,
        strain: ArrayLike = STRAIGHT,
        stiffness: ArrayLike = (0.0,) * 6,
        damping: float = 0.0,
        nodes: int = 8,
        order: int = 4,
        name: str | None = None,
    ) -> None:
        self.length = require_number('length', length, above=True)
        self.radius = require_number('radius', radius)
        self.mass = require_number('mass', mass)
        if order not in (2, 4):
            raise InputError(f'order: expected 2 or 4, got {shown(order)}')
        require_count('nodes', nodes, 1)
        rest = as_vector('strain', strain, 6)
        checked = checked_basis(basis)
        section = require_finite('stiffness', as_float_array('stiffness', stiffness))
        if section.shape not in ((6,), (6, 6)):
            raise ShapeError('stiffness', '(6,) or (6, 6)', section.shape)
        section = np.diag(section) if section.ndim == 1 else section
        if abs(section - section.T).max() > 1e-9 * abs(section).max():
            raise InputError('stiffness: expected a symmetric matrix')
        least = float(np.linalg.eigvalsh(section)[0])
        if least < -1e-9 * abs(section).max():
            raise InputError(f'stiffness: expected eigenvalues of 0 or more, got {least:.6g}')
        steps = rod_steps(self.length, self.radius, self.mass, rest, checked, order, nodes)
        matrix = strain_integral(self.length, checked, section)
        eta = require_number('damping', damping)
        super().__init__(steps, matrix, eta * matrix, name)
        self.bases_along = np.array([checked(float(s)) for s in self.length * ALONG])
        self.coordinates = tuple(getattr(basis, 'coordinates', ()))


class ConstantStrain(VariableStrain):
    """
    A rod of constant strain; several in a row are a piecewise constant strain [P2025, Table 3].

    Coordinates are the strains times the length: angles about x, y, z [rad] and displacements
    along x, y, z [m], those that are selected, in the order of `strains`.

    Parameters
    ----------
    length, radius : float
        [m]
    mass : float
        [kg]
    strains : sequence of str
        Of 'bend_x', 'bend_y', 'twist', 'shear_x', 'shear_y', 'stretch'; all by default.
    strain, stiffness, damping, nodes, name
        As of `VariableStrain`.

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> rod = sd.soft.ConstantStrain(0.5, 0.02, 1.0, strains=['stretch'])
    >>> sd.frame_pose(sd.soft.SoftRobot([rod]), [0.1], 'tip')[:3, 3]
    array([0. , 0. , 0.6])
    >>> sd.soft.ConstantStrain(0.5, 0.02, 1.0, strains=['twist', 'bend_y']).coordinates
    ('twist', 'bend_y')
    """

    def __init__(
        self,
        length: float,
        radius: float,
        mass: float,
        *,
        strains: Sequence[str] = STRAINS,
        strain: ArrayLike = STRAIGHT,
        stiffness: ArrayLike = (0.0,) * 6,
        damping: float = 0.0,
        nodes: int = 8,
        name: str | None = None,
    ) -> None:
        chosen = as_tuple('strains', strains, 'names of strains')
        if any(chosen.count(strain) > 1 or strain not in STRAINS for strain in chosen):
            names = ', '.join(STRAINS)
            raise InputError(
                f'strains: expected each of {names} at most once, got {shown(strains)}'
            )
        basis = strain_basis(length, 'monomial', dict.fromkeys(chosen, 1))
        super().__init__(
            length, radius, mass, basis, strain=strain, stiffness=stiffness, damping=damping,
            nodes=nodes, order=2, name=name,
        )  # fmt: skip
