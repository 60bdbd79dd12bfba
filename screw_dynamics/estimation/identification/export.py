# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Identified parameters as a robot, and in its URDF."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import file_path, new_file
from screw_dynamics.drives import Drives, JointDrive, JointFriction, Motor
from screw_dynamics.drives.robot import Robot
from screw_dynamics.estimation.identification.equations import Equations
from screw_dynamics.estimation.identification.motor_terms import Field
from screw_dynamics.estimation.identification.pseudo_inertia import inertia_of
from screw_dynamics.estimation.identification.spring_fit import SpringFit
from screw_dynamics.lie import inverse_pose, transform_inertia
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.model.urdf.read_urdf import read_description
from screw_dynamics.model.urdf.urdf_source import UrdfSource
from screw_dynamics.model.urdf.with_dynamics import with_dynamics


def identified_robot(
    equations: Equations,
    numbers: dict[str, float],
    bodies: Array,
    springs: Sequence[SpringFit],
) -> Robot:
    """Return the robot of parameters by name and those (B, 10) of bodies; see `robot`."""
    model = equations.robot.tree
    inertias = [inertia_of(parameters) for parameters in bodies]
    if equations.links:
        model = replace(model, inertias=np.array(inertias))
    elif equations.payload is not None:
        at = model.frame(equations.payload)
        changed = model.inertias.copy()
        changed[at.body] += transform_inertia(inertias[0], at.pose)
        model = replace(model, inertias=changed)
    beside = equations.springs_found(numbers)
    own_springs = {spring.joint: spring.spring for spring in springs}
    joints = {}
    speeds = equations.initial[Field.VELOCITY].tolist()
    for name, speed in zip(model.joint_names, speeds, strict=True):
        found = {
            entry: numbers.get(f'{name}.{entry}', 0.0)
            for entry in ('viscous', 'coulomb', 'rotor_inertia')
        }
        spring = own_springs.get(name)
        if spring is None and name not in beside and not any(found.values()):
            continue
        friction = JointFriction(found['viscous'], found['coulomb'], speed)
        joints[name] = JointDrive(
            spring,
            Motor(rotor_inertia=found['rotor_inertia']),
            friction=friction if found['viscous'] or found['coulomb'] else None,
            parallel_spring=beside.get(name),
        )
    return Robot(model, Drives(joints) if joints else None)


def written_urdf(
    source: UrdfSource,
    model: ScrewModel,
    robot: Robot,
    links: bool,
    payload: str | None,
    path: str | os.PathLike[str] | None,
) -> str:
    """Return a URDF with the inertias and friction of `robot`; see `Identification.to_urdf`."""
    inertias: dict[str, Array | None] = {}
    if links:
        inertias = {name: None for name, frame in robot.tree.frames.items() if frame.body >= 0}
        inertias |= dict(zip(robot.tree.body_names, robot.tree.inertias, strict=True))
    elif payload is not None:
        at = model.frame(payload)
        added = robot.tree.inertias[at.body] - model.inertias[at.body]
        load = transform_inertia(added, inverse_pose(at.pose))
        for link in read_description(source).links:
            if link.name == payload and link.inertial is not None:
                load = load + link.inertial.matrix()
        inertias[payload] = load
    friction = {
        name: (drive.friction.viscous, drive.friction.coulomb)
        for name, drive in zip(robot.joint_names, robot.joint_drives, strict=True)
        if drive.friction is not None
    }
    text = with_dynamics(source, inertias, friction)
    if path is not None:
        with new_file(file_path(path)) as file:
            file.write_text(text, encoding='utf-8')
    return text
