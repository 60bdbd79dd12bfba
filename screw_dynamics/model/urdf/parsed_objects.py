# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`from_parsed_urdf`: conversion of the objects of other URDF parsers, by duck typing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import UrdfError, shown
from screw_dynamics.lie import pose, rpy_rotation
from screw_dynamics.model import ScrewModel
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
from screw_dynamics.model.urdf.to_screw_model import model_from_description

# These parsers set mass 1 and unit inertia for a link without <inertial>.
_INVENTING_PACKAGES = ('urdfpy', 'urchin')


def from_parsed_urdf(
    obj: Any,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    base_link: str | None = None,
    tip_link: str | None = None,
    joints: Sequence[str] | None = None,
    locked: Mapping[str, float] | None = None,
    mimic: str = 'reduce',
) -> ScrewModel:
    """
    Build the `ScrewModel` of a robot that another parser has read.

    Accepts ``urdfpy.URDF`` (and its fork urchin), ``yourdfpy.URDF`` and
    ``urdf_parser_py.urdf.URDF`` (urdfdom_py) by their attributes; none of these packages is
    imported. Prefer `read_urdf` for a URDF document: its errors name lines.

    urdfpy and urchin set mass 1 and unit inertia for every link without `<inertial>`. Their links
    with exactly these numbers are treated as massless, and an `InertiaWarning` names them.

    Parameters
    ----------
    obj : object
        The parsed robot, with attributes ``links`` and ``joints``, or its attribute ``robot`` has.
    gravity, base_link, tip_link, joints, locked, mimic
        See `read_urdf`.

    Raises
    ------
    UrdfError, TopologyError, InertiaError, UnsupportedJointError
        See `read_urdf`; without line numbers.
    UnknownNameError, InputError, NotFiniteError
        If an option does not match the robot.

    Warns
    -----
    InertiaWarning, UrdfWarning
        See `read_urdf`.
    """
    source = obj.robot if hasattr(getattr(obj, 'robot', None), 'joints') else obj
    if not (hasattr(source, 'links') and hasattr(source, 'joints')):
        raise UrdfError(
            f'parsed robot: expected an object with links and joints (urdfpy, yourdfpy, '
            f'urdf_parser_py), got {type(obj).__name__}'
        )
    links, joint_objects = _items('links', source.links), _items('joints', source.joints)
    inventing = type(source).__module__.partition('.')[0] in _INVENTING_PACKAGES
    records = [_link(link, inventing) for link in links]
    description = RobotDescription(
        name=str(getattr(source, 'name', None) or 'robot'),
        links=tuple(record for record, _ in records),
        joints=tuple(_joint(joint) for joint in joint_objects),
        invented=tuple(record.name for record, massless in records if massless),
    )
    return model_from_description(
        description, gravity, base_link, tip_link, joints, locked, mimic, stacklevel=2
    )


def _items(name: str, value: Any) -> list[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise UrdfError(f'parsed robot: {name}: expected a sequence, got {shown(value)}')
    return list(value)


def _attribute(location: SourceLocation | str, owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        raise UrdfError(
            f'{location}: expected an object with {name}, got {type(owner).__name__}'
        ) from None


def _name(location: SourceLocation | str, owner: Any, name: str) -> str:
    value = _attribute(location, owner, name)
    if not isinstance(value, str) or not value:
        raise UrdfError(f'{location}: {name}: expected a name, got {shown(value)}')
    return value


def _link(link: Any, inventing: bool) -> tuple[Link, bool]:
    """Return a link, and whether the parser invented its inertia."""
    location = SourceLocation('link', _name('parsed link', link, 'name'))
    inertial = _inertial(location, getattr(link, 'inertial', None))
    invented = inventing and inertial is not None and _is_invented(inertial)
    return Link(location.name, location, None if invented else inertial), invented


def _is_invented(inertial: Inertial) -> bool:
    return (
        inertial.mass == 1.0
        and np.array_equal(inertial.tensor, np.eye(3))
        and np.array_equal(inertial.pose, np.eye(4))
    )


def _inertial(location: SourceLocation, inertial: Any) -> Inertial | None:
    if inertial is None:
        return None
    here = location.inside('inertial')
    mass = _number(here, 'mass', _attribute(here, inertial, 'mass'))
    tensor = _tensor(here, _attribute(here, inertial, 'inertia'))
    return values.inertial(here, mass, _origin(here, inertial), tensor)


def _tensor(location: SourceLocation, inertia: Any) -> Array:
    if not hasattr(inertia, 'ixx'):
        return _array(f'{location}: inertia', 'a 3x3 tensor', inertia)
    return values.symmetric_tensor(
        lambda name: _number(location, name, _attribute(location, inertia, name))
    )


def _origin(location: SourceLocation, owner: Any) -> Array:
    origin = getattr(owner, 'origin', None)
    if origin is None:
        return np.eye(4)
    here = location.inside('origin')
    if not hasattr(origin, 'xyz'):
        return values.rigid_pose(here, _array(here, 'a 4x4 rigid-body pose', origin))
    position = _vector(here, 'xyz', origin.xyz)
    return pose(rpy_rotation(*_vector(here, 'rpy', _attribute(here, origin, 'rpy'))), position)


def _joint(joint: Any) -> Joint:
    location = SourceLocation('joint', _name('parsed joint', joint, 'name'))
    at = 'joint_type' if hasattr(joint, 'joint_type') else 'type'
    kind = values.joint_type(location, _attribute(location, joint, at))
    axis = getattr(joint, 'axis', None)
    if axis is None or kind in ('fixed', 'floating'):
        axis = np.array([1.0, 0.0, 0.0])
    at_axis, at_dynamics = location.inside('axis'), location.inside('dynamics')
    dynamics = getattr(joint, 'dynamics', None)
    mimic = getattr(joint, 'mimic', None) if kind != 'fixed' else None
    return Joint(
        name=location.name,
        type=kind,
        parent=_name(location, joint, 'parent'),
        child=_name(location, joint, 'child'),
        location=location,
        origin=_origin(location, joint),
        axis=values.unit_axis(at_axis, _vector(at_axis, 'xyz', axis)),
        limit=_limit(location, getattr(joint, 'limit', None), kind),
        damping=_optional(at_dynamics, dynamics, 'damping', 0.0),
        friction=_optional(at_dynamics, dynamics, 'friction', 0.0),
        mimic=None if mimic is None else _mimic(location.inside('mimic'), mimic),
    )


def _mimic(location: SourceLocation, mimic: Any) -> Mimic:
    return Mimic(
        _name(location, mimic, 'joint'),
        _optional(location, mimic, 'multiplier', 1.0),
        _optional(location, mimic, 'offset', 0.0),
    )


def _limit(location: SourceLocation, limit: Any, kind: str) -> Limit:
    here = location.inside('limit')
    bounded = limit if kind in ('revolute', 'prismatic') else None
    bounds = {
        name: _bound(here, bounded if name == 'upper' else limit, name, np.inf)
        for name in values.UPPER_LIMITS
    }
    return values.limit_record(_bound(here, bounded, 'lower', -np.inf), bounds)


def _bound(location: SourceLocation, limit: Any, name: str, default: float) -> float:
    value = getattr(limit, name, default)
    value = default if value is None else value
    return values.limit_bound(location, name, _number(location, name, value))


def _optional(location: SourceLocation, owner: Any, name: str, default: float) -> float:
    value = getattr(owner, name, default)
    value = default if value is None else value
    return values.finite(location, name, _number(location, name, value))


def _number(location: SourceLocation, name: str, value: Any) -> float:
    try:
        return float(value)  # yourdfpy stores some numbers as text
    except (TypeError, ValueError, OverflowError):
        raise UrdfError(f'{location}: {name}: expected a number, got {shown(value)}') from None


def _vector(location: SourceLocation, name: str, value: Any) -> Array:
    if value is None:
        return np.zeros(3)
    vector = _array(f'{location}: {name}', '3 numbers', value)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise UrdfError(
            f'{location}: {name}: expected 3 finite numbers, got {shown(vector.tolist())}'
        )
    return vector


def _array(location: SourceLocation | str, expected: str, value: Any) -> Array:
    try:
        if value is not None:  # NumPy would convert None to NaN
            return np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        pass
    raise UrdfError(f'{location}: expected {expected}, got {shown(value)}')
