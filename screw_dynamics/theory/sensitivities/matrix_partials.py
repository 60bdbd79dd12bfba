# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the system matrices by the coordinates ([M2018] section 6.1).

With E_k, the matrix of the blocks ad_{X_i} on the diagonal for the joints that coordinate k moves,

    dA/dq_k = A E_k - A E_k A,   dJ/dq_k = -A E_k J,   dU/dq_k = -A E_k U,
    dM/dq_k = -J^T (Mm A E_k + (A E_k)^T Mm) J,   d(M^-1)/dq_k = -M^-1 dM/dq_k M^-1
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie import twist_cross
from screw_dynamics.lie.scalars import ScalarArray, solve
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices, block_diagonal
from screw_dynamics.theory.tree import Tree


class MatrixPartials(SystemMatrices):
    """Partial derivatives of the matrices of the closed form; [k] is the derivative by q_k."""

    def __init__(self, model: ScrewModel, q: ArrayLike) -> None:
        position = Tree.at(model, q).jet
        super().__init__(model, np.concatenate((position, 0 * position)))
        screws, mimic = model.screws, self.tree.mimic_matrix
        self._moved = [
            self.A
            @ block_diagonal(
                self.tree, [twist_cross(x) * s for x, s in zip(screws, column, strict=True)]
            )
            for column in mimic.T
        ]

    @property
    def A_partials(self) -> ScalarArray:  # noqa: N802
        """dA/dq_k = A E_k - A E_k A, (n, 6N, 6N)."""
        return np.array([moved - moved @ self.A for moved in self._moved])

    @property
    def J_partials(self) -> ScalarArray:  # noqa: N802
        """dJ/dq_k = -A E_k J, (n, 6N, n)."""
        return np.array([-moved @ self.J for moved in self._moved])

    @property
    def U_partials(self) -> ScalarArray:  # noqa: N802
        """dU/dq_k = -A E_k U, (n, 6N, 6)."""
        return np.array([-moved @ self.U for moved in self._moved])

    @property
    def mass_matrix_partials(self) -> ScalarArray:
        """dM/dq_k, (n, n, n)."""
        halves = [self.J.T @ self.Mm @ moved @ self.J for moved in self._moved]
        return np.array([-half - half.T for half in halves])

    @property
    def inverse_mass_matrix_partials(self) -> ScalarArray:
        """d(M^-1)/dq_k = -M^-1 dM/dq_k M^-1, (n, n, n)."""
        inverse = solve(self.mass_matrix, np.eye(self.tree.model.n))
        return -inverse @ self.mass_matrix_partials @ inverse
