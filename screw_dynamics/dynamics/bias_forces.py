# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint efforts of a motion without joint accelerations, C q' + Q_grav."""

from __future__ import annotations

from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.state_calls import checked_quantity
from screw_dynamics.kernels.bodies.quantities import BIAS_FORCES
from screw_dynamics.model.robot_model import RobotModel


@kernel_first(BIAS_FORCES.compiled)
def bias_forces(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None, threads: int = 1
) -> Array:
    """
    Return the joint efforts C(q, q') q' + Q_grav(q), those of a motion with q'' = 0.

    Newton-Euler recursion in the joint frames, O(n): that of `inverse_dynamics` [KM2021, (19),
    (20)] with q'' = 0.

    Parameters
    ----------
    model : RobotModel
    q, qd : (n,) or (..., n) array_like
        Coordinates and their rates [rad or m, per s].
    out, threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (n,) or (..., n) ndarray
        [N m or N].

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.bias_forces(pendulum, [0.0], [3.0])
    array([9.81])
    """
    return checked_quantity(BIAS_FORCES, model, out, {'q': q, 'qd': qd}, threads)
