# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of single numbers of the public API, and the text of their records."""

import argparse
import math
import re
from collections.abc import Iterable
from dataclasses import fields
from numbers import Integral
from typing import Any, NoReturn, TypeVar

import numpy as np

from screw_dynamics.errors import InputError, ModelError, among, shown

Choice = TypeVar('Choice', bound=str)

# types that float() accepts although they are not real numbers
_DEGREES = re.compile(r'([-+]?(?:\d+\.?\d*|\.\d+)) ?(?:°|deg|degrees?)$')
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
    """Return a number of at least `low`, finite if not `infinite`; raise `error` otherwise."""
    try:
        number = math.nan if isinstance(value, _NO_NUMBERS) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    in_range = number > low if above else number >= low
    if not in_range or (math.isinf(number) and not infinite):
        kind = 'a number' if infinite else 'a finite number'
        bound = f' above {low:g}' if above else f' of {low:g} or more' * math.isfinite(low)
        raise error(f'{name}: expected {kind}{bound}, got {shown(value)}')
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


def require_choice(name: str, value: object, choices: Iterable[Choice]) -> Choice:
    """Return one of some texts; raise InputError if it is none of them."""
    known = tuple(choices)
    for choice in known:
        if isinstance(value, str) and value == choice:
            return choice
    raise InputError(f'{name}: expected one of {among(known, value)}')


def positive(text: str) -> float:
    """Return a finite number above 0."""
    value = finite_or_nan(text)
    return value if value > 0.0 else refuse('a number above 0', text)


def finite_or_nan(text: str) -> float:
    """Return a finite number, otherwise NaN, for which every comparison is false."""
    value = number_or_nan(text)
    return value if math.isfinite(value) else math.nan


def number_or_nan(text: str) -> float:
    """Return a number, also an infinite one, otherwise NaN."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def refuse(expected: str, got: str) -> NoReturn:
    """Raise ArgumentTypeError; argparse prints its text after the name of the argument."""
    angle = _DEGREES.search(got)
    hint = f': {angle[1]} degrees are {math.radians(float(angle[1])):.6g} rad' if angle else ''
    raise argparse.ArgumentTypeError(f'expected {expected}, got {shown(got)}{hint}')


def check_number(
    record: object, name: str, *, above: bool = False, infinite: bool = False
) -> None:
    """Make a field of a frozen record a float; raise ModelError below 0 (or at 0 with `above`)."""
    value = getattr(record, name)
    number = require_number(name, value, above=above, infinite=infinite, error=ModelError)
    object.__setattr__(record, name, number)


def check_order(record: object, low_name: str, high_name: str) -> None:
    """Raise ModelError if a field of a record is above another one."""
    low, high = getattr(record, low_name), getattr(record, high_name)
    if low > high:
        raise ModelError(f'{high_name}: expected at least {low_name} = {low:g}, got {high:g}')


def changes_of(record: Any) -> str:
    """Return the repr of a record without the fields that have their defaults."""
    found = [(field, getattr(record, field.name)) for field in fields(record)]
    changed = [f'{field.name}={value!r}' for field, value in found if value != field.default]
    return f'{type(record).__name__}({", ".join(changed)})'
