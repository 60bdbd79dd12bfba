# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of single numbers of the public API."""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np

from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InputError, ModelError

# types that float() accepts although they are not real numbers
_NO_NUMBERS = (bool, np.bool_, str, bytes, np.complexfloating)


def require_number(
    name: str,
    value: object,
    low: float = 0.0,
    *,
    above: bool = False,
    infinite: bool = False,
    error: type[InputError | ModelError] = InputError,
) -> float:
    """
    Return a number of at least `low`, or above it if `above` is set; raise `error` otherwise.

    Plus infinity is accepted only if `infinite` is set, as for limits.
    """
    try:
        number = math.nan if isinstance(value, _NO_NUMBERS) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    in_range = number > low if above else number >= low
    if not in_range or (math.isinf(number) and not infinite):
        kind = 'a number' if infinite else 'a finite number'
        bound = f'above {low:g}' if above else f'of {low:g} or more'
        raise error(f'{name}: expected {kind} {bound}, got {shown(value)}')
    return number


def number_from_text(text: str) -> float:
    """Return the number in a text; raise ValueError also for underscores and non-ASCII digits."""
    if '_' in text or not text.isascii():
        raise ValueError
    return float(text)


def require_count(name: str, value: object, low: int = 0) -> int:
    """Return a whole number; raise InputError if it is below `low` or not one."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise InputError(f'{name}: expected a whole number of {low} or more, got {shown(value)}')
    return int(value)
