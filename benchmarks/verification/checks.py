# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Registry of the checks: each compares algorithms with an independent value of a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from oracles.comparison import CANCELLATION, ZERO

from benchmarks.verification.scenes import Scene


@dataclass(frozen=True)
class Result:
    """A value beside the exact one, and the size of what they add up from; see `residual_of`."""

    algorithm: Callable[..., Any]
    got: ArrayLike
    expected: ArrayLike
    size: float | np.ndarray = 0.0

    @property
    def residual(self) -> float:
        """The worst relative difference."""
        return residual_of(self.got, self.expected, self.size)


def residual_of(got: ArrayLike, expected: ArrayLike, size: float | np.ndarray = 0.0) -> float:
    """
    Return the largest difference relative to the largest exact value, the worst of all rows.

    `size` is that of the terms that add up to the value; with one per row, rows are compared
    apart. Values a thousand times smaller than what they are made of have lost three digits: the
    difference is relative to a thousandth of that.
    """
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    if got.shape != expected.shape:
        raise ValueError(f'{got.shape} beside {expected.shape}')
    sizes = np.atleast_1d(size)
    rows = len(sizes) if np.ndim(size) else 1
    error = np.abs(got - expected).reshape(rows, -1).max(axis=1, initial=0.0)
    largest = np.abs(expected).reshape(rows, -1).max(axis=1, initial=0.0)
    divisor = np.maximum(largest, CANCELLATION * sizes)
    return float(np.where(error < ZERO, 0.0, error / np.maximum(divisor, ZERO)).max())


Check = Callable[[Scene], Iterator[Result]]
CHECKS: dict[Check, str] = {}


def against(oracle: str) -> Callable[[Check], Check]:
    """Register a check with the words for the source of its exact values."""

    def register(check: Check) -> Check:
        CHECKS[check] = oracle
        return check

    return register


def name_of(algorithm: Callable[..., Any]) -> str:
    """Return module and name below the package."""
    return f'{algorithm.__module__}.{algorithm.__qualname__}'.removeprefix('screw_dynamics.')
