# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Planar and floating joints as equivalent chains of joints with one degree of freedom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import UnsupportedJointError
from screw_dynamics.lie import rotation_onto_z
from screw_dynamics.parsers.records import Joint, Limit, Link, RobotDescription


def split_multi_dof_joints(robot: RobotDescription) -> RobotDescription:
    """
    Replace every planar and floating joint by joints with one degree of freedom.

    A planar joint ``j`` becomes ``j/x``, ``j/y`` (prismatic, in the plane) and ``j/yaw`` (about
    the normal). If the normal is z, these are the axes x, y, z of the child frame; otherwise the
    two in-plane axes are those of `rotation_onto_z`. A floating joint becomes ``j/x``, ``j/y``,
    ``j/z``, ``j/yaw``, ``j/pitch``, ``j/roll``, so that the child has the position (x, y, z) and
    R = Rz(yaw) Ry(pitch) Rx(roll); its mass matrix is singular at a pitch of ±90 degrees. The
    intermediate links are massless and are not frames of the model. Limits, damping and friction
    of such joints have no single unit and are dropped. Raises UnsupportedJointError if such a
    joint mimics another.
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
    steps = _planar_steps(joint.axis) if joint.type == 'planar' else _floating_steps()
    names = [f'{joint.name}/{suffix}' for suffix, _, _ in steps]
    between = [Link(name, joint.location, virtual=True) for name in names[:-1]]
    ends = [joint.parent, *names[:-1], joint.child]
    chain = [
        Joint(
            name=names[i],
            type=kind,
            parent=ends[i],
            child=ends[i + 1],
            location=joint.location,
            origin=joint.origin if i == 0 else np.eye(4),
            axis=axis,
            limit=Limit(),
        )
        for i, (_, kind, axis) in enumerate(steps)
    ]
    return chain, between


def _planar_steps(normal: Array) -> list[tuple[str, str, Array]]:
    rotation = rotation_onto_z(normal)
    return [
        ('x', 'prismatic', rotation[:, 0]),
        ('y', 'prismatic', rotation[:, 1]),
        ('yaw', 'continuous', normal),
    ]


def _floating_steps() -> list[tuple[str, str, Array]]:
    x, y, z = np.eye(3)
    return [
        ('x', 'prismatic', x),
        ('y', 'prismatic', y),
        ('z', 'prismatic', z),
        ('yaw', 'continuous', z),
        ('pitch', 'continuous', y),
        ('roll', 'continuous', x),
    ]
