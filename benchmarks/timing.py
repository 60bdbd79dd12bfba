# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Timing of several calls against each other, in turns: ratios outlive a noisy machine."""

from __future__ import annotations

import gc
import timeit
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Measured:
    """Seconds per call in every round."""

    seconds: np.ndarray

    @property
    def best(self) -> float:
        """Seconds of the fastest round."""
        return float(self.seconds.min())

    def ratio(self, other: Measured) -> float:
        """Return the median over the rounds of this call's time over the other's."""
        return float(np.median(self.seconds / other.seconds))


def race(
    calls: Mapping[str, tuple[Callable[..., object], tuple[object, ...]]],
    rounds: int = 41,
    round_seconds: float = 0.004,
) -> dict[str, Measured]:
    """Time every call once per round, each repeated to fill `round_seconds`."""
    timers, repeats = {}, {}
    for name, (function, arguments) in calls.items():
        names = [f'a{i}' for i in range(len(arguments))]
        scope = {'f': function, **dict(zip(names, arguments, strict=True))}
        timers[name] = timeit.Timer(f'f({", ".join(names)})', globals=scope)
        once = min(timers[name].repeat(3, 1))
        repeats[name] = max(1, int(round_seconds / once))
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    gc.collect()
    for _ in range(rounds):
        for name, timer in timers.items():
            seconds[name].append(timer.timeit(repeats[name]) / repeats[name])
    return {name: Measured(np.array(values)) for name, values in seconds.items()}


def best_times(calls: Sequence[Callable[[], object]]) -> list[float]:
    """Return the best times of calls, in turns, each repeated for some milliseconds per round."""
    once = []
    for call in calls:
        call()  # compiles, and fills the tables of the model
        once.append(timeit.timeit(call, number=1))
    rounds = 7 if max(once) < 0.2 else 1
    numbers = [max(1, int(2e-3 / max(seconds, 1e-7))) for seconds in once]
    best = list(once)
    for _ in range(rounds):
        for i, (call, number) in enumerate(zip(calls, numbers, strict=True)):
            best[i] = min(best[i], timeit.timeit(call, number=number) / number)
    return best
