# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of efforts by positions, rates, accelerations; those of their derivatives.

Closed form on the system matrices, from the tangent of the body-fixed recursion [M2018] (68). With
h(L, p) = [[L~, p~], [p~, 0]], for which ad_{dV}^T (L; p) = h(L, p) dV, H = blkdiag h(M_i V_i),
N = b^T Mm + H, the accelerations PA of the parents seen from the bodies (that of gravity
included) and the wrenches W_i that the joints transmit,

    dQ/dq   = J^T (Mm A (b(PA) X - a A b X) - N A b X - Wd),   Wd = blkdiag(ad_{X_i}^T W_i)
    dQ/dq'  = J^T (Mm A (b X - a J) - N J)
    dQ/dq'' = J^T Mm J
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import ShapeError
from screw_dynamics.lie import skew, twist_cross
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.series import jet_of_series, series_of_jet
from screw_dynamics.theory.closed_form.system_matrices import (
    SystemMatrices,
    block,
    block_diagonal,
)
from screw_dynamics.theory.tree import as_scalars


def first_partials(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return dtau/dq, dtau/dq' and dtau/dq'', (3, n, n), from q, q', q''."""
    system = SystemMatrices(model, joint_jet)
    tree, A, J, X, Mm = system.tree, system.A, system.J, system.X, system.Mm
    b, momenta = system.b(system.V), Mm @ system.V
    accelerations = J @ tree.jet[2] - system.Aa @ system.V + system.U @ tree.G
    of_parents, turned = np.zeros_like(accelerations), np.zeros_like(J)
    transmitted = A.T @ (Mm @ accelerations - b.T @ momenta)
    for i, (p, screw) in enumerate(zip(model.parents, model.screws, strict=True)):
        parent = accelerations[block(p)] if p >= 0 else tree.G
        of_parents[block(i)] = tree.transforms[i] @ parent
        by_screw = twist_cross(screw).T @ transmitted[block(i)]
        turned[block(i)] = np.outer(by_screw, tree.mimic_matrix[i])
    N = b.T @ Mm + block_diagonal(tree, [_h(row) for row in momenta.reshape(-1, 6)])  # noqa: N806
    moved = A @ b @ X  # dV/dq
    by_position = Mm @ A @ (system.b(of_parents) @ X - system.a() @ moved) - N @ moved - turned
    by_rate = Mm @ A @ (b @ X - system.a() @ J) - N @ J
    return np.stack([J.T @ by_position, J.T @ by_rate, system.mass_matrix])


def effort_partials(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return the partial derivatives of the efforts and of their time derivatives up to order k.

    [d, s, i, j] of the result (k + 1, k + 3, n, n) is the derivative of tau_i^(d) by q_j^(s). With
    F(q, q', q'') = tau, the derivative of tau^(d) by q^(s) is the sum over r = 0, 1, 2 of
    comb(d, s - r) times the (d - s + r)-th time derivative of dF/dq^(r): `first_partials` of a
    truncated Taylor series of the motion.
    """
    jet = as_scalars('joint_jet', joint_jet)
    if jet.ndim != 2 or len(jet) < 3 or jet.shape[1] != model.n:
        raise ShapeError('joint_jet', f'(k + 3, {model.n})', jet.shape)
    order = len(jet) - 3
    motion = np.stack([series_of_jet(jet[r : r + order + 1]) for r in range(3)])
    partials = jet_of_series(first_partials(model, motion), order).astype(jet.dtype)
    result = np.zeros((order + 1, order + 3, model.n, model.n), jet.dtype)
    for d in range(order + 1):
        for s in range(d + 3):
            for r in range(max(s - d, 0), min(s, 2) + 1):
                result[d, s] += comb(d, s - r) * partials[d - s + r, r]
    return result


def _h(momentum: ScalarArray) -> ScalarArray:
    """Return the matrix h(L, p) with ad_{dV}^T (L; p) = h(L, p) dV."""
    angular, linear = skew(momentum[:3]), skew(momentum[3:])
    return np.block([[angular, linear], [linear, np.zeros((3, 3))]])
