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
    """Return the twists of all bodies, (N, r - 1, 6): [i, k] is (R^T w; r')^(k); r >= 2."""
    return _mixed(body_fixed.twists(model, joint_jet), hybrid.twists(model, joint_jet))


def jacobian_columns(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """Return J^m_{i,j} of all bodies and joints and their derivatives [i, j, k], (N, N, r, 6)."""
    columns = body_fixed.jacobian_columns(model, joint_jet)
    return _mixed(columns, hybrid.jacobian_columns(model, joint_jet))


def partial_derivative(
    model: ScrewModel, q: ArrayLike, body: int, joint: int, by: Sequence[int]
) -> ScalarArray:
    """Return a partial derivative of J^m_{i,j} of any order, (6,)."""
    arguments = model, q, body, joint, by
    return _mixed(body_fixed.partial_derivative(*arguments), hybrid.partial_derivative(*arguments))


def _mixed(angular: ScalarArray, linear: ScalarArray) -> ScalarArray:
    """Return the angular parts of one array (..., 6) with the linear parts of another."""
    return np.concatenate((angular[..., :3], linear[..., 3:]), axis=-1)
