# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Entire functions E_n without a singularity at zero curvature."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

_SPLIT = 4.0  # of |x| between power series and closed form
_TERMS = 18


def entire(n: int, x: Any) -> Any:
    """
    Return ``E_n(x) = sum_i (-x)^i / (2 i + n)!`` of an array of floats, complex or series.

    With x = q^2: E_0 = cos q, E_1 = sin q / q, E_2 = (1 - cos q) / q^2, ...
    """
    value = np.asarray(getattr(x, 'value', x))
    small = np.abs(value) < _SPLIT
    if small.all():
        return _power_series(n, x)
    if not small.any():
        return _closed_form(n, x)
    near, far = np.where(small, x, 0.0 * x), np.where(small, 0.0 * x + _SPLIT, x)
    return np.where(small, _power_series(n, near), _closed_form(n, far))


def _power_series(n: int, x: Any) -> Any:
    result = 0.0 * x + 1.0 / factorial(2 * _TERMS + n)
    for i in range(_TERMS - 1, -1, -1):
        result = 1.0 / factorial(2 * i + n) - x * result
    return result


def _closed_form(n: int, x: Any) -> Any:
    q = np.sqrt(x)
    result = np.sin(q) / q if n % 2 else np.cos(q)
    for m in range(n % 2, n, 2):
        result = (1.0 / factorial(m) - result) / x
    return result
