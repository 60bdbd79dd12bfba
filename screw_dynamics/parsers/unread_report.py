# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""One warning for links and joints inside elements that are not read."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Collection
from typing import cast

from screw_dynamics.error_texts import listed
from screw_dynamics.errors import UrdfWarning
from screw_dynamics.parsers.urdf_source import LinedElement

# simulators and controllers have links and joints of their own
_NOT_OF_THE_TREE = ('gazebo', 'ros2_control', 'sensor', 'transmission')
_PARTS_OF_LINKS = ('inertial', 'visual', 'collision')


def warn_of_unread(root: LinedElement, stacklevel: int) -> None:
    """
    Warn once (`UrdfWarning`) and name the links and joints that are not children of `<robot>`.

    A `stacklevel` of 1 is the caller of this function.
    """
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
        warnings.warn(
            f'links and joints inside other elements, which URDF does not read: {listed(unread)}',
            UrdfWarning,
            stacklevel=stacklevel + 1,
        )


def _defines(element: LinedElement, mentions: Collection[str | None]) -> bool:
    """Return whether an element defines a link or a joint, and does not only refer to one."""
    if element.tag == 'joint':
        return element.find('parent') is not None and element.find('child') is not None
    return element.tag == 'link' and (
        element.get('name') not in mentions
        or any(element.find(part) is not None for part in _PARTS_OF_LINKS)
    )
