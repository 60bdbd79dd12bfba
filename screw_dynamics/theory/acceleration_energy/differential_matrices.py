# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Poses of the bodies differentiated by joint variables and by time, to any order.

A_{k;s1..sr} = d^r C_k / ds_1 .. ds_r are the differential matrices of [N2021] (20), (40) to (55),
as products of matrix exponentials [N2021] (14) to (19). The print of (20) has a minus sign in its
second product, those of (21), (22) and (41) to (54) exponentials of sums in place of products, and
the order of the indices is open there: they are sorted from root to tip.

With the rotations R_j = exp([k_j ×] q_j) of the joints of the path and the translations b_j of
exp(A_j q_j), [N2021] (3), both in base axes at q = 0, a column of the Jacobian is

    V_i = R_1 .. R_(i-1) (v_i + k_i × (sum_{k = i..n} R_i .. R_(k-1) b_k + R_i .. R_n p_n(0)))
    Omega_i = R_1 .. R_(i-1) k_i

The prints of (23) and (42) lack the product with k_i in front of p_n(0); the matrices (25) to
(35) have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie import adjoint, exp_screw, hat, skew, vee
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.kinematics.body_fixed import twist_jets
from screw_dynamics.theory.kinematics.spatial import twist_and_column_jets
from screw_dynamics.theory.tree import Tree


def differential_matrix(
    model: ScrewModel, q: ArrayLike, body: int, by: Sequence[int]
) -> ScalarArray:
    """
    Return A_{k;s1..sr}, (4, 4), of body k: [N2021] (20), (40) to (55).

    0 if a joint is not on the path of the body, the pose itself for an empty sequence.
    """
    tree = Tree.at(model, q)
    return differential_matrices(tree, tree.index('body', body), tree.indices('by', by))


def exponential_jacobian(model: ScrewModel, q: ArrayLike, body: int) -> ScalarArray:
    """Return the hybrid Jacobian (6, n) of a body: [N2021] (23) to (35)."""
    tree = Tree.at(model, q)
    path = tree.path(tree.index('body', body))
    columns = np.zeros((6, tree.count), tree.dtype)
    home = np.eye(4, dtype=model.home_poses.dtype)
    screws, motions = [], []
    for joint in path:
        home = home @ model.home_poses[joint]
        screws.append(adjoint(home) @ model.screws[joint])  # (k_i; v_i)
        motions.append(exp_screw(screws[-1], tree.joints[0, joint]))
    for i, joint in enumerate(path):
        first, second, third = factors(motions, screws[i], i)
        translations = [motion[:3, 3] for motion in motions[i:]]
        vector = np.concatenate((screws[i][3:], *translations, home[:3, 3], screws[i][:3]))
        column = first @ second @ third @ vector  # (V; Omega)
        columns[:, joint] = np.concatenate((column[3:], column[:3]))
    jacobian: ScalarArray = columns @ tree.mimic_matrix
    return jacobian


def jacobian_columns(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return the hybrid columns of the Jacobians and their derivatives, (N, N, r, 6); r >= 2.

    [N2021] (36): V_i = dp/dq_i is the last column of A_{n;i}, and the axis Omega_i belongs to its
    rotation; [i, j, k] is 0 where joint j is not on the path of body i.
    """
    tree = Tree(model, joint_jet)
    poses = pose_jets(tree)
    tangents = tangent_jets(tree, poses)
    back = poses[..., :3, :3].swapaxes(-1, -2)
    result = np.zeros((*tangents.shape[:3], 6), tree.dtype)
    result[..., 3:] = tangents[..., :3, 3]
    for i in range(tree.count):
        for j in tree.path(i):
            for k in range(tangents.shape[2]):
                turning = leibniz_terms(k, tangents[i, j, :, :3, :3], back[i])
                result[i, j, k, :3] = vee(np.asarray(sum(turning)))
    return result


def differential_matrices(tree: Tree, body: int, by: Sequence[int]) -> ScalarArray:
    """
    Return A_{k;s1..sr}: each factor exp(Y_j s_j) of the pose behind hat(Y_j), once per s = j.

    [N2021] (14) to (22), (40) to (55).
    """
    path, orders = tree.path(body), Counter(by)
    if not set(by) <= set(path):
        return np.zeros((4, 4), tree.dtype)
    result = np.eye(4, dtype=tree.dtype)
    home = np.eye(4, dtype=tree.model.home_poses.dtype)
    for joint in path:
        home = home @ tree.model.home_poses[joint]
        screw = adjoint(home) @ tree.model.screws[joint]  # Y_j, in the base frame at s = 0
        for _ in range(orders[joint]):
            result = result @ hat(screw)
        result = result @ exp_screw(screw, tree.joints[0, joint])
    return result @ home


def pose_jets(tree: Tree) -> ScalarArray:
    """Return C_i^(k), (N, r, 4, 4): C^(k + 1) is the k-th derivative of C hat(V)."""
    orders = len(tree.joints)
    twists = twist_jets(tree)
    jets = np.zeros((tree.count, orders, 4, 4), tree.dtype)
    for i, pose in enumerate(tree.poses):
        jets[i, 0] = pose
        rates = [hat(twist) for twist in twists[i]]
        for k in range(orders - 1):
            jets[i, k + 1] = sum(leibniz_terms(k, jets[i], rates))
    return jets


def tangent_jets(tree: Tree, poses: ScalarArray) -> ScalarArray:
    """Return A_{i;j}^(u) = (hat(J^s_j) C_i)^(u), (N, N, r, 4, 4), from the pose jets."""
    orders = len(tree.joints)
    jets = np.zeros((tree.count, tree.count, orders, 4, 4), tree.dtype)
    _, columns = twist_and_column_jets(tree)
    matrices = [[hat(row) for row in column] for column in columns]
    for i in range(tree.count):
        for j in tree.path(i):
            for u in range(orders):
                jets[i, j, u] = sum(leibniz_terms(u, matrices[j], poses[i]))
    return jets


def derivative_of_derivative(tangents: ScalarArray, s: int, m: int) -> ScalarArray:
    """Return dC^(s) / dq^(m) = comb(s, m) A^(s - m) from the jet A^(u) of a tangent, s >= m."""
    return comb(s, m) * tangents[..., s - m, :, :]


def factors(
    motions: list[ScalarArray], screw: ScalarArray, i: int
) -> tuple[ScalarArray, ScalarArray, ScalarArray]:
    """
    Return ME(J_i1) (6, 6), ME(J_i2) (6, 9) and ME(J_i3) (9, 12 + 3 (n - i)), [N2021] (26) to (32).

    `motions` are exp(A_j q_j) of the n joints of the path, i counts from 1 in the paper.
    """
    one = np.eye(3)
    before = one
    for motion in motions[:i]:
        before = before @ motion[:3, :3]
    behind = [one]  # R_i .. R_(k-1) for k = i..n + 1: (28), and (29) as the last one
    for motion in motions[i:]:
        behind.append(behind[-1] @ motion[:3, :3])
    first = _diagonal(before, before)
    second = _diagonal(np.hstack((one, skew(screw[:3]))), one)
    third = _diagonal(one, np.hstack(behind), one)
    return first, second, third


def _diagonal(*blocks: ScalarArray) -> ScalarArray:
    """Return a matrix with blocks of any shape along its diagonal."""
    rows = [
        [block if a == b else np.zeros((block.shape[0], other.shape[1])) for b, other in
         enumerate(blocks)]
        for a, block in enumerate(blocks)
    ]  # fmt: skip
    return np.block(rows)
