# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Warnings that the rate of the output cannot be held: computation time and missed ticks."""

import time
from collections.abc import Callable

import numpy as np

from screw_dynamics.dynamics import LinkLoads
from screw_dynamics.nodes.shared.model_build import compute_motors
from screw_dynamics.nodes.shared.tick_timer import TickSummary
from screw_dynamics.robot import Robot

_REPETITIONS = 5


def compute_time(robot: Robot, order: int) -> float:
    """
    Return the time to compute the efforts and motor commands of one sample [s].

    `order` is the highest derivative of the efforts. The result is the shortest of several trials
    and excludes publishing.
    """
    model = robot.model
    jet, tau = np.zeros((order + 3, model.n)), np.empty((order + 1, model.n))
    loads = LinkLoads(model, [], order)
    shortest = np.inf
    for _ in range(_REPETITIONS):
        begun = time.perf_counter()
        loads.inverse_dynamics(jet, tau)
        compute_motors(robot)
        shortest = min(shortest, time.perf_counter() - begun)
    return shortest


def rate_warning(shortest: float, rate: float, *, compiled: bool) -> str:
    """
    Return a warning if a rate [Hz] cannot be reached or kernels are not compiled, else ''.

    `shortest` is the result of `compute_time` [s].
    """
    possible = 1.0 / shortest
    if compiled and possible >= rate:
        return ''
    cause = '' if compiled else 'Kernels are not compiled (no numba, or it is switched off). '
    verdict = 'is' if possible >= rate else 'cannot be held:'
    remedy = 'lower it' if compiled else "install numba (README, 'Compiled kernels') or lower it"
    return (
        f'{cause}A sample takes {1e3 * shortest:.3g} ms to compute, so at most {possible:.0f} Hz '
        f'are possible; publish_rate {verdict} {rate:g} Hz: {remedy}'
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
