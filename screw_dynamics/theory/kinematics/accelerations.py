# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Accelerations and jerks of bodies in explicit form, as sums over the joints.

[M2018] (7), (14), (18), (22), (30), (32), (34), with the slips of the print corrected. The
recursions of the four representations give the same numbers, of any order. Results are (N, 6);
accelerations need r >= 3, jerks r >= 4.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie import twist_cross
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.kinematics import hybrid
from screw_dynamics.theory.kinematics.body_fixed import column_jets
from screw_dynamics.theory.kinematics.spatial import twist_and_column_jets
from screw_dynamics.theory.tree import Tree


def body_fixed_accelerations(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return V_i' = sum_j J_ij s_j'' + sum_{j<k} [J_ij, J_ik] s_j' s_k', [M2018] (2), (7)."""
    tree = Tree(model, joint_jet).at_least(3)
    columns, (_, rates, accelerations) = column_jets(tree)[:, :, 0], tree.joints[:3]
    result: ScalarArray = np.einsum('ijx,j->ix', columns, accelerations)
    for i in range(tree.count):
        for j, k in product(tree.path(i), repeat=2):
            if j < k:
                bracket = twist_cross(columns[i, j]) @ columns[i, k]
                result[i] += bracket * rates[j] * rates[k]
    return result


def body_fixed_jerks(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return V_i'' as sums over one, two and three joints, [M2018] (14).

    The factor of [[J_ij, J_ik], J_ir] s_j' s_k' s_r' is 2 for k < r and 1 for k = r; the print has
    2 for both.
    """
    tree = Tree(model, joint_jet).at_least(4)
    columns, (_, rates, accelerations, jerks) = column_jets(tree)[:, :, 0], tree.joints[:4]
    result: ScalarArray = np.einsum('ijx,j->ix', columns, jerks)
    for i in range(tree.count):
        for j, k in product(tree.path(i), repeat=2):
            if j >= k:
                continue
            bracket = twist_cross(columns[i, j]) @ columns[i, k]
            result[i] += bracket * (2 * accelerations[j] * rates[k] + rates[j] * accelerations[k])
            for r in tree.path(i):
                if r >= k:
                    factor = (2 if k < r else 1) * rates[j] * rates[k] * rates[r]
                    result[i] += factor * twist_cross(bracket) @ columns[i, r]
    return result


def spatial_accelerations(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return (V^s_i)' = sum_j (J_j s_j'' + [V_j, J_j] s_j'), [M2018] (18)."""
    tree = Tree(model, joint_jet).at_least(3)
    twists, columns = (jets[:, 0] for jets in twist_and_column_jets(tree))
    _, rates, accelerations = tree.joints[:3]
    terms = [
        column * accelerations[j] + twist_cross(twists[j]) @ column * rates[j]
        for j, column in enumerate(columns)
    ]
    return _sums(tree, terms)


def spatial_jerks(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return (V^s_i)'' = sum_j (J s^(3) + 2 [V, J] s'' + ([V', J] + [V, [V, J]]) s')_j.

    [M2018] (22), (23) with their terms collected by joints.
    """
    tree = Tree(model, joint_jet).at_least(4)
    twists, columns = (jets[:, 0] for jets in twist_and_column_jets(tree))
    changes = spatial_accelerations(model, tree.jet[:3])
    _, rates, accelerations, jerks = tree.joints[:4]
    terms = []
    for j, column in enumerate(columns):
        ad = twist_cross(twists[j])
        moved = ad @ column
        second = twist_cross(changes[j]) @ column + ad @ moved
        terms.append(column * jerks[j] + 2 * moved * accelerations[j] + second * rates[j])
    return _sums(tree, terms)


def hybrid_accelerations(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return (V^h_i)' = sum_j (J_ij s_j'' + J_ij' s_j'), [M2018] (29), (30)."""
    return _weighted(model, joint_jet, (1, 1))


def hybrid_jerks(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return (V^h_i)'' = sum_j (J s^(3) + 2 J' s'' + J'' s')_j, [M2018] (32), (33)."""
    return _weighted(model, joint_jet, (1, 2, 1))


def mixed_accelerations(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return (V^m_i)' = P (V^h_i)', P = diag(R^T, I), [M2018] (34).

    Right as printed, since w × w = 0.
    """
    return _turned_back(Tree(model, joint_jet), hybrid_accelerations(model, joint_jet))


def mixed_jerks(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return (V^m_i)'' = P (V^h_i)'' - (w^b × (w^b)'; 0), [M2018] (34).

    The print omits the last term.
    """
    tree = Tree(model, joint_jet)
    result = _turned_back(tree, hybrid_jerks(model, joint_jet))
    angular = _turned_back(tree, hybrid.twists(model, joint_jet)[:, 0])
    changes = _turned_back(tree, hybrid_accelerations(model, joint_jet))
    for row, w, w_rate in zip(result, angular[:, :3], changes[:, :3], strict=True):
        row[:3] -= np.cross(w, w_rate)
    return result


def _weighted(model: ScrewModel, joint_jet: ArrayLike, factors: tuple[int, ...]) -> ScalarArray:
    """Return the sum of factor J^h^(k) s^(d - k), for d factors."""
    order = len(factors)
    joints = Tree(model, joint_jet).at_least(order + 1).joints
    columns = hybrid.jacobian_columns(model, joint_jet)
    result: ScalarArray = sum(
        factor * np.einsum('ijx,j->ix', columns[:, :, k], joints[order - k])
        for k, factor in enumerate(factors)
    )
    return result


def _turned_back(tree: Tree, twists: ScalarArray) -> ScalarArray:
    """Return P V: angular parts in axes of the bodies."""
    result: ScalarArray = twists.copy()
    for row, pose in zip(result, tree.poses, strict=True):
        row[:3] = pose[:3, :3].T @ row[:3]
    return result


def _sums(tree: Tree, terms: list[ScalarArray]) -> ScalarArray:
    """Return the sums (N, 6) of the terms of the joints on the path of each body."""
    return np.array([sum(terms[j] for j in tree.path(i)) for i in range(tree.count)])
