# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ConstantStrain`: a rod whose strain is the same all along."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from screw_dynamics.errors import InputError, shown
from screw_dynamics.soft.bodies.rod import STRAIGHT
from screw_dynamics.soft.bodies.strain_bases import STRAINS, strain_basis
from screw_dynamics.soft.bodies.variable_strain import VariableStrain
from screw_dynamics.soft.checks import as_tuple


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
