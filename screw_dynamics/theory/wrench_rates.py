# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Time derivatives of a wrench in another frame: body-fixed, spatial and hybrid components.

External wrenches of [KM2021]. The components change with the wrench and with the frame:
W^b = Ad_C^T W^s = Ad_R^T W^h. With Y_0 = W and Y_(m+1) = Y_m' + Omega Y_m, where T' = T Omega,
(T W)^(m) = T Y_m.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.lie import adjoint, adjoint_inverse, twist_cross
from screw_dynamics.lie.scalars import ScalarArray, dtype
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.kinematics import spatial
from screw_dynamics.theory.tree import Tree, as_scalars


def wrench_jets_in_frames(
    model: ScrewModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike],
    representation: str,
) -> dict[str, ScalarArray]:
    """
    Return wrenches as every form of inverse dynamics takes them: in the frames, with derivatives.

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (r, n) array_like
        Row d is the d-th time derivative of the joint positions [rad or m, per s^d].
    wrench_jets : mapping of str to (k + 1, 6) array_like
        By frame name the wrench [torque; force] ON its body and the time derivatives of these
        components [N m; N, per s^d], k < r.
    representation : str
        Of the components: 'spatial' (about the base origin, in base axes), 'hybrid' (about the
        origin of the frame, in base axes) or 'body' (unchanged).

    Returns
    -------
    dict of str to (k + 1, 6) ndarray

    Raises
    ------
    InputError, ShapeError, NotFiniteError, UnknownNameError
        If an argument is not usable.

    Examples
    --------
    A constant force in base axes is not constant in a frame that turns.

    >>> import screw_dynamics as sd
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.eye(6)])
    >>> push = {'body_1': [[0, 0, 0, 1.0, 0, 0], [0] * 6]}
    >>> wrench_jets_in_frames(wheel, [[0.0], [2.0]], push, 'hybrid')['body_1']
    array([[ 0.,  0.,  0.,  1.,  0.,  0.],
           [ 0.,  0.,  0.,  0., -2.,  0.]])
    """
    if representation not in ('body', 'spatial', 'hybrid'):
        given = shown(representation)
        raise InputError(f'representation: expected body, spatial or hybrid, got {given}')
    tree = Tree(model, joint_jet)
    twists = spatial.twist_and_column_jets(tree)[0]
    result = {}
    for name, values in wrench_jets.items():
        frame, wrench = model.frame(name), as_scalars(f'wrench_jets[{name!r}]', values)
        if wrench.ndim != 2 or wrench.shape[1] != 6 or len(wrench) > len(tree.jet):
            expected = f'(k + 1, 6) with k < {len(tree.jet)}, the rows of joint_jet'
            raise ShapeError(f'wrench_jets[{name!r}]', expected, wrench.shape)
        pose, twist = frame.pose, np.zeros((len(tree.jet) - 1, 6))
        if frame.body >= 0:
            pose, twist = tree.poses[frame.body] @ frame.pose, twists[frame.body]
        if representation == 'spatial':
            wrench = body_from_spatial(wrench, pose, twist)
        elif representation == 'hybrid':
            wrench = body_from_hybrid(wrench, pose[:3, :3], twist[:, :3])
        result[name] = wrench
    return result


def body_from_spatial(
    wrench_jet: ScalarArray, pose: ScalarArray, spatial_twists: ScalarArray
) -> ScalarArray:
    """
    Return body-fixed components W^b = Ad_C^T W^s and their derivatives.

    Parameters
    ----------
    wrench_jet : (k + 1, 6) ndarray
        Spatial components: torque about the base origin, force, in base axes [N m; N, per s^d].
    pose : (4, 4) ndarray
        C of the body.
    spatial_twists : (k, 6) or longer ndarray
        V^s and its derivatives [rad/s; m/s, per s^d].

    Returns
    -------
    (k + 1, 6) ndarray

    Examples
    --------
    >>> body_from_spatial(np.ones((1, 6)), np.eye(4), np.zeros((0, 6)))
    array([[1., 1., 1., 1., 1., 1.]])
    """
    rates = [twist_cross(v).T for v in spatial_twists]
    return _carried(wrench_jet, rates) @ adjoint(pose)


def spatial_from_body(
    wrench_jet: ScalarArray, pose: ScalarArray, body_twists: ScalarArray
) -> ScalarArray:
    """
    Return spatial components W^s = Ad_C^-T W^b and their derivatives.

    Parameters
    ----------
    wrench_jet : (k + 1, 6) ndarray
        Body-fixed components [N m; N, per s^d].
    pose : (4, 4) ndarray
        C of the body.
    body_twists : (k, 6) or longer ndarray
        V^b and its derivatives [rad/s; m/s, per s^d].

    Returns
    -------
    (k + 1, 6) ndarray

    Examples
    --------
    >>> spatial_from_body(np.ones((1, 6)), np.eye(4), np.zeros((0, 6)))
    array([[1., 1., 1., 1., 1., 1.]])
    """
    rates = [-twist_cross(v).T for v in body_twists]
    return _carried(wrench_jet, rates) @ adjoint_inverse(pose)


def body_from_hybrid(
    wrench_jet: ScalarArray, rotation: ScalarArray, angular_velocities: ScalarArray
) -> ScalarArray:
    """
    Return body-fixed components W^b = Ad_R^T W^h and their derivatives.

    Parameters
    ----------
    wrench_jet : (k + 1, 6) ndarray
        Hybrid components: about the body's origin, in base axes [N m; N, per s^d].
    rotation : (3, 3) ndarray
        R of the body.
    angular_velocities : (k, 3) or longer ndarray
        w in base axes and its derivatives [rad/s, per s^d].

    Returns
    -------
    (k + 1, 6) ndarray

    Examples
    --------
    >>> body_from_hybrid(np.ones((1, 6)), np.eye(3), np.zeros((0, 3)))
    array([[1., 1., 1., 1., 1., 1.]])
    """
    return _carried(wrench_jet, [-_turning(w) for w in angular_velocities]) @ _rotating(rotation)


def hybrid_from_body(
    wrench_jet: ScalarArray, rotation: ScalarArray, angular_velocities: ScalarArray
) -> ScalarArray:
    """
    Return hybrid components W^h = Ad_R W^b and their derivatives.

    Parameters
    ----------
    wrench_jet : (k + 1, 6) ndarray
        Body-fixed components [N m; N, per s^d].
    rotation : (3, 3) ndarray
        R of the body.
    angular_velocities : (k, 3) or longer ndarray
        R^T w, in body axes, and its derivatives [rad/s, per s^d].

    Returns
    -------
    (k + 1, 6) ndarray

    Examples
    --------
    >>> hybrid_from_body(np.ones((1, 6)), np.eye(3), np.zeros((0, 3)))
    array([[1., 1., 1., 1., 1., 1.]])
    """
    return _carried(wrench_jet, [_turning(w) for w in angular_velocities]) @ _rotating(rotation).T


def _carried(wrench_jet: ScalarArray, rates: list[ScalarArray]) -> ScalarArray:
    """Return Y_m, (k + 1, 6), for Omega and its derivatives."""
    result = np.empty(wrench_jet.shape, dtype(wrench_jet, *rates[:1]))
    row = list(wrench_jet)  # Y_m and its derivatives
    for m in range(len(wrench_jet)):
        result[m] = row[0]
        row = [
            row[b + 1] + sum(comb(b, s) * rates[s] @ row[b - s] for s in range(b + 1))
            for b in range(len(row) - 1)
        ]
    return result


def _turning(angular_velocity: ScalarArray) -> ScalarArray:
    """Return ad_(w; 0)."""
    return twist_cross(np.concatenate((angular_velocity, 0 * angular_velocity)))


def _rotating(rotation: ScalarArray) -> ScalarArray:
    """Return Ad_R."""
    matrix = np.zeros((6, 6), dtype(rotation))
    matrix[:3, :3] = matrix[3:, 3:] = rotation
    return matrix
