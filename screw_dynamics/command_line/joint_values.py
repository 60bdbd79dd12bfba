# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of joints as arguments: numbers for all, or JOINT=VALUE for some."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import finite
from screw_dynamics.errors import InputError, UnknownNameError

METAVAR = 'VALUE'


def add_joint_values(group: argparse._ActionsContainer, option: str, text: str) -> None:
    """Add an option that takes values of joints."""
    group.add_argument(option, nargs='+', type=_joint_value, metavar=METAVAR, help=text)


def joint_values(
    option: str, given: Sequence[tuple[str, float]] | None, names: Sequence[str]
) -> Array:
    """Return the values (n,) that `option` has given, 0 for other joints; raise InputError."""
    values = np.zeros(len(names))
    if given is None:
        return values
    if any(not name for name, _ in given):
        if all(not name for name, _ in given) and len(given) == len(names):
            return np.array([value for _, value in given])
        raise InputError(
            f'{option}: expected {len(names)} numbers, one for each of {", ".join(names)}, or '
            f'JOINT=VALUE for some, got {len(given)} values'
        )
    found: set[str] = set()
    for name, value in given:
        if name not in names:
            raise UnknownNameError(f'joint of {option}', name, names)
        if name in found:
            raise InputError(f'{option}: expected every joint once, got {name!r} twice')
        found.add(name)
        values[names.index(name)] = value
    return values


def _joint_value(text: str) -> tuple[str, float]:
    """Parse a number, or a name and a number; the name of a number alone is empty."""
    name, equals, value = text.rpartition('=')
    if equals and not name:
        raise argparse.ArgumentTypeError(f'expected a number or JOINT=VALUE, got {text!r}')
    return name, finite(value)
