# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation of soft-rigid robots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, as_vector
from screw_dynamics.common.integration import EXPLICIT, IMPLICIT, integrate
from screw_dynamics.errors import (
    InputError,
    ScrewDynamicsError,
    SimulationError,
    SingularMassMatrixError,
)
from screw_dynamics.soft.functions import forward_dynamics
from screw_dynamics.soft.soft_robot import SoftRobot, require_soft_robot


@dataclass(frozen=True, eq=False)
class SoftMotion:
    """
    Motion of a soft-rigid robot over time.

    Parameters
    ----------
    times : (T,) ndarray
        Times of the states [s].
    position, velocity : (T, n) ndarray
        Coordinates and their rates [rad, m, ..., per s].
    evaluations : int
        Number of evaluations of the equations of motion.
    """

    times: Array
    position: Array
    velocity: Array
    evaluations: int


class _System:
    """Equations of motion; undefined states are NaN, and the reason is kept."""

    def __init__(self, robot: SoftRobot) -> None:
        self.robot = robot
        self.state_size = 2 * robot.n
        self.failure = ''

    def derivatives(self, state: Array, *, t: float, efforts: Array) -> Array:
        """Return (q', q'')."""
        q, qd = np.split(state, 2)
        if not np.isfinite(state).all():
            return np.full_like(state, np.nan)
        try:
            return np.concatenate([qd, forward_dynamics(self.robot, q, qd, efforts)])
        except (InputError, SingularMassMatrixError) as error:
            # the step may have been too long: the method tries a shorter one
            self.failure = f'at {t:.6g} s: {error}'
            return np.full_like(state, np.nan)


def simulate(
    robot: SoftRobot,
    times: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    efforts: ArrayLike | Callable[[float, Array, Array], ArrayLike] | None = None,
    *,
    method: str = 'BDF',
    rtol: float = 1e-6,
    atol: float | None = None,
    progress: Callable[[float], object] | None = None,
) -> SoftMotion:
    """
    Integrate ``M q'' + c + g + s = efforts`` by a method of scipy.

    Parameters
    ----------
    robot : SoftRobot
    times : (T,) array_like
        Times of the states to return, increasing [s]; the motion begins at the first.
    q, qd : (n,) array_like
        Coordinates and rates at ``times[0]``; by default it begins at rest [rad, m, ..., per s].
    efforts : (n,) array_like or callable, optional
        Constant, or ``efforts(t, q, qd)`` -> (n,); 0 by default [N m, N, ...].
    method : str
        'BDF' or 'Radau', implicit, for stiff and damped bodies; 'DOP853', 'RK45' or 'RK23',
        explicit, more accurate where stiff vibrations matter.
    rtol, atol : float
        Tolerances of a step, rtol > 0, atol >= 0; `atol` defaults to ``rtol / 100``.
    progress : callable, optional
        Called with the time after each step.

    Returns
    -------
    SoftMotion

    Raises
    ------
    SimulationError
        If the motion leaves the range of a body, the mass matrix becomes singular or the
        integration fails; the error states the time.
    InputError
        If an argument is not of its type or range.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import simulate
    >>> arm = sd.soft.SoftRobot([sd.soft.PlanarConstantCurvature(0.5, 0.01, 0.2, 0.1, 0.05)])
    >>> motion = simulate(arm, [0.0, 20.0], [0.4])
    >>> motion.position.shape
    (2, 1)
    """
    require_soft_robot(robot)
    start = as_vector('q', q, robot.n)
    rates = np.zeros(robot.n) if qd is None else as_vector('qd', qd, robot.n)
    robot.check(start)
    law = _law(robot, efforts)
    system = _System(robot)

    def inputs(t: float, state: Array) -> dict[str, Any]:
        return {'t': t, 'efforts': law(t, *np.split(state, 2))}

    def stepped(t: float) -> None:
        system.failure = ''
        if progress is not None:
            progress(t)

    first = np.concatenate([start, rates])
    for begin in as_float_array('times', times).ravel()[:1]:
        # the first step of a method expects finite derivatives
        system.derivatives(first, **inputs(float(begin), first))
        if system.failure:
            raise SimulationError(system.failure)
    try:
        instants, states, evaluations = integrate(
            system,
            times,
            inputs,
            first,
            rtol=rtol,
            atol=atol,
            method=method,
            methods=(*IMPLICIT, *EXPLICIT),
            progress=stepped,
        )
    except SimulationError as error:
        raise SimulationError(system.failure or str(error)) from None
    except ValueError as error:
        # scipy factorises no matrix with NaN
        if isinstance(error, ScrewDynamicsError) or not system.failure:
            raise
        raise SimulationError(system.failure) from None
    return SoftMotion(instants, states[:, : robot.n], states[:, robot.n :], evaluations)


def _law(
    robot: SoftRobot, efforts: ArrayLike | Callable[[float, Array, Array], ArrayLike] | None
) -> Callable[[float, Array, Array], Array]:
    """Return the efforts as a function of time and state."""
    if callable(efforts):
        given = efforts
        return lambda t, q, qd: as_vector('efforts', given(t, q, qd), robot.n)
    constant = np.zeros(robot.n) if efforts is None else as_vector('efforts', efforts, robot.n)
    return lambda t, q, qd: constant
