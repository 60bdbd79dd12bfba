# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Effort of a spring as a function of its deflection, a step of the simulation kernels."""

from __future__ import annotations

import numpy as np

from screw_dynamics.kernels.springs.laws import LAW_HELPERS, law_taylor
from screw_dynamics.kernels.springs.layout import (
    DAMPED,
    LINEAR,
    PAIR_LAW,
    PAIR_QUADRATIC,
    TABULATED,
    VARIABLE,
)


def spring_effort(law, parameters, first, stiffness, phi, rate, work):
    """
    Return the effort of a spring between one motor and its link; NaN outside of a table.

    `parameters[first:]` are those of the law; `stiffness` is K of a spring of variable stiffness.
    """
    if law == LINEAR:
        return parameters[first] * phi
    if law == DAMPED:
        return parameters[first] * phi + parameters[first + 1] * rate
    if law == VARIABLE:
        return stiffness * phi
    if law == TABULATED:
        last = first + int(parameters[first])
        if not parameters[first + 1] <= phi <= parameters[last]:
            return np.nan
    law_taylor(law, parameters, first, phi, work)
    return work[0]


def pair_effort(law, parameters, first, second_spring, phi, work):
    """
    Return the effort of one spring of an antagonistic pair at its own deflection.

    The springs are mirrored: f2(x) = -f1(-x).
    """
    side = -1.0 if second_spring else 1.0
    if law == PAIR_QUADRATIC:
        pulled = max(side * phi, 0.0)  # a tendon does not push
        return side * parameters[first + PAIR_LAW] * pulled * pulled
    law_taylor(law, parameters, first + PAIR_LAW, side * phi, work)
    return side * work[0]


SPRING_HELPERS = (spring_effort, pair_effort, *LAW_HELPERS)
