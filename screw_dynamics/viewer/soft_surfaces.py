# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces of soft bodies, and the threads through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.soft.actuators.routes import Offset, Route
from screw_dynamics.soft.bodies.circular_rod import ALONG, SECTIONS, section_places
from screw_dynamics.soft.bodies.constant_curvature import ConstantCurvature
from screw_dynamics.soft.bodies.planar_constant_curvature import PlanarConstantCurvature
from screw_dynamics.soft.bodies.rod import Rod
from screw_dynamics.soft.bodies.volume_preserving import VolumePreserving
from screw_dynamics.soft.module import Module
from screw_dynamics.viewer.shapes import grid_faces, sections_around

_PER_SECTION = 4  # material points of a rod
_THIN = 0.004  # radius of a rod without thickness [m]


class SoftSurface:
    """A tube whose sections, at `fractions` (s,) of the length, follow the coordinates."""

    def __init__(self, module: Any) -> None:
        self._module = module
        if isinstance(module, VolumePreserving):
            self.fractions, self.radius = np.linspace(0.0, 1.0, SECTIONS + 2), module.radius
        else:
            if isinstance(module, Rod):
                within = np.cumsum([step.length for step in module.steps])
                within = within[: len(module.masses) // _PER_SECTION] / within[-1]
            else:
                within = section_places(1.0)[0]
            self.fractions = np.array([0.0, *within, 1.0])
            first = module.positions(np.zeros(module.n))[:2]
            self.radius = float(np.linalg.norm(first[0] - first[1])) / np.sqrt(2.0) or _THIN
        self.faces: NDArray[np.int64] = grid_faces(len(self.fractions), 24)

    def drawn(self, offsets: Sequence[Offset | Route], q: Array) -> tuple[Array, list[Array]]:
        """Return corners (s * 24, 3) of the tube and threads (s, 3), in the proximal frame."""
        count = len(self.fractions)
        ring = sections_around(_straight(np.zeros(count)), self.radius)
        threads = np.zeros((count, len(offsets), 3))
        for k, offset in enumerate(offsets):
            threads[:, k, :2] = self._offsets(offset)
        placed = self._places(np.concatenate([ring, threads], axis=1), q)
        corners, lines = placed[:, : ring.shape[1]], placed[:, ring.shape[1] :]
        return corners.reshape(-1, 3), list(lines.swapaxes(0, 1))

    def _offsets(self, offset: Offset | Route) -> Array:
        """Return the places (s, 2) of a thread in the sections."""
        if isinstance(offset, Route):
            columns = offset.places[:, :2].T
            return np.stack([np.interp(self.fractions, ALONG, c) for c in columns], axis=-1)
        if callable(offset):
            return np.asarray(offset(self.fractions)[0])
        ends = np.broadcast_to(np.asarray(offset, float), (2, 2))
        return np.asarray(ends[0] + self.fractions[:, np.newaxis] * (ends[1] - ends[0]))

    def _places(self, points: Array, q: Array) -> Array:
        """Return where material points (s, k, 3) are that have z = 0 in their sections."""
        if isinstance(self._module, VolumePreserving):
            at_rest = points.copy()
            at_rest[..., 2] = (self.fractions * self._module.length)[:, np.newaxis]
            moved = self._module.places(at_rest.reshape(-1, 3), q)
            return np.asarray(moved).reshape(points.shape)
        frames = self._frames(q)
        placed = frames[:, np.newaxis, :3, 3] + points @ frames[:, :3, :3].swapaxes(1, 2)
        return np.asarray(placed)

    def _frames(self, q: Array) -> Array:
        """Return the frames (s, 4, 4) of the sections."""
        frames = _straight(self.fractions)
        points = np.asarray(self._module.positions(q)).reshape(-1, _PER_SECTION, 3)
        frames[1:-1, :3, 3] = points.mean(axis=1)
        frames[-1, :3, :3], frames[-1, :3, 3] = self._module.tip_pose(q)
        x, y = points[:, 0] - points[:, 1], points[:, 2] - points[:, 3]
        if x.any():
            frames[1:-1, :3, 0] = x / np.linalg.norm(x, axis=1, keepdims=True)
            frames[1:-1, :3, 1] = y / np.linalg.norm(y, axis=1, keepdims=True)
            frames[1:-1, :3, 2] = np.cross(frames[1:-1, :3, 0], frames[1:-1, :3, 1])
        return frames


def soft_surface(module: Module) -> SoftSurface | None:
    """Return the surface of a soft body; None if the material points alone are known."""
    kinds = ConstantCurvature, PlanarConstantCurvature, Rod, VolumePreserving
    return SoftSurface(module) if isinstance(module, kinds) else None


def _straight(heights: Array) -> Array:
    """Return frames (s, 4, 4) along z."""
    frames = np.tile(np.eye(4), (len(heights), 1, 1))
    frames[:, 2, 3] = heights
    return frames
