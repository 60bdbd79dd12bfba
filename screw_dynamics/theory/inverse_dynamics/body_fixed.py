# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Recursive inverse dynamics of KM2021 in body-fixed twists, of any order.

An independent check of the compiled kernel: readable, of any order, slow. The same recursion of
order 0 is [M2018] (66) to (68).
"""

from __future__ import annotations

from math import comb

import numpy as np

from screw_dynamics.lie import twist_cross
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.inverse_dynamics.arguments import of_samples
from screw_dynamics.theory.kinematics.body_fixed import gravity_jets, twist_jets
from screw_dynamics.theory.tree import Tree


@of_samples
def inverse_dynamics(tree: Tree, external: ScalarArray) -> ScalarArray:
    """
    Return the joint efforts and their time derivatives up to order k: [KM2021] (19), (20).

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (k + 3, n) or (T, k + 3, n) array_like
        Row d is the d-th time derivative of the joint positions [rad or m, per s^d]. Scalars other
        than floats: an array of complex or object type.
    wrench_jets : mapping of str to (k + 1, 6) or (T, k + 1, 6) array_like, optional
        Wrenches [torque; force] ON the bodies, by the name of the frame that they act on, with
        their time derivatives [N m or N, per s^d], of scalars as in `joint_jet`. With a batch of
        motions, (k + 1, 6) applies to every sample.
    wrench_representation : str
        Components of all wrenches. 'body': in the axes and at the origin of their frame;
        'spatial': in base axes at the base origin; 'hybrid': in base axes at the origin of their
        frame; 'mixed': torque in axes of the frame, force in base axes; or the name of any frame
        of the model, in the axes and at the origin of which they are. A derivative is that of the
        components.

    Returns
    -------
    (k + 1, n) or (T, k + 1, n) ndarray
        Row d is the d-th time derivative of the joint efforts [N m or N, per s^d], of the same
        type of scalars.

    Raises
    ------
    ShapeError
        If an array has the wrong shape.
    NotFiniteError
        If an entry is NaN or infinite.
    UnknownNameError
        If the model has no frame of that name.
    InputError
        If `model` is not a ScrewModel, or `wrench_jets` is not a mapping.

    Notes
    -----
    Numbers in the source are equations of KM2021 in its notation: E_i(k) are the factors of the
    derivatives of Ad_{C_{i,p}}, V_i^(k) the derivatives of the twist of body i, W_i^(k) those of
    the wrench that joint i transmits. Gravity is the acceleration G = -(0; g) of the base,
    computed separately so that V_i^(k) are derivatives of the true twist.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.inverse_dynamics.body_fixed import inverse_dynamics
    >>> pendulum = sd.ScrewModel.from_screws(
    ...     [-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]],
    ...     [sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))])
    >>> inverse_dynamics(pendulum, [[0.0], [0.0], [1.0]])
    array([[5.155]])
    """
    model, rows = tree.model, external.shape[1]
    twists, gravity = twist_jets(tree), gravity_jets(tree)
    wrenches = -external
    efforts = np.zeros((rows, tree.count), tree.dtype)
    for i in reversed(range(tree.count)):
        inertia, v = model.inertias[i], twists[i]
        ads, momenta = [twist_cross(x).T for x in v], [inertia @ x for x in v]
        for k in range(rows):  # (19); the contribution of the children is already included
            wrenches[i, k] += inertia @ (v[k + 1] + gravity[i, k])
            for term in leibniz_terms(k, ads, momenta):
                wrenches[i, k] -= term
        efforts[:, i] = wrenches[i] @ model.screws[i]  # (20)
        p = model.parents[i]
        if p < 0:
            continue
        for k in range(rows):
            for s in range(k + 1):
                transmitted = tree.transform_rates[i][s].T @ wrenches[i, k - s]
                wrenches[p, k] += comb(k, s) * tree.transforms[i].T @ transmitted
    return efforts


recursive_body_fixed = inverse_dynamics  # public name in the package
