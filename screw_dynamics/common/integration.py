# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Integration of equations of motion with error control."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, as_vector, require_finite
from screw_dynamics.common.scalars import require_choice, require_number
from screw_dynamics.errors import InputError, ShapeError, SimulationError

EXPLICIT = ('DOP853', 'RK45', 'RK23')
IMPLICIT = ('BDF', 'Radau')
_LARGEST = 1e5  # entry of a state of a robot, over those at the beginning and 1


class System(Protocol):
    """Equations of motion: a state vector and its time derivative under inputs."""

    @property
    def state_size(self) -> int:
        """Length of a state."""

    @property
    def derivatives(self) -> Callable[..., Array]:
        """Function of a state and of inputs by name; raises SimulationError if it is undefined."""


def integrate(  # noqa: PLR0913  (options are keywords)
    system: System,
    times: ArrayLike,
    inputs: Callable[[float, Array], Mapping[str, Any]],
    state: ArrayLike,
    *,
    rtol: float = 1e-9,
    atol: float | None = None,
    method: str = 'DOP853',
    methods: Sequence[str] = EXPLICIT,
    progress: Callable[[float], object] | None = None,
    jacobian: Callable[[float, Array], Array] | None = None,
) -> tuple[Array, Array, int]:
    """
    Return times (T,), states (T, size) and the number of evaluations.

    `inputs` gives the named inputs at a time and state; `methods` are those to choose from. The
    Jacobian, for implicit methods, may be approximate; by default it is found by differences.
    """
    from scipy import integrate as scipy_integrate

    instants = require_finite('times', as_float_array('times', times))
    if instants.ndim != 1 or len(instants) < 2:
        raise ShapeError('times', '(T,) with T >= 2', instants.shape)
    for i in np.flatnonzero(np.diff(instants) <= 0.0):
        raise InputError(
            f'times[{i + 1}]: expected more than {instants[i]:g}, got {instants[i + 1]:g}'
        )
    require_choice('method', method, methods)
    rtol = require_number('rtol', rtol, above=True)
    atol = rtol / 100.0 if atol is None else require_number('atol', atol)

    def derivative(t: float, y: Array) -> Array:
        return system.derivatives(y, **inputs(t, y))

    start = as_vector('state', state, system.state_size)
    options: dict[str, Any] = {'rtol': rtol, 'atol': atol}
    if method in IMPLICIT:
        options['jac'] = jacobian
    solver = getattr(scipy_integrate, method)(
        derivative, float(instants[0]), start, float(instants[-1]), **options
    )
    bound = _LARGEST * max(1.0, float(np.abs(start).max(initial=0.0)))
    states = np.empty((len(instants), system.state_size))
    states[0], done = start, 1
    while solver.status == 'running':
        before = solver.t
        try:
            message = solver.step()
        except SimulationError as error:
            raise SimulationError(f'after {before:.6g} s: {error}') from None
        if solver.status == 'failed':
            raise SimulationError(f'after {before:.6g} s: {message}')
        if (largest := float(np.abs(solver.y).max(initial=0.0))) > bound:
            raise SimulationError(
                f'after {solver.t:.6g} s: expected a bounded motion, got a state of {largest:.3g} '
                '(rad or m, per s): are these efforts unstable?'
            )
        reached = int(np.searchsorted(instants, solver.t, side='right'))
        if reached > done:
            states[done:reached] = solver.dense_output()(instants[done:reached]).T
            done = reached
        if progress is not None:
            progress(float(solver.t))
    return instants, states, int(solver.nfev)
