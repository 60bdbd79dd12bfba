# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Selection of base, tip and coordinates; joints that mimic, are locked or are lumped."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    TopologyError,
    UnknownNameError,
    shown,
)
from screw_dynamics.lie import exp_screw, transform_inertia
from screw_dynamics.model import Frame
from screw_dynamics.model.urdf.records import Joint, Link, Mimic
from screw_dynamics.model.urdf.urdf_tree import Tree


@dataclass(frozen=True)
class JointMapping:
    """Joint position s = multiplier * q[coordinate] + offset; without coordinate, s = offset."""

    coordinate: str | None
    multiplier: float
    offset: float


@dataclass(frozen=True)
class MimicResolver:
    """
    Mappings of all joints of a robot.

    A joint in `locked` is fixed at its value [rad or m], one in `coordinates` is independent, a
    mimic joint follows its master through any chain if `reduce` is set, others are locked at 0.
    """

    joints: Mapping[str, Joint]
    coordinates: Collection[str]
    locked: Mapping[str, float]
    reduce: bool
    known: dict[str, JointMapping] = field(default_factory=dict, init=False)

    def resolve(self, name: str) -> JointMapping:
        """Return the mapping of a joint; raise TopologyError if its mimic chain has no end."""
        chain: dict[str, Mimic] = {}
        step = self._step(name)
        while isinstance(step, Mimic):
            chain[name] = step
            if step.master in chain:
                loop = [*chain][[*chain].index(step.master) :]
                where = self.joints[name].location.inside('mimic')
                raise TopologyError(
                    f'{where}: expected a chain that ends at an independent joint, '
                    f'got a loop: {" -> ".join([*loop, step.master])}'
                )
            name = step.master
            step = self._step(name)
        for name, mimic in reversed(chain.items()):
            step = self.known[name] = JointMapping(
                step.coordinate,
                mimic.multiplier * step.multiplier,
                mimic.multiplier * step.offset + mimic.offset,
            )
        return step

    def _step(self, name: str) -> JointMapping | Mimic:
        """Return the mapping of a joint, or its mimic relation to an existing joint."""
        joint = self.joints[name]
        if name in self.known:
            return self.known[name]
        if name in self.locked:
            return JointMapping(None, 0.0, self.locked[name])
        if name in self.coordinates:
            return JointMapping(name, 1.0, 0.0)
        mimic = joint.mimic
        if mimic is None or not self.reduce:
            return JointMapping(None, 0.0, 0.0)
        if mimic.master not in self.joints:
            # a joint with several degrees of freedom was split; name its parts
            parts = [part for part, at in self.joints.items() if at.location.name == mimic.master]
            one = f' with one degree of freedom ({", ".join(parts)})' if parts else ''
            raise TopologyError(
                f'{joint.location.inside("mimic")}: expected the name of a joint{one}, got '
                f'{mimic.master!r}; lock this joint (locked={{{name!r}: 0.0}}) or read with '
                "mimic='independent'"
            )
        return mimic


_MIMIC_MODES = ('reduce', 'independent')


@dataclass(frozen=True)
class Selection:
    """The part of a robot that becomes the model; `joint_names` are the coordinates."""

    base_link: str
    joint_names: tuple[str, ...]
    resolver: MimicResolver


def select(
    tree: Tree,
    base_link: str | None,
    tip_link: str | None,
    joints: Sequence[str] | None,
    locked: Mapping[str, float] | None,
    mimic: str,
) -> Selection:
    """Check the options of `read_urdf` against a robot; raise the errors named there."""
    require_choice('mimic', mimic, _MIMIC_MODES)
    reduce = mimic == 'reduce'
    positions = _locked_positions(tree, locked)
    base = tree.root if base_link is None else tree.link(base_link).name
    reach = tree.below(base) if tip_link is None else tree.path(base, tip_link)
    reached = {joint.name for joint in reach if joint.moves}
    available = [name for name in tree.joints if name in reached]
    if joints is None:
        names = tuple(
            name
            for name in available
            if name not in positions and not (reduce and tree.joints[name].mimic)
        )
    else:
        names = _selected(tree, joints, available, positions, reduce)
    return Selection(base, names, MimicResolver(tree.joints, frozenset(names), positions, reduce))


def _locked_positions(tree: Tree, locked: Mapping[str, float] | None) -> dict[str, float]:
    positions: dict[str, float] = {}
    if locked is not None and not isinstance(locked, Mapping):
        raise InputError(
            f'locked: expected a mapping of joint names to positions, got {shown(locked)}'
        )
    for name, value in (locked or {}).items():
        if name not in tree.joints or not tree.joints[name].moves:
            movable = [joint.name for joint in tree.joints.values() if joint.moves]
            raise UnknownNameError('movable joint in locked:', name, movable)
        try:
            positions[name] = float(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f'locked[{shown(name)}]: expected a number, got {shown(value)}'
            ) from None
        if not math.isfinite(positions[name]):
            raise NotFiniteError(f'locked[{shown(name)}]', (), positions[name])
    return positions


def _selected(
    tree: Tree,
    joints: Sequence[str],
    available: Sequence[str],
    locked: Mapping[str, float],
    reduce: bool,
) -> tuple[str, ...]:
    # a set is rejected: it has no order, and this order is that of every array
    if isinstance(joints, str) or not isinstance(joints, Sequence):
        raise InputError(f'joints: expected a sequence of names, got {shown(joints)}')
    names = tuple(joints)
    for name in names:
        if name not in available:
            raise UnknownNameError('movable joint in joints:', name, available)
        if names.count(name) > 1:
            raise InputError(f'joints: expected every name once, got {shown(name)} twice')
        if name in locked:
            raise InputError(
                f'joints: expected joints that move, got {shown(name)}, which is locked'
            )
        mimicked = tree.joints[name].mimic
        if reduce and mimicked:
            raise InputError(
                f'joints: expected independent joints, got {shown(name)}, which mimics '
                f"{mimicked.master!r}; select that one or read with mimic='independent'"
            )
    return names


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
    """Return the bodies, depth first with parents before children, and the frames of all links."""
    bodies: list[Body] = []
    frames = {selection.base_link: Frame(-1, np.eye(4))}
    for joint in tree.below(selection.base_link):
        support = frames[joint.parent]
        pose = support.pose @ joint.origin  # exact if support.pose is the identity
        mapping = selection.resolver.resolve(joint.name)
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
