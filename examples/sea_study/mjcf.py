# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
MJCF of a robot with elastic joints, for MuJoCo as an engine independent of this package.

Motor and spring are two hinges on one axis of the link's body, the motor first, with the rotor as
its armature. The coordinates are theta and q - theta. No body is added, and the equations of
motion are those of the reduced model up to rounding.

Nonlinear springs and Coulomb friction are not part of the file; the caller must apply them.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import (
    AntagonisticPair,
    JointDrive,
    LinearSpring,
    Robot,
    VariableStiffness,
)
from screw_dynamics.errors import InputError
from screw_dynamics.lie import inertia_parameters


def mjcf(robot: Robot, *, timestep: float = 1e-3) -> str:
    """
    Return a MuJoCo model of a robot, without geometry, contacts and limits.

    Names are 'link', 'motor' and 'spring' plus the name of the joint; a rigid joint has only
    'link', driven by its motor. `timestep` is in seconds. Raises `InputError` for helical joints,
    mimic joints, antagonistic pairs, rotor coupling, joint friction and parallel springs.
    """
    model = robot.tree
    _require_translatable(robot)
    table = robot.motors
    root = ElementTree.Element('mujoco', model=model.name)
    _add(root, 'compiler', angle='radian', autolimits='true')
    option = _add(
        root,
        'option',
        timestep=repr(timestep),
        gravity=_text(model.gravity),
        integrator='RK4',
    )
    _add(option, 'flag', contact='disable', constraint='disable')
    bodies = [_add(root, 'worldbody')]
    actuators = _add(root, 'actuator')
    for i, (name, joint) in enumerate(zip(model.joint_names, robot.joint_drives, strict=True)):
        parent = bodies[model.parents[i] + 1]
        pose = _pose(model.home_poses[i])
        hinge = _hinge(model.screws[i])
        b, damping = (repr(float(x)) for x in table.rows[i, :2])
        drive = {**hinge, 'armature': b, 'damping': damping}
        body = _add(parent, 'body', name=model.body_names[i], **pose)
        if joint.spring is None:
            _add(body, 'joint', name=f'link {name}', **drive)
        else:
            _add(body, 'joint', name=f'motor {name}', **drive)
            _add(body, 'joint', name=f'spring {name}', **hinge, **_linear(joint))
        _add_inertial(body, *inertia_parameters(model.inertias[i]))
        driven = 'link' if joint.spring is None else 'motor'
        _add(actuators, 'motor', name=name, joint=f'{driven} {name}', gear='1')
        bodies.append(body)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding='unicode')


def principal_inertia(
    mass: float, first_moment: Array, rotational: Array
) -> tuple[Array, Array, Array]:
    """
    Return centre of mass (3,), principal moments (3,) and principal axes (3, 3), in columns.

    The axes are right-handed. `first_moment` (3,) is mass times centre of mass, and `rotational`
    (3, 3) is the inertia about the body's origin.
    """
    centre = first_moment / mass if mass > 0.0 else np.zeros(3)
    about_centre = rotational - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    moments, axes = np.linalg.eigh(about_centre)
    axes[:, 2] *= np.linalg.det(axes)
    return centre, moments, axes


def _add_inertial(
    body: ElementTree.Element, mass: float, first_moment: Array, rotational: Array
) -> None:
    centre, moments, axes = principal_inertia(mass, first_moment, rotational)
    if mass <= 0.0 or moments[0] <= 0.0 or moments[0] + moments[1] < moments[2]:
        # placeholders, as MuJoCo's compiler rejects the values; `MujocoRobot` sets them afterwards
        mass, moments = max(mass, 1.0), np.ones(3)
    _add(
        body,
        'inertial',
        mass=repr(float(mass)),
        pos=_text(centre),
        quat=_text(_quaternion(axes)),
        diaginertia=_text(moments),
    )


def _add(parent: ElementTree.Element, tag: str, /, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _hinge(screw: Array) -> dict[str, str]:
    """Return type, axis and position of a joint with the unit screw (e; x × e) or (0; e)."""
    turn, shift = screw[:3], screw[3:]
    if turn.any():
        return {'type': 'hinge', 'axis': _text(turn), 'pos': _text(np.cross(turn, shift))}
    return {'type': 'slide', 'axis': _text(shift)}


def _linear(joint: JointDrive) -> dict[str, str]:
    """Return the attributes of a linear spring, none for other laws."""
    if isinstance(joint.spring, LinearSpring):
        values = {'stiffness': joint.spring.stiffness, 'damping': joint.spring.damping}
        return {key: repr(value) for key, value in values.items()}
    if isinstance(joint.spring, VariableStiffness):
        return {'stiffness': repr(joint.spring.stiffness)}
    return {}


def _require_translatable(robot: Robot) -> None:
    model = robot.tree
    if robot.drives is not None and robot.drives.rotor_coupling:
        raise InputError('drives: expected no rotor coupling, got rotor_coupling=True')
    order = np.arange(model.n)
    plain = model.body_count == model.n and np.array_equal(model.coordinates, order)
    if not plain or (model.multipliers != 1.0).any() or model.offsets.any():
        raise InputError(
            'model: expected no mimic joints (lock them with read_urdf), got some among '
            + ', '.join(model.tree_joint_names)
        )
    for name, kind, entry in zip(
        model.joint_names, model.joint_types, robot.joint_drives, strict=True
    ):
        if kind == 'helical':
            raise InputError(f'joint {name!r}: expected one that turns or slides, got {kind}')
        if isinstance(entry.spring, AntagonisticPair):
            raise InputError(f'joint {name!r}: expected one motor, got an antagonistic pair')
        dry = [motor.breakaway_friction + motor.load_friction for motor in entry.motors]
        if entry.friction is not None or entry.parallel_spring is not None or any(dry):
            raise InputError(
                f'joint {name!r}: expected viscous and Coulomb friction of a motor only, got '
                'joint friction, a parallel spring or further friction of a motor'
            )


def _pose(pose: Array) -> dict[str, str]:
    return {'pos': _text(pose[:3, 3]), 'quat': _text(_quaternion(pose[:3, :3]))}


def _quaternion(rotation: Array) -> Array:
    """Return (w, x, y, z) of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    # SciPy before 1.12 rejects read-only arrays
    x, y, z, w = Rotation.from_matrix(rotation.copy()).as_quat()
    return np.array([w, x, y, z])


def _text(values: Array) -> str:
    return ' '.join(repr(float(value)) for value in values)
