# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Argument formats: names with values, payloads, namespaces."""

from __future__ import annotations

import math
import re

from screw_dynamics.scalars import finite_or_nan, refuse

_LARGEST_FACTOR = 1e9
# letters, digits and underscores, as ROS requires in the parts of topic names
_NAMESPACE = re.compile(r'[A-Za-z_]\w*(/[A-Za-z_]\w*)*', re.ASCII)


def named_value(text: str) -> tuple[str, float]:
    """Parse a name and a number, as in ``gripper=0.02``."""
    name, equals, value = text.rpartition('=')
    number = finite_or_nan(value)
    if not equals or not name or math.isnan(number):
        refuse('NAME=VALUE', text)
    return name, number


def payload(text: str) -> tuple[str, float, tuple[float, float, float]]:
    """
    Parse a payload, as in ``tool0=1.2`` or, with its centre of mass, ``tool0=1.2,0,0,0.06``.

    Returns the link, the mass [kg] and the centre of mass in the frame of the link [m].
    """
    link, equals, rest = text.rpartition('=')
    numbers = [finite_or_nan(part) for part in rest.split(',')]
    good = equals and link and len(numbers) in (1, 4) and not any(map(math.isnan, numbers))
    if not good:
        refuse('LINK=MASS or LINK=MASS,X,Y,Z', text)
    x, y, z = numbers[1:] or (0.0, 0.0, 0.0)
    return link, numbers[0], (x, y, z)


def slow_down_factor(text: str) -> float:
    """Parse the upper bound of the slow-down factors to try, a number above 1."""
    value = finite_or_nan(text)
    if not 1.0 < value <= _LARGEST_FACTOR:
        refuse(f'a number above 1, at most {_LARGEST_FACTOR:g}', text)
    return value


def namespace(text: str) -> str:
    """
    Return a ROS namespace with a slash before each of its parts, as in ``/left/arm``.

    The first slash may be missing. The root ``/`` is returned as an empty string.
    """
    inner = text.strip('/')
    if inner and not _NAMESPACE.fullmatch(inner):
        refuse('a namespace such as /left/arm', text)
    return f'/{inner}' if inner else ''
