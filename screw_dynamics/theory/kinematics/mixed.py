# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Mixed twists V^m = (R^T w; r'): angular in body axes, linear in base axes; their derivatives.

[M2018] (34). V^m = P V^h with P = diag(R^T, I): the angular part is that of the
body-fixed twist and the linear part that of the hybrid one, in all derivatives. (The print rotates
the derivatives of the hybrid angular part instead, which lacks the terms of P'.) The other
representations have the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.kinematics import body_fixed, hybrid


def twists(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return the twists of all bodies and their time derivatives.

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (r, n) array_like
        Row d is the d-th time derivative of the joint positions [rad or m, per s^d], r >= 2.

    Returns
    -------
    (N, r - 1, 6) ndarray
        Row k of body i is (R^T w; r')^(k) [rad/s; m/s, per s^k].

    Raises
    ------
    InputError, ShapeError, NotFiniteError
        If an argument is not usable.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.kinematics.mixed import twists
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, -2, 0]], [np.eye(6)])
    >>> twists(wheel, [[0.0], [1.0]])[0]
    array([[ 0.,  0.,  1.,  0., -2.,  0.]])
    """
    return _mixed(body_fixed.twists(model, joint_jet), hybrid.twists(model, joint_jet))


def jacobian_columns(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return the columns of the Jacobians of all bodies and their time derivatives.

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (r, n) array_like
        r >= 1.

    Returns
    -------
    (N, N, r, 6) ndarray
        [i, j, k] is the k-th derivative of the column of tree joint j [rad; m, per rad or m and
        s^k], 0 where j is not on the path of body i.

    Raises
    ------
    InputError, ShapeError, NotFiniteError
        If an argument is not usable.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.kinematics.mixed import jacobian_columns
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, -2, 0]], [np.eye(6)])
    >>> jacobian_columns(wheel, [[0.0]])[0, 0, 0]
    array([ 0.,  0.,  1.,  0., -2.,  0.])
    """
    columns = body_fixed.jacobian_columns(model, joint_jet)
    return _mixed(columns, hybrid.jacobian_columns(model, joint_jet))


def partial_derivative(
    model: ScrewModel, q: ArrayLike, body: int, joint: int, by: Sequence[int]
) -> ScalarArray:
    """
    Return a partial derivative of a Jacobian column of any order.

    Parameters
    ----------
    model : ScrewModel
    q : (n,) array_like
        Joint positions [rad or m].
    body, joint : int
        i and j of J^m_{i,j}, numbers of bodies and tree joints.
    by : sequence of int
        Tree joints whose variables the column is differentiated by, in any order.

    Returns
    -------
    (6,) ndarray

    Raises
    ------
    InputError, ShapeError, NotFiniteError
        If an argument is not usable.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.kinematics.mixed import partial_derivative
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, -2, 0]], [np.eye(6)])
    >>> partial_derivative(wheel, [0.0], 0, 0, [0])
    array([0., 0., 0., 2., 0., 0.])
    """
    arguments = model, q, body, joint, by
    return _mixed(body_fixed.partial_derivative(*arguments), hybrid.partial_derivative(*arguments))


def _mixed(angular: ScalarArray, linear: ScalarArray) -> ScalarArray:
    """Return the angular parts of one array (..., 6) with the linear parts of another."""
    return np.concatenate((angular[..., :3], linear[..., 3:]), axis=-1)
