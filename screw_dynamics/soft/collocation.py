# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Collocated coordinates of actuators, and partial feedback linearisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector
from screw_dynamics.errors import InputError
from screw_dynamics.soft.actuators.actuator import Actuator, actuation_matrix, robot_of
from screw_dynamics.soft.functions import mass_inverse_dynamics

_DEPENDENT = 1e-10  # reciprocal condition of scaled inputs below which they are dependent


class Collocated(NamedTuple):
    """
    Collocated coordinates of actuators and their rates.

    `position`, `velocity` (m,) are y and y'; `matrix` (n, m) is A(q) with ``y' = A^T q'``, `drift`
    (m,) the part of y'' without acceleration, ``y'' = A^T q'' + drift``.
    """

    position: Array
    velocity: Array
    matrix: Array
    drift: Array


def collocated_coordinates(
    actuators: Sequence[Actuator], q: ArrayLike, qd: ArrayLike
) -> Collocated:
    """
    Return what the inputs of actuators work on, with its rates [P2025, section 7.1].

    Parameters
    ----------
    actuators : sequence of Actuator
        m of one robot.
    q, qd : (n,) array_like
        Coordinates and rates [rad, m, ..., per s].

    Returns
    -------
    Collocated

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import collocated_coordinates
    >>> arm = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.02, 0.4)])
    >>> thread = sd.soft.Thread(arm, {'body_1': (0.01, 0.0)})
    >>> found = collocated_coordinates([thread], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0])
    >>> found.position.round(6), found.velocity.round(6)
    (array([-0.295]), array([0.01]))
    """
    robot = robot_of(actuators)
    jet = np.stack([as_vector('q', q, robot.n), as_vector('qd', qd, robot.n)])
    matrix, rate = actuation_matrix(actuators, jet)
    position = np.array([actuator.coordinate(jet[0]) for actuator in actuators])
    return Collocated(position, matrix.T @ jet[1], matrix, rate.T @ jet[1])


def linearising_inputs(
    actuators: Sequence[Actuator],
    q: ArrayLike,
    qd: ArrayLike,
    acceleration: ArrayLike,
    efforts: ArrayLike | None = None,
) -> Array:
    """
    Return the inputs that give collocated coordinates an acceleration [P2025, section 7.1].

    Parameters
    ----------
    actuators : sequence of Actuator
        m of one robot, independent of each other.
    q, qd : (n,) array_like
        Coordinates and rates [rad, m, ..., per s].
    acceleration : (m,) array_like
        y'', for instance ``y_d'' + K_D (y_d' - y') + K_P (y_d - y)`` for a motion y_d.
    efforts : (n,) array_like, optional
        Generalised efforts of other inputs, which are known; 0 by default [N m, N, ...].

    Returns
    -------
    (m,) ndarray
        u [N, Pa, N m, ...]; threads may get negative tensions.

    Raises
    ------
    InputError
        If the inputs are dependent.
    ShapeError, NotFiniteError

    Notes
    -----
    From ``M q'' + h = A u`` and ``y'' = A^T q'' + A'^T q'`` follows
    ``(A^T M^-1 A) u = y'' - A'^T q' + A^T M^-1 h``, for any choice of the remaining coordinates z
    of theta = (y, z). The law that P2025 prints in theta lacks the gravity and stress of y.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import linearising_inputs
    >>> arm = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.02, 0.4, 0.1, 600.0, 0.1)])
    >>> thread = sd.soft.Thread(arm, {'body_1': (0.01, 0.0)})
    >>> q, qd = np.array([0.5, 0.1, 0.0]), np.array([0.1, 0.2, 0.0])
    >>> u = linearising_inputs([thread], q, qd, [0.3])
    >>> qdd = sd.forward_dynamics(arm, q, qd, thread.effort_jet([q])[0] * u)
    >>> (thread.effort_jet([q])[0] @ qdd).round(9)
    np.float64(0.3)
    """
    # here, as nodes import this room and start in half the time without SciPy
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    robot = robot_of(actuators)
    found = collocated_coordinates(actuators, q, qd)
    wanted = as_vector('acceleration', acceleration, len(actuators))
    mass, bias = mass_inverse_dynamics(robot, q, qd, np.zeros(robot.n))
    if efforts is not None:
        bias = bias - as_vector('efforts', efforts, robot.n)
    diagonal = np.diag(mass)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    columns = scale[:, np.newaxis] * found.matrix
    try:
        factor = cho_factor(mass * scale * scale[:, np.newaxis])
    except LinAlgError:
        raise InputError('q: expected a positive definite mass matrix, got another') from None
    solved = cho_solve(factor, np.column_stack([columns, scale * bias]))
    inverse_inertia, drop = columns.T @ solved[:, :-1], columns.T @ solved[:, -1]
    units = 1.0 / np.sqrt(np.maximum(np.diag(inverse_inertia), np.finfo(float).tiny))
    scaled = inverse_inertia * units * units[:, np.newaxis]
    condition = float(np.linalg.cond(scaled))
    if not condition < 1.0 / _DEPENDENT:
        raise InputError(
            f'actuators: expected independent inputs, got a condition of {condition:.3g}'
        )
    result: Array = units * np.linalg.solve(scaled, units * (wanted - found.drift + drop))
    return result
