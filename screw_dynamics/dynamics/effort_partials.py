# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Partial derivatives of efforts, and of their time derivatives, by the motion."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.state_calls import checked_motion
from screw_dynamics.kernels.bodies.quantities import EFFORT_PARTIALS
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import require_model


@kernel_first(partial(EFFORT_PARTIALS.compiled, 3), 'empty(tables.partials)')
def effort_partials(model: RobotModel, joint_jet: ArrayLike, *, out: Array | None = None) -> Array:
    """
    Return the derivatives of the efforts and their rates by the coordinates and their rates.

    ``tau^(d)`` is a function of q to q^(d + 2); its derivatives by them linearise the inverse
    dynamics ([M2018] section 6.1), of any order, in O(n depth) per order squared.

    Parameters
    ----------
    model : RobotModel
    joint_jet : (k + 3, n) or (..., k + 3, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d], k >= 0.
    out : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (k + 1, k + 3, n, n) or (..., k + 1, k + 3, n, n) ndarray
        `out` if given. Entry [d, r, i, j] is the derivative of tau_i^(d) by q_j^(r); 0 for
        r > d + 2. For k = 0 these are dtau/dq, dtau/dq' (twice the Coriolis matrix) and the mass
        matrix.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.effort_partials(pendulum, [[np.pi / 2], [0.0], [0.0]]).round(12) + 0.0
    array([[[[-9.81]],
    <BLANKLINE>
            [[ 0.  ]],
    <BLANKLINE>
            [[ 0.5 ]]]])
    """
    tree = require_model(model)
    return checked_motion(EFFORT_PARTIALS, tree, tree.kernel_tables.parameters, out, joint_jet)
