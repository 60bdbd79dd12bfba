# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Algorithms that no random tree judges: curves, observers, expressions, soft robots, methods."""

from __future__ import annotations

import timeit
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from oracles.comparison import TOLERANCE

Call = Callable[[], Any]
ROUNDS = 7


@dataclass(frozen=True)
class Measure:
    """
    The largest residual of an algorithm against one source.

    Parameters
    ----------
    algorithm : function, class or method
    oracle : str
        Source of the exact values.
    residual : float
        max |x - exact| / max |exact|, or what `reason` says.
    bound : float
    reason : str
        Why the bound is larger than `TOLERANCE`, or what the residual is relative to.
    call : callable, optional
        One call to time.
    growth : (callable, float), optional
        The same call for a robot or curve so many times as large.
    """

    algorithm: Callable[..., Any]
    oracle: str
    residual: float
    bound: float = TOLERANCE
    reason: str = ''
    call: Call | None = None
    growth: tuple[Call, float] | None = None


@dataclass(frozen=True)
class Integration:
    """
    Order of convergence of a method on a system, and what it loses over many steps.

    Parameters
    ----------
    system : function
    method : str
    oracle : str
        Source of the motion from which the order is measured.
    nominal : int
        Order of the method.
    order : float
        Measured.
    steps : int
        Steps of the drifts.
    energy, momentum : float
        Largest relative deviation from the start over these steps; nan where nothing is preserved.
    seconds : float
        Per step.
    """

    system: Callable[..., Any]
    method: str
    oracle: str
    nominal: int
    order: float
    steps: int
    energy: float
    momentum: float
    seconds: float


Subject = Callable[[], Iterator[Measure]]
Integrations = Callable[[], Iterator[Integration]]
SUBJECTS: dict[Subject, str] = {}
INTEGRATIONS: list[Integrations] = []


def subject(heading: str) -> Callable[[Subject], Subject]:
    """Register the measures under a heading of the page."""

    def register(function: Subject) -> Subject:
        SUBJECTS[function] = heading
        return function

    return register


def integrations(function: Integrations) -> Integrations:
    """Register measures of integrators."""
    INTEGRATIONS.append(function)
    return function


def difference(got: ArrayLike, expected: ArrayLike, size: float = 0.0) -> float:
    """Return the largest difference relative to the largest exact value, or to a larger size."""
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    if got.shape != expected.shape:
        raise ValueError(f'{got.shape} beside {expected.shape}')
    largest = max(float(np.abs(expected).max(initial=0.0)), size)
    error = float(np.abs(got - expected).max(initial=0.0))
    return error / largest if largest else error


def seconds_of(call: Call) -> float:
    """Return the best time of a call."""
    call()
    once = timeit.timeit(call, number=1)
    number = max(1, int(2e-3 / max(once, 1e-7)))
    rounds = ROUNDS if once < 0.2 else 1
    times = timeit.repeat(call, repeat=rounds, number=number)
    return min(once, min(times) / number)


def growth_of(measure: Measure, seconds: float) -> float | None:
    """Return the exponent of the growth with the size."""
    if measure.growth is None:
        return None
    larger, factor = measure.growth
    return log(seconds_of(larger) / seconds) / log(factor)
