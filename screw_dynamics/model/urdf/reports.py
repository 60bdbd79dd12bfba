# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Warnings about suspicious robot descriptions: each kind once, with all names."""

import warnings
from collections import deque
from collections.abc import Collection, Sequence
from typing import cast

from screw_dynamics.errors import InertiaWarning, ModelWarning, UrdfWarning, listed
from screw_dynamics.lie.inertia import OF_NO_SOLID, is_of_no_solid
from screw_dynamics.model.urdf.records import Joint, Link
from screw_dynamics.model.urdf.selection import Body
from screw_dynamics.model.urdf.urdf_source import LinedElement

MASSLESS = 'moving links without mass'
REVERSED = 'lower limit above the upper one'
UNDECLARED = 'root link that is not declared, taken as one without mass'
UNREAD = 'ignored links and joints inside elements that are not URDF'
# simulators and controllers have links and joints of their own
_NOT_OF_THE_TREE = ('gazebo', 'ros2_control', 'sensor', 'transmission')
_PARTS_OF_LINKS = ('inertial', 'visual', 'collision')


def warn_of_inertia(bodies: Sequence[Body], invented: Sequence[str], stacklevel: int) -> None:
    """Warn once (`InertiaWarning`) and name all suspicious links that move."""
    moving = [link for body in bodies for link in body.links]
    massless = [
        body.joint.child
        for body in bodies
        if body.inertia[3, 3] == 0.0 and not any(link.virtual for link in body.links)
    ]
    stated = [(link.name, link.inertial) for link in moving if link.inertial is not None]
    kinds = (
        (MASSLESS, massless),
        ('mass 0 stated', [name for name, inertial in stated if inertial.mass == 0.0]),
        (
            OF_NO_SOLID,
            [name for name, inertial in stated if is_of_no_solid(inertial.tensor)],
        ),
        (
            'mass 1 and unit inertia assumed to be invented for a missing <inertial>, so massless',
            [link.name for link in moving if link.name in invented],
        ),
    )
    _warn(InertiaWarning, 'non-physical links, used unchanged', kinds, stacklevel + 1)


def warn_of_limits(joints: Sequence[Joint], stacklevel: int) -> None:
    """Warn once (`UrdfWarning`) and name all joints with contradictory or negative values."""
    kinds = (
        (REVERSED, [j.name for j in joints if j.limit.lower > j.limit.upper]),
        *(
            (f'negative {name} limit', [j.name for j in joints if getattr(j.limit, name) < 0.0])
            for name in ('velocity', 'effort', 'acceleration', 'jerk')
        ),
        ('negative damping', [j.name for j in joints if j.damping < 0.0]),
        ('negative friction', [j.name for j in joints if j.friction < 0.0]),
    )
    text = 'joints with impossible limits or damping, used unchanged'
    _warn(UrdfWarning, text, kinds, stacklevel + 1)


def warn_of_root(added: Sequence[Link], stacklevel: int) -> None:
    """Warn (`UrdfWarning`) of the root link that was added, if one was."""
    kinds = ((UNDECLARED, [link.name for link in added]),)
    _warn(UrdfWarning, 'links that the joints name alone', kinds, stacklevel + 1)


def _warn(
    kind: type[ModelWarning],
    text: str,
    kinds: Sequence[tuple[str, Sequence[str]]],
    stacklevel: int,
) -> None:
    """Warn of all that was found, at once; of nothing if nothing was."""
    found = [(what, names) for what, names in kinds if names]
    if found:
        parts = '; '.join(f'{what}: {listed(names)}' for what, names in found)
        warnings.warn(kind(f'{text} ({parts})', found), stacklevel=stacklevel + 1)


def warn_of_unread(root: LinedElement, stacklevel: int) -> None:
    """Warn once (`UrdfWarning`) and name links and joints that are not children of `<robot>`."""
    unread = []
    # a link without parts and with the name of a link that is read is a reference, as in SRDF
    mentions = {None, *(element.get('name') for element in root.findall('link'))}
    waiting = deque(element for element in root if element.tag not in _NOT_OF_THE_TREE)
    while waiting:
        outer = waiting.popleft()
        for element in cast('list[LinedElement]', list(outer)):
            waiting.append(element)
            if _defines(element, mentions):
                name = element.get('name', '')
                unread.append(f'{element.tag} {name!r} in <{outer.tag}> (line {element.line})')
    if unread:
        text = f'{UNREAD}: {listed(unread)}'
        warnings.warn(UrdfWarning(text, [(UNREAD, unread)]), stacklevel=stacklevel + 1)


def _defines(element: LinedElement, mentions: Collection[str | None]) -> bool:
    """Return whether an element defines a link or a joint, and does not only refer to one."""
    if element.tag == 'joint':
        return element.find('parent') is not None and element.find('child') is not None
    return element.tag == 'link' and (
        element.get('name') not in mentions
        or any(element.find(part) is not None for part in _PARTS_OF_LINKS)
    )
