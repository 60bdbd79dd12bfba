# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots from Pinocchio and for it, joint by joint, by name."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from screw_dynamics.bridges.joint_order import CHAINS
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import optional_library
from screw_dynamics.drives import Drives, JointDrive, Motor, Robot
from screw_dynamics.drives.robot import as_robot
from screw_dynamics.dynamics import inertial_parameters
from screw_dynamics.errors import (
    InputError,
    ModelError,
    ModelWarning,
    UnsupportedJointError,
    listed,
)
from screw_dynamics.lie import (
    adjoint_inverse,
    inertia_matrix,
    inverse_pose,
    pose,
    pose_on_axis,
    screw_pitch,
    screw_type,
    transform_inertia,
)
from screw_dynamics.model import Frame, JointLimits, RobotModel, ScrewModel

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


def to_pinocchio(robot: RobotModel | Robot) -> pinocchio.Model:
    """
    Convert a tree of rigid bodies to a model of Pinocchio.

    Parameters
    ----------
    robot : ScrewModel or Robot
        Motors of a `Robot` become rotor inertias, gear ratios and armatures, as of rigid joints.

    Returns
    -------
    pinocchio.Model
        Joints, links as frames, gravity, mimic joints, limits, damping and friction. Its joints
        have the names of ``tree_joint_names`` and an order in which a joint comes after those it
        mimics; `joint_order` leads from one order to the other. A continuous joint without
        mimics is Pinocchio's unbounded one, with (cos, sin) in q; ``pinocchio.integrate(m,
        pinocchio.neutral(m), q)`` returns the q of coordinates.

    Raises
    ------
    InputError
        If `robot` is another kind of robot.
    UnsupportedJointError
        If a helical joint mimics another, which Pinocchio does not compute.
    ModelError
        If a joint moves the joint that it mimics, or a body has a first moment without mass.
    ModuleNotFoundError
        If Pinocchio is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import pinocchio
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    >>> m = sd.to_pinocchio(arm)
    >>> q, qd, qdd = np.random.default_rng(1).normal(size=(3, arm.n))
    >>> tau = pinocchio.rnea(m, m.createData(), q, qd, qdd)
    >>> np.allclose(tau, sd.inverse_dynamics(arm, sd.jet(q, qd, qdd))[0])
    True
    """
    pin = optional_library('pinocchio', 'pinocchio')
    of_robot = as_robot(robot)
    model = of_robot.tree
    result = pin.Model()
    result.name, result.gravity.linear = model.name, model.gravity
    own = {  # body whose joint is the coordinate
        j: i
        for j, i in enumerate(model.joint_of_coordinate)
        if model.tree_joint_names[i] == model.joint_names[j]
        and (model.multipliers[i], model.offsets[i]) == (1.0, 0.0)
    }
    joint_of = {}  # of coordinates
    for j, name in enumerate(model.joint_names):
        if j not in own:  # a joint without a body carries it
            slides = model.coordinate_types[j] == 'prismatic'
            joint = pin.JointModelPZ() if slides else pin.JointModelRZ()
            of = name, model.limits, j
            joint_of[j] = _add(result, 0, joint, pin.SE3.Identity(), of)
    parameters = inertial_parameters(model).reshape(-1, 10)
    ids, at = {-1: 0}, {-1: np.eye(4)}
    for i in _order(model, own):
        j, parent = int(model.coordinates[i]), int(model.parents[i])
        name = model.tree_joint_names[i]
        # joints mimic each other only with positions of one number
        alone = np.count_nonzero(model.coordinates == j) == 1
        kind = model.joint_types[i] if alone else screw_type(model.screws[i])
        joint, at[i] = _joint(pin, kind, model.screws[i])
        placement = pin.SE3(inverse_pose(at[parent]) @ model.home_poses[i] @ at[i])
        ids[i] = _add(result, ids[parent], joint, placement, (name, model.limits, j))
        if own.get(j) == i:
            joint_of[j] = ids[i]
        body = _pinocchio_inertia(pin, parameters[i], name)
        result.appendBodyToJoint(ids[i], body, pin.SE3(inverse_pose(at[i])))
    links = {model.base_link: Frame(-1, np.eye(4))}
    links |= {name: Frame(i, np.eye(4)) for i, name in enumerate(model.body_names)}
    for name, frame in {**links, **model.frames}.items():
        if name != 'universe':
            placement = pin.SE3(inverse_pose(at[frame.body]) @ frame.pose)
            result.addFrame(pin.Frame(name, ids[frame.body], 0, placement, pin.FrameType.BODY))
    for i in range(model.body_count):
        j = int(model.coordinates[i])
        if own.get(j) != i:
            if screw_type(model.screws[i]) == 'helical':  # pin 4.1 has other efforts, or crashes
                raise UnsupportedJointError(
                    f'joint {model.tree_joint_names[i]!r}: expected no helical joint that mimics '
                    'another, which Pinocchio does not compute'
                )
            relation = float(model.multipliers[i]), float(model.offsets[i])
            result = pin.transformJointIntoMimic(result, joint_of[j], ids[i], *relation)
    velocities = [result.joints[joint_of[j]].idx_v for j in range(model.n)]
    drives = of_robot.joint_drives
    ratios = np.array([drive.motor.gear_ratio for drive in drives])
    armatures = np.array([sum(motor.joint_inertia for motor in drive.motors) for drive in drives])
    for values, array in (
        (armatures, result.armature),
        (armatures / ratios**2, result.rotorInertia),
        (ratios, result.rotorGearRatio),
        (model.damping, result.damping),
        (model.friction, result.friction),
    ):
        array[velocities] = values
    return result


def _order(model: ScrewModel, own: dict[int, int]) -> Iterator[int]:
    """Yield the bodies, each behind its parent and that of the joint that it mimics."""
    left, done = list(range(model.body_count)), {-1}
    while left:
        for i in left:
            before = {int(model.parents[i]), own.get(int(model.coordinates[i]), -1)} - {i}
            if before <= done:
                break
        else:
            raise ModelError(
                f'joint {model.tree_joint_names[left[0]]!r}: Pinocchio has no joint that moves '
                'the joint which it mimics'
            )
        left.remove(i)
        done.add(i)
        yield i


def _joint(pin: Any, kind: str, screw: Array) -> tuple[Any, Array]:
    """Return a joint of Pinocchio, and the pose of its frame in that of the body."""
    if kind == 'prismatic':
        return pin.JointModelPrismaticUnaligned(screw[3:]), np.eye(4)
    axis, pitch = screw[:3], screw_pitch(screw)
    at = pose(np.eye(3), np.cross(axis, screw[3:]))
    if pitch:
        return pin.JointModelHelicalUnaligned(axis, pitch), at
    if kind != 'continuous':
        return pin.JointModelRevoluteUnaligned(axis), at
    for letter, e in zip('XYZ', np.eye(3), strict=True):
        if np.array_equal(axis, e):
            return getattr(pin, f'JointModelRUB{letter}')(), at
    return pin.JointModelRUBZ(), pose_on_axis(screw)


def _add(model: Any, parent: int, joint: Any, at: Any, of: tuple[str, JointLimits, int]) -> int:
    """Add a joint with a name and the limits of a coordinate; return its index."""
    name, limits, j = of
    velocity, effort, lower, upper = (
        np.array([np.clip(bound[j], -_NO_LIMIT, _NO_LIMIT)])
        for bound in (limits.velocity, limits.effort, limits.lower, limits.upper)
    )
    if joint.nq == 2:  # of cosine and sine, as Pinocchio has them
        lower, upper = np.full(2, -1.01), np.full(2, 1.01)
    index: int = model.addJoint(parent, joint, at, name, effort, velocity, lower, upper)
    return index


def _pinocchio_inertia(pin: Any, parameters: Array, name: str) -> Any:
    """Return an inertia, physical or not, of the 10 `inertial_parameters` of a body."""
    if parameters[0] != 0.0:
        return pin.Inertia.FromDynamicParameters(parameters)
    if parameters[1:4].any():
        raise ModelError(f'body of joint {name!r}: expected no first moment without a mass')
    xx, xy, yy, xz, yz, zz = parameters[4:]
    return pin.Inertia(0.0, np.zeros(3), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
