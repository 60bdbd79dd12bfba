# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinematic tree of links and joints; TopologyError if they do not form one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from screw_dynamics.errors import TopologyError, UnknownNameError, UrdfError, listed, shown
from screw_dynamics.model.urdf.records import Joint, Link, RobotDescription

_Named = TypeVar('_Named', Link, Joint)


@dataclass(frozen=True)
class Tree:
    """A robot whose joints form one tree; the joints below and above each link are by its name."""

    links: dict[str, Link]
    joints: dict[str, Joint]
    root: str
    children: dict[str, list[Joint]]
    parent_joints: dict[str, Joint]

    def link(self, name: str) -> Link:
        """Return a link by name, or raise UnknownNameError."""
        if not isinstance(name, str) or name not in self.links:
            raise UnknownNameError('link', name, self.links)
        return self.links[name]

    def below(self, link: str) -> Iterator[Joint]:
        """Yield the joints of a link's subtree, depth first, parents before children."""
        waiting = list(reversed(self.children[link]))
        while waiting:
            joint = waiting.pop()
            yield joint
            waiting.extend(reversed(self.children[joint.child]))

    def path(self, base: str, tip: str) -> list[Joint]:
        """Return the joints from `base` to `tip`; raise UnknownNameError if there is no path."""
        joints: list[Joint] = []
        link = self.link(tip).name
        while link != base:
            if link not in self.parent_joints:
                below = [base, *(joint.child for joint in self.below(base))]
                raise UnknownNameError(f'link below base_link {base!r}:', tip, below)
            joints.append(self.parent_joints[link])
            link = self.parent_joints[link].parent
        return joints[::-1]


def with_named_root(robot: RobotDescription) -> RobotDescription:
    """Return the robot with the root link that it lacks, if parents alone name just one."""
    declared = {link.name for link in robot.links}
    children = {joint.child for joint in robot.joints}
    roots = {joint.parent: joint for joint in robot.joints if joint.parent not in children}
    if len(roots) != 1 or declared & roots.keys() or declared - children:
        return robot
    name, joint = roots.popitem()
    return replace(robot, links=(Link(name, joint.location.inside('parent')), *robot.links))


def joined_tree(robot: RobotDescription) -> Tree:
    """Join links and joints to a tree; raise UrdfError for bad names, TopologyError otherwise."""
    if not robot.links:
        raise UrdfError(f'robot {robot.name!r}: expected at least one <link>, got none')
    links, joints = _by_name(robot.links), _by_name(robot.joints)
    children: dict[str, list[Joint]] = {name: [] for name in links}
    parent_joints: dict[str, Joint] = {}
    for joint in robot.joints:
        for role, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in links:
                raise TopologyError(
                    f'{joint.location.inside(role)}: expected the name of a link, '
                    f'got {shown(link)}'
                )
        if joint.child in parent_joints:
            raise TopologyError(
                f'link {joint.child!r}: expected one parent joint, got '
                f'{parent_joints[joint.child].location} and {joint.location}'
            )
        parent_joints[joint.child] = joint
        children[joint.parent].append(joint)
    roots = [name for name in links if name not in parent_joints]
    if len(roots) > 1:
        raise TopologyError(
            f'robot {robot.name!r}: expected one root link, got {len(roots)}: {listed(roots)}'
        )
    if not roots:
        raise TopologyError(
            f'robot {robot.name!r}: expected a tree, got a loop without any root link: '
            f'{listed(_loop(next(iter(links)), parent_joints))}'
        )
    tree = Tree(links, joints, roots[0], children, parent_joints)
    reached = {roots[0], *(joint.child for joint in tree.below(roots[0]))}
    for name in links:
        if name not in reached:
            raise TopologyError(
                f'robot {robot.name!r}: expected a tree, got a loop of the links '
                f'{listed(_loop(name, parent_joints))}'
            )
    return tree


def _by_name(items: Iterable[_Named]) -> dict[str, _Named]:
    named: dict[str, _Named] = {}
    for item in items:
        if item.name in named:
            first = named[item.name].location
            raise UrdfError(f'{item.location}: expected a unique name, got it twice: also {first}')
        named[item.name] = item
    return named


def _loop(link: str, parent_joints: dict[str, Joint]) -> list[str]:
    """Return the links of the loop among the ancestors of a link, from parent to child."""
    seen: list[str] = []
    while link not in seen:
        seen.append(link)
        link = parent_joints[link].parent
    return seen[seen.index(link) :][::-1]
