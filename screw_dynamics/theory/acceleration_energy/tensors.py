# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Tensors M, V, D, H, K of the acceleration energies, and E^(1), E^(2), E^(3) in them.

[N2021] (57) to (61), (64) to (75). With <A, B> the sum of tr(A P B^T) over the bodies, A_ij.. the
differential matrices of all bodies, M_ij = <A_i, A_j>, V_ijm = <A_i, A_jm> (the Christoffel
symbol), D_ijlm = <A_ij, A_lm>, H_ijlm = <A_i, A_jlm>, K_ijlmp = <A_i, A_jlmp>.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations_with_replacement, permutations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.scalars import require_count
from screw_dynamics.errors import InputError, shown
from screw_dynamics.lie import pseudo_inertia
from screw_dynamics.lie.scalars import Scalar, ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.acceleration_energy.differential_matrices import differential_matrices
from screw_dynamics.theory.acceleration_energy.energies import inner_product, tree_of_energy
from screw_dynamics.theory.tree import Tree


class EnergyTensors:
    """
    Tensors of the acceleration energies at a position; each is computed when it is first used.

    With n per index: the mass matrix M (58), V (60), (65), (69), (70), for which V_ijm q_j' q_m'
    are the Coriolis forces, D (61), H (67), (72), K (75).
    """

    def __init__(self, model: ScrewModel, q: ArrayLike) -> None:
        self._tree = Tree.at(model, q)
        self._matrices: dict[int, ScalarArray] = {}

    @cached_property
    def M(self) -> ScalarArray:
        """<A_i, A_j>."""
        return self._products(1, 1)

    @cached_property
    def V(self) -> ScalarArray:
        """<A_i, A_jm>."""
        return self._products(1, 2)

    @cached_property
    def D(self) -> ScalarArray:
        """<A_ij, A_lm>."""
        return self._products(2, 2)

    @cached_property
    def H(self) -> ScalarArray:
        """<A_i, A_jlm>."""
        return self._products(1, 3)

    @cached_property
    def K(self) -> ScalarArray:
        """<A_i, A_jlmp>."""
        return self._products(1, 4)

    def matrices(self, order: int) -> ScalarArray:
        """Return A of all bodies by `order` coordinates, (n, .., n, N, 4, 4); order >= 1."""
        order = require_count('order', order, 1)
        if order not in self._matrices:
            tree = self._tree
            result = np.zeros((tree.count,) * (order + 1) + (4, 4), tree.dtype)
            for body in range(tree.count):
                for by in combinations_with_replacement(tree.path(body), order):
                    matrix = differential_matrices(tree, body, by)
                    for indices in {(*index, body) for index in permutations(by)}:
                        result[indices] = matrix
            for _ in range(order):  # each index from joints to coordinates, the first becomes last
                result = np.tensordot(result, tree.mimic_matrix, axes=(0, 0))
            self._matrices[order] = np.moveaxis(result, range(-order, 0), range(order))
        return self._matrices[order]

    def _products(self, left: int, right: int) -> ScalarArray:
        """Return <A_.., A_..> for all indices of two orders."""
        moments = np.array([pseudo_inertia(inertia) for inertia in self._tree.model.inertias])
        weighted = np.einsum('...bij,bjk->...bik', self.matrices(left), moments)
        return np.tensordot(weighted, self.matrices(right), axes=(range(-3, 0), range(-3, 0)))

    def remainder(self, joint_jet: ScalarArray, p: int) -> ScalarArray:
        """Return Y_p, (N, 4, 4), of C^(p + 1) = sum_j A_j q_j^(p + 1) + Y_p, for p = 1, 2, 3."""
        p = _order_in_tensors(p)
        qd, second = joint_jet[1], self.matrices(2)
        if p == 1:
            return np.einsum('jm...,j,m', second, qd, qd)
        qdd, third = joint_jet[2], self.matrices(3)
        if p == 2:
            cubic = np.einsum('jlm...,j,l,m', third, qd, qd, qd)
            return 3 * np.einsum('jm...,j,m', second, qdd, qd) + cubic
        return (
            4 * np.einsum('jm...,j,m', second, joint_jet[3], qd)
            + 3 * np.einsum('jm...,j,m', second, qdd, qdd)
            + 6 * np.einsum('jlm...,j,l,m', third, qdd, qd, qd)
            + np.einsum('jlmp...,j,l,m,p', self.matrices(4), qd, qd, qd, qd)
        )


def energy_from_tensors(model: ScrewModel, joint_jet: ArrayLike, p: int) -> Scalar:
    """
    Return E^(p) for p = 1, 2, 3 in the tensors: [N2021] (57), (64), (68); r >= p + 2.

    In (57) the term with V has the factor 1, the print has 1/2; what the print of (64) and (68)
    leaves to other papers is half the square of the remainder Y_p.
    """
    p = _order_in_tensors(p)
    tree = tree_of_energy(model, joint_jet, p)
    tensors = EnergyTensors(model, tree.jet[0])
    highest, rest = tree.jet[p + 1], tensors.remainder(tree.jet, p)
    forces = _REMAINING_FORCES[p](tensors, tree.jet)
    return (
        highest @ tensors.M @ highest / 2 + highest @ forces + inner_product(tree, rest, rest) / 2
    )


def _order_in_tensors(p: object) -> int:
    """Return the order of an energy that (57), (64) or (68) has; raise InputError otherwise."""
    order = require_count('p', p, 1)
    if order > len(_REMAINING_FORCES):
        raise InputError(f'p: expected 1, 2 or 3, got {shown(p)}')
    return order


def _first_forces(tensors: EnergyTensors, jet: ScalarArray) -> ScalarArray:
    return tensors.V @ jet[1] @ jet[1]


def _second_forces(tensors: EnergyTensors, jet: ScalarArray) -> ScalarArray:
    _, qd, qdd = jet[:3]
    return 3 * tensors.V @ qd @ qdd + tensors.H @ qd @ qd @ qd


def _third_forces(tensors: EnergyTensors, jet: ScalarArray) -> ScalarArray:
    _, qd, qdd, qddd = jet[:4]
    return (
        4 * tensors.V @ qd @ qddd
        + 3 * tensors.V @ qdd @ qdd
        + 6 * tensors.H @ qd @ qd @ qdd
        + tensors.K @ qd @ qd @ qd @ qd
    )


# <A_i, Y_p>
_REMAINING_FORCES = {1: _first_forces, 2: _second_forces, 3: _third_forces}
