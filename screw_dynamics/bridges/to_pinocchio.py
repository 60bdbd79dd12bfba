# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`to_pinocchio`: models of Pinocchio of trees of rigid bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import optional_library
from screw_dynamics.drives import Robot
from screw_dynamics.drives.robot import as_robot
from screw_dynamics.dynamics import inertial_parameters
from screw_dynamics.errors import ModelError, UnsupportedJointError
from screw_dynamics.lie import inverse_pose, pose, pose_on_axis, screw_pitch, screw_type
from screw_dynamics.model import Frame, JointLimits, RobotModel, ScrewModel

if TYPE_CHECKING:
    import pinocchio

_NO_LIMIT = float(np.finfo(np.float64).max)  # Pinocchio's own


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
