# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint efforts that keep a robot at rest against gravity, and their time derivatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.state_calls import checked_quantity
from screw_dynamics.kernels.bodies.quantities import GRAVITY_FORCES, INVERSE_DYNAMICS
from screw_dynamics.model.robot_model import RobotModel, require_robot_model


@kernel_first(GRAVITY_FORCES.compiled)
def gravity_forces(
    model: RobotModel, q: ArrayLike, *, out: Array | None = None, threads: int = 1
) -> Array:
    """
    Return the joint efforts Q_grav that keep the robot at rest: the gradient of its potential.

    Q_grav = -J^T stack(M_i Ad_{C_i}^-1 (0; g)) [MK2021, (25), (26)], computed from the mass and
    first moment of the bodies that each joint moves, O(n).

    Parameters
    ----------
    model : RobotModel
    q : (n,) or (..., n) array_like
        Coordinates [rad or m].
    out, threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (n,) or (..., n) ndarray
        [N m or N].

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    See Also
    --------
    gravity_forces_jet : With time derivatives.
    potential_energy : Whose gradient they are.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.gravity_forces(pendulum, [0.0])
    array([9.81])
    """
    return checked_quantity(GRAVITY_FORCES, model, out, {'q': q}, threads)


@kernel_first(
    lambda: INVERSE_DYNAMICS.compiled,
    'empty_like(joint_jet[2:])',
    # first without gravity, as `out` may overlap the jet
    status='kernel(len(joint_jet))({inputs}, (light := empty_like(joint_jet[2:])), '
    'model.without_gravity().kernel_tables.parameters) '
    'or kernel(len(joint_jet))({inputs}, result, {parameters})',
    value='subtract(result, light, result)',
    kinds=False,
    empty_like=np.empty_like,
    subtract=np.subtract,
)
def gravity_forces_jet(
    model: RobotModel, joint_jet: ArrayLike, *, out: Array | None = None, threads: int = 1
) -> Array:
    """
    Return Q_grav along a motion and its derivatives up to order k [KM2021, (43), (58)].

    They are the difference of the efforts with and without gravity, exact to the rounding of
    these; at rest those without gravity are exactly 0.

    Parameters
    ----------
    model : RobotModel
    joint_jet : (k + 3, n) or (..., k + 3, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d].
    out, threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (k + 1, n) or (..., k + 1, n) ndarray
        [N m or N, per s^d].

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
    light = require_robot_model(model).without_gravity()
    weightless = inverse_dynamics(light, joint_jet, threads=threads)
    efforts = inverse_dynamics(model, joint_jet, out=out, threads=threads)
    efforts -= weightless
    return efforts
