# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the numbers that functions of the simulation take."""

from __future__ import annotations

import math
from numbers import Integral, Real

from screw_dynamics.errors import InputError


def require_number(name: str, value: object, *, above_zero: bool = False) -> float:
    """
    Return a finite number of 0 or more.

    Parameters
    ----------
    name : str
        Name of the argument, for the error text.
    value : object
    above_zero : bool
        Whether 0 itself is too low.

    Returns
    -------
    float

    Raises
    ------
    InputError

    """
    number = float(value) if isinstance(value, Real) else math.nan
    if not (number > 0.0 if above_zero else number >= 0.0) or math.isinf(number):
        bound = 'above 0' if above_zero else 'of 0 or more'
        raise InputError(f'{name}: expected a finite number {bound}, got {value!r}')
    return number


def require_count(name: str, value: object) -> int:
    """
    Return a whole number of 0 or more.

    Parameters
    ----------
    name : str
        Name of the argument, for the error text.
    value : object

    Returns
    -------
    int

    Raises
    ------
    InputError

    """
    if not isinstance(value, Integral) or value < 0:
        raise InputError(f'{name}: expected a whole number of 0 or more, got {value!r}')
    return int(value)
