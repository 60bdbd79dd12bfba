# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings: parameters of nodes and options of commands, as the fields of frozen records."""

import math
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError


@dataclass(frozen=True)
class Rule:
    """Allowed values of a setting, in addition to its type."""

    name: str
    description: str
    minimum: float = -math.inf  # inclusive, like the maximum
    maximum: float = math.inf
    choices: tuple[Any, ...] = ()
    numbers: bool = False  # in an array; other arrays are of strings
    size: int = 0  # of an array of numbers; 0: any
    read_only: bool = False
    above: float = -math.inf  # exclusive

    def allows(self, value: float) -> bool:
        """Return whether a number is finite and within the bounds."""
        within = self.minimum <= value <= self.maximum and value > self.above
        return within and math.isfinite(value)

    @property
    def bounds(self) -> str:
        """The numbers that are allowed, in words."""
        if math.isfinite(self.above):
            most = f', at most {self.maximum:g}' if math.isfinite(self.maximum) else ''
            return f'a number above {self.above:g}{most}'
        if math.isfinite(self.maximum):
            return f'a number from {self.minimum:g} to {self.maximum:g}'
        if math.isfinite(self.minimum):
            return f'a number of at least {self.minimum:g}'
        return 'a finite number'


def setting(
    default: Any,
    description: str,
    *,
    kind: type[Rule] = Rule,
    name: str = '',
    within: tuple[float, float] = (-math.inf, math.inf),
    **further: Any,
) -> Any:
    """Return a dataclass field for a setting, with a rule of some kind."""
    rule = kind(name, description, *within, **further)
    return field(default=default, metadata={'rule': rule})


fixed = partial(setting, read_only=True)  # a parameter that is set at start only


def rule_of(item: Field[Any]) -> Rule:
    """Return the rule of a field made by `setting`; its name is never empty."""
    rule: Rule = item.metadata['rule']
    return replace(rule, name=rule.name or item.name, numbers=item.type == tuple[float, ...])


def coerced(rule: Rule, default: Any, value: Any) -> Any:  # noqa: C901  (a case per type)
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


def _number(rule: Rule, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise unexpected(rule.name, ' or '.join(('a number', *rule.choices)), repr(value))
    if not rule.allows(value):
        expected = rule.bounds if math.isfinite(value) else 'a finite number'
        raise unexpected(rule.name, expected, value)
    return float(value)


def unexpected(name: str, expected: str, got: object) -> InputError:
    """Return the error of a parameter."""
    shown = list(got) if isinstance(got, tuple) else got
    return InputError(f'parameter {name!r}: expected {expected}, got {shown}')


def one_or_each(name: str, values: Sequence[float], owners: Sequence[str]) -> Array:
    """Return values (m,) of a parameter; raise InputError unless there are 0, 1 or m of them."""
    m = len(owners)
    if len(values) not in (0, 1, m):
        raise unexpected(name, f'no value, one, or {m} ({", ".join(owners)})', len(values))
    row: Array = np.zeros(m) + np.array(values or (0.0,))
    return row
