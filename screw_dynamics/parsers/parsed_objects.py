# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`from_urdfpy`: robots that another URDF parser has read, by duck typing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array
from screw_dynamics.errors import UrdfError
from screw_dynamics.lie import pose, rpy_rotation
from screw_dynamics.model import ScrewModel
from screw_dynamics.parsers import values
from screw_dynamics.parsers.records import Inertial, Joint, Limit, Link, Mimic, Place, Robot
from screw_dynamics.parsers.to_screw_model import screw_model

# These parsers give a link without <inertial> the mass 1 and unit inertia.
_INVENTING_PACKAGES = ('urdfpy', 'urchin')


def from_urdfpy(
    obj: Any,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    base_link: str | None = None,
    tip_link: str | None = None,
    joints: Sequence[str] | None = None,
    locked: Mapping[str, float] | None = None,
    mimic: str = 'reduce',
) -> ScrewModel:
    """
    Build the model of a robot that another parser has read.

    Takes ``urdfpy.URDF`` (and its fork urchin), ``yourdfpy.URDF`` and ``urdf_parser_py.urdf.URDF``
    (urdfdom_py) by their attributes; none of these packages is imported. Where the URDF document
    is at hand, `read_urdf` is the better way: it needs no other package and names lines.

    urdfpy invents mass 1 and unit inertia for every link without `<inertial>`. Links of a
    urdfpy or urchin object with exactly these numbers are taken as massless, and an
    `InertiaWarning` names them.

    Parameters
    ----------
    obj : object
        The parsed robot: ``links`` and ``joints`` on itself or on its attribute ``robot``.
    gravity, base_link, tip_link, joints, locked, mimic
        See `read_urdf`.

    Returns
    -------
    ScrewModel

    Raises
    ------
    UrdfError, TopologyError, InertiaError, UnsupportedJointError
        See `read_urdf`; there are no line numbers.
    UnknownNameError, InputError, NotFiniteError
        Options that do not fit the robot.

    Warns
    -----
    InertiaWarning
        See `read_urdf`.

    """
    source = obj.robot if hasattr(getattr(obj, 'robot', None), 'joints') else obj
    if not (hasattr(source, 'links') and hasattr(source, 'joints')):
        raise UrdfError(
            f'parsed robot: expected an object with links and joints (urdfpy, yourdfpy, '
            f'urdf_parser_py), got {type(obj).__name__}'
        )
    inventing = type(source).__module__.partition('.')[0] in _INVENTING_PACKAGES
    invented = [link.name for link in source.links if inventing and _is_invented(link.inertial)]
    robot = Robot(
        name=getattr(source, 'name', None) or 'robot',
        links=tuple(_link(link, link.name in invented) for link in source.links),
        joints=tuple(_joint(joint) for joint in source.joints),
    )
    return screw_model(
        robot, gravity, base_link, tip_link, joints, locked, mimic, invented=invented
    )


def _is_invented(inertial: Any) -> bool:
    return (
        inertial is not None
        and inertial.mass == 1.0
        and np.array_equal(inertial.inertia, np.eye(3))
        and (inertial.origin is None or np.array_equal(inertial.origin, np.eye(4)))
    )


def _link(link: Any, massless: bool) -> Link:
    place = Place('link', str(link.name))
    inertial = None if massless else _inertial(place, getattr(link, 'inertial', None))
    return Link(place.name, place, inertial)


def _inertial(place: Place, inertial: Any) -> Inertial | None:
    if inertial is None:
        return None
    here = place.inside('inertial')
    mass = _number(here, 'mass', inertial.mass)
    return values.inertial(here, mass, _origin(here, inertial), _tensor(here, inertial.inertia))


def _tensor(place: Place, inertia: Any) -> Array:
    if inertia is None:
        raise UrdfError(f'{place}: inertia: expected a 3x3 tensor, got None')
    if not hasattr(inertia, 'ixx'):
        return np.array(inertia, dtype=float)
    xx, xy, xz, yy, yz, zz = (
        _number(place, name, getattr(inertia, name))
        for name in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    )
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _origin(place: Place, owner: Any) -> Array:
    origin = getattr(owner, 'origin', None)
    if origin is None:
        return np.eye(4)
    here = place.inside('origin')
    if not hasattr(origin, 'xyz'):
        return values.rigid_pose(here, np.array(origin, dtype=float))
    position = _vector(here, 'xyz', origin.xyz)
    return pose(rpy_rotation(*_vector(here, 'rpy', origin.rpy)), position)


def _joint(joint: Any) -> Joint:
    place = Place('joint', str(joint.name))
    kind = values.joint_type(
        place, joint.joint_type if hasattr(joint, 'joint_type') else joint.type
    )
    axis = getattr(joint, 'axis', None)
    if axis is None or kind in ('fixed', 'floating'):
        axis = np.array([1.0, 0.0, 0.0])
    at_axis, at_dynamics = place.inside('axis'), place.inside('dynamics')
    dynamics = getattr(joint, 'dynamics', None)
    mimic = getattr(joint, 'mimic', None) if kind != 'fixed' else None
    return Joint(
        name=place.name,
        type=kind,
        parent=str(joint.parent),
        child=str(joint.child),
        place=place,
        origin=_origin(place, joint),
        axis=values.unit_axis(at_axis, _vector(at_axis, 'xyz', axis)),
        limit=_limit(place, getattr(joint, 'limit', None), kind),
        damping=_optional(at_dynamics, dynamics, 'damping', 0.0),
        friction=_optional(at_dynamics, dynamics, 'friction', 0.0),
        mimic=None if mimic is None else _mimic(place.inside('mimic'), mimic),
    )


def _mimic(place: Place, mimic: Any) -> Mimic:
    return Mimic(
        str(mimic.joint),
        _optional(place, mimic, 'multiplier', 1.0),
        _optional(place, mimic, 'offset', 0.0),
    )


def _limit(place: Place, limit: Any, kind: str) -> Limit:
    here = place.inside('limit')
    bounded = limit if kind in ('revolute', 'prismatic') else None
    return Limit(
        lower=_bound(here, bounded, 'lower', -np.inf),
        upper=_bound(here, bounded, 'upper', np.inf),
        velocity=_bound(here, limit, 'velocity', np.inf),
        effort=_bound(here, limit, 'effort', np.inf),
    )


def _bound(place: Place, limit: Any, name: str, default: float) -> float:
    value = getattr(limit, name, None)
    return (
        default if value is None else values.limit_bound(place, name, _number(place, name, value))
    )


def _optional(place: Place, owner: Any, name: str, default: float) -> float:
    value = getattr(owner, name, None)
    return default if value is None else values.finite(place, name, _number(place, name, value))


def _number(place: Place, name: str, value: Any) -> float:
    try:
        return float(value)  # yourdfpy keeps some numbers as text
    except (TypeError, ValueError):
        raise UrdfError(f'{place}: {name}: expected a number, got {value!r}') from None


def _vector(place: Place, name: str, value: Any) -> Array:
    if value is None:
        return np.zeros(3)
    try:
        vector = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise UrdfError(f'{place}: {name}: expected 3 numbers, got {value!r}') from None
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise UrdfError(f'{place}: {name}: expected 3 finite numbers, got {vector.tolist()}')
    return vector
