# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts as a linear function of the inertia parameters, with time derivatives of any order."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.state_calls import checked_motion
from screw_dynamics.kernels.bodies.quantities import REGRESSOR
from screw_dynamics.kernels.bodies.regressor import PARAMETERS
from screw_dynamics.lie import inertia_parameters
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import ScrewModel, require_model

_UPPER = [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]  # xx, xy, yy, xz, yz, zz


def inertial_parameters(model: ScrewModel) -> Array:
    """
    Return the inertia parameters of all moving bodies, the pi of `regressor` ([M2018] section 6).

    Parameters
    ----------
    model : ScrewModel

    Returns
    -------
    (10 N,) ndarray
        For each of ``model.body_names``, in the frame of the body: mass m [kg], m c (3) with the
        centre of mass c [kg m], and the rotational inertia about the origin of the frame as xx,
        xy, yy, xz, yz, zz [kg m^2].

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.eye(3))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.inertial_parameters(pendulum)
    array([2. , 1. , 0. , 0. , 1. , 0. , 1.5, 0. , 0. , 1.5])
    """
    parameters = np.empty((require_model(model).body_count, PARAMETERS))
    for row, inertia in zip(parameters, model.inertias, strict=True):
        row[0], row[1:4], rotational = inertia_parameters(inertia)
        row[4:] = rotational[_UPPER]
    return parameters.ravel()


@kernel_first(partial(REGRESSOR.compiled, 3), 'empty(tables.regressor)', 'tables.with_bodies')
def regressor(model: RobotModel, joint_jet: ArrayLike, *, out: Array | None = None) -> Array:
    """
    Return the matrix Y of the efforts tau = Y pi and its time derivatives up to order k.

    Efforts are linear in the inertia parameters pi of the bodies, and so are their derivatives:
    ``tau^(d) = Y[d] @ pi`` ([M2018] section 6). Y depends on the motion, the geometry and gravity.

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (k + 3, n) or (..., k + 3, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d], k >= 0.
    out : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (k + 1, n, 10 N) or (..., k + 1, n, 10 N) ndarray
        Columns in the order of `inertial_parameters` [N m or N, per s^d and parameter].

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> jet = [[0.3, -0.5], [1.0, 2.0], [3.0, -1.0], [0.5, 0.2]]
    >>> Y = sd.regressor(model, jet)
    >>> Y.shape
    (2, 2, 20)
    >>> np.allclose(Y @ sd.inertial_parameters(model), sd.inverse_dynamics(model, jet))
    True
    """
    model = require_model(model)
    return checked_motion(REGRESSOR, model, model.kernel_tables.with_bodies, out, joint_jet)
