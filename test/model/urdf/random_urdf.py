# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Random URDF documents, and the same robots placed link by link without any screw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from screw_dynamics.common.arrays import Array

KINDS = ('revolute', 'continuous', 'prismatic', 'fixed')

_number = st.floats(-2, 2).map(lambda x: round(x, 6))
_vector = st.tuples(_number, _number, _number)
_axis = _vector.filter(lambda v: max(map(abs, v)) > 1e-3)
_mass = st.floats(0, 5).map(lambda x: round(x, 6))


@dataclass(frozen=True)
class LinkSpec:
    """A link and the joint that carries it; `inertial` is mass, xyz, rpy and six moments."""

    parent: int
    kind: str
    xyz: tuple[float, ...]
    rpy: tuple[float, ...]
    axis: tuple[float, ...]
    inertial: tuple[float, tuple[float, ...], tuple[float, ...], tuple[float, ...]] | None


@st.composite
def link_specs(draw: st.DrawFn) -> list[LinkSpec]:
    """Draw the links of a tree; link 0 is the root, link i + 1 belongs to entry i."""
    inertial = st.none() | st.tuples(
        _mass, _vector, _vector, st.tuples(*[_number.map(lambda x: x / 10)] * 6)
    )
    return [
        LinkSpec(
            draw(st.integers(0, i)),
            draw(st.sampled_from(KINDS)),
            draw(_vector),
            draw(_vector),
            draw(_axis),
            draw(inertial),
        )
        for i in range(draw(st.integers(1, 7)))
    ]


def document(specs: list[LinkSpec], order: list[int], quaternions: bool = False) -> str:
    """Return the URDF text with its elements in some order, origins by rpy or by quaternions."""
    turn = _quaternion if quaternions else _rpy
    count = len(specs)
    elements = ['<link name="l0"/>', *map(_link, range(1, count + 1), specs, [turn] * count)]
    elements += map(_joint, range(1, count + 1), specs, [turn] * count)
    version = 'version="1.1" ' if quaternions else ''
    return f'<robot {version}name="random">' + ''.join(elements[i] for i in order) + '</robot>'


def link_poses(specs: list[LinkSpec], positions: Array) -> list[Array]:
    """Return the pose of every link at given joint positions (ignored by fixed joints)."""
    poses = [np.eye(4)]
    for spec, position in zip(specs, positions, strict=True):
        axis = np.array(spec.axis) / np.linalg.norm(spec.axis)
        motion = np.eye(4)
        if spec.kind == 'prismatic':
            motion[:3, 3] = position * axis
        elif spec.kind != 'fixed':
            motion[:3, :3] = Rotation.from_rotvec(position * axis).as_matrix()
        poses.append(poses[spec.parent] @ _pose(spec.xyz, spec.rpy) @ motion)
    return poses


def moments(specs: list[LinkSpec], poses: list[Array], members: list[int]) -> Array:
    """Return mass, first moment (3) and inertia about the world origin (9) of some links."""
    total = np.zeros(13)
    for i in members:
        inertial = specs[i - 1].inertial
        if inertial is None:
            continue
        mass, xyz, rpy, (xx, xy, xz, yy, yz, zz) = inertial
        at = poses[i] @ _pose(xyz, rpy)
        rotation, c = at[:3, :3], at[:3, 3]
        tensor = rotation @ [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] @ rotation.T
        tensor = tensor + mass * (c @ c * np.eye(3) - np.outer(c, c))
        total += np.concatenate([[mass], mass * c, tensor.ravel()])
    return total


def _pose(xyz: tuple[float, ...], rpy: tuple[float, ...]) -> Array:
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler('xyz', rpy).as_matrix()
    pose[:3, 3] = xyz
    return pose


def _text(values: tuple[float, ...]) -> str:
    return ' '.join(map(repr, values))


def _rpy(rpy: tuple[float, ...]) -> str:
    return f'rpy="{_text(rpy)}"'


def _quaternion(rpy: tuple[float, ...]) -> str:
    # of any length: readers scale it
    quaternion = Rotation.from_euler('xyz', rpy).as_quat() * (1.0 + rpy[0] ** 2)
    return f'quat_xyzw="{_text(tuple(map(float, quaternion)))}"'


def _link(i: int, spec: LinkSpec, turn: Callable[[tuple[float, ...]], str]) -> str:
    if spec.inertial is None:
        return f'<link name="l{i}"/>'
    mass, xyz, rpy, tensor = spec.inertial
    names = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    entries = ' '.join(f'{name}="{x!r}"' for name, x in zip(names, tensor, strict=True))
    return (
        f'<link name="l{i}"><inertial><origin xyz="{_text(xyz)}" {turn(rpy)}/>'
        f'<mass value="{mass!r}"/><inertia {entries}/></inertial></link>'
    )


def _joint(i: int, spec: LinkSpec, turn: Callable[[tuple[float, ...]], str]) -> str:
    limit = '<limit effort="1" velocity="1"/>' if spec.kind in ('revolute', 'prismatic') else ''
    return (
        f'<joint name="j{i}" type="{spec.kind}"><parent link="l{spec.parent}"/>'
        f'<child link="l{i}"/><origin xyz="{_text(spec.xyz)}" {turn(spec.rpy)}/>'
        f'<axis xyz="{_text(spec.axis)}"/>{limit}</joint>'
    )
