# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands between node and motors: sampled, delayed, late by jitter, and held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from screw_dynamics.common.arrays import Array

# median, 99th percentile and maximum of the jitter [s] of the node `feedforward` by rate [Hz], by
# make bench-node on two cores that had other work, too
JITTER = {250.0: (23e-6, 1128e-6, 18321e-6), 1000.0: (5e-6, 938e-6, 8174e-6)}
SECONDS = 60.0  # s of that measurement
BEFORE = 0.1  # s of commands before the motion


@dataclass(frozen=True)
class Link:
    """
    The way of a command from node to motor.

    `rate` [Hz] is that of the node, `lead` its lead_time [s] and `delay` the time until the
    command is there [s]. With a `jitter` seed, ticks are late as measured.
    """

    rate: float = 1000.0
    lead: float = 0.0005
    delay: float = 0.0
    jitter: int | None = None


def step_efforts(link: Link, efforts: Callable[[Array], Array], steps: int, h: float) -> Array:
    """
    Return the mean effort during each of the steps of length `h` [s] from 0 on, (steps, n).

    `efforts` returns commands for instants [s]. A command is held until the next one arrives.
    """
    ticks = tick_times(link, steps * h)
    commands = efforts(ticks + link.lead)
    arrivals = ticks + link.delay
    edges = h * np.arange(steps + 1, dtype=np.float64)
    last = np.searchsorted(arrivals, edges, side='right') - 1
    held = np.diff(arrivals)[:, None] * commands[:-1]
    sums = np.vstack([np.zeros_like(commands[:1]), np.cumsum(held, axis=0)])
    integral = sums[last] + commands[last] * (edges - arrivals[last])[:, None]
    means: Array = np.diff(integral, axis=0) / h
    return means


def tick_times(link: Link, end: float) -> Array:
    """Return the times of the ticks from before the motion to `end` [s]."""
    planned = np.arange(-round(BEFORE * link.rate), round(end * link.rate) + 1) / link.rate
    if link.jitter is None:
        return planned
    delays = lateness(link.rate, np.random.default_rng(link.jitter), len(planned))
    times = [planned[0]]
    for tick, delay in zip(planned[1:], delays[1:], strict=True):
        if tick > times[-1]:  # a timer skips the ticks that pass while one is late
            times.append(tick + delay)
    return np.array(times)


def lateness(rate: float, rng: np.random.Generator, count: int) -> Array:
    """Return random delays (count,) [s] with the measured median, 99th percentile and maximum."""
    median, high, largest = JITTER[rate]
    shares = (0.0, 0.5, 0.99, 1.0 - 1.0 / (SECONDS * rate))
    values = np.log([0.1 * median, median, high, largest])
    delays: Array = np.exp(np.interp(rng.uniform(size=count), shares, values))
    return delays
