# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of URDF elements to records, as far as kinematics and dynamics need them."""

import re
from typing import cast

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import UrdfError, shown
from screw_dynamics.parsers import attributes, values
from screw_dynamics.parsers.records import (
    Inertial,
    Joint,
    Limit,
    Link,
    Mimic,
    RobotDescription,
    SourceLocation,
)
from screw_dynamics.parsers.urdf_source import LinedElement

_LIMITED_TYPES = ('revolute', 'prismatic')
_VERSION = re.compile(r'\s*0*1\.0*([0-2])\s*')
_AXIS_TYPES = ('revolute', 'continuous', 'prismatic', 'planar')


def robot_record(root: LinedElement) -> RobotDescription:
    """
    Return the links and joints of a `<robot>` element.

    Visuals, collisions, transmissions, sensors, gazebo and ros2_control elements are not read.
    """
    name = root.get('name', '') or 'robot'
    quaternions = _minor_version(root, name) >= 1
    links, joints = (cast('list[LinedElement]', root.findall(tag)) for tag in ('link', 'joint'))
    return RobotDescription(
        name=name,
        links=tuple(_link(element, quaternions) for element in links),
        joints=tuple(_joint(element, quaternions) for element in joints),
    )


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


def _location(owner: str, element: LinedElement) -> SourceLocation:
    nameless = SourceLocation(owner, '', line=element.line)
    return SourceLocation(owner, attributes.text(nameless, element, 'name'), line=element.line)


def _link(element: LinedElement, quaternions: bool) -> Link:
    location = _location('link', element)
    inertial = attributes.child(location, element, 'inertial')
    record = None if inertial is None else _inertial(location, inertial, quaternions)
    return Link(location.name, location, record)


def _inertial(location: SourceLocation, element: LinedElement, quaternions: bool) -> Inertial:
    here = location.inside('inertial', element.line)
    pose = attributes.origin(here, element, quaternions)
    mass_element = _required(here, element, 'mass')
    at_mass = location.inside('mass', mass_element.line)
    # values that are not finite raise InertiaError, not UrdfError
    mass = attributes.number(at_mass, mass_element, 'value', finite=False)
    tensor_element = _required(here, element, 'inertia')
    at_tensor = location.inside('inertia', tensor_element.line)
    xx, xy, xz, yy, yz, zz = (
        attributes.number(at_tensor, tensor_element, name, finite=False)
        for name in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    )
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return values.inertial(here, mass, pose, tensor)


def _joint(element: LinedElement, quaternions: bool) -> Joint:
    location = _location('joint', element)
    kind = values.joint_type(location, attributes.text(location, element, 'type'))
    return Joint(
        name=location.name,
        type=kind,
        parent=_linked(location, element, 'parent'),
        child=_linked(location, element, 'child'),
        location=location,
        origin=attributes.origin(location, element, quaternions),
        axis=_axis(location, element) if kind in _AXIS_TYPES else np.array([1.0, 0.0, 0.0]),
        limit=_limit(location, element, kind),
        damping=_dynamics(location, element, 'damping'),
        friction=_dynamics(location, element, 'friction'),
        mimic=_mimic(location, element) if kind != 'fixed' else None,
    )


def _required(location: SourceLocation, element: LinedElement, tag: str) -> LinedElement:
    found = attributes.child(location, element, tag)
    if found is None:
        raise UrdfError(f'{location}: expected one <{tag}>, got none')
    return found


def _linked(location: SourceLocation, element: LinedElement, tag: str) -> str:
    found = _required(location, element, tag)
    return attributes.text(location.inside(tag, found.line), found, 'link')


def _axis(location: SourceLocation, element: LinedElement) -> Array:
    found = attributes.child(location, element, 'axis')
    if found is None:
        return np.array([1.0, 0.0, 0.0])
    here = location.inside('axis', found.line)
    return values.unit_axis(here, attributes.numbers(here, found, 'xyz', 3))


def _limit(location: SourceLocation, element: LinedElement, kind: str) -> Limit:
    found = attributes.child(location, element, 'limit')
    if found is None:
        if kind in _LIMITED_TYPES:
            raise UrdfError(f'{location}: expected a <limit> for a {kind} joint, got none')
        return Limit()
    here = location.inside('limit', found.line)
    bounds = {
        name: attributes.limit_number(here, found, name, default)
        for name, default in (
            ('lower', -np.inf),
            ('upper', np.inf),
            ('velocity', np.inf),
            ('effort', np.inf),
        )
    }
    if kind not in _LIMITED_TYPES:
        bounds |= {'lower': -np.inf, 'upper': np.inf}
    return Limit(**bounds)


def _dynamics(location: SourceLocation, element: LinedElement, name: str) -> float:
    found = attributes.child(location, element, 'dynamics')
    if found is None:
        return 0.0
    return attributes.number(location.inside('dynamics', found.line), found, name, default='0')


def _mimic(location: SourceLocation, element: LinedElement) -> Mimic | None:
    found = attributes.child(location, element, 'mimic')
    if found is None:
        return None
    here = location.inside('mimic', found.line)
    return Mimic(
        attributes.text(here, found, 'joint'),
        attributes.number(here, found, 'multiplier', default='1'),
        attributes.number(here, found, 'offset', default='0'),
    )
