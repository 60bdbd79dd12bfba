# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Cost of a tick of the node `feedforward`: time and possible rate."""

import time

import numpy as np

from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import ModelWorkspace
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.kernel import kernel_form
from screw_dynamics.nodes.shared.model_build import compute_motors
from screw_dynamics.trajectory import JET_ROWS

_REPETITIONS = 5


def compute_time(robot: Robot) -> float:
    """Return the shortest processor time of several trials to compute one sample [s]."""
    model = robot.model
    jet, workspace = np.zeros((JET_ROWS, model.n)), ModelWorkspace(model, JET_ROWS - 3)
    shortest = np.inf
    for _ in range(_REPETITIONS):
        begun = time.thread_time()
        workspace.efforts(jet)
        compute_motors(robot)
        shortest = min(shortest, time.thread_time() - begun)
    return shortest


def require_rate(shortest: float, rate: float) -> None:
    """Raise InputError if samples that take `shortest` [s] cannot be computed at a rate [Hz]."""
    if shortest * rate <= 1.0:  # also where the clock is too coarse to tell it from 0
        return
    cause, remedy = '', 'lower it'
    if kernel_form() == 'python':
        cause, remedy = f'{_IN_PYTHON}: ', f'{_COMPILED_BY} or lower it'
    raise InputError(
        f"parameter 'publish_rate': {cause}a sample takes {1e3 * shortest:.3g} ms to compute: "
        f'expected at most {1.0 / shortest:.0f} Hz, got {rate:g} Hz: {remedy}'
    )


_IN_PYTHON = 'kernels run as Python (no extension module, or switched off)'
_COMPILED_BY = "build the package with a C compiler (docs/installation.md, 'Compiled kernels')"


def rate_warning(shortest: float, rate: float) -> str:
    """Return a warning if kernels run as Python, else ''."""
    if kernel_form() == 'c':
        return ''
    return (
        f'K{_IN_PYTHON[1:]}: a sample takes {1e3 * shortest:.3g} ms '
        f'of {1e3 / rate:.3g} ms to compute'
    )
