# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the accelerations by positions, rates and efforts; linearised motion.

The implicit function F(q, q', q'') = tau gives dq''/dq = -M^-1 dF/dq, dq''/dq' = -M^-1 dF/dq' and
dq''/dtau = M^-1 ([M2018] section 6.1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie.scalars import ScalarArray, solve
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.forward_dynamics import any_order
from screw_dynamics.theory.sensitivities.effort_partials import first_partials


def forward_dynamics_partials(
    model: ScrewModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike
) -> tuple[ScalarArray, ScalarArray, ScalarArray]:
    """
    Return dq''/dq, dq''/dq' and dq''/dtau.

    Parameters
    ----------
    model : ScrewModel
    q, qd : (n,) array_like
        Joint positions and velocities [rad or m, per s].
    tau : (n,) array_like
        Efforts [N m or N].

    Returns
    -------
    by_position, by_rate, by_effort : (n, n) ndarray
        [i, j] is the derivative of q_i'' [rad/s^2 or m/s^2, per unit of the variable].

    Raises
    ------
    InputError, ShapeError, NotFiniteError
        If an argument is not usable.
    numpy.linalg.LinAlgError, ZeroDivisionError
        If the mass matrix is singular.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> pendulum = sd.ScrewModel.from_screws(
    ...     [-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]],
    ...     [sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))])
    >>> [entry.round(3).item() for entry in forward_dynamics_partials(pendulum, [0.5], [0], [0])]
    [9.406, 0.0, 4.0]
    """
    jet = any_order.forward_dynamics(model, q, qd, np.asarray(tau)[None])
    by_position, by_rate, mass = first_partials(model, jet)
    by_effort = solve(mass, np.eye(model.n))
    return -by_effort @ by_position, -by_effort @ by_rate, by_effort
