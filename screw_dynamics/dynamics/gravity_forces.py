# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint efforts that keep a robot at rest against gravity, and their time derivatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.quantities import GRAVITY_FORCES
from screw_dynamics.model.other_models import OtherModel, other_result
from screw_dynamics.model.screw_model import ScrewModel, require_model
from screw_dynamics.model.state_calls import checked_quantity

_ARRAY, _empty = np.ndarray, np.empty


def gravity_forces(
    model: ScrewModel | OtherModel, q: ArrayLike, out: Array | None = None
) -> Array:
    """
    Return the joint efforts Q_grav that keep the robot at rest: the gradient of its potential.

    Q_grav = -J^T stack(M_i Ad_{C_i}^-1 (0; g)) [MK2021, (25), (26)], computed from the mass and
    first moment of the bodies that each joint moves, O(n).

    Parameters
    ----------
    model : ScrewModel or SoftRobot
    q : (n,) or (T, n) array_like
        Coordinates [rad or m].
    out : (n,) or (T, n) ndarray, optional
        C-contiguous float64 array to fill; must not overlap the arguments.

    Returns
    -------
    (n,) or (T, n) ndarray
        [N m or N]; `out` if given.

    Raises
    ------
    InputError
        If `out` is not writable, aligned, C-contiguous float64 memory of its own.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.gravity_forces(pendulum, [0.0])
    array([9.81])
    """
    if type(q) is _ARRAY:  # not a masked array
        try:
            forces = _empty(len(q)) if out is None else out
            if GRAVITY_FORCES.single(q, forces, model.joint_frame_parameters.parameters) == OK:  # type: ignore[union-attr]
                return forces
        except (TypeError, ValueError, AttributeError):
            pass  # not arrays for the kernel: the checks below convert or reject them
    if isinstance(model, OtherModel):
        return other_result('gravity_forces', model, q, out=out)
    parameters = require_model(model).joint_frame_parameters.parameters
    return checked_quantity(GRAVITY_FORCES, model.n, parameters, out, {'q': q})


def gravity_forces_jet(
    model: ScrewModel | OtherModel, joint_jet: ArrayLike, work: Array | None = None
) -> Array:
    """
    Return Q_grav along a motion and its derivatives up to order k [KM2021, (43), (58)].

    They are the difference of the efforts with and without gravity, exact to the rounding of
    these; at rest those without gravity are exactly 0.

    Parameters
    ----------
    model : ScrewModel or SoftRobot
    joint_jet : (k + 3, n) or (T, k + 3, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d].
    work : (2, k + 1, n) or (2, T, k + 1, n) ndarray, optional
        Array to compute in; with it nothing is allocated for one sample.

    Returns
    -------
    (k + 1, n) or (T, k + 1, n) ndarray
        [N m or N, per s^d]; ``work[0]`` if given.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> jet = np.array([[np.pi / 2], [2.0], [0.0], [0.0]])
    >>> np.round(sd.gravity_forces_jet(pendulum, jet), 12)
    array([[  0.  ],
           [-19.62]])
    """
    full, weightless = (None, None) if work is None else work
    efforts = inverse_dynamics(model, joint_jet, out=full)
    efforts -= inverse_dynamics(model.weightless, joint_jet, out=weightless)
    return efforts
