# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of commands: texts to numbers, and to names with numbers."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import finite_or_nan, number_or_nan, refuse
from screw_dynamics.common.settings import Rule
from screw_dynamics.errors import InputError, UnknownNameError

Named = tuple[str, float]  # of a number alone the name is empty


def number(rule: Rule) -> Callable[[str], float]:
    """Return the parser of a number that a rule allows."""

    def parse(text: str) -> float:
        value = finite_or_nan(text)
        return value if rule.allows(value) else refuse(rule.bounds, text)

    return parse


def named_value(text: str) -> Named:
    """Parse a name and a number, as in ``gripper=0.02``."""
    name, equals, value = text.rpartition('=')
    found = finite_or_nan(value)
    if not equals or not name or math.isnan(found):
        refuse('NAME=VALUE, with a number as VALUE', text)
    return name, found


def named_word(text: str) -> tuple[str, str]:
    """Parse a name and a word, as in ``joint_1=linear``."""
    name, equals, word = text.partition('=')
    return (name, word) if name and word and equals else refuse('NAME=WORD', text)


def joint_value(text: str, infinite: bool = False) -> Named:
    """Parse a number, or a name and a number; the name of a number alone is empty."""
    name, equals, value = text.rpartition('=')
    if equals and not name:
        raise argparse.ArgumentTypeError(f'expected a number or JOINT=VALUE, got {text!r}')
    found = number_or_nan(value)
    if math.isnan(found) or (math.isinf(found) and not infinite):
        refuse('a number' if infinite else 'a finite number', value)
    return name, found


def named_numbers(text: str, counts: Sequence[int], expected: str) -> tuple[str, list[float]]:
    """Parse a name and some numbers, as in ``tool0=1.2,0,0,0.06``."""
    name, equals, rest = text.rpartition('=')
    numbers = [finite_or_nan(part) for part in rest.split(',')]
    if not equals or not name or len(numbers) not in counts or any(map(math.isnan, numbers)):
        refuse(expected, text)
    return name, numbers


def values_of(
    option: str, given: Sequence[Named], names: Sequence[str], other: float | Array = 0.0
) -> Array | None:
    """Return values (n,), `other` for joints without; None if none are given."""
    if not given:
        return None
    named = [bool(name) for name, _ in given]
    if not any(named) and len(given) == len(names):
        return np.array([value for _, value in given])
    if not all(named):
        raise InputError(
            f'{option}: expected {len(names)} numbers, one for each of {", ".join(names)}, or '
            f'JOINT=VALUE for some, got {len(given)} values'
        )
    values: Array = np.zeros(len(names)) + other
    for name, value in given:
        if name not in names:
            raise UnknownNameError(f'joint of {option}', name, names)
        values[list(names).index(name)] = value
    return values


def one_or_each(
    option: str, given: Sequence[Named], names: Sequence[str], other: float | Array = 0.0
) -> Array | None:
    """Return `values_of`; a number alone is that of all joints."""
    if len(given) == 1 and not given[0][0]:
        return np.full(len(names), given[0][1])
    return values_of(option, given, names, other)
