# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`compute_time`: computation time of one sample on this machine."""

from __future__ import annotations

import time

import numpy as np

from screw_dynamics.dynamics import LinkLoads
from screw_dynamics.nodes.shared.model_build import compute_motors
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
