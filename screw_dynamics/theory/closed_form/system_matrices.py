# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Equations of motion in closed form: MK2021 section 3, M2018 section 4.

With one block of six rows per body: A (blocks Ad_{C_{i,j}}), X (joint screws), a = blkdiag(s_i'
ad_{X_i}), b = blkdiag(ad_{V_i}), Mm = blkdiag(M_i), U (blocks Ad_{C_i}^-1). The Jacobian is
J = A X, with X G for joints that mimic others, and

    Q = M q'' + C q' + Q_grav - J^T W,   M = J^T Mm J,  C = J^T Cm J,  Q_grav = J^T Mm U G,
    Cm = -Mm A a - b^T Mm,                          [MK2021] (1), [M2018] (1), [KM2021] (1).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie import adjoint_inverse, twist_cross
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.tree import Tree


class SystemMatrices:
    """The matrices of the closed form at one instant; q, q' are rows 0 and 1 of the joint jet."""

    def __init__(self, model: ScrewModel, joint_jet: ArrayLike) -> None:
        self.tree = Tree(model, joint_jet).at_least(2)
        self.velocities: ScalarArray = self.tree.jet[1]

    @cached_property
    def A(self) -> ScalarArray:  # noqa: N802
        """Blocks Ad_{C_{i,j}} for j on the path of body i, [MK2021] (10), [KM2021] (28)."""
        tree = self.tree
        matrix = _zeros(tree, 6 * tree.count)
        for i, p in enumerate(tree.model.parents):
            if p >= 0:
                matrix[block(i)] = tree.transforms[i] @ matrix[block(p)]
            matrix[block(i), block(i)] = np.eye(6, dtype=tree.dtype)
        return matrix

    @cached_property
    def D(self) -> ScalarArray:  # noqa: N802
        """Blocks Ad_{C_{i,p}}, A = (I - D)^-1, [MK2021] (16), (17)."""
        tree = self.tree
        matrix = _zeros(tree, 6 * tree.count)
        for i, p in enumerate(tree.model.parents):
            if p >= 0:
                matrix[block(i), block(p)] = tree.transforms[i]
        return matrix

    @cached_property
    def X(self) -> ScalarArray:  # noqa: N802
        """Joint screws by coordinates, blkdiag(X_i) G, (6N, n): [MK2021] (10), [KM2021] (34)."""
        tree = self.tree
        matrix = _zeros(tree, tree.model.n)
        for i in range(tree.count):
            matrix[block(i)] = np.outer(tree.model.screws[i], tree.mimic_matrix[i]) * tree.one
        return matrix

    @cached_property
    def Mm(self) -> ScalarArray:  # noqa: N802
        """Inertias of the bodies, blkdiag(M_i), [MK2021] (21), [KM2021] (40)."""
        return block_diagonal(self.tree, list(self.tree.model.inertias * self.tree.one))

    def a(self, order: int = 0) -> ScalarArray:
        """
        Return a^(k) = blkdiag(s_i^(k + 1) ad_{X_i}).

        [MK2021] (13), [M2018] (10), [KM2021] (36), (51).
        """
        rates = self.tree.at_least(order + 2).joints[order + 1]
        screws = self.tree.model.screws
        return block_diagonal(
            self.tree, [rate * twist_cross(x) for rate, x in zip(rates, screws, strict=True)]
        )

    def b(self, twists: ScalarArray) -> ScalarArray:
        """
        Return b(V) = blkdiag(ad_{V_i}) for stacked twists (6N,).

        [MK2021] (23), [M2018] (83), [KM2021] (42).
        """
        return block_diagonal(self.tree, [twist_cross(v) for v in twists.reshape(-1, 6)])

    @cached_property
    def Aa(self) -> ScalarArray:  # noqa: N802
        """The product A a."""
        return self.A @ self.a()

    @cached_property
    def U(self) -> ScalarArray:  # noqa: N802
        """Blocks Ad_{C_i}^-1, (6N, 6), [MK2021] (26), [KM2021] (44)."""
        none = np.zeros((0, 6), self.tree.dtype)
        return np.concatenate([none, *map(adjoint_inverse, self.tree.poses)])

    @cached_property
    def J(self) -> ScalarArray:  # noqa: N802
        """System Jacobian A X, (6N, n), [MK2021] (9), [KM2021] (22)."""
        return self.A @ self.X

    @cached_property
    def V(self) -> ScalarArray:  # noqa: N802
        """Stacked twists J q', (6N,), [MK2021] (8), [KM2021] (21)."""
        return self.J @ self.velocities

    @cached_property
    def Cm(self) -> ScalarArray:  # noqa: N802
        """Cm = -Mm A a - b^T Mm, [MK2021] (22), [KM2021] (41)."""
        return -self.Mm @ self.Aa - self.b(self.V).T @ self.Mm

    @cached_property
    def mass_matrix(self) -> ScalarArray:
        """M = J^T Mm J, (n, n), [MK2021] (20), [M2018] (82), [KM2021] (39)."""
        return self.J.T @ self.Mm @ self.J

    @cached_property
    def coriolis_matrix(self) -> ScalarArray:
        """C = J^T Cm J, (n, n), [MK2021] (20), [M2018] (85), [KM2021] (39)."""
        return self.J.T @ self.Cm @ self.J

    @cached_property
    def skew_coriolis_matrix(self) -> ScalarArray:
        """
        Cbar, (n, n), with Cbar q' = C q', Cbar + Cbar^T = M' and M' - 2 Cbar skew.

        [MK2021] (54) to (57); M' - 2 C is not skew.
        """
        b = self.b(self.V)
        return -self.J.T @ (self.Mm @ self.Aa + b.T @ self.Mm - self.Mm @ b) @ self.J

    @cached_property
    def gravity_forces(self) -> ScalarArray:
        """Q_grav = J^T Mm U G, (n,), [MK2021] (25), [KM2021] (43)."""
        return self.J.T @ self.Mm @ self.U @ self.tree.G

    def external_forces(self, wrenches: ScalarArray) -> ScalarArray:
        """Return J^T W, (n,), of stacked body-fixed wrenches ON the bodies, [MK2021] (27)."""
        return self.J.T @ wrenches


def block(i: int) -> slice:
    """Return the rows or columns of body i."""
    return slice(6 * i, 6 * i + 6)


def block_diagonal(tree: Tree, blocks: list[ScalarArray]) -> ScalarArray:
    """Return a matrix (6N, 6N) of diagonal blocks (6, 6)."""
    matrix = _zeros(tree, 6 * tree.count)
    for i, entry in enumerate(blocks):
        matrix[block(i), block(i)] = entry
    return matrix


def _zeros(tree: Tree, columns: int) -> ScalarArray:
    return np.zeros((6 * tree.count, columns), tree.dtype)
