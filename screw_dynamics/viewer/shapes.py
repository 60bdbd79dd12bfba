# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Triangles of the bodies that are drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import rotation_onto_z

_AROUND = 24  # corners of what is round
_PROFILE = 12  # corners around the section of a ring
_TURNS = 3  # of a helix

Colour = tuple[int, int, int]


class Mesh(NamedTuple):
    """Corners (v, 3) [m], and triangles (f, 3) of their numbers."""

    vertices: Array
    faces: NDArray[np.int64]

    def placed(self, pose: Array) -> Mesh:
        """Return the mesh at a pose (4, 4)."""
        return Mesh(self.vertices @ pose[:3, :3].T + pose[:3, 3], self.faces)

    def corners(self) -> Array:
        """Return the corners (8, 3) of the box around it, along the axes."""
        ends = self.vertices.min(axis=0), self.vertices.max(axis=0)
        choices = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        return np.asarray(np.where(choices, *ends))


def joined(meshes: list[Mesh]) -> Mesh:
    """Return meshes as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([m.faces + start for m, start in zip(meshes, starts, strict=True)]),
    )


def grid_faces(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the triangles of rows of corners, of which each is closed around."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns), indexing='ij')
    a, b = i * columns + j, i * columns + (j + 1) % columns
    c, d = a + columns, b + columns
    return np.stack([a, b, d, a, d, c], axis=-1).reshape(-1, 3)


def box(sizes: Array) -> Mesh:
    """Return a box around the origin with edges of `sizes` (3,)."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = [triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))]
    # each side has corners of its own, for sharp edges
    vertices = 0.5 * np.asarray(sizes) * corners[np.array(faces).ravel()]
    return Mesh(vertices, np.arange(len(vertices)).reshape(-1, 3))


def turned(profile: Array) -> Mesh:
    """Return the surface of radii and heights (p, 2) around z, from below to above."""
    angles = 2.0 * np.pi * np.arange(_AROUND) / _AROUND
    around = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    vertices = np.empty((len(profile), _AROUND, 3))
    vertices[..., :2] = profile[:, :1, np.newaxis] * around
    vertices[..., 2] = profile[:, 1:]
    return Mesh(vertices.reshape(-1, 3), grid_faces(len(profile), _AROUND))


def cylinder(radius: float, length: float) -> Mesh:
    """Return a cylinder around z, the origin in its middle."""
    h = 0.5 * length
    # corners of the rims twice, for sharp edges
    return turned(
        np.array([[0, -h], [radius, -h], [radius, -h], [radius, h], [radius, h], [0, h]])
    )


def capsule(begin: Array, end: Array, radius: float) -> Mesh:
    """Return a rod with round ends between two points; a ball where they coincide."""
    along = np.asarray(end) - begin
    length = float(np.linalg.norm(along))
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 13)
    profile = radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    profile = np.insert(profile, 6, profile[6], axis=0)
    profile[7:, 1] += length
    pose = np.eye(4)
    pose[:3, :3] = rotation_onto_z(along / length) if length else np.eye(3)
    pose[:3, 3] = begin
    return turned(profile).placed(pose)


def ball(radius: float) -> Mesh:
    """Return a ball around the origin."""
    return capsule(np.zeros(3), np.zeros(3), radius)


def arrow(head: float = 0.25) -> Mesh:
    """Return an arrow from the origin along z, of length 1; `head` is the length of its head."""
    thin, wide = 0.35 * head / 2.0, 0.9 * head / 2.0
    neck = 1.0 - head
    profile = [[0, 0], [thin, 0], [thin, 0], [thin, neck], [thin, neck], [wide, neck]]
    return turned(np.array([*profile, [wide, neck], [0, 1]]))


def tube_around(points: Array, closed: bool, radius: float) -> Mesh:
    """Return a round wire along points (p, 3)."""
    if closed:
        ahead, back = np.roll(points, -1, axis=0), np.roll(points, 1, axis=0)
    else:
        ahead = np.concatenate([points[1:], points[-1:]])
        back = np.concatenate([points[:1], points[:-1]])
    tangents = ahead - back
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    # away from z, around which rings and helices go
    across = np.cross(tangents, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    up = np.cross(tangents, across)
    angles = 2.0 * np.pi * np.arange(_PROFILE) / _PROFILE
    offsets = (
        np.cos(angles)[:, np.newaxis] * across[:, np.newaxis]
        + np.sin(angles)[:, np.newaxis] * up[:, np.newaxis]
    )
    vertices = (points[:, np.newaxis] + radius * offsets).reshape(-1, 3)
    faces = grid_faces(len(points) + closed, _PROFILE)
    return Mesh(vertices, faces % len(vertices))


def joint_symbol(kind: str, pitch: float, size: float) -> Mesh:
    """Return a ring, a square or a helix with its handedness around z, of radius `size`."""
    corners = 4 if kind == 'prismatic' else 48
    turns = _TURNS if kind == 'helical' else 1
    angles = 2.0 * np.pi * (np.arange(corners * turns) + 0.5) / corners
    points = size * np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=-1)
    if kind == 'helical':
        points[:, 2] = np.copysign(size, pitch) * np.linspace(-1.0, 1.0, len(angles))
    return tube_around(points, kind != 'helical', 0.13 * size)


def inertia_box(mass: float, about_com: Array) -> tuple[Array, Array]:
    """Return edges (3,) and axes (3, 3) of the homogeneous box of equal mass and inertia."""
    second, axes = np.linalg.eigh(0.5 * np.trace(about_com) * np.eye(3) - about_com)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    # of an edge a the second moment is m a^2 / 12; inertias of no solid have negative ones
    return np.sqrt(12.0 * np.maximum(second, 0.0) / mass), axes
