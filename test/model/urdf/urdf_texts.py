# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Small URDF documents for tests."""

from __future__ import annotations

LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'


def robot(*elements: str, name: str = 'r') -> str:
    """Return a document."""
    return f'<robot name="{name}">' + ''.join(elements) + '</robot>'


def link(name: str, mass: object = None, tensor: str = '1 0 0 1 0 1', origin: str = '') -> str:
    """Return a link; `tensor` is xx xy xz yy yz zz, `origin` the attributes of <origin>."""
    if mass is None:
        return f'<link name="{name}"/>'
    keys = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    entries = ' '.join(f'{k}="{v}"' for k, v in zip(keys, tensor.split(), strict=True))
    place = f'<origin {origin}/>' if origin else ''
    return (
        f'<link name="{name}"><inertial>{place}<mass value="{mass}"/>'
        f'<inertia {entries}/></inertial></link>'
    )


def joint(
    name: str, parent: str, child: str, kind: str = 'revolute', content: str | None = None
) -> str:
    """Return a joint; by default with limits and without an axis."""
    if content is None:
        content = LIMIT if kind in ('revolute', 'prismatic') else ''
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'{content}</joint>'
    )


def chain(*kinds: str) -> str:
    """Return joints j1, j2, ... of these types in a row between the links l0, l1, ..."""
    links = [link('l0'), *(link(f'l{i}', 1) for i in range(1, len(kinds) + 1))]
    joints = [joint(f'j{i + 1}', f'l{i}', f'l{i + 1}', kind) for i, kind in enumerate(kinds)]
    return robot(*links, *joints)
