# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a robot: where they are fixed, its joints, its links as rods, its masses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import (
    exp_screw,
    inertia_parameters,
    pose,
    pose_on_axis,
    rotation_onto_z,
    screw_pitch,
    screw_type,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.segments.hybrid_robot import HybridRobot
from screw_dynamics.soft.soft_robot import SoftRobot


class Mark(NamedTuple):
    """A joint: z of `pose` in its place is the axis; `coordinate` is -1 if it follows another."""

    name: str
    place: int
    pose: Array  # (4, 4)
    kind: str
    pitch: float  # [m/rad], 0 unless it is helical
    coordinate: int


class Rod(NamedTuple):
    """A link between two points (3,) of a place [m]."""

    place: int
    begin: Array
    end: Array


class Mass(NamedTuple):
    """A body: mass [kg], centre (3,) [m] and inertia (3, 3) about it [kg m^2]."""

    place: int
    mass: float
    com: Array
    inertia: Array


class Outline(NamedTuple):
    """
    The parts of a robot by their places.

    Place 0 is the base, place i + 1 body i of a tree, or the distal frame of module i.
    """

    marks: list[Mark]
    rods: list[Rod]
    masses: list[Mass]
    links: dict[str, tuple[int, Array]]  # place and pose (4, 4) of every named frame


def places(model: ScrewModel | SoftRobot, q: Array) -> Array:
    """Return the poses (P, 4, 4) of all places in axes of the base."""
    found = [np.eye(4)]
    if not isinstance(model, SoftRobot):
        variables = model.multipliers * q[model.coordinates] + model.offsets
        for parent, home, *joint in zip(
            model.parents, model.home_poses, model.screws, variables, strict=True
        ):
            found.append(found[parent + 1] @ home @ exp_screw(*joint))
        return np.array(found)
    for module, own in zip(model.modules, model.slices, strict=True):
        found.append(found[-1] @ pose(*module.tip_pose(q[own])))
    return np.array(found)


def outline(model: ScrewModel | SoftRobot) -> Outline:
    """Return the parts of a robot."""
    return _of_modules(model) if isinstance(model, SoftRobot) else _of_tree(model)


def _of_tree(model: ScrewModel) -> Outline:
    on_axis = [pose_on_axis(screw) for screw in model.screws]
    owners = {joint: j for j, joint in enumerate(model.joint_of_coordinate)}
    marks, rods, masses = [], [], []
    for i, screw in enumerate(model.screws):
        kind, parent = screw_type(screw), int(model.parents[i])
        pitch = float(screw_pitch(screw)) if kind == 'helical' else 0.0
        name = model.tree_joint_names[i]
        marks.append(Mark(name, i + 1, on_axis[i], kind, pitch, owners.get(i, -1)))
        begin = np.zeros(3) if parent < 0 else on_axis[parent][:3, 3]
        rods.append(Rod(parent + 1, begin, (model.home_poses[i] @ on_axis[i])[:3, 3]))
        mass, moment, about_origin = inertia_parameters(model.inertias[i])
        if mass > 0.0:
            com = moment / mass
            shift = mass * (com @ com * np.eye(3) - np.outer(com, com))
            masses.append(Mass(i + 1, mass, com, about_origin - shift))
    for i in sorted(set(range(model.body_count)) - set(model.parents.tolist())):
        begin = on_axis[i][:3, 3]
        ends = [frame.pose[:3, 3] for frame in model.frames.values() if frame.body == i]
        # rounded: of frames at one distance the first
        end = max(ends, key=lambda point: round(float(np.linalg.norm(point - begin)), 9))
        rods.append(Rod(i + 1, begin, end))
    frames = {name: (frame.body + 1, frame.pose) for name, frame in model.frames.items()}
    frames.setdefault(model.base_link, (0, np.eye(4)))
    return Outline(marks, rods, masses, frames)


def _of_modules(robot: SoftRobot) -> Outline:
    marks, rods, masses = [], [], []
    for i, module in enumerate(robot.modules):
        if isinstance(module, Joint):
            rods.append(Rod(i, np.zeros(3), module.pose[:3, 3]))
            if module.n:
                axis = pose(rotation_onto_z(module.axis), np.zeros(3))
                coordinate = robot.slices[i].start
                name = robot.joint_names[coordinate]
                marks.append(Mark(name, i + 1, axis, module.type, module.pitch, coordinate))
        elif isinstance(module, RigidBody):
            rods.append(Rod(i, np.zeros(3), module.end[:3, 3]))
            if module.mass > 0.0:
                masses.append(Mass(i, module.mass, module.com, module.inertia))
    if not isinstance(robot, HybridRobot):
        frames = {name: (i + 1, np.eye(4)) for i, name in enumerate(robot.module_names)}
        return Outline(marks, rods, masses, frames)
    # body i of the rigid chain ends at module 2 i + 1
    links = {
        name: (2 * frame.body + 2 if frame.body >= 0 else 0, frame.pose)
        for name, frame in robot.rigid.frames.items()
    }
    first = len(robot.modules) - len(robot.appended.segments)
    segments = enumerate(robot.appended.segments, first + 1)
    return Outline(
        marks, rods, masses, links | {segment.name: (i, np.eye(4)) for i, segment in segments}
    )
