# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Twists and Jacobians of frames along a joint jet, with time derivatives of any order."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_stack, raise_not_finite
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.frames import representation_number
from screw_dynamics.dynamics.state_calls import as_jets, output, run_jets
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.state_kernel import not_compiled
from screw_dynamics.kernels.frames.jacobian_series import frame_jacobian_jets
from screw_dynamics.kernels.frames.quantities import FRAME_TWIST
from screw_dynamics.model.records import Representation
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import require_model


@kernel_first(
    partial(FRAME_TWIST.compiled, 3), 'empty((2, 6))', 'tables.frames[frame, representation]'
)
def frame_twist(
    model: RobotModel,
    joint_jet: ArrayLike,
    frame: str,
    representation: Representation = 'body',
    *,
    out: Array | None = None,
) -> Array:
    """
    Return the twist of a frame and its time derivatives of any order [KM2021, (15)-(18)].

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (r, n) or (..., r, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d], r >= 2.
    frame : str
        A link name; the link may be attached by fixed joints.
    representation : {'body', 'spatial', 'hybrid', 'mixed'}
        Of the twist [angular; linear], see `frame_jacobian`.
    out : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (r - 1, 6) or (..., r - 1, 6) ndarray
        Row d is the d-th time derivative of the six components [rad/s, m/s, per s^d].

    Raises
    ------
    ShapeError, UnknownNameError, NotFiniteError, InputError

    Notes
    -----
    The derivatives are those of the components. For the acceleration of the origin in frame axes,
    rotate the linear part of row 1 of 'hybrid', which is r''; that of 'body' is (R^T r')'.

    See Also
    --------
    task_to_joint_jet : The way back.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, -2, 0]], [np.eye(6)])
    >>> sd.frame_twist(wheel, [[0.0], [3.0], [0.0]], 'body_1', 'hybrid')
    array([[ 0.,  0.,  3.,  0., -6.,  0.],
           [ 0.,  0.,  0., 18.,  0.,  0.]])
    """
    representation_number(representation)
    model = require_model(model)
    model.frame(frame)  # raises the error of an unknown name
    jet = as_jets(joint_jet, model.n, 2)
    out = output(out, (*jet.shape[:-2], jet.shape[-2] - 1, 6), joint_jet=jet)
    if not jet.size:
        out[...] = 0.0
        return out
    parameters = model.kernel_tables.frames[frame, representation]
    if run_jets(FRAME_TWIST, jet.shape[-2] - 2, jet, out, parameters) != OK:
        raise_not_finite(out, joint_jet=joint_jet)
    return out


@kernel_first(
    lambda: frame_jacobian_jets.compiled or not_compiled,
    'empty((len(joint_jet), 6, model.n))',
    'tables.frames[frame, representation]',
    status='not joint_jet.size or joint_jet.shape[1] != model.n '
    'or not kernel(joint_jet[None], {parameters}, result[None])',
)
def frame_jacobian_jet(
    model: RobotModel, joint_jet: ArrayLike, frame: str, representation: Representation = 'body'
) -> Array:
    """
    Return the Jacobian of a frame and its time derivatives of any order along a motion.

    ``V = J q'`` and, by Leibniz, ``V' = J q'' + J' q'`` and so on [N2021, (38)].

    Parameters
    ----------
    model : RobotModel
    joint_jet : (r, n) or (..., r, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d], r >= 1.
    frame : str
        A link name; the link may be attached by fixed joints.
    representation : {'body', 'spatial', 'hybrid', 'mixed'}
        See `frame_jacobian`.

    Returns
    -------
    (r, 6, n) or (..., r, 6, n) ndarray
        Row d is the d-th time derivative of the Jacobian that `frame_jacobian` returns.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, -2, 0]], [np.eye(6)])
    >>> sd.frame_jacobian_jet(wheel, [[0.0], [3.0]], 'body_1', 'hybrid')[..., 0]
    array([[ 0.,  0.,  1.,  0., -2.,  0.],
           [ 0.,  0.,  0.,  6.,  0.,  0.]])
    """
    representation_number(representation)
    model = require_model(model)
    model.frame(frame)  # raises the error of an unknown name
    jet = as_jets(joint_jet, model.n, 1)
    result = np.empty((*jet.shape[:-1], 6, model.n))
    parameters = model.kernel_tables.frames[frame, representation]
    if not frame_jacobian_jets(as_stack(jet, 2), parameters, as_stack(result, 3)):
        raise_not_finite(result, joint_jet=joint_jet)
    return result
