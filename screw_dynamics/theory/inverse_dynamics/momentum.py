# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inverse dynamics from momenta, of any order: [M2018] (80) and its derivatives.

Efforts are the sums over all bodies of J^s_i^T ((Pi^s_i)' - W^s_i), with the spatial momentum
Pi^s_i = M^s_i V^s_i: the rate of a momentum about a fixed point has no other terms.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.inverse_dynamics.arguments import of_samples
from screw_dynamics.theory.inverse_dynamics.spatial import inertia_jet
from screw_dynamics.theory.kinematics import body_fixed
from screw_dynamics.theory.kinematics.spatial import twist_and_column_jets
from screw_dynamics.theory.tree import Tree
from screw_dynamics.theory.wrench_rates import spatial_from_body


def momentum_jet(tree: Tree, body: int, twists: ScalarArray, rows: int) -> ScalarArray:
    """Return Pi^s = M^s V^s and its derivatives, (rows + 1, 6)."""
    inertia = inertia_jet(tree, body, twists, rows)
    return np.array([sum(leibniz_terms(k, inertia, twists)) for k in range(rows + 1)])


@of_samples
def inverse_dynamics(tree: Tree, external: ScalarArray) -> ScalarArray:
    """Return the joint efforts and their time derivatives up to order k."""
    rows = external.shape[1]
    twists, columns = twist_and_column_jets(tree)
    body_twists = body_fixed.twist_jets(tree)
    efforts = np.zeros((rows, tree.count), tree.dtype)
    for i in range(tree.count):
        weight = inertia_jet(tree, i, twists[i], rows) @ tree.G  # -(the wrench of gravity)
        required = momentum_jet(tree, i, twists[i], rows)[1:] + weight[:rows]
        required -= spatial_from_body(external[i], tree.poses[i], body_twists[i])
        for j in tree.path(i):
            for k in range(rows):
                efforts[k, j] += sum(leibniz_terms(k, columns[j], required))
    return efforts
