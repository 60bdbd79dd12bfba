# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Partial derivatives of efforts, and of their time derivatives, by the motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, as_stack, raise_not_finite
from screw_dynamics.errors import ShapeError
from screw_dynamics.kernels.tree.effort_partials import effort_partials as series_kernel
from screw_dynamics.kernels.tree.first_partials import first_partials, single_partials
from screw_dynamics.model.screw_model import ScrewModel, require_model

_ARRAY, _FLOAT = np.ndarray, np.dtype(np.float64)
_ROWS = 3  # q, q' and q'': order 0


def effort_partials(model: ScrewModel, joint_jet: ArrayLike) -> Array:
    """
    Return the derivatives of the efforts tau, tau', .. by q, q', q'', ..

    ``tau^(d)`` is a function of q to q^(d + 2); its derivatives by them linearise the inverse
    dynamics ([M2018] section 6.1), of any order, in O(n depth) per order squared.

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (k + 3, n) or (..., k + 3, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d], k >= 0.

    Returns
    -------
    (k + 1, k + 3, n, n) or (..., k + 1, k + 3, n, n) ndarray
        Entry [d, r, i, j] is the derivative of tau_i^(d) by q_j^(r); 0 for r > d + 2. For k = 0
        these are dtau/dq, dtau/dq' (twice the Coriolis matrix) and the mass matrix.

    Raises
    ------
    ShapeError
        If `joint_jet` has the wrong shape.
    NotFiniteError, InputError

    Examples
    --------
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
    # tests by identity: masked arrays and other types must not reach the kernel
    if type(joint_jet) is _ARRAY and type(model) is ScrewModel and joint_jet.dtype == _FLOAT:
        result = np.empty((1, _ROWS, model.n, model.n))
        try:
            if joint_jet.shape == result.shape[1:3] and _run_single(model, joint_jet, result):
                return result
        except TypeError:
            pass  # not aligned or contiguous: the checks below convert it
    frames = require_model(model).joint_frames
    jet = as_float_array('joint_jet', joint_jet)
    if jet.ndim < 2 or jet.shape[-2] < 3 or jet.shape[-1] != model.n:
        expected = f'(..., k + 3, {model.n}) with k >= 0'
        raise ShapeError('joint_jet', expected, jet.shape)
    rows = jet.shape[-2]
    result = np.empty((*jet.shape[:-2], rows - 2, rows, model.n, model.n))
    samples, partials = as_stack(jet, 2), as_stack(result, 4)
    kernel = first_partials if rows == _ROWS else series_kernel
    if not kernel(samples, frames.tree, frames.bodies, frames.gravity, partials):
        raise_not_finite(result, False, joint_jet=joint_jet)
    return result


def _run_single(model: ScrewModel, jet: Array, result: Array) -> bool:
    frames = model.joint_frames
    return single_partials(jet, frames.tree, frames.bodies, frames.gravity, result)  # type: ignore[no-any-return]
