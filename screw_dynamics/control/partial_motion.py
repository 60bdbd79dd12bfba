# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints that a trajectory leaves out: they finish the motion that they have."""

import math

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.control.tasks import Others
from screw_dynamics.trajectory import PiecewisePolynomial

_SAME = 1e-9  # s between two breaks that are one


def with_others(
    curve: PiecewisePolynomial, others: Others, left_out: NDArray[np.bool_]
) -> PiecewisePolynomial:
    """Return a curve whose joints `left_out` (n,) follow another one from its time on."""
    shift = others.time - float(curve.breaks[0])
    running = others.curve
    later = running.breaks - shift
    breaks = np.union1d(curve.breaks, later[later > curve.breaks[0]])
    breaks = breaks[np.diff(breaks, prepend=-np.inf) > _SAME]
    degree = max(curve.coefficients.shape[1], running.coefficients.shape[1])
    coefficients = np.zeros((len(breaks) - 1, degree, len(left_out)))
    for source, columns, offset in ((curve, ~left_out, 0.0), (running, left_out, shift)):
        part = _refined(source, breaks + offset)
        coefficients[:, : part.shape[1], columns] = part[:, :, columns]
    end = np.where(left_out, running.end, curve.end)
    continuity = min(curve.continuity, running.continuity)
    return PiecewisePolynomial(breaks, coefficients, end, continuity)


def _refined(curve: PiecewisePolynomial, breaks: Array) -> Array:
    """Return the coefficients of a curve, and of the hold after it, between finer breaks."""
    middles = 0.5 * (breaks[:-1] + breaks[1:])
    segment = np.searchsorted(curve.breaks, middles, side='right') - 1
    count, degree = curve.coefficients.shape[:2]
    result = np.zeros((len(middles), degree, len(curve.end)))
    result[:, 0] = curve.end
    inside = segment < count
    at, begins = segment[inside], breaks[:-1][inside]
    length = np.diff(curve.breaks)[at]
    u, ratio = (begins - curve.breaks[at]) / length, np.diff(breaks)[inside] / length
    powers = np.arange(degree)
    # (u + ratio v)^j = sum_k comb(j, k) u^(j - k) ratio^k v^k
    excess = powers - powers[:, np.newaxis]  # j - k, (k, j)
    combinations = np.array([[math.comb(j, k) for j in range(degree)] for k in range(degree)])
    weights = combinations * np.where(
        excess >= 0, u[:, np.newaxis, np.newaxis] ** np.maximum(excess, 0), 0.0
    )
    weights *= (ratio[:, np.newaxis] ** powers)[:, :, np.newaxis]
    result[inside] = weights @ curve.coefficients[at]
    return result
