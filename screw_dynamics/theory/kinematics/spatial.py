# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Spatial twists V^s = (w; r' + r × w) = vee(C' C^-1), their derivatives, Jacobian columns.

[M2018] (16) to (24). A column J^s_j = Ad_{C_j} X_j is the same for every body behind joint j, and
twists of the parent are added as they are: the cheapest recursion. The other representations have
the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie import adjoint, twist_cross
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.tree import Tree


def twists(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return the twists of all bodies, (N, r - 1, 6): [i, k] is (V^s_i)^(k); r >= 2."""
    return twist_and_column_jets(Tree(model, joint_jet).at_least(2))[0]


def twist_and_column_jets(tree: Tree) -> tuple[ScalarArray, ScalarArray]:
    """
    Return (V^s_i)^(k), (N, r - 1, 6), and (J^s_j)^(k), (N, r, 6), in one recursion.

    V^s_i = V^s_p + J^s_i s_i', [M2018] (69) to (71), J^s_j' = [V^s_j, J^s_j], (17), and all their
    derivatives.
    """
    orders = len(tree.joints) - 1
    twist = np.zeros((tree.count, orders, 6), tree.dtype)
    column = np.zeros((tree.count, orders + 1, 6), tree.dtype)
    for i, p in enumerate(tree.model.parents):
        column[i, 0] = adjoint(tree.poses[i]) @ tree.model.screws[i]
        if p >= 0:
            twist[i] = twist[p]
        for k in range(orders):
            for s in range(k + 1):
                twist[i, k] += comb(k, s) * column[i, s] * tree.joints[k - s + 1, i]
            for s in range(k + 1):
                column[i, k + 1] += comb(k, s) * twist_cross(twist[i, s]) @ column[i, k - s]
    return twist, column


def system_accelerations(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return V^s' = J^s q'' + L b^s diag(J^s_j) q', (N, 6), [M2018] (19), (20); r >= 3.

    L sums over the path of each body. The print has J^s in place of diag(J^s_j), and so a second
    term L b^s V^s that is always 0.
    """
    tree = Tree(model, joint_jet).at_least(3)
    twist, column = (jets[:, 0] for jets in twist_and_column_jets(tree))
    _, rates, accelerations = tree.joints[:3]
    on_path = np.zeros((tree.count, tree.count))  # L
    for i in range(tree.count):
        on_path[i, tree.path(i)] = 1.0
    moved = [twist_cross(v) @ x * rate for v, x, rate in zip(twist, column, rates, strict=True)]
    return on_path @ (column * accelerations[:, None]) + on_path @ np.array(moved)


def jacobian_columns(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return the columns of the Jacobians of all bodies and their derivatives, (N, N, r, 6).

    [i, j, k] is the k-th derivative of J^s_j if joint j is on the path of body i, else 0.
    """
    tree = Tree(model, joint_jet)
    _, columns = twist_and_column_jets(tree)
    result = np.zeros((tree.count, *columns.shape), tree.dtype)
    for i in range(tree.count):
        path = tree.path(i)
        result[i, path] = columns[path]
    return result


def partial_derivative(
    model: ScrewModel, q: ArrayLike, body: int, joint: int, by: Sequence[int]
) -> ScalarArray:
    """
    Return a partial derivative of J^s_{i,j} of any order: nested brackets, (6,).

    [J_bv, ..[J_b2, [J_b1, J_j]]], b sorted from tip to root; 0 unless all are on the path of j and
    b1 is before j. [M2018] (16), (21), (24).
    """
    tree = Tree.at(model, q)
    body, joint = tree.index('body', body), tree.index('joint', joint)
    _, columns = twist_and_column_jets(tree)
    indices = sorted(tree.indices('by', by), reverse=True)
    if joint not in tree.path(body) or not set(indices) <= set(tree.path(joint)) - {joint}:
        zero: ScalarArray = np.zeros(6, tree.dtype)
        return columns[joint, 0] if joint in tree.path(body) and not indices else zero
    result: ScalarArray = columns[joint, 0]
    for index in indices:
        result = twist_cross(columns[index, 0]) @ result
    return result
