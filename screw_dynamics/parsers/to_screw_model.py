# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of records to a `ScrewModel`, common to all sources of robot descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import as_vector
from screw_dynamics.model import JointLimits, ScrewModel
from screw_dynamics.parsers.inertia_report import warn_of_inertia
from screw_dynamics.parsers.limits import coordinate_limit, warn_of_limits
from screw_dynamics.parsers.lumping import Body, lump_links
from screw_dynamics.parsers.multi_dof import split_multi_dof_joints
from screw_dynamics.parsers.records import Robot
from screw_dynamics.parsers.selection import select
from screw_dynamics.parsers.urdf_tree import joined_tree


def screw_model(
    robot: Robot,
    gravity: ArrayLike,
    base_link: str | None,
    tip_link: str | None,
    joints: Sequence[str] | None,
    locked: Mapping[str, float] | None,
    mimic: str,
    invented: Sequence[str] = (),
) -> ScrewModel:
    """
    Build the model from the records of a robot, with the options and errors of `read_urdf`.

    `invented` names the links whose inertia a parser invented, for the warning.
    """
    gravity = as_vector('gravity', gravity, 3)
    tree = joined_tree(split_multi_dof_joints(robot))
    selection = select(tree, base_link, tip_link, joints, locked, mimic)
    bodies, frames = lump_links(tree, selection)
    warn_of_inertia(bodies, invented, stacklevel=3)
    warn_of_limits(robot.joints, stacklevel=3)
    names = selection.joint_names
    chosen = [tree.joints[name] for name in names]
    place = {name: j for j, name in enumerate(names)}
    coordinates = [place[body.motion.coordinate or ''] for body in bodies]
    followers: list[list[Body]] = [[] for _ in names]
    for j, body in zip(coordinates, bodies, strict=True):
        if body.joint.name != names[j]:
            followers[j].append(body)
    limits = [
        coordinate_limit(joint.limit, below)
        for joint, below in zip(chosen, followers, strict=True)
    ]
    return ScrewModel(
        joint_names=names,
        tree_joint_names=tuple(body.joint.name for body in bodies),
        body_names=tuple(body.joint.child for body in bodies),
        joint_types=tuple(body.joint.type for body in bodies),
        parents=np.array([body.parent for body in bodies], dtype=np.int64),
        home_poses=np.array([body.home_pose for body in bodies]).reshape(-1, 4, 4),
        screws=np.array([body.joint.screw() for body in bodies]).reshape(-1, 6),
        inertias=np.array([body.inertia for body in bodies]).reshape(-1, 6, 6),
        gravity=gravity,
        coordinates=np.array(coordinates, dtype=np.int64),
        multipliers=np.array([body.motion.multiplier for body in bodies], dtype=float),
        offsets=np.array([body.motion.offset for body in bodies], dtype=float),
        limits=JointLimits(
            lower=np.array([limit.lower for limit in limits], dtype=float),
            upper=np.array([limit.upper for limit in limits], dtype=float),
            velocity=np.array([limit.velocity for limit in limits], dtype=float),
            effort=np.array([limit.effort for limit in limits], dtype=float),
        ),
        damping=np.array([joint.damping for joint in chosen], dtype=float),
        friction=np.array([joint.friction for joint in chosen], dtype=float),
        frames=frames,
        base_link=selection.base_link,
        name=robot.name,
    )
