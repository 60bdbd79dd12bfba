# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Jacobian of a body as products of matrices of exponentials, as N2021 factors it.

With the rotations R_j = exp([k_j ×] q_j) of the joints of the path and the translations b_j of
exp(A_j q_j), [N2021] (3), both in base axes at q = 0, a column is

    V_i = R_1 .. R_(i-1) (v_i + k_i × (sum_{k = i..n} R_i .. R_(k-1) b_k + R_i .. R_n p_n(0)))
    Omega_i = R_1 .. R_(i-1) k_i

The prints of (23) and (42) lack the product with k_i in front of p_n(0); the matrices (25) to
(35) have it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie import adjoint, exp_screw, skew
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.tree import Tree


def exponential_jacobian(model: ScrewModel, q: ArrayLike, body: int) -> ScalarArray:
    """
    Return the hybrid Jacobian of a body, [N2021] (23) to (35).

    Parameters
    ----------
    model : ScrewModel
    q : (n,) array_like
        Joint positions [rad or m].
    body : int
        Number of the body.

    Returns
    -------
    (6, n) ndarray
        Rows [angular; linear], in base axes at the origin of the body [rad; m, per rad or m].

    Raises
    ------
    InputError, ShapeError, NotFiniteError
        If an argument is not usable.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, -2, 0]], [np.eye(6)])
    >>> exponential_jacobian(wheel, [0.0], 0)[:, 0]
    array([ 0.,  0.,  1.,  0., -2.,  0.])
    """
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
