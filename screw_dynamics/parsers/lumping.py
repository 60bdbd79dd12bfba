# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Lumping of links that fixed and locked joints connect into one rigid body."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie import exp_screw, transform_inertia
from screw_dynamics.model import Frame
from screw_dynamics.parsers.mimic import JointMapping
from screw_dynamics.parsers.records import Joint, Link
from screw_dynamics.parsers.selection import Selection
from screw_dynamics.parsers.urdf_tree import Tree


@dataclass
class Body:
    """
    A moving body: the child link of a joint and all links rigidly connected to it.

    The body frame is the frame of the child link. `home_pose` (4, 4) is its pose in the parent
    body (-1: base) at joint position zero, `inertia` (6, 6) is that of all links in this frame.
    """

    joint: Joint
    mapping: JointMapping
    parent: int
    home_pose: Array
    inertia: Array = field(default_factory=lambda: np.zeros((6, 6)))
    links: list[Link] = field(default_factory=list)


def lump_links(tree: Tree, selection: Selection) -> tuple[list[Body], dict[str, Frame]]:
    """
    Lump the links of the selected subtree into bodies.

    Returns the bodies, depth first with parents before children, and the frames of all links.
    """
    bodies: list[Body] = []
    frames = {selection.base_link: Frame(-1, np.eye(4))}
    for joint in tree.below(selection.base_link):
        support = frames[joint.parent]
        pose = support.pose @ joint.origin  # exact if support.pose is the identity
        mapping = (
            selection.resolver.resolve(joint.name) if joint.moves else JointMapping(None, 0.0, 0.0)
        )
        if mapping.coordinate is not None:
            bodies.append(Body(joint, mapping, support.body, pose))
            frames[joint.child] = Frame(len(bodies) - 1, np.eye(4))
        else:
            if mapping.offset != 0.0:
                pose = pose @ exp_screw(joint.screw(), mapping.offset)
            frames[joint.child] = Frame(support.body, pose)
        frame = frames[joint.child]
        if frame.body >= 0:
            _add_link(bodies[frame.body], tree.links[joint.child], frame.pose)
    return bodies, {name: at for name, at in frames.items() if not tree.links[name].virtual}


def _add_link(body: Body, link: Link, pose: Array) -> None:
    body.links.append(link)
    if link.inertial is None:
        return
    inertia = link.inertial.matrix()
    if not np.array_equal(pose, np.eye(4)):
        inertia = transform_inertia(inertia, pose)
    body.inertia = body.inertia + inertia
