# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Cost of a tick of the node `feedforward`: time, possible rate, missed ticks."""

import time
from collections.abc import Callable

import numpy as np

from screw_dynamics.dynamics import LinkLoads
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.kernel import kernel_form
from screw_dynamics.nodes.shared.model_build import compute_motors
from screw_dynamics.nodes.shared.tick_timer import TickSummary
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import JET_ROWS

_REPETITIONS = 5


def compute_time(robot: Robot) -> float:
    """
    Return the shortest time of several trials to compute one sample, without publishing [s].

    It is processor time of this thread: what else the machine does is not counted.
    """
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
_COMPILED_BY = "build the package with a C compiler (README, 'Compiled kernels')"


def rate_warning(shortest: float, rate: float) -> str:
    """Return a warning if kernels run as Python, else ''."""
    if kernel_form() == 'c':
        return ''
    return (
        f'K{_IN_PYTHON[1:]}: a sample takes {1e3 * shortest:.3g} ms '
        f'of {1e3 / rate:.3g} ms to compute'
    )


_MISSED_PART = 0.1  # fraction of the ticks
_LASTING = 2.9  # s for which the fraction must be exceeded
_PAUSE = 30.0  # s between warnings


class MissedTicks:
    """Accumulates tick summaries; calls `warn` with a text if too many ticks are missed."""

    def __init__(self, warn: Callable[[str], object]) -> None:
        self._warn = warn
        self._silent = 0.0
        self._begin()

    def _begin(self) -> None:
        self._seconds = self._busy = 0.0
        self._ticks = self._missed = 0

    def add(self, summary: TickSummary, period: int) -> None:
        """Add the next summary; `period` is the time between ticks [ns]."""
        seconds = 1e-9 * period * (summary.ticks + summary.missed)
        self._silent = max(0.0, self._silent - seconds)
        if not summary.ticks or summary.missed_part <= _MISSED_PART:
            self._begin()
            return
        self._seconds += seconds
        self._ticks += summary.ticks
        self._missed += summary.missed
        self._busy += summary.ticks * summary.mean_time
        if self._seconds >= _LASTING and not self._silent:
            self._silent = _PAUSE
            self._warn(
                f'{100.0 * self._missed / (self._ticks + self._missed):.0f} % of the ticks of the '
                f'last {self._seconds:.0f} s were missed: a tick takes '
                f'{1e3 * self._busy / self._ticks:.3g} ms of {1e-6 * period:.3g} ms at '
                f'{1e9 / period:.4g} Hz'
            )
            self._begin()
