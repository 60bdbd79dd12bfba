# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of URDF elements: names, numbers, vectors and poses; UrdfError with the location."""

from __future__ import annotations

from typing import cast
from xml.etree.ElementTree import Element

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import UrdfError, shown
from screw_dynamics.lie import pose, rpy_rotation
from screw_dynamics.parsers import values
from screw_dynamics.parsers.records import SourceLocation
from screw_dynamics.parsers.urdf_source import LinedElement
from screw_dynamics.scalars import number_from_text


def child(location: SourceLocation, element: LinedElement, tag: str) -> LinedElement | None:
    """Return the child with a tag, or None; raise UrdfError if several differ."""
    found = cast('list[LinedElement]', element.findall(tag))
    if not found:
        return None
    for other in found[1:]:
        if not _equal(found[0], other):
            raise UrdfError(
                f'{location}: expected one <{tag}>, got different ones '
                f'(lines {found[0].line} and {other.line})'
            )
    return found[0]


def text(
    location: SourceLocation, element: LinedElement, attribute: str, default: str | None = None
) -> str:
    """
    Return an attribute as text, or the default if it is absent.

    Raises UrdfError if it is empty, absent without a default, or an unexpanded xacro expression.
    """
    value = element.get(attribute, default)
    if not value or not value.strip():
        got = 'none' if value is None else shown(value)
        raise UrdfError(f'{location}: expected attribute {attribute!r}, got {got}')
    if '${' in value or '$(' in value:
        raise UrdfError(
            f'{location}: {attribute}: expected a plain value, got the xacro expression '
            f'{shown(value)}; expand it first: xacro robot.urdf.xacro > robot.urdf'
        )
    return value


def numbers(
    location: SourceLocation,
    element: LinedElement,
    attribute: str,
    count: int,
    default: str | None = None,
    finite: bool = True,
) -> Array:
    """Return an attribute as `count` numbers, which must be finite if `finite` is set."""
    raw = text(location, element, attribute, default)
    expected = 'a number' if count == 1 else f'{count} numbers separated by spaces'
    words = raw.split()
    if len(words) != count:
        raise UrdfError(
            f'{location}: {attribute}: expected {expected}, got {len(words)}: {shown(raw)}'
        )
    vector = np.array([_number(f'{location}: {attribute}: expected {expected}', w) for w in words])
    if finite and not np.isfinite(vector).all():
        raise UrdfError(f'{location}: {attribute}: expected finite numbers, got {shown(raw)}')
    return vector


def number(
    location: SourceLocation,
    element: LinedElement,
    attribute: str,
    default: str | None = None,
    finite: bool = True,
) -> float:
    """Return an attribute as one number."""
    return float(numbers(location, element, attribute, 1, default, finite)[0])


def limit_number(
    location: SourceLocation, element: LinedElement, attribute: str, default: float
) -> float:
    """Return a limit, which may be infinite but not NaN, or the default if it is absent."""
    if attribute not in element.attrib:
        return default
    value = number(location, element, attribute, finite=False)
    return values.limit_bound(location, attribute, value)


def origin(location: SourceLocation, element: LinedElement, quaternions: bool) -> Array:
    """
    Return the pose (4, 4) in the `<origin>` of an element, the identity if there is none.

    `quaternions` is True if the version of the document has the attribute `quat_xyzw`.
    """
    found = child(location, element, 'origin')
    if found is None:
        return np.eye(4)
    here = location.inside('origin', found.line)
    position = numbers(here, found, 'xyz', 3, default='0 0 0')
    return pose(_rotation(here, found, quaternions), position)


def _rotation(location: SourceLocation, element: LinedElement, quaternions: bool) -> Array:
    if 'quat_xyzw' in element.attrib:
        if quaternions and 'rpy' in element.attrib:
            raise UrdfError(f'{location}: expected either rpy or quat_xyzw, got both')
        if quaternions:
            return values.rotation(location, numbers(location, element, 'quat_xyzw', 4))
        if 'rpy' not in element.attrib:
            raise UrdfError(
                f'{location}: expected rpy in a document of version 1.0, got quat_xyzw alone; '
                f'<robot version="1.1"> has quaternions'
            )
    return rpy_rotation(*numbers(location, element, 'rpy', 3, default='0 0 0'))


def _number(expected: str, word: str) -> float:
    try:
        return number_from_text(word)
    except ValueError:
        raise UrdfError(f'{expected}, got {shown(word)}') from None


def _equal(one: Element, other: Element) -> bool:
    return (
        one.tag == other.tag
        and one.attrib == other.attrib
        and len(one) == len(other)
        and all(map(_equal, one, other))
    )
