# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""B-splines on evenly spaced knots: values and derivatives of the basis functions."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array


class UniformKnots(NamedTuple):
    """
    Even knots that continue beyond both ends; a spline has ``intervals + degree`` coefficients.

    The first interval begins at `start`; all have the length `spacing` [s].
    """

    start: float
    spacing: float
    intervals: int
    degree: int

    def intervals_of(self, times: Array) -> tuple[NDArray[np.intp], Array]:
        """
        Return the index of the interval of each time, and the elapsed part of it (0 to 1).

        Basis functions `index` to `index + degree` are not zero there.
        """
        scaled = (times - self.start) / self.spacing
        index = np.clip(np.floor(scaled), 0, self.intervals - 1).astype(np.intp)
        return index, scaled - index

    def weights(self, part: Array, derivative: int = 0) -> Array:
        """
        Return the values of the basis functions, or of a derivative, (T, degree + 1) [per s^d].

        `part` (T,) comes from `intervals_of`.
        """
        powers = np.zeros((len(part), self.degree + 1))
        for k in range(derivative, self.degree + 1):
            falling = np.prod(np.arange(k - derivative + 1, k + 1, dtype=float))
            powers[:, k] = falling * part ** (k - derivative)
        values: Array = powers @ _pieces(self.degree).T / self.spacing**derivative
        return values


@lru_cache
def _pieces(degree: int) -> Array:
    """
    Return the polynomial pieces of all basis functions on one interval of length 1.

    Row a has the coefficients of u^0, u^1, ... of the function that began degree - a intervals
    earlier; by the recursion of Cox and de Boor.
    """
    pieces = np.ones((1, 1))
    for p in range(1, degree + 1):
        raised = np.zeros((p + 1, p + 1))
        for a in range(p + 1):
            if a > 0:  # rising: (u + p - a) / p times the function one index to the left
                raised[a, :-1] += (p - a) / p * pieces[a - 1]
                raised[a, 1:] += pieces[a - 1] / p
            if a < p:  # falling: (a + 1 - u) / p
                raised[a, :-1] += (a + 1) / p * pieces[a]
                raised[a, 1:] -= pieces[a] / p
        pieces = raised
    pieces.flags.writeable = False
    return pieces
