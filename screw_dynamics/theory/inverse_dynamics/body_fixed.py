# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Recursive inverse dynamics of KM2021 in body-fixed twists, written as in the paper.

An independent check of the compiled kernel: readable, of any order, slow.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import ShapeError
from screw_dynamics.lie import adjoint_inverse, exp_screw, twist_cross
from screw_dynamics.lie.scalars import ScalarArray, dtype
from screw_dynamics.model.screw_model import ScrewModel, as_wrench_jets, require_model
from screw_dynamics.series import leibniz_terms


def recursive_body_fixed(
    model: ScrewModel, joint_jet: ArrayLike, wrench_jets: Mapping[str, ArrayLike] | None = None
) -> ScalarArray:
    """
    Return the joint efforts and their time derivatives up to order k.

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (k + 3, n) or (T, k + 3, n) array_like
        Row d is the d-th time derivative of the joint positions [rad or m, per s^d]. Scalars other
        than floats: an array of complex or object type.
    wrench_jets : mapping of str to (k + 1, 6) or (T, k + 1, 6) array_like, optional
        Wrenches [torque; force] ON the bodies, by frame name, in the axes and at the origin of
        the frame, with their time derivatives [N m or N, per s^d]. With a batch of motions,
        (k + 1, 6) applies to every sample.

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
    >>> import screw_dynamics as sd
    >>> pendulum = sd.ScrewModel.from_screws(
    ...     [-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]],
    ...     [sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))])
    >>> recursive_body_fixed(pendulum, [[0.0], [0.0], [1.0]])
    array([[5.155]])
    """
    require_model(model)
    if _is_general(joint_jet):
        jet: ScalarArray = np.asarray(joint_jet)
    else:
        jet = require_finite('joint_jet', as_float_array('joint_jet', joint_jet))
    if jet.ndim not in (2, 3) or jet.shape[-2] < 3 or jet.shape[-1] != model.n:
        expected = f'(k + 3, {model.n}) or (T, k + 3, {model.n})'
        raise ShapeError('joint_jet', expected, jet.shape)
    efforts = np.empty((*jet.shape[:-2], jet.shape[-2] - 2, model.n), dtype(jet))
    wrenches = as_wrench_jets(model, wrench_jets, efforts.shape)
    if jet.ndim == 2:
        return _efforts(model, jet, wrenches)
    for t, sample in enumerate(jet):
        at_t = {name: w[t] if w.ndim == 3 else w for name, w in wrenches.items()}
        efforts[t] = _efforts(model, sample, at_t)
    return efforts


def _is_general(joint_jet: object) -> bool:
    """Return whether an array has scalars other than floats."""
    if not isinstance(joint_jet, np.ndarray) or joint_jet.dtype.kind not in 'cO':
        return False
    return all(hasattr(entry, '__truediv__') for entry in joint_jet.flat)


def _efforts(model: ScrewModel, jet: ScalarArray, wrench_jets: Mapping[str, Array]) -> ScalarArray:
    """Return the (k + 1, n) effort jet of one sample."""
    # s_i = multiplier_i q_c(i) + offset_i and its derivatives, (k + 3, N)
    joints: ScalarArray = jet[:, model.coordinates] * model.multipliers
    joints[0] += model.offsets
    transforms = [
        adjoint_inverse(home @ exp_screw(screw, angle))
        for home, screw, angle in zip(model.home_poses, model.screws, joints[0], strict=True)
    ]
    rates = [_transform_rates(x, s) for x, s in zip(model.screws, joints.T, strict=True)]
    twists, gravity = _forward(model, joints, transforms, rates)
    external = _body_wrenches(model, wrench_jets, jet)
    tree_efforts = _backward(model, transforms, rates, twists, gravity, external)
    efforts = np.zeros((len(jet) - 2, model.n), jet.dtype)
    for i, coordinate in enumerate(model.coordinates):  # mimic joints: tau = G^T tau_tree
        efforts[:, coordinate] += model.multipliers[i] * tree_efforts[:, i]
    return efforts


def _transform_rates(screw: ScalarArray, joint: ScalarArray) -> ScalarArray:
    """Return E_i(0..k + 1): the d-th derivative of Ad_{C_i,p} is E_i(d) Ad_{C_i,p} (10)."""
    ad = twist_cross(screw)
    e = np.zeros((len(joint) - 1, 6, 6), joint.dtype)
    e[0] = np.eye(6, dtype=joint.dtype)
    for k in range(len(joint) - 2):
        for s in range(k + 1):
            e[k + 1] -= comb(k, s) * joint[s + 1] * ad @ e[k - s]
    return e


def _forward(
    model: ScrewModel, joints: ScalarArray, transforms: list[ScalarArray], rates: list[ScalarArray]
) -> tuple[ScalarArray, ScalarArray]:
    """Return V_i^(0..k + 1), (N, k + 2, 6), and u_i^(0..k) = (Ad_{C_i}^-1 G)^(0..k)."""
    top = len(joints) - 1
    twists = np.zeros((model.body_count, top, 6), joints.dtype)
    gravity = np.zeros((model.body_count, top - 1, 6), joints.dtype)
    base_twist, base_gravity = np.zeros((top, 6)), np.zeros((top - 1, 6))
    base_gravity[0, 3:] = -model.gravity
    for i, p in enumerate(model.parents):
        parent_twist = (base_twist if p < 0 else twists[p]) @ transforms[i].T
        parent_gravity = (base_gravity if p < 0 else gravity[p]) @ transforms[i].T
        for k in range(top):  # (15)-(18)
            twists[i, k] = model.screws[i] * joints[k + 1, i]
            for term in leibniz_terms(k, rates[i], parent_twist):
                twists[i, k] += term
        for k in range(top - 1):
            for term in leibniz_terms(k, rates[i], parent_gravity):
                gravity[i, k] += term
    return twists, gravity


def _body_wrenches(
    model: ScrewModel, wrench_jets: Mapping[str, Array], jet: ScalarArray
) -> ScalarArray:
    """Return the external wrenches ON the bodies in body frames, (N, k + 1, 6)."""
    external = np.zeros((model.body_count, len(jet) - 2, 6), jet.dtype)
    for name, wrench in wrench_jets.items():
        frame = model.frames[name]
        if frame.body >= 0:  # a wrench on the base moves no joint
            external[frame.body] += wrench @ adjoint_inverse(frame.pose)
    return external


def _backward(
    model: ScrewModel,
    transforms: list[ScalarArray],
    rates: list[ScalarArray],
    twists: ScalarArray,
    gravity: ScalarArray,
    external: ScalarArray,
) -> ScalarArray:
    """Return the efforts of the tree joints, (k + 1, N), leaves to root."""
    rows = gravity.shape[1]
    wrenches = -external
    efforts = np.zeros((rows, model.body_count), wrenches.dtype)
    for i in reversed(range(model.body_count)):
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
                transmitted = rates[i][s].T @ wrenches[i, k - s]
                wrenches[p, k] += comb(k, s) * transforms[i].T @ transmitted
    return efforts
