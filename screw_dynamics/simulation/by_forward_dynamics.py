# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation of robots of any kind by their forward dynamics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, as_vector
from screw_dynamics.common.integration import EXPLICIT, IMPLICIT, integrate
from screw_dynamics.common.results import SampledResult, Samples
from screw_dynamics.dynamics import forward_dynamics
from screw_dynamics.errors import (
    InputError,
    ScrewDynamicsError,
    SimulationError,
    SingularMassMatrixError,
)
from screw_dynamics.model import RobotModel


@dataclass(frozen=True, eq=False)
class CoordinateMotion(SampledResult):
    """
    Motion of a robot without motors over time, a soft one for example.

    Parameters
    ----------
    times : (T,) ndarray
        Times of the states [s].
    position, velocity : (T, n) ndarray
        Coordinates and their rates [rad, m, ..., per s].
    evaluations : int
        Number of evaluations of the equations of motion.
    joint_names : tuple of str
        Names of the coordinates.
    """

    times: Array
    position: Array
    velocity: Array
    evaluations: int
    joint_names: tuple[str, ...] = ()

    def _samples(self) -> tuple[Array, dict[str, Samples]]:
        values = np.stack([self.position, self.velocity], axis=1)
        return self.times, {'position': Samples(values, names=self.joint_names)}

    def __repr__(self) -> str:
        """Return the numbers of states, coordinates and evaluations."""
        return (
            f'CoordinateMotion({len(self.times)} states, {self.times[0]:g} to '
            f'{self.times[-1]:g} s; {self.position.shape[1]} coordinates, '
            f'{self.evaluations} evaluations)'
        )


class _System:
    """Equations of motion; undefined states are NaN, and the reason is kept."""

    def __init__(self, model: RobotModel) -> None:
        self.model = model
        self.state_size = 2 * model.n
        self.failure = ''

    def derivatives(self, state: Array, *, t: float, efforts: Array) -> Array:
        """Return (q', q'')."""
        q, qd = np.split(state, 2)
        if not np.isfinite(state).all():
            return np.full_like(state, np.nan)
        try:
            return np.concatenate([qd, forward_dynamics(self.model, q, qd, efforts)])
        except (InputError, SingularMassMatrixError) as error:
            # the step may have been too long: the method tries a shorter one
            self.failure = f'at {t:.6g} s: {error}'
            return np.full_like(state, np.nan)


def simulate_coordinates(
    model: RobotModel,
    times: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    efforts: ArrayLike | Callable[..., ArrayLike] | None = None,
    *,
    method: str = 'BDF',
    rtol: float = 1e-6,
    atol: float | None = None,
    progress: Callable[[float], object] | None = None,
) -> CoordinateMotion:
    """Return the motion (T, n) from `q` and `qd` under efforts; see `simulate`."""
    start = as_vector('q', q, model.n)
    rates = np.zeros(model.n) if qd is None else as_vector('qd', qd, model.n)
    law = effort_law(efforts, model.n)
    system = _System(model)

    def inputs(t: float, state: Array) -> dict[str, Any]:
        return {'t': t, 'efforts': law(t, *np.split(state, 2))}

    def stepped(t: float) -> None:
        system.failure = ''
        if progress is not None:
            progress(t)

    for begin in as_float_array('times', times).ravel()[:1].tolist():
        # the first step of a method expects finite derivatives
        given = law(begin, start, rates)
        try:
            forward_dynamics(model, start, rates, given)
        except SingularMassMatrixError as error:
            raise SimulationError(f'at {begin:.6g} s: {error}') from None
    try:
        instants, states, evaluations = integrate(
            system,
            times,
            inputs,
            np.concatenate([start, rates]),
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
    position, velocity = np.split(states, 2, axis=1)
    return CoordinateMotion(instants, position, velocity, evaluations, model.joint_names)


def effort_law(
    efforts: ArrayLike | Callable[..., ArrayLike] | None, size: int
) -> Callable[..., Array]:
    """Return efforts (size,) as a function of time and state; errors name the argument."""
    if callable(efforts):
        given = efforts
        return lambda t, *state: as_vector('efforts', given(t, *state), size)
    constant = np.zeros(size) if efforts is None else as_vector('efforts', efforts, size)
    return lambda t, *state: constant
