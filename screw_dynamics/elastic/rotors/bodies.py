# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotors as bodies on the links that carry their motors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.elastic.elastic_joint import ElasticJoint, Rotor
from screw_dynamics.elastic.motor_table import MotorTable
from screw_dynamics.kinematics import frame_pose
from screw_dynamics.model import Frame, JointLimits, ScrewModel


@dataclass(frozen=True, eq=False)
class RotorBody:
    """
    A spinning rotor on a body of a robot (`carrier`, -1 for the base).

    `axis` (3,) is a unit vector in the frame of the carrier; `inertia` is J about it, on the
    motor's side of the gear [kg m^2]; `gear_ratio` is in rad/rad or rad/m.
    """

    motor: str
    coordinate: int
    carrier: int
    axis: Array
    inertia: float
    gear_ratio: float


def rotor_axis(model: ScrewModel, coordinate: int, rotor: Rotor) -> tuple[int, Array]:
    """
    Return the body that carries a rotor (-1: base) and its unit axis (3,) in that body's frame.

    Raise UnknownNameError if the model has no frame with the carrier's name.
    """
    joint = model.joint_of_coordinate[coordinate]
    sense = np.sign(model.multipliers[joint])
    if rotor.carrier is None:
        body = int(model.parents[joint])
        name = model.base_link if body < 0 else model.body_names[body]
        link = model.frames.get(name, Frame(body, np.eye(4)))
        default = sense * model.home_poses[joint][:3, :3] @ _direction(model.screws[joint])
    else:
        link = model.frame(rotor.carrier)
        body = link.body
        at_zero = frame_pose(model, np.zeros(model.n), rotor.carrier)[:3, :3]
        in_base = sense * _direction(model.spatial_screws[joint])
        default = link.pose[:3, :3] @ at_zero.T @ in_base
    axis = default if rotor.axis is None else link.pose[:3, :3] @ np.array(rotor.axis)
    return body, axis / np.linalg.norm(axis)


def moving_rotors(
    model: ScrewModel, table: MotorTable, joints: Mapping[str, ElasticJoint]
) -> tuple[NDArray[np.int64], tuple[RotorBody, ...]]:
    """Return table indices and bodies of the rotors that have inertia and are on moving links."""
    motors, rotors = [], []
    for j, name in enumerate(model.joint_names):
        joint = joints.get(name, ElasticJoint())
        carrier, axis = rotor_axis(model, j, joint.rotor or Rotor())
        for a, motor in enumerate(joint.motors, int(table.first_motor[j])):
            if carrier >= 0 and motor.rotor_inertia > 0.0:
                inertia, ratio = motor.rotor_inertia, motor.gear_ratio
                motors.append(a)
                rotors.append(RotorBody(table.names[a], j, carrier, axis, inertia, ratio))
    return np.array(motors, dtype=np.int64), tuple(rotors)


def model_with_rotors(model: ScrewModel, rotors: Sequence[RotorBody]) -> ScrewModel:
    """
    Return the model of links and rotors, whose coordinates are q, then theta of every rotor.

    The first n columns of its inverse dynamics are the efforts at the links' joints (where the
    springs act with +u), the others ``S^T q'' + S'^T q' + B theta''`` of the motors, on the joint
    side of the gear. Links keep their indices; each rotor has a frame named after its body.
    """
    inertias = [*model.inertias.copy()]
    names: list[str] = []
    for rotor in rotors:
        spin = np.zeros((6, 6))
        spin[:3, :3] = rotor.inertia * np.outer(rotor.axis, rotor.axis)
        if rotor.carrier >= 0:
            inertias[rotor.carrier] = inertias[rotor.carrier] - spin
        inertias.append(spin)
        name = f'rotor of {rotor.motor}'
        while name in (*model.frames, *model.body_names, *model.tree_joint_names, *names):
            name += "'"
        names.append(name)
    count, extra = model.body_count, len(rotors)
    limits, free = model.limits, JointLimits.none(extra)
    return replace(
        model,
        joint_names=(*model.joint_names, *names),
        tree_joint_names=(*model.tree_joint_names, *names),
        body_names=(*model.body_names, *names),
        joint_types=(*model.joint_types, *['continuous'] * extra),
        parents=np.append(model.parents, [rotor.carrier for rotor in rotors]),
        home_poses=np.concatenate([model.home_poses, np.tile(np.eye(4), (extra, 1, 1))]),
        screws=np.vstack([model.screws, *[[*rotor.axis, 0.0, 0.0, 0.0] for rotor in rotors]]),
        inertias=np.array(inertias).reshape(-1, 6, 6),
        coordinates=np.append(model.coordinates, model.n + np.arange(extra)),
        multipliers=np.append(model.multipliers, [rotor.gear_ratio for rotor in rotors]),
        offsets=np.append(model.offsets, np.zeros(extra)),
        limits=JointLimits(
            lower=np.append(limits.lower, free.lower),
            upper=np.append(limits.upper, free.upper),
            velocity=np.append(limits.velocity, free.velocity),
            effort=np.append(limits.effort, free.effort),
        ),
        damping=np.append(model.damping, np.zeros(extra)),
        friction=np.append(model.friction, np.zeros(extra)),
        frames={
            **model.frames,
            **{name: Frame(count + a, np.eye(4)) for a, name in enumerate(names)},
        },
    )


def _direction(screw: Array) -> Array:
    """Return the axis of a revolute joint, or the direction of a prismatic one."""
    return screw[:3] if screw[:3].any() else screw[3:]
