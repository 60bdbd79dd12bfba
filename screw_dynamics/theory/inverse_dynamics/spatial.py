# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Recursive inverse dynamics in spatial twists, of any order: [M2018] (69) to (72).

Nothing is transformed between bodies: twists and wrenches of all bodies refer to the base frame,
where only inertias and joint screws move.
"""

from __future__ import annotations

from math import comb

import numpy as np

from screw_dynamics.lie import adjoint_inverse, twist_cross
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.inverse_dynamics.arguments import of_samples
from screw_dynamics.theory.kinematics import body_fixed
from screw_dynamics.theory.kinematics.spatial import twist_and_column_jets
from screw_dynamics.theory.tree import Tree
from screw_dynamics.theory.wrench_rates import spatial_from_body


@of_samples
def inverse_dynamics(tree: Tree, external: ScalarArray) -> ScalarArray:
    """Return the joint efforts and their time derivatives up to order k."""
    rows = external.shape[1]
    twists, columns = twist_and_column_jets(tree)
    body_twists = body_fixed.twist_jets(tree)
    wrenches = np.zeros((tree.count, rows, 6), tree.dtype)
    efforts = np.zeros((rows, tree.count), tree.dtype)
    for i in reversed(range(tree.count)):
        inertia = inertia_jet(tree, i, twists[i], rows)
        wrenches[i] -= spatial_from_body(external[i], tree.poses[i], body_twists[i])
        for k in range(rows):  # (Pi^s)^(k + 1) + M^s(k) G, [M2018] (72)
            wrenches[i, k] += sum(leibniz_terms(k + 1, inertia, twists[i])) + inertia[k] @ tree.G
            efforts[k, i] = sum(leibniz_terms(k, columns[i], wrenches[i]))
        if tree.model.parents[i] >= 0:
            wrenches[tree.model.parents[i]] += wrenches[i]
    return efforts


def inertia_jet(tree: Tree, body: int, twists: ScalarArray, rows: int) -> ScalarArray:
    """
    Return M^s = Ad_C^-T M Ad_C^-1 and its derivatives, (rows + 1, 6, 6).

    [M2018] (35), (38), (72), in any order.
    """
    to_body = adjoint_inverse(tree.poses[body])
    inertia = np.zeros((rows + 1, 6, 6), tree.dtype)
    inertia[0] = to_body.T @ tree.model.inertias[body] @ to_body
    for k in range(rows):
        for s in range(k + 1):
            half = comb(k, s) * twist_cross(twists[s]).T @ inertia[k - s]
            inertia[k + 1] -= half + half.T
    return inertia
