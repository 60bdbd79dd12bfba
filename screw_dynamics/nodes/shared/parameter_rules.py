# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules for the value of a single parameter: conversion, error texts, descriptor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, replace
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

from screw_dynamics.errors import InputError


@dataclass(frozen=True)
class ParameterRule:
    """
    Allowed values of a parameter, in addition to the type of its default.

    `minimum` and `maximum` are inclusive. `numbers` marks an array of numbers; other arrays are of
    strings. `size` is the length of an array of numbers; 0 means any.
    """

    name: str
    description: str
    minimum: float = -math.inf
    maximum: float = math.inf
    choices: tuple[str, ...] = ()
    numbers: bool = False
    size: int = 0
    read_only: bool = False


def parameter(default: Any, description: str, *, name: str = '', **rule: Any) -> Any:
    """
    Return a dataclass field that becomes a ROS parameter of the type of its default.

    `name` is its name in ROS if it differs from the field's; `rule` are further fields of
    `ParameterRule`.
    """
    return field(default=default, metadata={'rule': ParameterRule(name, description, **rule)})


def rule_of(item: Field[Any]) -> ParameterRule:
    """Return the rule of a field made by `parameter`; its name is never empty."""
    rule: ParameterRule = item.metadata['rule']
    return rule if rule.name else replace(rule, name=item.name)


def coerced(rule: ParameterRule, default: Any, value: Any) -> Any:
    """
    Return a value of rclpy as the type of the default; integers are accepted for doubles.

    Raises InputError with the parameter, the expected and the received value.
    """
    if isinstance(default, tuple):
        entries = [] if value is None else value
        if isinstance(entries, (str, bytes)) or not isinstance(entries, Sequence):
            raise _unexpected(rule, 'an array', value)
        if rule.numbers or rule.size:
            if rule.size and len(entries) != rule.size:
                raise _unexpected(rule, f'{rule.size} numbers', list(entries))
            return tuple(_number(rule, entry) for entry in entries)
        if not all(isinstance(entry, str) for entry in entries):
            raise _unexpected(rule, 'an array of strings', list(entries))
        # parameter files often contain [''] for an empty array of strings
        return tuple(entry for entry in entries if entry)
    if isinstance(default, bool) or isinstance(default, str):
        if value is False and 'off' in rule.choices:
            value = 'off'  # YAML reads an unquoted off as false
        if type(value) is not type(default):
            raise _unexpected(
                rule, 'true or false' if default in (True, False) else 'a string', value
            )
        if rule.choices and value not in rule.choices:
            raise _unexpected(rule, f'one of {", ".join(rule.choices)}', repr(value))
        return value
    if isinstance(default, int) and not isinstance(value, int):
        raise _unexpected(rule, 'an integer', value)
    return type(default)(_number(rule, value))


def _number(rule: ParameterRule, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _unexpected(rule, 'a number', repr(value))
    if not math.isfinite(value):
        raise _unexpected(rule, 'a finite number', value)
    if not rule.minimum <= value <= rule.maximum:
        if math.isinf(rule.maximum):
            raise _unexpected(rule, f'a number of at least {rule.minimum:g}', value)
        raise _unexpected(rule, f'a number from {rule.minimum:g} to {rule.maximum:g}', value)
    return float(value)


def _unexpected(rule: ParameterRule, expected: str, got: Any) -> InputError:
    return InputError(f'parameter {rule.name!r}: expected {expected}, got {got}')


def descriptor(rule: ParameterRule, default: Any) -> ParameterDescriptor:
    """
    Return the descriptor of a parameter, as shown by tools.

    It allows dynamic typing, so that an integer is accepted for a double; `coerced` rejects other
    types.
    """
    result = ParameterDescriptor(
        name=rule.name,
        description=rule.description,
        read_only=rule.read_only,
        dynamic_typing=True,
        additional_constraints=f'one of {", ".join(rule.choices)}' if rule.choices else '',
    )
    if math.isinf(rule.minimum) and math.isinf(rule.maximum):
        return result
    if isinstance(default, float):
        result.floating_point_range = [
            FloatingPointRange(from_value=float(rule.minimum), to_value=float(rule.maximum))
        ]
    elif isinstance(default, int):
        result.integer_range = [
            IntegerRange(from_value=int(rule.minimum), to_value=int(rule.maximum))
        ]
    return result
