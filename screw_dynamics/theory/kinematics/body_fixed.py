# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Body-fixed twists V = (R^T w; R^T r') = vee(C^-1 C'), their derivatives, Jacobian columns.

[M2018] (2) to (15), [KM2021] (3) to (11), (14) to (18). The other representations have the same
functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie import hat, inverse_pose, twist_cross
from screw_dynamics.lie.scalars import ScalarArray, dtype
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.tree import Tree


def twists(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return the twists of all bodies, (N, r - 1, 6): [i, k] is V_i^(k); r >= 2."""
    return twist_jets(Tree(model, joint_jet).at_least(2))


def twist_jets(tree: Tree) -> ScalarArray:
    """Return V_i^(k), (N, r - 1, 6), by bodies: [KM2021] (4), (11), [M2018] (66), (67)."""
    orders = len(tree.joints) - 1
    result = np.zeros((tree.count, orders, 6), tree.dtype)
    for i, p in enumerate(tree.model.parents):
        moved = result[p] @ tree.transforms[i].T if p >= 0 else np.zeros((orders, 6), tree.dtype)
        for k in range(orders):
            result[i, k] = tree.model.screws[i] * tree.joints[k + 1, i]
            for term in leibniz_terms(k, tree.transform_rates[i], moved):
                result[i, k] += term
    return result


def gravity_jets(tree: Tree) -> ScalarArray:
    """Return u_i^(k) = (Ad_{C_i}^-1 G)^(k), (N, r, 6), with G = -(0; g), [MK2021] (26)."""
    orders = len(tree.joints)
    result = np.zeros((tree.count, orders, 6), tree.dtype)
    base = np.zeros((orders, 6), dtype(tree.G))
    base[0] = tree.G
    for i, p in enumerate(tree.model.parents):
        moved = (result[p] if p >= 0 else base) @ tree.transforms[i].T
        for k in range(orders):
            for term in leibniz_terms(k, tree.transform_rates[i], moved):
                result[i, k] += term
    return result


def jacobian_columns(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return the columns of the Jacobians of all bodies and their derivatives, (N, N, r, 6).

    [i, j, k] is the k-th derivative of J_{i,j} = Ad_{C_{i,j}} X_j, V_i = sum_j J_{i,j} s_j', 0
    where joint j is not on the path of body i; [KM2021] (7), (8), (14) to (18), with J_{i,j}' =
    [J_{i,j}, S_{i,j}] and S_{i,j} the sum of J_{i,l} s_l' over the joints l behind j.
    """
    return column_jets(Tree(model, joint_jet))


def column_jets(tree: Tree) -> ScalarArray:
    """Return J_{i,j}^(k), (N, N, r, 6), see `jacobian_columns`: J_{i,j} = Ad_{C_{i,p}} J_{p,j}."""
    orders = len(tree.joints)
    result = np.zeros((tree.count, tree.count, orders, 6), tree.dtype)
    for i, p in enumerate(tree.model.parents):
        moving = np.zeros((orders - 1, 6), tree.dtype)  # S_{i,j}
        for j in reversed(tree.path(i)):
            column = result[i, j]
            column[0] = tree.model.screws[i] if j == i else tree.transforms[i] @ result[p, j, 0]
            for k in range(orders - 1):
                for s in range(k + 1):
                    column[k + 1] += comb(k, s) * twist_cross(column[s]) @ moving[k - s]
            for k in range(orders - 1):
                for s in range(k + 1):
                    moving[k] += comb(k, s) * column[s] * tree.joints[k - s + 1, j]
    return result


def partial_of_relative_pose(
    model: ScrewModel, q: ArrayLike, body: int, other: int, joint: int
) -> ScalarArray:
    """
    Return dC_{i,j}/ds_k of C_{i,j} = C_i^-1 C_j, (4, 4), for j on the path of i or the reverse.

    i, j and k are `body`, `other` and `joint`. [M2018] (4), (5): -hat(J_{i,k}) C_{i,j} for
    j < k <= i, C_{i,j} hat(J_{j,k}) for i < k <= j, 0 if the joint is not between the bodies. The
    print also has k = j, for which it is 0, and J_{i,j} in (5).
    """
    tree = Tree.at(model, q)
    body, other = tree.index('body', body), tree.index('other', other)
    joint = tree.index('joint', joint)
    relative = inverse_pose(tree.poses[body]) @ tree.poses[other]
    if other < joint <= body and {other, joint} <= set(tree.path(body)):
        return -hat(tree.jacobian_column(body, joint)) @ relative
    if body < joint <= other and {body, joint} <= set(tree.path(other)):
        return relative @ hat(tree.jacobian_column(other, joint))
    return 0 * relative


def partial_derivative(
    model: ScrewModel, q: ArrayLike, body: int, joint: int, by: Sequence[int]
) -> ScalarArray:
    """
    Return a partial derivative of J_{i,j} of any order: nested brackets, (6,).

    [..[[J_{i,j}, J_{i,b1}], J_{i,b2}].., J_{i,bv}] with b sorted from root to tip; 0 unless all
    are on the path of the body and b1 is behind j. [M2018] (6), (8), (13), (15).
    """
    tree = Tree.at(model, q)
    body, joint = tree.index('body', body), tree.index('joint', joint)
    return partial_of_column(tree, body, joint, tree.indices('by', by))


def partial_of_column(tree: Tree, body: int, joint: int, by: Sequence[int]) -> ScalarArray:
    """Return a partial derivative of J_{i,j}, see `partial_derivative`."""
    path, indices = tree.path(body), sorted(by)
    column = tree.jacobian_column(body, joint)
    if indices and (indices[0] <= joint or not set(indices) <= set(path)):
        return np.zeros(6, tree.dtype)
    for index in indices:
        column = twist_cross(column) @ tree.jacobian_column(body, index)
    return column
