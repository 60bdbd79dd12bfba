# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Algorithms that no random tree judges: curves, observers, expressions, soft robots, methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from oracles.comparison import TOLERANCE

from benchmarks.timing import best_times

Call = Callable[[], Any]


@dataclass(frozen=True)
class Measure:
    """The largest residual of an algorithm against one source, and calls to time."""

    algorithm: Callable[..., Any]
    oracle: str  # source of the exact values
    residual: float  # max |x - exact| / max |exact|, or what `reason` says
    bound: float = TOLERANCE
    reason: str = ''  # why the bound is larger, or what the residual is relative to
    call: Call | None = None
    growth: tuple[Call, float] | None = None  # a call for a robot or curve so many times as large


@dataclass(frozen=True)
class Integration:
    """Order of convergence of a method on a system, and what it loses over many steps."""

    system: Callable[..., Any]
    method: str
    oracle: str  # source of the motion from which the order is measured
    nominal: int  # order of the method
    order: float  # measured
    steps: int  # of the drifts
    # largest relative deviations from the start; nan where nothing is preserved
    energy: float
    momentum: float
    seconds: float  # per step


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


def growth_of(measure: Measure, seconds: float) -> float | None:
    """Return the exponent of the growth with the size."""
    if measure.growth is None:
        return None
    larger, factor = measure.growth
    return log(best_times([larger])[0] / seconds) / log(factor)
