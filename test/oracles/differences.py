# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions of floats at 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from screw_dynamics.common.arrays import Array


def slope(function: Callable[[float], Any], step: float) -> Any:
    """Return the first derivative by central differences, with an error of fourth order."""
    near, far = (function(h) - function(-h) for h in (step, 2.0 * step))
    return (8.0 * near - far) / (12.0 * step)


def derivatives(function: Callable[[float], Array], radius: float, degree: int) -> Array:
    """Return the value and three derivatives of the polynomial through Chebyshev nodes."""
    nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    curve = chebyshev.chebfit(nodes, [function(radius * node) for node in nodes], degree)
    orders = [chebyshev.chebder(curve, d, scl=1.0 / radius) for d in range(4)]
    return np.array([chebyshev.chebval(0.0, order) for order in orders])
