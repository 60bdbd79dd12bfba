# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a robot of any kind, and where they are: what a viewer draws."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.dispatch import by_kind
from screw_dynamics.lie import exp_screw, inertia_parameters, pose_on_axis, screw_pitch, screw_type
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import require_model


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


class DeformingBody(Protocol):
    """A body whose form follows the coordinates q (n,) of the robot, in axes of its place [m]."""

    place: int
    masses: Array  # (m,), of its material points [kg]
    radius: float  # of its sections [m]
    shape: tuple[int, int]  # rows of corners of its surface, and corners of each; (0, 0) if none

    def points(self, q: Array) -> Array:
        """Return its material points (m, 3)."""

    def drawn(self, q: Array) -> tuple[Array, list[Array]]:
        """Return the corners (rows, columns, 3), each row closed around, and threads (p, 3)."""


class Outline(NamedTuple):
    """
    The parts of a robot by their places.

    Place 0 is the base, place i + 1 body i of a tree, or the distal frame of module i.
    """

    marks: list[Mark]
    rods: list[Rod]
    masses: list[Mass]
    links: dict[str, tuple[int, Array]]  # place and pose (4, 4) of every named frame
    bodies: Sequence[DeformingBody] = ()


@partial(by_kind, 'places')
def places(model: RobotModel, q: Array) -> Array:
    """Return the poses (P, 4, 4) of all places in axes of the base."""
    tree, found = require_model(model), [np.eye(4)]
    variables = tree.multipliers * q[tree.coordinates] + tree.offsets
    for parent, home, *joint in zip(
        tree.parents, tree.home_poses, tree.screws, variables, strict=True
    ):
        found.append(found[parent + 1] @ home @ exp_screw(*joint))
    return np.array(found)


@partial(by_kind, 'outline')
def outline(model: RobotModel, threads: Sequence[object] = ()) -> Outline:
    """Return the parts of a robot, with threads if its kind has them."""
    tree = require_model(model)
    on_axis = [pose_on_axis(screw) for screw in tree.screws]
    owners = {joint: j for j, joint in enumerate(tree.joint_of_coordinate)}
    marks, rods, masses = [], [], []
    for i, screw in enumerate(tree.screws):
        kind, parent = screw_type(screw), int(tree.parents[i])
        pitch = float(screw_pitch(screw)) if kind == 'helical' else 0.0
        name = tree.tree_joint_names[i]
        marks.append(Mark(name, i + 1, on_axis[i], kind, pitch, owners.get(i, -1)))
        begin = np.zeros(3) if parent < 0 else on_axis[parent][:3, 3]
        rods.append(Rod(parent + 1, begin, (tree.home_poses[i] @ on_axis[i])[:3, 3]))
        mass, moment, about_origin = inertia_parameters(tree.inertias[i])
        if mass > 0.0:
            com = moment / mass
            shift = mass * (com @ com * np.eye(3) - np.outer(com, com))
            masses.append(Mass(i + 1, mass, com, about_origin - shift))
    for i in sorted(set(range(tree.body_count)) - set(tree.parents.tolist())):
        begin = on_axis[i][:3, 3]
        ends = [frame.pose[:3, 3] for frame in tree.frames.values() if frame.body == i]
        # rounded: of frames at one distance the first
        end = max(ends, key=lambda point: round(float(np.linalg.norm(point - begin)), 9))
        rods.append(Rod(i + 1, begin, end))
    frames = {name: (frame.body + 1, frame.pose) for name, frame in tree.frames.items()}
    frames.setdefault(tree.base_link, (0, np.eye(4)))
    return Outline(marks, rods, masses, frames)
