# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`model_from_description`: conversion of the records of a robot to a `ScrewModel`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import as_vector
from screw_dynamics.errors import UnsupportedJointError
from screw_dynamics.lie import rotation_onto_z
from screw_dynamics.model import JointLimits, ScrewModel
from screw_dynamics.model.records import LIMITS
from screw_dynamics.model.urdf.records import Joint, Limit, Link, RobotDescription
from screw_dynamics.model.urdf.reports import warn_of_inertia, warn_of_limits
from screw_dynamics.model.urdf.selection import Body, lump_links, select
from screw_dynamics.model.urdf.urdf_tree import joined_tree


def split_multi_dof_joints(robot: RobotDescription) -> RobotDescription:
    """
    Replace every planar and floating joint by joints with one degree of freedom.

    Their limits, damping and friction have no single unit and are dropped.
    """
    links, joints = list(robot.links), []
    for joint in robot.joints:
        if joint.type not in ('planar', 'floating'):
            joints.append(joint)
            continue
        if joint.mimic is not None:
            raise UnsupportedJointError(
                f'{joint.location}: expected a revolute, continuous or prismatic joint to mimic '
                f'another, got a {joint.type} joint'
            )
        chain, between = _chain(joint)
        joints += chain
        links += between
    return replace(robot, links=tuple(links), joints=tuple(joints))


def _chain(joint: Joint) -> tuple[list[Joint], list[Link]]:
    x, y, z = np.eye(3)  # a floating joint turns by R = Rz(yaw) Ry(pitch) Rx(roll)
    steps = [('x', x), ('y', y), ('z', z), ('yaw', z), ('pitch', y), ('roll', x)]
    if joint.type == 'planar':
        turned = rotation_onto_z(joint.axis)  # the identity if the normal is z
        steps = [('x', turned[:, 0]), ('y', turned[:, 1]), ('yaw', joint.axis)]
    names = [f'{joint.name}/{suffix}' for suffix, _ in steps]
    between = [Link(name, joint.location, virtual=True) for name in names[:-1]]
    ends = [joint.parent, *names[:-1], joint.child]
    chain = [
        Joint(
            name=names[i],
            type='prismatic' if suffix in 'xyz' else 'continuous',
            parent=ends[i],
            child=ends[i + 1],
            location=joint.location,
            origin=joint.origin if i == 0 else np.eye(4),
            axis=axis,
        )
        for i, (suffix, axis) in enumerate(steps)
    ]
    return chain, between


def model_from_description(
    description: RobotDescription,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    base_link: str | None = None,
    tip_link: str | None = None,
    joints: Sequence[str] | None = None,
    locked: Mapping[str, float] | None = None,
    mimic: str = 'reduce',
    *,
    stacklevel: int = 1,
) -> ScrewModel:
    """
    Build the `ScrewModel` of a robot from its description.

    Parameters
    ----------
    description : RobotDescription
        Links and joints, see `read_description`. Several models, e.g. with different joints, can
        be built from one description without parsing the document again.
    gravity, base_link, tip_link, joints, locked, mimic
        See `read_urdf`.
    stacklevel : int
        Of warnings; 1 is the caller of this function.

    Raises
    ------
    UrdfError, TopologyError, UnsupportedJointError, UnknownNameError, InputError, NotFiniteError
        See `read_urdf`.

    Warns
    -----
    InertiaWarning, UrdfWarning
        See `read_urdf`.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.model.urdf import model_from_description, read_description
    >>> description = read_description(sd.share_path('urdf/iiwa14.urdf'))
    >>> model_from_description(description, joints=['joint_4', 'joint_2']).joint_names
    ('joint_4', 'joint_2')
    """
    gravity = as_vector('gravity', gravity, 3)
    tree = joined_tree(split_multi_dof_joints(description))
    selection = select(tree, base_link, tip_link, joints, locked, mimic)
    bodies, frames = lump_links(tree, selection)
    warn_of_inertia(bodies, description.invented, stacklevel + 1)
    warn_of_limits(description.joints, stacklevel + 1)
    names = selection.joint_names
    chosen = [tree.joints[name] for name in names]
    index = {name: j for j, name in enumerate(names)}
    coordinates = [index[body.mapping.coordinate or ''] for body in bodies]
    followers: list[list[Body]] = [[] for _ in names]
    for j, body in zip(coordinates, bodies, strict=True):
        if body.joint.name != names[j]:
            followers[j].append(body)
    limits = list(map(_coordinate_limit, (joint.limit for joint in chosen), followers))
    bounds = {name: [getattr(limit, name) for limit in limits] for name in LIMITS}
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
        multipliers=np.array([body.mapping.multiplier for body in bodies], dtype=float),
        offsets=np.array([body.mapping.offset for body in bodies], dtype=float),
        limits=JointLimits(**{name: np.array(found, float) for name, found in bounds.items()}),
        damping=np.array([joint.damping for joint in chosen], dtype=float),
        friction=np.array([joint.friction for joint in chosen], dtype=float),
        frames=frames,
        base_link=selection.base_link,
        name=description.name,
    )


def _coordinate_limit(own: Limit, followers: Iterable[Body]) -> Limit:
    """Return the limits of a coordinate: its own, narrowed by those of joints that follow it."""
    lower, upper = own.lower, own.upper
    rates = {name: getattr(own, name) for name in ('velocity', 'acceleration', 'jerk')}
    for body in followers:
        mapping, limit = body.mapping, body.joint.limit
        if mapping.multiplier == 0.0:
            continue
        low, high = sorted(
            (bound - mapping.offset) / mapping.multiplier for bound in (limit.lower, limit.upper)
        )
        low, high = max(lower, low), min(upper, high)
        if low < high:  # in some grippers, fingers of opposite signs have the same numbers
            lower, upper = low, high
        for name, bound in rates.items():
            if (other := getattr(limit, name)) > 0.0:  # 0: not specified
                rates[name] = min(bound, other / abs(mapping.multiplier))
    # the followers' share of the effort depends on the motion
    return replace(own, lower=lower, upper=upper, **rates)
