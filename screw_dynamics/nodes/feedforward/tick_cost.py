# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Cost of a tick of the node `feedforward`: compilation, time, possible rate."""

import time

import numpy as np

from screw_dynamics.control.stiffness_transition import (
    compile_stiffness_transition,
)
from screw_dynamics.dynamics import LinkLoads
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.commands.limits import passes_effort_limits, passes_motor_limits
from screw_dynamics.nodes.shared.model_build import (
    compile_efforts,
    compute_motors,
)
from screw_dynamics.reference.reference_filter import compile_filter
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.smooth.knot_derivatives import compile_smoothing

_REPETITIONS = 5


def compile_tick(robot: Robot) -> None:
    """Compile all kernels that a tick uses, and derive their parameters from the model."""
    compile_smoothing()
    compile_filter()
    passes_effort_limits.compile()
    passes_motor_limits.compile()
    compile_stiffness_transition()
    compile_efforts(robot)


def compute_time(robot: Robot) -> float:
    """Return the shortest processor time of several trials to compute one sample [s]."""
    model = robot.model
    jet, tau = np.zeros((JET_ROWS, model.n)), np.empty((JET_ROWS - 2, model.n))
    loads = LinkLoads(model, [], JET_ROWS - 3)
    shortest = np.inf
    for _ in range(_REPETITIONS):
        begun = time.thread_time()
        loads.inverse_dynamics(jet, tau)
        compute_motors(robot)
        shortest = min(shortest, time.thread_time() - begun)
    return shortest


def require_rate(shortest: float, rate: float, *, compiled: bool) -> None:
    """Raise InputError if samples that take `shortest` [s] cannot be computed at a rate [Hz]."""
    if shortest * rate <= 1.0:  # also where the clock is too coarse to tell it from 0
        return
    cause = '' if compiled else f'{_NOT_COMPILED}: '
    remedy = 'lower it' if compiled else f'{_COMPILED_BY} or lower it'
    raise InputError(
        f"parameter 'publish_rate': {cause}a sample takes {1e3 * shortest:.3g} ms to compute: "
        f'expected at most {1.0 / shortest:.0f} Hz, got {rate:g} Hz: {remedy}'
    )


_NOT_COMPILED = 'kernels are not compiled (no extension module and no numba, or switched off)'
_COMPILED_BY = "build the package with a C compiler or install numba (README, 'Compiled kernels')"


def rate_warning(shortest: float, rate: float, *, compiled: bool) -> str:
    """Return a warning if kernels are not compiled, else ''."""
    if compiled:
        return ''
    return (
        f'{_NOT_COMPILED[0].upper()}{_NOT_COMPILED[1:]}: a sample takes {1e3 * shortest:.3g} ms '
        f'of {1e3 / rate:.3g} ms to compute'
    )
