# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of node parameters, which are the fields of a frozen dataclass."""

import math
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError


@dataclass(frozen=True)
class ParameterRule:
    """Allowed values of a parameter, in addition to the type of its default."""

    name: str
    description: str
    minimum: float = -math.inf  # inclusive, like the maximum
    maximum: float = math.inf
    choices: tuple[str, ...] = ()
    numbers: bool = False  # in an array; other arrays are of strings
    size: int = 0  # of an array of numbers; 0: any
    read_only: bool = False


def parameter(
    default: Any,
    description: str,
    *,
    name: str = '',
    within: tuple[float, float] = (-math.inf, math.inf),
    **further: Any,
) -> Any:
    """Return a dataclass field for a ROS parameter with a `ParameterRule`."""
    rule = ParameterRule(name, description, *within, **further)
    return field(default=default, metadata={'rule': rule})


fixed = partial(parameter, read_only=True)  # a parameter that is set at start only


def rule_of(item: Field[Any]) -> ParameterRule:
    """Return the rule of a field made by `parameter`; its name is never empty."""
    rule: ParameterRule = item.metadata['rule']
    return replace(rule, name=rule.name or item.name, numbers=item.type == tuple[float, ...])


def coerced(rule: ParameterRule, default: Any, value: Any) -> Any:
    """Return a value of rclpy as the type of the default, or raise InputError."""
    if isinstance(default, tuple):
        entries = [] if value is None else value
        if isinstance(entries, (str, bytes)) or not isinstance(entries, Sequence):
            raise unexpected(rule.name, 'an array', value)
        if rule.numbers:
            if rule.size and len(entries) != rule.size:
                raise unexpected(rule.name, f'{rule.size} numbers', list(entries))
            return tuple(_number(rule, entry) for entry in entries)
        if not all(isinstance(entry, str) for entry in entries):
            raise unexpected(rule.name, 'an array of strings', list(entries))
        if rule.choices and not all(entry in rule.choices for entry in entries if entry):
            raise unexpected(rule.name, f'some of {", ".join(rule.choices)}', list(entries))
        # parameter files often contain [''] for an empty array of strings
        return tuple(entry for entry in entries if entry)
    if isinstance(default, bool) or isinstance(default, str):
        if value is False and 'off' in rule.choices:
            value = 'off'  # YAML reads an unquoted off as false
        if type(value) is not type(default):
            raise unexpected(
                rule.name, 'true or false' if default in (True, False) else 'a string', value
            )
        if rule.choices and value not in rule.choices:
            raise unexpected(rule.name, f'one of {", ".join(rule.choices)}', repr(value))
        return value
    if isinstance(value, str) and value in rule.choices:
        return value  # a word that stands for a number
    if isinstance(default, int) and not isinstance(value, int):
        raise unexpected(rule.name, 'an integer', value)
    return type(default)(_number(rule, value))


def _number(rule: ParameterRule, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise unexpected(rule.name, ' or '.join(('a number', *rule.choices)), repr(value))
    if not math.isfinite(value):
        raise unexpected(rule.name, 'a finite number', value)
    if not rule.minimum <= value <= rule.maximum:
        if math.isinf(rule.maximum):
            raise unexpected(rule.name, f'a number of at least {rule.minimum:g}', value)
        raise unexpected(rule.name, f'a number from {rule.minimum:g} to {rule.maximum:g}', value)
    return float(value)


def unexpected(name: str, expected: str, got: object) -> InputError:
    """Return the error of a parameter."""
    shown = list(got) if isinstance(got, tuple) else got
    return InputError(f'parameter {name!r}: expected {expected}, got {shown}')


def values_per_motor(name: str, values: Sequence[float], motors: Sequence[str]) -> Array:
    """Return values (m,) of a parameter; raise InputError unless there are 0, 1 or m of them."""
    m = len(motors)
    if len(values) not in (0, 1, m):
        raise unexpected(name, f'no value, one, or {m} ({", ".join(motors)})', len(values))
    row: Array = np.zeros(m) + np.array(values or (0.0,))
    return row
