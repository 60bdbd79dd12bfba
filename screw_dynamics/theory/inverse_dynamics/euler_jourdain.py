# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inverse dynamics by the principle of Jourdain, of any order: [M2018] (78), (79).

Efforts are the sums over all bodies of J_i^T (M_i V_i' - ad_{V_i}^T M_i V_i - W_i): no recursion,
and so of quadratic cost.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie import twist_cross
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.inverse_dynamics.arguments import of_samples
from screw_dynamics.theory.kinematics.body_fixed import column_jets, gravity_jets, twist_jets
from screw_dynamics.theory.tree import Tree


@of_samples
def inverse_dynamics(tree: Tree, external: ScalarArray) -> ScalarArray:
    """Return the joint efforts and their time derivatives up to order k."""
    rows = external.shape[1]
    twists, gravity, columns = twist_jets(tree), gravity_jets(tree), column_jets(tree)
    efforts = np.zeros((rows, tree.count), tree.dtype)
    for i in range(tree.count):
        inertia = tree.model.inertias[i]
        required = -external[i]  # the wrench that the joints have to exert on body i
        ads, momenta = [twist_cross(v).T for v in twists[i]], twists[i] @ inertia
        for k in range(rows):
            required[k] += inertia @ (twists[i, k + 1] + gravity[i, k])
            for term in leibniz_terms(k, ads, momenta):
                required[k] -= term
        for j in tree.path(i):
            for k in range(rows):
                efforts[k, j] += sum(leibniz_terms(k, columns[i, j], required))
    return efforts
