# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of URDF elements to records, as far as kinematics and dynamics need them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast
from xml.etree.ElementTree import Element

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import number_from_text
from screw_dynamics.errors import InertiaError, UrdfError, listed, shown
from screw_dynamics.lie import pose, rpy_rotation
from screw_dynamics.lie.inertia import OF_NO_SOLID, is_of_no_solid
from screw_dynamics.model.urdf import values
from screw_dynamics.model.urdf.records import (
    Inertial,
    Joint,
    Limit,
    Link,
    Mimic,
    RobotDescription,
    SourceLocation,
)
from screw_dynamics.model.urdf.urdf_source import LinedElement

_LIMITED_TYPES = ('revolute', 'prismatic')
_VERSION = re.compile(r'\s*0*1\.0*([0-2])\s*')
_AXIS_TYPES = ('revolute', 'continuous', 'prismatic', 'planar')


class UrdfElement:
    """An element with its location, which every UrdfError of its methods names."""

    def __init__(self, element: LinedElement, location: SourceLocation) -> None:
        self.location = location
        self._element = element

    def child(self, tag: str) -> UrdfElement | None:
        """Return the child with a tag, or None; raise UrdfError if several differ."""
        found = cast('list[LinedElement]', self._element.findall(tag))
        for other in found[1:]:
            if not _equal(found[0], other):
                raise UrdfError(
                    f'{self.location}: expected one <{tag}>, got different ones '
                    f'(lines {found[0].line} and {other.line})'
                )
        return UrdfElement(found[0], self.location.inside(tag, found[0].line)) if found else None

    def required(self, tag: str) -> UrdfElement:
        """Return the child with a tag; raise UrdfError if there is none."""
        found = self.child(tag)
        if found is None:
            raise UrdfError(f'{self.location}: expected one <{tag}>, got none')
        return found

    def text(self, attribute: str, default: str | None = None) -> str:
        """Return an attribute; raise UrdfError if it is empty, absent or a xacro expression."""
        value = self._element.get(attribute, default)
        if not value or not value.strip():
            got = 'none' if value is None else shown(value)
            raise UrdfError(f'{self.location}: expected attribute {attribute!r}, got {got}')
        if '${' in value or '$(' in value:
            raise UrdfError(
                f'{self.location}: {attribute}: expected a plain value, got the xacro expression '
                f'{shown(value)}; expand it first: xacro robot.urdf.xacro > robot.urdf'
            )
        return value

    def numbers(
        self, attribute: str, count: int, default: str | None = None, finite: bool = True
    ) -> Array:
        """Return an attribute as `count` numbers, which must be finite if `finite` is set."""
        raw = self.text(attribute, default)
        place = f'{self.location}: {attribute}'
        expected = 'a number' if count == 1 else f'{count} numbers separated by spaces'
        words = raw.split()
        if len(words) != count:
            raise UrdfError(f'{place}: expected {expected}, got {len(words)}: {shown(raw)}')
        vector = np.array([_number(f'{place}: expected {expected}', word) for word in words])
        if finite and not np.isfinite(vector).all():
            raise UrdfError(f'{place}: expected finite numbers, got {shown(raw)}')
        return vector

    def number(self, attribute: str, default: str | None = None, finite: bool = True) -> float:
        """Return an attribute as one number."""
        return float(self.numbers(attribute, 1, default, finite)[0])

    def origin(self, quaternions: bool) -> Array:
        """Return the pose (4, 4) in `<origin>`; `quaternions` is True if `quat_xyzw` is read."""
        found = self.child('origin')
        if found is None:
            return np.eye(4)
        position = found.numbers('xyz', 3, default='0 0 0')
        return pose(found._rotation(quaternions), position)

    def _rotation(self, quaternions: bool) -> Array:
        attributes = self._element.attrib
        if 'quat_xyzw' in attributes:
            if quaternions and 'rpy' in attributes:
                raise UrdfError(f'{self.location}: expected either rpy or quat_xyzw, got both')
            if quaternions:
                return values.rotation(self.location, self.numbers('quat_xyzw', 4))
            if 'rpy' not in attributes:
                raise UrdfError(
                    f'{self.location}: expected rpy in a document of version 1.0, got quat_xyzw '
                    f'alone; <robot version="1.1"> has quaternions'
                )
        return rpy_rotation(*self.numbers('rpy', 3, default='0 0 0'))


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


def robot_record(root: LinedElement) -> RobotDescription:
    """Return the links and joints of a `<robot>` element; no other elements are read."""
    name = root.get('name', '') or 'robot'
    quaternions = _minor_version(root, name) >= 1
    return RobotDescription(
        name=name,
        links=_links(root, quaternions),
        joints=tuple(_joint(_named(found), quaternions) for found in root.findall('joint')),
    )


def _links(root: LinedElement, quaternions: bool) -> tuple[Link, ...]:
    """Return the links; an InertiaError names all of them with an inertia that no body has."""
    links, errors = [], []
    for found in root.findall('link'):
        try:
            links.append(_link(_named(found), quaternions))
        except InertiaError as error:
            errors.append(str(error))
    if errors:
        odd = [
            link.name
            for link in links
            if link.inertial is not None and is_of_no_solid(link.inertial.tensor)
        ]
        errors += [f'{OF_NO_SOLID}: {listed(odd)}'] if odd else []
        raise InertiaError('; '.join(errors))
    return tuple(links)


def _minor_version(root: LinedElement, name: str) -> int:
    """Return the minor number of the version: 1.0 (default), 1.1 or 1.2."""
    version = root.get('version', '1.0')
    match = _VERSION.fullmatch(version)
    if match is None:
        raise UrdfError(
            f'{SourceLocation("robot", name, line=root.line)}: version: expected 1.0, 1.1 or 1.2, '
            f'got {shown(version)}'
        )
    return int(match[1])


def _named(found: Element) -> UrdfElement:
    """Return a link or joint; raise UrdfError if it has no name."""
    element = cast(LinedElement, found)
    nameless = SourceLocation(element.tag, '', line=element.line)
    name = UrdfElement(element, nameless).text('name')
    return UrdfElement(element, replace(nameless, name=name))


def _link(link: UrdfElement, quaternions: bool) -> Link:
    inertial = link.child('inertial')
    record = None if inertial is None else _inertial(inertial, quaternions)
    return Link(link.location.name, link.location, record)


def _inertial(inertial: UrdfElement, quaternions: bool) -> Inertial:
    frame = inertial.origin(quaternions)
    # values that are not finite raise InertiaError, not UrdfError
    mass = inertial.required('mass').number('value', finite=False)
    inertia = inertial.required('inertia')
    tensor = values.symmetric_tensor(lambda name: inertia.number(name, finite=False))
    return values.inertial(inertial.location, mass, frame, tensor)


def _joint(joint: UrdfElement, quaternions: bool) -> Joint:
    kind = values.joint_type(joint.location, joint.text('type'))
    return Joint(
        name=joint.location.name,
        type=kind,
        parent=joint.required('parent').text('link'),
        child=joint.required('child').text('link'),
        location=joint.location,
        origin=joint.origin(quaternions),
        axis=_axis(joint) if kind in _AXIS_TYPES else np.array([1.0, 0.0, 0.0]),
        limit=_limit(joint, kind),
        damping=_dynamics(joint, 'damping'),
        friction=_dynamics(joint, 'friction'),
        mimic=_mimic(joint) if kind != 'fixed' else None,
    )


def _axis(joint: UrdfElement) -> Array:
    axis = joint.child('axis')
    if axis is None:
        return np.array([1.0, 0.0, 0.0])
    return values.unit_axis(axis.location, axis.numbers('xyz', 3))


def _limit(joint: UrdfElement, kind: str) -> Limit:
    limit = joint.child('limit')
    if limit is None:
        if kind in _LIMITED_TYPES:
            raise UrdfError(f'{joint.location}: expected a <limit> for a {kind} joint, got none')
        return Limit()
    defaults = {'lower': '-inf'} | dict.fromkeys(values.UPPER_LIMITS, 'inf')
    bounds = {
        name: values.limit_bound(limit.location, name, limit.number(name, default, finite=False))
        for name, default in defaults.items()
    }
    if kind not in _LIMITED_TYPES:
        bounds |= {'lower': -np.inf, 'upper': np.inf}
    return values.limit_record(bounds.pop('lower'), bounds)


def _dynamics(joint: UrdfElement, name: str) -> float:
    dynamics = joint.child('dynamics')
    return 0.0 if dynamics is None else dynamics.number(name, default='0')


def _mimic(joint: UrdfElement) -> Mimic | None:
    mimic = joint.child('mimic')
    if mimic is None:
        return None
    return Mimic(
        mimic.text('joint'),
        mimic.number('multiplier', default='1'),
        mimic.number('offset', default='0'),
    )
