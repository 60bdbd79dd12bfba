# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Hybrid twists V^h = (w; r'), in axes of the base at the body's origin, and their derivatives.

[M2018] (25) to (33), (73) to (76). V^h = Ad_R V^b. The other representations have
the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie import twist_cross
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.tree import Tree


def twists(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return the twists of all bodies, (N, r - 1, 6): [i, k] is (w; r')^(k); r >= 2."""
    return HybridMotion(Tree(model, joint_jet).at_least(2)).twists


class HybridMotion:
    """
    What the hybrid recursions share, per body, with derivatives in rows.

    `twists` (N, r - 1, 6) are (w; r')^(k), `screws` (N, r, 6) the joint screws in base axes
    x0_i = Ad_{R_i} X_i, `arms` (N, r, 3) rho_i = r_i - r_p.
    """

    def __init__(self, tree: Tree) -> None:
        orders = len(tree.joints) - 1
        self.tree = tree
        self.twists = np.zeros((tree.count, orders, 6), tree.dtype)
        self.screws = np.zeros((tree.count, orders + 1, 6), tree.dtype)
        self.arms = np.zeros((tree.count, orders + 1, 3), tree.dtype)
        for i in range(tree.count):
            self._move(i)

    def _move(self, i: int) -> None:
        tree, p = self.tree, self.tree.model.parents[i]
        pose = tree.poses[i]
        base = np.zeros((len(self.twists[i]), 6), tree.dtype)
        parent = self.twists[p] if p >= 0 else base
        twist, screw, arm = self.twists[i], self.screws[i], self.arms[i]
        screw[0] = in_base_axes(pose[:3, :3], tree.model.screws[i])
        arm[0] = pose[:3, 3] - (tree.poses[p][:3, 3] if p >= 0 else 0)
        for k in range(len(twist)):
            twist[k] = parent[k]
            for s in range(k + 1):
                twist[k, 3:] += comb(k, s) * np.cross(parent[s, :3], arm[k - s])
                twist[k] += comb(k, s) * screw[s] * tree.joints[k - s + 1, i]
            arm[k + 1] = twist[k, 3:] - parent[k, 3:]
            for s in range(k + 1):
                screw[k + 1] += comb(k, s) * turned(twist[s, :3], screw[k - s])


def in_base_axes(rotation: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """Return Ad_R V."""
    return np.concatenate((rotation @ twist[:3], rotation @ twist[3:]))


def turned(angular_velocity: ScalarArray, vector: ScalarArray) -> ScalarArray:
    """Return ad_w V, the cross product with both parts."""
    return np.concatenate(
        (np.cross(angular_velocity, vector[:3]), np.cross(angular_velocity, vector[3:]))
    )


def jacobian_columns(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return the columns of the Jacobians of all bodies and their derivatives, (N, N, r, 6).

    [i, j, k] is the k-th derivative of J^h_{i,j} = Ad_{r_j - r_i} x0_j, [M2018] (27), (28), (31)
    in any order; 0 where joint j is not on the path of body i.
    """
    motion = HybridMotion(Tree(model, joint_jet))
    tree, orders = motion.tree, motion.screws.shape[1]
    result = np.zeros((tree.count, tree.count, orders, 6), tree.dtype)
    for i in range(tree.count):
        arm = np.zeros((orders, 3), tree.dtype)  # r_j - r_i and its derivatives
        for j in reversed(tree.path(i)):
            screw, column = motion.screws[j], result[i, j]
            for k in range(orders):
                column[k] = screw[k]
                for s in range(k + 1):
                    column[k, 3:] += comb(k, s) * np.cross(arm[s], screw[k - s, :3])
            arm = arm - motion.arms[j]
    return result


def partial_derivative(
    model: ScrewModel, q: ArrayLike, body: int, joint: int, by: Sequence[int]
) -> ScalarArray:
    """
    Return a partial derivative of J^h_{i,j} of any order, (6,); 0 unless all are on the path of i.

    The first one is [M2018] (25), (26) with the case that the print omits: [J_{i,j}, Jv_{i,k}]
    for a joint k that is j or behind it, [Jw_{i,k}, J_{i,j}] for one before it, with Jw, Jv the
    angular and the linear part of a column. Higher ones follow by the product rule, since taking
    a part commutes with differentiation.
    """
    tree = Tree.at(model, q)
    body, joint = tree.index('body', body), tree.index('joint', joint)
    columns = jacobian_columns(model, tree.jet)[body, :, 0]
    return _partial(columns, tree.path(body), joint, tuple(sorted(tree.indices('by', by))))


def _partial(
    columns: ScalarArray, path: list[int], joint: int, by: tuple[int, ...]
) -> ScalarArray:
    """Differentiate by the last joint first; the others act on both factors of the bracket."""
    if not {joint, *by} <= set(path):
        return np.zeros(6, columns.dtype)
    if not by:
        return columns[joint]
    *others, last = by
    result = np.zeros(6, columns.dtype)
    for count in range(len(others) + 1):
        for chosen in combinations(range(len(others)), count):
            first = tuple(others[c] for c in chosen)
            second = tuple(others[c] for c in range(len(others)) if c not in chosen)
            column = _partial(columns, path, joint, first)
            other = _partial(columns, path, last, second)
            part = np.zeros(6, columns.dtype)
            if last >= joint:
                part[3:] = other[3:]
                result = result + twist_cross(column) @ part
            else:
                part[:3] = other[:3]
                result = result + twist_cross(part) @ column
    return result
