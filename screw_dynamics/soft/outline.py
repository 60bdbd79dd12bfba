# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The outline of a soft robot: joints, links, surfaces of its bodies, threads through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.outline import Mark, Mass, Outline, Rod
from screw_dynamics.errors import InputError
from screw_dynamics.lie import pose, rotation_onto_z
from screw_dynamics.soft.actuators.thread import Offset, Route, Thread
from screw_dynamics.soft.bodies.constant_curvature import Arc
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.bodies.rod import ALONG, SECTIONS
from screw_dynamics.soft.bodies.rod import Rod as Strained
from screw_dynamics.soft.bodies.volume_preserving import VolumePreserving
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.segments.hybrid_robot import HybridRobot
from screw_dynamics.soft.soft_robot import SoftRobot

_AROUND = 24  # corners of a section
_THIN = 0.004  # radius of a rod without thickness [m]


class SoftBody:
    """
    A soft body with threads at offsets.

    Its surface is a tube, whose sections are at `fractions` (s,) of the length; there is none if
    the material points alone are known.
    """

    def __init__(self, robot: SoftRobot, number: int, offsets: Sequence[Offset | Route]) -> None:
        self._module: Any = robot.modules[number]
        self.place, self._own, self._offsets = number, robot.slices[number], offsets
        self.masses = self._module.masses
        self.radius = getattr(self._module, 'radius', 0.0) or _THIN
        self.fractions = np.zeros(0)
        if isinstance(self._module, VolumePreserving):
            self.fractions = np.linspace(0.0, 1.0, SECTIONS + 2)
        elif isinstance(self._module, (Arc, Strained)):
            self.fractions = self._module.fractions
        self.shape = (len(self.fractions), _AROUND) if len(self.fractions) else (0, 0)

    def points(self, q: Array) -> Array:
        """Return the material points (m, 3)."""
        return np.asarray(self._module.positions(q[self._own]))

    def drawn(self, q: Array) -> tuple[Array, list[Array]]:
        """Return corners (s, 24, 3) of the tube and threads (s, 3), in the proximal frame."""
        count, around = self.shape
        angles = 2.0 * np.pi * np.arange(around) / _AROUND
        points = np.zeros((count, around + len(self._offsets) * (count > 0), 3))
        points[:, :around, 0] = self.radius * np.cos(angles)
        points[:, :around, 1] = self.radius * np.sin(angles)
        if not count:
            return points, []
        for k, offset in enumerate(self._offsets, around):
            points[:, k, :2] = self._offset_along(offset)
        placed = self._placed(points, q[self._own])
        return placed[:, :around], list(placed[:, around:].swapaxes(0, 1))

    def _offset_along(self, offset: Offset | Route) -> Array:
        """Return the places (s, 2) of a thread in the sections."""
        if isinstance(offset, Route):
            columns = offset.places[:, :2].T
            return np.stack([np.interp(self.fractions, ALONG, c) for c in columns], axis=-1)
        if callable(offset):
            return np.asarray(offset(self.fractions)[0])
        ends = np.broadcast_to(np.asarray(offset, float), (2, 2))
        return np.asarray(ends[0] + self.fractions[:, np.newaxis] * (ends[1] - ends[0]))

    def _placed(self, points: Array, q: Array) -> Array:
        """Return where material points (s, k, 3) are that have z = 0 in their sections."""
        if isinstance(self._module, VolumePreserving):
            at_rest = points.copy()
            at_rest[..., 2] = (self.fractions * self._module.length)[:, np.newaxis]
            moved = self._module.places(at_rest.reshape(-1, 3), q)
            return np.asarray(moved).reshape(points.shape)
        frames = self._module.frames(q)
        placed = frames[:, np.newaxis, :3, 3] + points @ frames[:, :3, :3].swapaxes(1, 2)
        return np.asarray(placed)


def outline(robot: SoftRobot, threads: Sequence[object] = ()) -> Outline:
    """Return the parts of a robot, with threads of its own and those given."""
    marks, rods, masses = [], [], []
    for i, module in enumerate(robot.modules):
        if isinstance(module, Joint):
            rods.append(Rod(i, np.zeros(3), module.pose[:3, 3]))
            if module.n:
                axis = pose(rotation_onto_z(module.axis), np.zeros(3))
                coordinate = robot.slices[i].start
                name = robot.joint_names[coordinate]
                marks.append(Mark(name, i + 1, axis, module.type, module.pitch, coordinate))
        elif isinstance(module, RigidBody):
            rods.append(Rod(i, np.zeros(3), module.end[:3, 3]))
            if module.mass > 0.0:
                masses.append(Mass(i, module.mass, module.com, module.inertia))
    return Outline(marks, rods, masses, _links(robot), _soft_bodies(robot, threads))


def _links(robot: SoftRobot) -> dict[str, tuple[int, Array]]:
    if not isinstance(robot, HybridRobot):
        return {name: (i + 1, np.eye(4)) for i, name in enumerate(robot.module_names)}
    # body i of the rigid chain ends at module 2 i + 1
    links = {
        name: (2 * frame.body + 2 if frame.body >= 0 else 0, frame.pose)
        for name, frame in robot.rigid.frames.items()
    }
    segments = robot.appended.segments
    first = len(robot.modules) - len(segments) + 1
    return links | {segment.name: (i, np.eye(4)) for i, segment in enumerate(segments, first)}


def _soft_bodies(robot: SoftRobot, threads: Sequence[object]) -> list[SoftBody]:
    """Return the soft bodies with the offsets of the threads through them."""
    routes = []
    for thread in threads:
        if not isinstance(thread, Thread) or thread.robot is not robot:
            raise InputError('threads: expected threads of this robot, made by soft.Thread')
        routes.append(thread.routes)
    own = robot.appended.threads if isinstance(robot, HybridRobot) else ()
    bodies = []
    for i, (name, module) in enumerate(zip(robot.module_names, robot.modules, strict=True)):
        if module.kind == 'body' and module.n:
            offsets: list[Offset | Route] = [route[i] for route in routes if i in route]
            offsets += [spec.offsets[name] for spec in own if name in spec.offsets]
            bodies.append(SoftBody(robot, i, offsets))
    return bodies
