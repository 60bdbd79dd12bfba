# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Equations of motion from energies: Gibbs and Appell, Mangeron and Tsenov, and those of any order.

[N2021] (88) to (98). The generalized inertia forces Q and their derivatives are partial
derivatives of time derivatives of acceleration energies by a time derivative of a coordinate:

    Q^(k - 1) = (k - 1)! m! / (m + k - 1)!
                sum_{p = 1..k} Cat_p d/dq^(m) (d/dt)^(m + k - 1 - 2 p) E^(p),    m >= k + 1

with the Catalan numbers Cat_p = 1, 2, 5, 14, 42, .. (the print of (96), (98) has 9 for p = 4).
Since dC^(s)/dq^(m) = comb(s, m) A^(s - m), nothing has to be differentiated symbolically.
"""

from __future__ import annotations

from math import comb, factorial

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.scalars import require_count
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.acceleration_energy.differential_matrices import (
    derivative_of_derivative,
    pose_jets,
    tangent_jets,
)
from screw_dynamics.theory.acceleration_energy.energies import inner_product, tree_of_energy
from screw_dynamics.theory.inverse_dynamics.arguments import of_samples
from screw_dynamics.theory.kinematics.body_fixed import column_jets
from screw_dynamics.theory.tree import Tree


def inertia_forces(model: ScrewModel, joint_jet: ArrayLike, k: int, m: int) -> ScalarArray:
    """
    Return Q^(k - 1), k >= 1, of the generalized inertia forces, (n,), for any m >= k + 1.

    [N2021] (93) to (98), with Catalan numbers; gravity does not enter; r >= k + 2. The result does
    not depend on m, the order of the derivative of the coordinates by which energies are
    differentiated.
    """
    require_count('m', m, require_count('k', k, 1) + 1)
    energies = EnergyPartials(tree_of_energy(model, joint_jet, k))
    return energies.tree.to_coordinates(energies.forces(k, m))


def gibbs_appell(model: ScrewModel, joint_jet: ArrayLike, m: int = 2) -> ScalarArray:
    """Return Q = d(E^(1))^(m - 2) / dq^(m), (n,), for any m >= 2: [N2021] (91), (92); r >= 3."""
    return inertia_forces(model, joint_jet, 1, m)


def mangeron_tsenov(model: ScrewModel, joint_jet: ArrayLike, m: int) -> ScalarArray:
    """
    Return Q = (dT^(m) / dq^(m) - (m + 1) dT/dq) / m, (n,), for any m >= 1: [N2021] (89), (90).

    T is the kinetic energy; r >= 3. For m = 1 (Nielsen) this equals Lagrange's equations (88).
    """
    require_count('m', m, 1)
    energies = EnergyPartials(tree_of_energy(model, joint_jet, 1))
    forces = (energies.partial(0, m, m) - (m + 1) * energies.partial(0, 0, 0)) / m
    return energies.tree.to_coordinates(forces)


def catalan_number(p: int) -> int:
    """Return Cat_p = (2 p)! / (p! (p + 1)!), p >= 0, the coefficient of E^(p) in the equations."""
    require_count('p', p)
    return comb(2 * p, p) // (p + 1)


def generalized_forces(columns: ScalarArray, wrenches: ScalarArray) -> ScalarArray:
    """
    Return (J^T W)^(k) by Leibniz' rule, the corrected form of [N2021] (76), (80), (83).

    `columns` (N, r, 6) are jets of the Jacobian columns of a body, `wrenches` (k + 1, 6) the jet
    of the wrench ON it in the same frame, k < r; the result is (k + 1, N).
    """
    rows = range(len(wrenches))
    return np.array(
        [[sum(leibniz_terms(k, column, wrenches)) for column in columns] for k in rows]
    )


class EnergyPartials:
    """Partial derivatives of time derivatives of the energies, from jets of poses and tangents."""

    def __init__(self, tree: Tree, gravity: bool = False) -> None:
        self.tree = tree
        self._poses = pose_jets(tree)
        self._tangents = tangent_jets(tree, self._poses)
        self._accelerated = self._poses.copy()  # C'' less gravity, for E^(1)
        if gravity:
            self._accelerated[:, 2, :3, 3] -= tree.model.gravity

    def partial(self, p: int, derivative: int, m: int) -> ScalarArray:
        """
        Return d/ds^(m) of the N-th time derivative of E^(p), (N_bodies,) by tree joints.

        (E^(p))^(N) is half the sum of comb(N, s) <C^(p + 1 + s), C^(p + 1 + N - s)>.
        """
        poses = self._accelerated if p == 1 else self._poses
        forces = np.zeros(self.tree.count, self.tree.dtype)
        for s in range(max(m - p - 1, 0), derivative + 1):
            for j in range(self.tree.count):
                slope = derivative_of_derivative(self._tangents[:, j], p + 1 + s, m)
                product = inner_product(self.tree, slope, poses[:, p + 1 + derivative - s])
                forces[j] += comb(derivative, s) * product
        return forces

    def forces(self, k: int, m: int) -> ScalarArray:
        """Return Q^(k - 1) by tree joints."""
        total = np.zeros(self.tree.count, self.tree.dtype)
        for p in range(1, k + 1):
            total += catalan_number(p) * self.partial(p, m + k - 1 - 2 * p, m)
        # exact integers: the quotient is that of a binomial coefficient
        return total * factorial(k - 1) * factorial(m) / factorial(m + k - 1)


@of_samples
def inverse_dynamics(tree: Tree, external: ScalarArray) -> ScalarArray:
    """
    Return the joint efforts and their time derivatives from the acceleration energies.

    The equations of any order, each with the smallest m = k + 1, with gravity and wrenches: the
    sum of [N2021] (85) to (87). Gravity enters E^(1), in place of a term of its own. Arguments
    and result are those of `body_fixed.inverse_dynamics`.
    """
    rows = external.shape[1]
    energies = EnergyPartials(tree, gravity=True)
    efforts = np.array([energies.forces(k, k + 1) for k in range(1, rows + 1)])
    columns = column_jets(tree)
    for body, wrenches in enumerate(external):
        efforts -= generalized_forces(columns[body], wrenches)
    return efforts
