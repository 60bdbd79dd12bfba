# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Time derivatives of any order of the closed form: KM2021 section III.

    Q^(k) = sum_{l=1}^{k+2} K_{k,l} q^(l) + Q_grav^(k) - (J^T W)^(k),
    K_{k,l} = C(k, k+2-l) M^(k+2-l) + C(k, k+1-l) C^(k+1-l)                     [KM2021] (48), (49)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import ShapeError
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel, as_wrench_jets
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.inverse_dynamics.arguments import body_wrenches
from screw_dynamics.theory.tree import as_scalars


def mass_matrix(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return M^(d) in rows, (k + 1, n, n), from k + 3 rows: [KM2021] (54)."""
    return ClosedForm(model, joint_jet).mass_matrices


def coriolis_matrix(model: ScrewModel, joint_jet: ArrayLike, *, skew: bool = False) -> ScalarArray:
    """
    Return C^(d) of Coriolis and centrifugal forces in rows, (k + 1, n, n): [KM2021] (55).

    With `skew` Cbar of [MK2021] (54), for which M' - 2 Cbar is skew, in place of C of (20).
    """
    form = ClosedForm(model, joint_jet)
    return form.skew_coriolis_matrices if skew else form.coriolis_matrices


def gravity_forces(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return Q_grav^(d), the efforts that hold the robot, in rows, (k + 1, n): [KM2021] (58)."""
    return ClosedForm(model, joint_jet).gravity_forces


def inverse_dynamics(
    model: ScrewModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *,
    wrench_representation: str = 'body',
) -> ScalarArray:
    """Return the efforts and their derivatives up to order k, (k + 1, n): [KM2021] (45), (48)."""
    form = ClosedForm(model, joint_jet)
    tree, orders = form.tree, form.orders
    loads = as_wrench_jets(model, wrench_jets, (orders, model.n), as_scalars)
    external = body_wrenches(tree, loads, orders, wrench_representation)
    stacked = external.transpose(1, 0, 2).reshape(orders, -1)
    transposed = form.jacobians.transpose(0, 2, 1)
    efforts = form.gravity_forces.astype(external.dtype)
    for k in range(orders):
        for derivative in range(1, k + 3):  # l of [KM2021] (48)
            efforts[k] += form.coefficient(k, derivative) @ tree.jet[derivative]
        efforts[k] -= sum(leibniz_terms(k, transposed, stacked))
    return efforts


class ClosedForm(SystemMatrices):
    """The matrices of the closed form with their time derivatives, in rows, from k + 3 rows."""

    def __init__(self, model: ScrewModel, joint_jet: ArrayLike) -> None:
        super().__init__(model, joint_jet)
        self.orders = len(self.tree.jet) - 2  # k + 1
        if self.orders < 1:
            raise ShapeError('joint_jet', f'(k + 3, {model.n})', self.tree.jet.shape)

    @cached_property
    def path_matrices(self) -> tuple[ScalarArray, ScalarArray]:
        """A^(0..k) and (A a)^(0..k), (k + 1, 6N, 6N): A' = A a - A a A, [KM2021] (38), (50)."""
        count = 6 * self.tree.count
        a = [self.a(k) for k in range(self.orders)]
        path, products = (np.zeros((self.orders, count, count), self.tree.dtype) for _ in range(2))
        path[0] = self.A
        for k in range(self.orders):
            products[k] = sum(leibniz_terms(k, path, a))
            if k + 1 < self.orders:
                path[k + 1] = products[k] - sum(leibniz_terms(k, products, path))
        return path, products

    @cached_property
    def jacobians(self) -> ScalarArray:
        """J^(d) = A^(d) X, (k + 1, 6N, n), [KM2021] (52)."""
        return self.path_matrices[0] @ self.X

    @cached_property
    def twists(self) -> ScalarArray:
        """V^(d), (k + 1, 6N), [KM2021] (53)."""
        rates = self.tree.jet[1:]
        return np.array([sum(leibniz_terms(k, self.jacobians, rates)) for k in range(self.orders)])

    @cached_property
    def mass_matrices(self) -> ScalarArray:
        """M^(d), (k + 1, n, n), [KM2021] (54)."""
        weighted = self.Mm @ self.jacobians
        transposed = self.jacobians.transpose(0, 2, 1)
        return np.array([sum(leibniz_terms(k, transposed, weighted)) for k in range(self.orders)])

    @cached_property
    def coriolis_matrices(self) -> ScalarArray:
        """C^(d), (k + 1, n, n), [KM2021] (55) to (57)."""
        _, products = self.path_matrices
        inner = [
            -self.Mm @ product - self.b(twists).T @ self.Mm
            for product, twists in zip(products, self.twists, strict=True)
        ]
        return self._between_jacobians(inner)

    @cached_property
    def skew_coriolis_matrices(self) -> ScalarArray:
        """Cbar^(d), (k + 1, n, n), of [MK2021] (54)."""
        added = self._between_jacobians([self.Mm @ self.b(twists) for twists in self.twists])
        return self.coriolis_matrices + added

    @cached_property
    def gravity_forces(self) -> ScalarArray:
        """Q_grav^(d), (k + 1, n), [KM2021] (58), with U' = -A a U."""
        _, products = self.path_matrices
        falling = np.zeros((self.orders, *self.U.shape), self.tree.dtype)
        falling[0] = self.U
        for k in range(self.orders - 1):
            falling[k + 1] = -sum(leibniz_terms(k, products, falling))
        weights = self.Mm @ falling @ self.tree.G
        transposed = self.jacobians.transpose(0, 2, 1)
        return np.array([sum(leibniz_terms(k, transposed, weights)) for k in range(self.orders)])

    def coefficient(self, order: int, derivative: int) -> ScalarArray:
        """Return K_{k,l}, (n, n), [KM2021] (49)."""
        upper = order + 2 - derivative
        result = np.zeros(self.mass_matrices.shape[1:], self.tree.dtype)
        if 0 <= upper <= order:
            result = result + comb(order, upper) * self.mass_matrices[upper]
        if 1 <= upper <= order + 1:
            result = result + comb(order, upper - 1) * self.coriolis_matrices[upper - 1]
        return result

    def _between_jacobians(self, inner: list[ScalarArray]) -> ScalarArray:
        """Return J^T P J with derivatives, for P with derivatives."""
        transposed = self.jacobians.transpose(0, 2, 1)
        right = np.array(
            [sum(leibniz_terms(k, inner, self.jacobians)) for k in range(self.orders)]
        )
        return np.array([sum(leibniz_terms(k, transposed, right)) for k in range(self.orders)])
