# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inverse dynamics from momenta, of any order: [M2018] (80) and its derivatives.

Efforts are the sums over all bodies of J^s_i^T ((Pi^s_i)' - W^s_i), with the spatial momentum
Pi^s_i = M^s_i V^s_i: the rate of a momentum about a fixed point has no other terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.inverse_dynamics.arguments import efforts_of_samples
from screw_dynamics.theory.inverse_dynamics.spatial import inertia_jet
from screw_dynamics.theory.kinematics import body_fixed
from screw_dynamics.theory.kinematics.spatial import twist_and_column_jets
from screw_dynamics.theory.tree import Tree
from screw_dynamics.theory.wrench_rates import spatial_from_body


def inverse_dynamics(
    model: ScrewModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *,
    wrench_representation: str = 'body',
) -> ScalarArray:
    """
    Return the joint efforts and their time derivatives up to order k.

    Arguments, result and errors are those of `body_fixed.inverse_dynamics`.

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (k + 3, n) or (T, k + 3, n) array_like
        [rad or m, per s^d].
    wrench_jets : mapping of str to (k + 1, 6) or (T, k + 1, 6) array_like, optional
        Wrenches ON the bodies, by frame name [N m; N, per s^d].
    wrench_representation : str
        'body', 'spatial', 'hybrid', 'mixed' or the name of a frame, see
        `body_fixed.inverse_dynamics`.

    Returns
    -------
    (k + 1, n) or (T, k + 1, n) ndarray
        [N m or N, per s^d].

    Raises
    ------
    InputError, ShapeError, NotFiniteError, UnknownNameError
        If an argument is not usable.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.inverse_dynamics.momentum import inverse_dynamics
    >>> pendulum = sd.ScrewModel.from_screws(
    ...     [-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]],
    ...     [sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))])
    >>> inverse_dynamics(pendulum, [[0.0], [0.0], [1.0]])
    array([[5.155]])
    """
    return efforts_of_samples(model, joint_jet, wrench_jets, _efforts, wrench_representation)


def momentum_jet(tree: Tree, body: int, twists: ScalarArray, rows: int) -> ScalarArray:
    """Return Pi^s = M^s V^s and its derivatives, (rows + 1, 6)."""
    inertia = inertia_jet(tree, body, twists, rows)
    return np.array([sum(leibniz_terms(k, inertia, twists)) for k in range(rows + 1)])


def _efforts(tree: Tree, external: ScalarArray) -> ScalarArray:
    """Return the efforts of the tree joints, (k + 1, N)."""
    rows = external.shape[1]
    twists, columns = twist_and_column_jets(tree)
    body_twists = body_fixed.twist_jets(tree)
    base = np.zeros(6, tree.model.gravity.dtype)
    base[3:] = -tree.model.gravity
    efforts = np.zeros((rows, tree.count), tree.dtype)
    for i in range(tree.count):
        weight = inertia_jet(tree, i, twists[i], rows) @ base  # -(the wrench of gravity)
        required = momentum_jet(tree, i, twists[i], rows)[1:] + weight[:rows]
        required -= spatial_from_body(external[i], tree.poses[i], body_twists[i])
        for j in tree.path(i):
            for k in range(rows):
                for s in range(k + 1):
                    efforts[k, j] += comb(k, s) * columns[j, s] @ required[k - s]
    return efforts
