# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inertia parameters: efforts are linear in them, tau^(d) = Y^(d) pi ([M2018] section 6).

pi has ten entries per body: m, m c, and Theta about the body's origin as xx, xy, yy, xz, yz, zz.
With al = v' + w × v, the acceleration of the origin less gravity, and L(w) pi = Theta w, the
wrench that moves a body is linear in them,

    M V' - ad_V^T M V = [[0, -al~, L(w') + w~ L(w)], [al, w'~ + w~ w~, 0]] pi
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import ShapeError
from screw_dynamics.lie import inertia_parameters, skew
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.kinematics.body_fixed import column_jets, gravity_jets, twist_jets
from screw_dynamics.theory.tree import Tree

_UPPER = [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]  # xx, xy, yy, xz, yz, zz


def parameters(model: ScrewModel) -> ScalarArray:
    """Return the inertia parameters pi of the moving bodies, (10 N,)."""
    rows = []
    for inertia in model.inertias:
        mass, moment, theta = inertia_parameters(inertia)
        rows.append(np.concatenate(([mass], moment, theta[_UPPER])))
    return np.array(rows).ravel()


def regressor(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return Y and its time derivatives up to order k, (k + 1, n, 10 N): tau^(d) = Y^(d) pi.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.sensitivities.regressors import parameters, regressor
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.eye(6)])
    >>> regressor(wheel, [[0.0], [0.0], [3.0]]) @ parameters(wheel)
    array([[3.]])
    """
    tree = Tree(model, joint_jet)
    rows = len(tree.jet) - 2
    if rows < 1:
        raise ShapeError('joint_jet', f'(k + 3, {model.n})', tree.jet.shape)
    columns, bodies = column_jets(tree), body_regressors(tree)
    result = np.zeros((rows, tree.count, 10 * tree.count), tree.dtype)
    for i in range(tree.count):
        of_body = slice(10 * i, 10 * i + 10)
        for j in tree.path(i):
            for k in range(rows):
                result[k, j, of_body] = sum(leibniz_terms(k, columns[i, j], bodies[i]))
    return np.einsum('kjp,jc->kcp', result, tree.mimic_matrix)


def body_regressors(tree: Tree) -> ScalarArray:
    """Return the matrices Y_i^(k) of the wrenches on the bodies, (N, k + 1, 6, 10)."""
    twists, gravity = twist_jets(tree), gravity_jets(tree)
    rows = len(tree.jet) - 2
    result = np.zeros((tree.count, rows, 6, 10), tree.dtype)
    for i in range(tree.count):
        turning = [skew(twist[:3]) for twist in twists[i]]
        spinning = [_inertia_map(twist[:3]) for twist in twists[i]]
        for k in range(rows):
            acceleration = twists[i, k + 1, 3:] + gravity[i, k, 3:]
            acceleration = acceleration + sum(leibniz_terms(k, turning, twists[i, :, 3:]))
            result[i, k, :3, 1:4] = -skew(acceleration)
            result[i, k, 3:, 0] = acceleration
            result[i, k, 3:, 1:4] = turning[k + 1] + sum(leibniz_terms(k, turning, turning))
            result[i, k, :3, 4:] = spinning[k + 1] + sum(leibniz_terms(k, turning, spinning))
    return result


def _inertia_map(w: ScalarArray) -> ScalarArray:
    """Return L(w), (3, 6), with L(w) (xx, xy, yy, xz, yz, zz) = Theta w."""
    x, y, z = w
    zero = 0 * x
    return np.array(
        [[x, y, zero, z, zero, zero], [zero, x, y, zero, z, zero], [zero, zero, zero, x, y, z]]
    )
