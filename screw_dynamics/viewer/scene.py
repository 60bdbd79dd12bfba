# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Scene`: rigid shapes of a robot, and their poses and colours at an instant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.outline import Mark, Outline, outline, places
from screw_dynamics.errors import UnknownNameError
from screw_dynamics.viewer import shapes
from screw_dynamics.viewer.motion import Motion, Sample
from screw_dynamics.viewer.shapes import Colour, Mesh
from screw_dynamics.viewer.visuals import PLAIN, Visuals

ORDERS = 3  # efforts and two derivatives
_DRUM: Colour = (92, 108, 126)
_THICK, _OF_ROD = 0.032, 0.4  # radius of rods over the reach of the robot, and over their lengths
_RING = 2.4  # radius of joint symbols, in radii of rods
_LOOKS = 60  # poses for which there is space
_SLIDE = 0.1  # range of lengths without limits, over the reach of the robot
ZIGZAG = 13  # corners of a drawn spring
# colours of the share of a limit
SHARES = np.array([0.0, 0.35, 0.7, 1.0])
COLOURS = np.array([[58, 110, 216], [40, 170, 160], [247, 164, 48], [214, 25, 38]], float)
UNKNOWN: Colour = (150, 150, 150)


class Part(NamedTuple):
    """A body that keeps its form, in the axes of its place."""

    name: str
    place: int
    mesh: Mesh
    colour: Colour


class Instant(NamedTuple):
    """All that moves, in axes of the base [m] if no others are named; empty if not known."""

    places: Array  # (P, 4, 4)
    shares: Array  # (J,), efforts over their limits, NaN if unknown
    deflections: Array  # (m,), enlarged, of the motors along or about z of their marks
    springs: Array  # (m, s, 3), lines from the links to the motors, in axes of their marks
    surfaces: list[Array]  # (v, 3), of the tubes
    threads: list[Array]  # (p, 3)
    loads: dict[str, Array]  # (2, 3), by frames and in their axes: ends of force and torque
    mass_centre: Array  # (3,), NaN for a robot without mass

    def colours(self) -> Array:
        """Return the colours (J, 3), 0 to 255, of the shares; grey if unknown."""
        columns = [np.interp(np.abs(self.shares), SHARES, column) for column in COLOURS.T]
        known = np.isfinite(self.shares)[:, np.newaxis]
        return np.asarray(np.where(known, np.stack(columns, axis=-1), UNKNOWN).round())


class Scene:
    """
    A robot as it is drawn.

    `enlargement` multiplies deflections of springs; `order` chooses efforts or a derivative.
    """

    def __init__(
        self, robot: Robot, visuals: Visuals | None = None, threads: Sequence[object] = ()
    ) -> None:
        self.robot = robot
        self.model = robot.model
        self.outline: Outline = outline(self.model, threads)
        self.marks: list[Mark] = self.outline.marks
        self.order, self.enlargement = 0, 1.0
        home = places(self.model, np.zeros(robot.n))
        self.tubes = [body for body in self.outline.bodies if body.shape[0]]
        self._clouds = [body for body in self.outline.bodies if not body.shape[0]]
        ends = [_at(home, rod.place, rod.end) for rod in self.outline.rods]
        joints = np.concatenate([home[:, :3, 3], np.array(ends).reshape(-1, 3)])
        lengths = [float(np.linalg.norm(rod.end - rod.begin)) for rod in self.outline.rods]
        lengths = [length for length in lengths if length > 1e-6] or [1.0]
        self.reach = max(float(np.linalg.norm(np.ptp(joints, axis=0))), 1e-3)
        self.thickness = min(_THICK * self.reach, _OF_ROD * float(np.median(lengths)))
        self.ring = _RING * self.thickness
        self.parts = self._parts(visuals or Visuals({}, {}, {}, []))
        self.low, self.high = self._ranges()
        self.start = np.clip(np.zeros(robot.n), self.low, self.high)
        self.space = self.space_of(self.start)  # points (p, 3) for which there is space
        drawn = np.random.default_rng(0).uniform(self.low, self.high, (_LOOKS, robot.n))
        self.reached = self.space_of(self.start, *drawn)  # of all poses
        self.boxes = self._boxes()
        self.scales = np.full((ORDERS, robot.n), np.nan)
        self.limits = self._known_limits()
        self._peaks = np.zeros((ORDERS, robot.n))
        self._largest_load = np.zeros(2)

    def prepare(self, efforts: Array | None, wrenches: Mapping[str, Array]) -> None:
        """Extend the scales to efforts (..., k + 1, n) and wrenches (..., 6)."""
        if efforts is not None:
            rows = min(efforts.shape[-2], ORDERS)
            found = np.abs(efforts[..., :rows, :])
            largest = found.max(axis=tuple(range(found.ndim - 2)))
            self._peaks[:rows] = np.fmax(self._peaks[:rows], largest)
            peaks = np.where(self._peaks > 0.0, self._peaks, np.inf)
            self.scales = np.where(np.isfinite(self.limits), self.limits, peaks)
        for name, wrench in wrenches.items():
            if name not in self.outline.links:
                raise UnknownNameError('frame', name, self.outline.links, 'wrenches')
            norms = np.linalg.norm(wrench.reshape(-1, 2, 3), axis=2).max(axis=0)
            self._largest_load = np.maximum(self._largest_load, norms)

    def prepare_for(self, motion: Motion) -> None:
        """Extend the scales, and the space in the picture, to a motion."""
        self.prepare(motion.efforts, motion.wrenches)
        chosen = np.linspace(0, len(motion.times) - 1, _LOOKS).round().astype(int)
        self.space = self.reached = self.space_of(*motion.positions[chosen])

    def space_of(self, *positions: Array) -> Array:
        """Return points whose hull has the robot in it: corners of its parts, soft bodies."""
        found = []
        for q in positions:
            poses = places(self.model, q)
            found += [poses[:, :3, 3], self.points(poses, q), *self._bodies(poses, q)[0]]
            found += [_moved(corners, poses[place]) for place, corners in self._corners]
        return np.concatenate(found)

    @cached_property
    def _corners(self) -> list[tuple[int, Array]]:
        return [(part.place, part.mesh.corners()) for part in self.parts]

    def at(self, sample: Sample) -> Instant:
        """Return where all is at an instant."""
        poses = places(self.model, sample.position)
        return Instant(
            poses,
            self._shares(sample.efforts),
            *self._springs(sample),
            *self._bodies(poses, sample.position),
            {
                name: self.load_scale * wrench.reshape(2, 3)[::-1]
                for name, wrench in sample.wrenches.items()
            },
            self._mass_centre(poses, sample.position),
        )

    def _parts(self, visuals: Visuals) -> list[Part]:
        parts, shown = [], set()
        for name, meshes in visuals.links.items():
            if name in self.outline.links:
                place, own = self.outline.links[name]
                shown.add(place)
                for k, (mesh, colour) in enumerate(meshes):
                    parts.append(Part(f'{name}/{k}', place, mesh.placed(own), colour))
        # beside pictures of others, links without one are drawn if they have mass or a lost file
        links = self.outline.links
        solid = {mass.place for mass in self.outline.masses}
        lost = {links[name][0] for name in visuals.missing if name in links}

        def plain(place: int) -> bool:
            return not shown or place in lost or (place in solid and place not in shown)

        for k, rod in enumerate(self.outline.rods):
            if plain(rod.place):
                mesh = shapes.capsule(rod.begin, rod.end, self.thickness)
                parts.append(Part(f'rod_{k}', rod.place, mesh, PLAIN))
        for mark in self.marks:
            if plain(mark.place):
                size = 1.3 * self.thickness
                drum = shapes.cylinder(size, 2.6 * size)
                if mark.kind == 'prismatic':
                    drum = shapes.box(np.array([1.8 * size, 1.8 * size, 2.6 * size]))
                parts.append(Part(f'{mark.name}/drum', mark.place, drum.placed(mark.pose), _DRUM))
        return parts

    def _boxes(self) -> list[Part]:
        """Return the homogeneous boxes with the masses and inertias of the bodies."""
        boxes = []
        for k, mass in enumerate(self.outline.masses):
            sizes, axes = shapes.inertia_box(mass.mass, mass.inertia)
            own = np.eye(4)
            own[:3, :3], own[:3, 3] = axes, mass.com
            mesh = shapes.box(np.maximum(sizes, 0.01 * self.thickness)).placed(own)
            boxes.append(Part(f'mass_{k}', mass.place, mesh, (214, 130, 60)))
        return boxes

    def _ranges(self) -> tuple[Array, Array]:
        """Return the limits (n,) of the coordinates; to both sides half a turn, or a length."""
        kinds, limits = self.model.coordinate_types, self.model.limits
        wide = np.where(np.array(kinds) == 'prismatic', _SLIDE * self.reach, np.pi)
        low = np.where(np.isfinite(limits.lower), limits.lower, -wide)
        high = np.where(np.isfinite(limits.upper), limits.upper, wide)
        empty = low >= high
        return low - empty, np.where(empty, low + 1.0, high)

    def _known_limits(self) -> Array:
        """Return the limits (3, n) of efforts and their rates, infinite if unknown."""
        limits = np.full((ORDERS, self.robot.n), np.inf)
        limits[0] = self.model.limits.ignoring_zeros().effort
        limits[1] = [joint.max_effort_rate for joint in self.robot.joint_drives]
        return limits

    def _shares(self, efforts: Array | None) -> Array:
        owners = np.array([mark.coordinate for mark in self.marks], dtype=int)
        if efforts is None or self.order >= len(efforts):
            return np.full(len(owners), np.nan)
        shares = efforts[self.order] / self.scales[self.order]
        return np.where(owners >= 0, shares[owners], np.nan)

    def _springs(self, sample: Sample) -> tuple[Array, Array]:
        """Return enlarged deflections, and lines of the springs between links and motors."""
        if sample.motor_positions is None:
            return np.zeros(0), np.zeros((0, ZIGZAG, 3))
        owners = self.robot.motors.joint_of_motor.tolist()
        deflections = self.enlargement * (sample.motor_positions - sample.position[owners])
        along = np.linspace(0.0, 1.0, ZIGZAG)
        side = np.where(np.arange(ZIGZAG) % 2, 1.0, -1.0) * ((along > 0.0) & (along < 1.0))
        around = self.ring * (1.5 + 0.12 * side)
        lines = np.zeros((len(deflections), ZIGZAG, 3))
        for line, k, deflection in zip(lines, self.joints_of_motors, deflections, strict=True):
            if self.marks[k].kind == 'prismatic':
                line[:, 0], line[:, 2] = around, along * deflection
            else:
                line[:, 0] = around * np.cos(along * deflection)
                line[:, 1] = around * np.sin(along * deflection)
        return deflections, lines

    @cached_property
    def joints_of_motors(self) -> list[int]:
        """For each motor the number of its mark."""
        marks = {mark.coordinate: k for k, mark in enumerate(self.marks)}
        return [marks[j] for j in self.robot.motors.joint_of_motor.tolist()]

    def _bodies(self, poses: Array, q: Array) -> tuple[list[Array], list[Array]]:
        surfaces, threads = [], []
        for tube in self.tubes:
            corners, lines = tube.drawn(q)
            surfaces.append(_moved(corners.reshape(-1, 3), poses[tube.place]))
            threads += [_moved(line, poses[tube.place]) for line in lines]
        return surfaces, threads

    def points(self, poses: Array, q: Array) -> Array:
        """Return the material points (p, 3) of the deforming bodies without a surface."""
        found = [_moved(body.points(q), poses[body.place]) for body in self._clouds]
        return np.concatenate([np.zeros((0, 3)), *found])

    @property
    def load_scale(self) -> Array:
        """Factors (2, 3) from [force, torque] to the lengths of their arrows [m]."""
        largest = np.where(self._largest_load > 0.0, self._largest_load, np.inf)
        return np.tile(0.35 * self.reach / largest[::-1, np.newaxis], (1, 3))

    def _mass_centre(self, poses: Array, q: Array) -> Array:
        masses = [mass.mass for mass in self.outline.masses]
        centres = [_at(poses, mass.place, mass.com) for mass in self.outline.masses]
        for body in self.outline.bodies:
            masses += body.masses.tolist()
            centres += list(_moved(body.points(q), poses[body.place]))
        total = sum(masses)
        if total <= 0.0:
            return np.full(3, np.nan)
        return np.asarray(np.array(masses) @ np.array(centres) / total)


def _at(poses: Array, place: int, point: Array) -> Array:
    return np.asarray(poses[place, :3, :3] @ point + poses[place, :3, 3])


def _moved(points: Array, pose: Array) -> Array:
    return np.asarray(points @ pose[:3, :3].T + pose[:3, 3])
