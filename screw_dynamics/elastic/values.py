# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The check of numbers in the records of elastic joints."""

from __future__ import annotations

import math
from typing import Any

from screw_dynamics.errors import ModelError


def checked_number(
    name: str,
    value: Any,
    low: float = 0.0,
    *,
    above: bool = False,
    infinite: bool = False,
) -> float:
    """
    Return a number that lies in its range.

    Parameters
    ----------
    name : str
        Name of the field, for the error text.
    value : object
    low : float
        Lower bound.
    above : bool
        Whether the bound itself is too low.
    infinite : bool
        Whether plus infinity is a value, as for limits.

    Returns
    -------
    float

    Raises
    ------
    ModelError
        If it is no number or out of range; the field is named.

    Examples
    --------
    >>> checked_number('rotor_inertia', 3e-5)
    3e-05

    """
    try:
        number = math.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    in_range = number > low if above else number >= low
    if not in_range or (math.isinf(number) and not infinite):
        bound = f'above {low:g}' if above else f'of {low:g} or more'
        kind = 'a number' if infinite else 'a finite number'
        raise ModelError(f'{name}: expected {kind} {bound}, got {value!r}')
    return number


def check_range(low_name: str, low: float, high_name: str, high: float) -> None:
    """
    Raise the error that says that a range is empty.

    Parameters
    ----------
    low_name, high_name : str
        Names of the fields.
    low, high : float

    Raises
    ------
    ModelError
        If `low` is above `high`.

    """
    if low > high:
        raise ModelError(f'{high_name}: expected at least {low_name} = {low:g}, got {high:g}')
