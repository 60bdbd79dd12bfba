# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Record of a misprint, and how far a formula is from the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from oracles.errata.robot import MovingRobot
from screw_dynamics.common.arrays import Array


@dataclass(frozen=True)
class Erratum:
    """
    A misprint: the equation, such as 'M2018 (14)', what it says and what it should.

    `evaluate` returns the printed value, the corrected one and the truth, of a moving robot; it is
    None for words, which are corrected by inspection.
    """

    place: str
    printed: str
    correct: str
    evaluate: Callable[[MovingRobot], tuple[Array, Array, Array]] | None = None


def residual(value: Array, truth: Array) -> float:
    """Return the largest difference, relative to the largest true value."""
    return float(np.abs(np.subtract(value, truth)).max() / np.abs(truth).max())
