# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Equilibria of soft-rigid robots."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_vector
from screw_dynamics.errors import InputError, SimulationError
from screw_dynamics.soft.functions import (
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
    require_soft_robot,
)
from screw_dynamics.soft.soft_robot import SoftRobot

_STEPS = 200  # of Newton's method
_HALVINGS = 40  # of a step
_SUFFICIENT = 1e-4  # part of the predicted decrease that a step must reach
_TOLERANCE = 1e-12  # of the residual, relative to the efforts that balance
_FLAT = 1e-13  # curvatures below it, relative to the largest, count as none
_LONGEST = 1.0  # change of a coordinate in a step [rad, m, ...]


def equilibrium(robot: SoftRobot, efforts: ArrayLike, start: ArrayLike | None = None) -> Array:
    """
    Return coordinates at which constant efforts hold the robot at rest.

    Parameters
    ----------
    robot : SoftRobot
    efforts : (n,) array_like
        Generalised efforts [N m, N, ...].
    start : (n,) array_like, optional
        Where the search begins, by default 0 [rad, m, ...].

    Returns
    -------
    (n,) ndarray
        q with ``inverse_dynamics(robot, (q, 0, 0)) = efforts``, to 12 digits of the largest
        effort in it.

    Raises
    ------
    SimulationError
        If the search does not converge; coordinate and residual are named.
    InputError
        If `start` is outside of the range of a body.
    ShapeError, NotFiniteError

    Notes
    -----
    Newton's method on the potential, with the exact stiffness matrix; where that is not positive
    definite, with the absolute values of its eigenvalues. Steps are halved until they descend,
    by the work along them. Elastic robots may have several equilibria: the one that is found
    depends on `start`. It is unstable if the search begins at it, as that of a straight, upright
    arm does at 0. A coordinate that no effort acts on keeps its value.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import equilibrium
    >>> arc = sd.soft.PlanarConstantCurvature(0.5, 0.01, 0.2, bending_stiffness=0.1)
    >>> arm = sd.soft.SoftRobot([arc], gravity=(0, 0, 0))
    >>> equilibrium(arm, [0.1]).round(9)
    array([0.5])
    """
    require_soft_robot(robot)
    wanted = as_vector('efforts', efforts, robot.n)
    q = np.zeros(robot.n) if start is None else as_vector('start', start, robot.n).copy()
    robot.check(q)
    if not robot.n:
        return q
    # units of coordinates differ: efforts are compared as accelerations are
    diagonal = np.diag(mass_matrix(robot, q))
    weights = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    residual = _at_rest(robot, q) - wanted
    for _ in range(_STEPS):
        stiffness = stiffness_matrix(robot, q)
        parts = abs(wanted) + abs(gravity_forces(robot, q)) + abs(stiffness) @ abs(q)
        if np.linalg.norm(weights * residual) <= _TOLERANCE * np.linalg.norm(weights * parts):
            return q
        step = _downhill_step(stiffness, residual, weights)
        found = _shortened(robot, q, step, residual, wanted)
        if found is None:
            break
        q, residual = found
    worst = int(np.argmax(abs(weights * residual)))
    raise SimulationError(
        f'coordinate {robot.joint_names[worst]!r}: no equilibrium found from this start: expected '
        f'the effort {wanted[worst]:.6g}, got {wanted[worst] + residual[worst]:.6g} at q = '
        f'{q[worst]:.6g}: try another start'
    )


def stiffness_matrix(robot: SoftRobot, q: Array) -> Array:
    """
    Return d(g + s)/dq (n, n) at rest, exactly.

    From rest with constant accelerations a, the second time derivative of the efforts is the
    sum of the stiffness times a and a quadratic form of a, which two opposite motions cancel.
    Damping and Coriolis efforts are part of the quadratic form alone.
    """
    n = robot.n
    jets = np.zeros((2 * n, 5, n))
    jets[:, 0] = q
    jets[:n, 2], jets[n:, 2] = np.eye(n), -np.eye(n)
    second = inverse_dynamics(robot, jets)[:, 2]
    return np.ascontiguousarray(0.5 * (second[:n] - second[n:]).T)


def _at_rest(robot: SoftRobot, q: Array) -> Array:
    jet = np.zeros((3, robot.n))
    jet[0] = q
    efforts: Array = inverse_dynamics(robot, jet)[0]
    return efforts


def _downhill_step(stiffness: Array, residual: Array, weights: Array) -> Array:
    """Return Newton's step, with the absolute values of the curvatures if any is not positive."""
    scaled = weights[:, np.newaxis] * stiffness * weights
    values, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
    flat = _FLAT * abs(values).max()
    if values[0] > flat:
        return np.asarray(-weights * np.linalg.solve(scaled, weights * residual))
    parts = vectors.T @ (weights * residual)
    curved = abs(values) > flat
    solution = vectors[:, curved] @ (parts[curved] / abs(values[curved]))
    return np.asarray(-weights * solution)


def _shortened(
    robot: SoftRobot, q: Array, step: Array, residual: Array, wanted: Array
) -> tuple[Array, Array] | None:
    """Return q and residual after the step, halved until the potential decreases, or None."""
    slope = residual @ step
    part = min(1.0, _LONGEST / max(abs(step).max(), _LONGEST))
    for _ in range(_HALVINGS):
        trial = q + part * step
        try:
            middle = _at_rest(robot, q + 0.5 * part * step) - wanted
            after = _at_rest(robot, trial) - wanted
        except InputError:  # out of range, or overflow
            part *= 0.5
            continue
        # the work along the step, by Simpson's rule
        work = (residual + 4.0 * middle + after) @ step / 6.0
        if work < _SUFFICIENT * slope < 0.0:
            return trial, after
        part *= 0.5
    return None
