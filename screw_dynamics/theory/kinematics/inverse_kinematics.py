# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Joint motions from the twists of all bodies: [M2018] (12), of any order.

In the system matrices, q'' = (X^T X)^-1 X^T ((I - D) V' + a V): by joints, with the derivatives
E_i(s) Ad of the transform from the parent,

    s_i^(k + 1) = X_i^T (V_i^(k) - sum_s comb(k, s) E_i(s) Ad_{C_{i,p}} V_p^(k - s)) / |X_i|^2

The print of Remark 3 has V_i in place of V_i'. Of the task motion of one frame: `task_space`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import ShapeError
from screw_dynamics.lie.scalars import ScalarArray, dtype, solve
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.tree import Tree, as_row, as_scalars


def joint_jet(model: ScrewModel, q: ArrayLike, twists: ArrayLike) -> ScalarArray:
    """
    Return the joint jet (m + 1, n) of body-fixed twists V_i^(0..m - 1) of all bodies, (N, m, 6).

    The inverse of `body_fixed.twists`. What no joint can cause is left out: the result is that of
    least squares in the joint screws.
    """
    positions, rates = as_row('q', q, model.n), as_scalars('twists', twists)
    if rates.ndim != 3 or (len(rates), rates.shape[2]) != (model.body_count, 6):
        raise ShapeError('twists', f'({model.body_count}, m, 6)', rates.shape)
    orders = rates.shape[1]
    jet = np.zeros((orders + 1, model.n), dtype(positions, rates))
    jet[0] = positions
    for k in range(orders):
        tree = Tree(model, jet[: k + 1])
        own = rates[:, k].astype(jet.dtype)  # of the joint of each body alone
        for i, p in enumerate(model.parents):
            if p >= 0:
                moved = rates[p] @ tree.transforms[i].T
                own[i] = own[i] - sum(leibniz_terms(k, tree.transform_rates[i], moved))
        power, squares = ((model.screws * v).sum(axis=1) for v in (own, model.screws))
        g = tree.mimic_matrix
        jet[k + 1] = solve(g.T @ (squares[:, None] * g), g.T @ power)
    return jet
