# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`from_pinocchio`: trees of screws of the models of Pinocchio."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from screw_dynamics.bridges.joint_order import CHAINS
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import optional_library
from screw_dynamics.drives import Drives, JointDrive, Motor, Robot
from screw_dynamics.errors import (
    InputError,
    ModelWarning,
    UnsupportedJointError,
    listed,
)
from screw_dynamics.lie import (
    adjoint_inverse,
    inertia_matrix,
    inverse_pose,
    screw_type,
    transform_inertia,
)
from screw_dynamics.model import Frame, JointLimits, ScrewModel

if TYPE_CHECKING:
    import pinocchio

_NO_LIMIT = float(np.finfo(np.float64).max)  # Pinocchio's own
_SCREWS = {  # of the steps of `CHAINS`
    **{axis: ('prismatic', e) for axis, e in zip('xyz', np.eye(6)[3:], strict=True)},
    **{turn: ('continuous', np.eye(6)[k]) for turn, k in (('yaw', 2), ('pitch', 1), ('roll', 0))},
}


class _Step(NamedTuple):
    """A joint of one degree of freedom: its screw (6,) in a frame at `home` in the one before."""

    name: str
    kind: str
    screw: Array
    home: Array = np.eye(4)


class _Body(NamedTuple):
    """What a `ScrewModel` has of every body, and its velocity in Pinocchio; -1 if it mimics."""

    step: _Step
    link: str
    parent: int
    home: Array
    screw: Array
    inertia: Array
    coordinate: int
    multiplier: float
    offset: float
    velocity: int


def _steps(joint: Any, name: str, neutral: Array) -> Iterator[_Step]:
    """Yield the joints of one degree of freedom of a joint, from the base on."""
    kind = joint.shortname().removeprefix('JointModel')
    if kind == 'Composite':
        parts = joint.extract()
        for number, (part, at) in enumerate(zip(parts.joints, parts.jointPlacements, strict=True)):
            home = at.homogeneous
            for step in _steps(part, f'{name}/{number + 1}', neutral):
                yield step._replace(home=home @ step.home)
                home = np.eye(4)
    elif kind == 'Universal':
        for number, axis in enumerate((joint.extract().axis1, joint.extract().axis2), 1):
            yield _Step(f'{name}/{number}', 'revolute', np.append(axis, np.zeros(3)))
    elif kind in CHAINS:
        for axis in CHAINS[kind]:
            yield _Step(f'{name}/{axis}', *_SCREWS[axis])
    elif kind == 'Ellipsoid':
        raise UnsupportedJointError(
            f'joint {name!r}: expected a chain of revolute, prismatic and helical joints, got '
            "Pinocchio's ellipsoid"
        )
    else:
        data = joint.createData()
        joint.calc(data, neutral)
        scaling = joint.extract().scaling if kind == 'Mimic' else 1.0
        if scaling == 0.0:  # it never moves
            yield _Step(name, 'revolute', np.eye(6)[2], data.M.homogeneous)
            return
        screw = np.roll(np.ravel(data.S), 3) / scaling
        endless = kind.startswith(('RUB', 'RevoluteUnbounded'))
        yield _Step(name, 'continuous' if endless else screw_type(screw), screw)


@overload
def from_pinocchio(
    pin_model: pinocchio.Model, *, drives: Literal[False] = False
) -> ScrewModel: ...


@overload
def from_pinocchio(pin_model: pinocchio.Model, *, drives: Literal[True]) -> Robot: ...


def from_pinocchio(pin_model: pinocchio.Model, *, drives: bool = False) -> ScrewModel | Robot:
    """
    Convert a robot of Pinocchio.

    Joints, links and frames keep their names. `joint_order` leads from the velocities and efforts
    of one library to those of the other.

    Parameters
    ----------
    pin_model : pinocchio.Model
        Joints of several degrees of freedom become chains, named as those of `read_urdf`: a free
        flyer is ``name/x``, ``y``, ``z``, ``yaw``, ``pitch``, ``roll``. In Pinocchio, velocities
        of free flyers, planar and spherical joints are those in the moved frame, so that their
        efforts are others, too.
    drives : bool
        Whether to return a `Robot`, with the armatures as rotors of its motors.

    Returns
    -------
    ScrewModel or Robot
        With gravity, frames, mimic joints, limits, damping and friction; geometry is left out.

    Raises
    ------
    InputError
        If `pin_model` is not a model of Pinocchio.
    UnsupportedJointError
        If a joint is an ellipsoid; it is named.
    ModuleNotFoundError
        If Pinocchio is not installed.

    Warns
    -----
    ModelWarning
        If joints have an armature and `drives` is False.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> sd.from_pinocchio(sd.to_pinocchio(arm)).joint_names
    ('joint_1', 'joint_2')
    """
    if not hasattr(pin_model, 'jointPlacements'):
        raise InputError(f'pin_model: expected a pinocchio.Model, got {type(pin_model).__name__}')
    links = _links(pin_model)
    bodies, last = _bodies(pin_model, links)
    own = [body for body in bodies if body.velocity >= 0]
    velocities = [body.velocity for body in own]
    names = tuple(body.step.name for body in own)
    base = links[0][0] if 0 in links else 'universe'
    model = ScrewModel(
        joint_names=names,
        tree_joint_names=tuple(body.step.name for body in bodies),
        body_names=tuple(body.link for body in bodies),
        joint_types=tuple(body.step.kind for body in bodies),
        parents=np.array([body.parent for body in bodies], dtype=np.int64),
        home_poses=np.array([body.home for body in bodies]).reshape(-1, 4, 4),
        screws=np.array([body.screw for body in bodies]).reshape(-1, 6),
        inertias=np.array([body.inertia for body in bodies]).reshape(-1, 6, 6),
        gravity=pin_model.gravity.linear,
        coordinates=np.array([body.coordinate for body in bodies], dtype=np.int64),
        multipliers=np.array([body.multiplier for body in bodies], dtype=float),
        offsets=np.array([body.offset for body in bodies], dtype=float),
        limits=_limits(pin_model, velocities),
        damping=pin_model.damping[velocities],
        friction=pin_model.friction[velocities],
        frames=dict(_frames(pin_model, base, links, last)),
        base_link=base,
        name=pin_model.name or 'robot',
    )
    motors = dict(_motors(pin_model, names, velocities))
    if drives:
        return Robot(model, Drives({name: JointDrive(motor=x) for name, x in motors.items()}))
    if motors:
        warnings.warn(
            f'armature is left out, joints: {listed(motors)}; '
            'sd.from_pinocchio(model, drives=True) returns it as motors',
            ModelWarning,
            stacklevel=2,
        )
    return model


def _bodies(model: Any, links: dict[int, tuple[str, Array]]) -> tuple[list[_Body], dict[int, int]]:
    """Return all bodies, and that of each joint."""
    neutral = optional_library('pinocchio', 'pinocchio').neutral(model)
    bodies: list[_Body] = []
    last = {0: -1}  # body of every joint
    coordinates: dict[int, int] = {}  # by velocities, which mimics share
    for k in range(1, model.njoints):
        joint, name, before = model.joints[k], model.names[k], model.parents[k]
        link, at = links.get(k, (name, np.eye(4)))
        place = inverse_pose(_pose(links, before)) @ model.jointPlacements[k].homogeneous
        body = last[before]
        steps = list(_steps(joint, name, neutral))
        for number, step in enumerate(steps):
            final = number == len(steps) - 1
            shift = at if final else np.eye(4)
            relation, velocity = (1.0, 0.0), joint.idx_v + number
            coordinate = coordinates.setdefault(velocity, len(coordinates))
            if joint.nv == 0:
                mimic, velocity = joint.extract(), -1
                relation = mimic.scaling, mimic.offset if mimic.scaling else 0.0
            inertia = _inertia(model.inertias[k]) if final else np.zeros((6, 6))
            bodies.append(
                _Body(
                    step,
                    link if final else step.name,
                    body,
                    place @ step.home @ shift,
                    adjoint_inverse(shift) @ step.screw,
                    transform_inertia(inertia, inverse_pose(shift)),
                    coordinate,
                    *relation,
                    velocity,
                )
            )
            body, place = len(bodies) - 1, np.eye(4)
        last[k] = body
    return bodies, last


def _inertia(inertia: Any) -> Array:
    matrix: Array = inertia_matrix(inertia.mass, inertia.lever, inertia.inertia)
    return matrix


def _pose(links: dict[int, tuple[str, Array]], joint: int) -> Array:
    return links[joint][1] if joint in links else np.eye(4)


def _links(model: Any) -> dict[int, tuple[str, Array]]:
    """Return the link of every joint that has one, the first, and its pose in the joint."""
    links: dict[int, tuple[str, Array]] = {}
    for frame in model.frames:
        if frame.type.name == 'BODY':
            links.setdefault(frame.parentJoint, (frame.name, frame.placement.homogeneous))
    if 0 in links and not np.array_equal(links[0][1], np.eye(4)):
        del links[0]
    return links


def _frames(
    model: Any, base: str, links: dict[int, tuple[str, Array]], last: dict[int, int]
) -> Iterator[tuple[str, Frame]]:
    """Yield frames in those of the links; of equal names that of a link is the last."""
    order = {'FIXED_JOINT': 0, 'SENSOR': 1, 'OP_FRAME': 2, 'BODY': 3}
    frames = [frame for frame in model.frames if frame.type.name in order]
    for frame in sorted(frames, key=lambda frame: order[frame.type.name]):
        if frame.name != 'universe' or base == 'universe':
            joint = frame.parentJoint
            at = inverse_pose(_pose(links, joint)) @ frame.placement.homogeneous
            yield frame.name, Frame(last[joint], at)


def _limits(model: Any, velocities: list[int]) -> JointLimits:
    """Return the limits; positions that are not coordinates have none."""
    lower, upper = (np.full(model.nv, sign * np.inf) for sign in (-1.0, 1.0))
    for joint in list(model.joints)[1:]:
        if joint.nq == joint.nv:
            q, v = joint.idx_q, joint.idx_v
            lower[v : v + joint.nv] = model.lowerPositionLimit[q : q + joint.nq]
            upper[v : v + joint.nv] = model.upperPositionLimit[q : q + joint.nq]
    bounds = (lower, upper, model.velocityLimit, model.effortLimit)
    endless = (np.where(np.abs(x) >= _NO_LIMIT, np.copysign(np.inf, x), x) for x in bounds)
    return JointLimits(*(x[velocities] for x in endless))


def _motors(
    model: Any, names: tuple[str, ...], velocities: list[int]
) -> Iterator[tuple[str, Motor]]:
    for name, v in zip(names, velocities, strict=True):
        ratio = abs(float(model.rotorGearRatio[v])) or 1.0
        inertia = float(model.armature[v]) / ratio**2 or float(model.rotorInertia[v])
        if inertia:
            yield name, Motor(rotor_inertia=inertia, gear_ratio=ratio)
