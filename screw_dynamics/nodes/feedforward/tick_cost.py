# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Cost of a tick of the node `feedforward`: time, possible rate and achieved rate."""

import time
from collections.abc import Callable

import numpy as np

from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import ModelWorkspace
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.kernel import kernel_form
from screw_dynamics.nodes.shared.model_build import compute_motors
from screw_dynamics.nodes.shared.tick_timer import TickTimer
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


_REPORTED_PART = 0.01  # fraction of missed ticks above which a warning is reported
_LOGGED_PART = 0.1  # above which it is logged, if it lasts
_LASTING, _PAUSE = 3, 30  # reports until a warning, and between warnings


class RateReport:
    """Report on the rate of ticks for /diagnostics; too many missed ticks are logged, too."""

    def __init__(self, ticks: TickTimer, warn: Callable[[str], object]) -> None:
        self._ticks, self._warn = ticks, warn
        self._bad = 0  # reports in a row with too many missed ticks

    def __call__(self) -> Report:
        """Return the report since the last one."""
        statistics = self._ticks.statistics
        summary = statistics.summary()
        values = {
            'rate [Hz]': f'{summary.rate:.1f}',
            'wanted rate [Hz]': f'{1e9 / statistics.period:.1f}',
            'missed ticks': summary.missed,
            'missed ticks in all': statistics.missed_total,
            'ticks in all': statistics.ticks_total,
            'mean compute time [us]': f'{1e6 * summary.mean_time:.1f}',
            'longest compute time [us]': f'{1e6 * summary.longest_time:.1f}',
        }
        part = summary.missed_part
        self._bad = self._bad + 1 if part > _LOGGED_PART else 0
        if self._bad % _PAUSE == _LASTING:
            self._warn(
                f'{100.0 * part:.0f} % of the ticks are missed: a tick takes '
                f'{1e3 * summary.mean_time:.3g} ms of {1e-6 * statistics.period:.3g} ms at '
                f'{1e9 / statistics.period:.4g} Hz'
            )
        if not summary.ticks:
            return Report(OK, 'not active', values)
        if part > _REPORTED_PART:
            return Report(WARN, f'{100.0 * part:.1f} % of the ticks missed', values)
        return Report(OK, 'ok', values)
