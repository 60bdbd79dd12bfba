# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Integration of the equations of motion with error control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, as_vector, require_finite
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InputError, ShapeError, SimulationError
from screw_dynamics.scalars import require_number

if TYPE_CHECKING:
    from screw_dynamics.simulation.elastic_robot import ElasticRobot

METHODS = ('DOP853', 'RK45', 'RK23')


@dataclass(frozen=True, eq=False)
class Motion:
    """
    Motion of an elastic robot over time.

    Parameters
    ----------
    times : (T,) ndarray
        Times of the states [s].
    position, velocity : (T, n) ndarray
        Link positions and velocities [rad or m, per s].
    motor_position, motor_velocity : (T, m) ndarray
        Motor positions and velocities, on the joint side of the gear [rad or m, per s].
    evaluations : int
        Number of evaluations of the equations of motion.

    """

    times: Array
    position: Array
    velocity: Array
    motor_position: Array
    motor_velocity: Array
    evaluations: int


def integrate(
    robot: ElasticRobot,
    times: ArrayLike,
    motor_effort: Callable[[float, Array], ArrayLike],
    state: ArrayLike,
    *,
    stiffness: Callable[[float], ArrayLike] | None,
    wrenches: Callable[[float], Mapping[str, ArrayLike]] | None,
    rtol: float,
    atol: float | None,
    method: str,
    progress: Callable[[float], object] | None,
) -> Motion:
    """Integrate the motion of a robot, see `ElasticRobot.integrate`."""
    from scipy import integrate as scipy_integrate

    instants = require_finite('times', as_float_array('times', times))
    if instants.ndim != 1 or len(instants) < 2:
        raise ShapeError('times', '(T,) with T >= 2', instants.shape)
    if (np.diff(instants) <= 0.0).any():
        i = int(np.argmax(np.diff(instants) <= 0.0))
        raise InputError(
            f'times[{i + 1}]: expected more than {instants[i]:g}, got {instants[i + 1]:g}'
        )
    if method not in METHODS:
        raise InputError(f'method: expected one of {", ".join(METHODS)}, got {shown(method)}')
    rtol = require_number('rtol', rtol, above=True)
    atol = rtol / 100.0 if atol is None else require_number('atol', atol)

    def derivative(t: float, y: Array) -> Array:
        return robot.derivatives(
            y,
            motor_effort(t, y),
            stiffness=None if stiffness is None else stiffness(t),
            wrenches=None if wrenches is None else wrenches(t),
        )

    start = as_vector('state', state, robot.state_size)
    solver = getattr(scipy_integrate, method)(
        derivative, float(instants[0]), start, float(instants[-1]), rtol=rtol, atol=atol
    )
    states = np.empty((len(instants), robot.state_size))
    states[0], done = start, 1
    while solver.status == 'running':
        before = solver.t
        try:
            message = solver.step()
        except SimulationError as error:
            raise SimulationError(f'after {before:.6g} s: {error}') from None
        if solver.status == 'failed':
            raise SimulationError(f'after {before:.6g} s: {message}')
        reached = int(np.searchsorted(instants, solver.t, side='right'))
        if reached > done:
            states[done:reached] = solver.dense_output()(instants[done:reached]).T
            done = reached
        if progress is not None:
            progress(float(solver.t))
    return Motion(instants, *robot.split(states), int(solver.nfev))
