# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the numbers in the records of elastic joints."""

from __future__ import annotations

from screw_dynamics.errors import ModelError
from screw_dynamics.scalars import require_number


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
