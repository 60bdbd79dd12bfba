# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Recursive inverse dynamics of chains of joints and bodies, with time derivatives of any order.

Integral inverse dynamics (IID), inverse dynamics (ID), and both with the mass matrix (MIID, MID)
[P2025, algorithms 1 to 3]. All quantities are series in time, so that orders 0 to k come out at
once. Vectors of a module are in its distal frame S_i; signs and terms are those of Newton, Euler
and Kane where the printed ones differ (docs/theory/errata.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import skew
from screw_dynamics.series.series_array import SeriesArray, bilinear, cross
from screw_dynamics.soft.module import ModuleMotion
from screw_dynamics.soft.paper.integrals import BodyIntegrals, body_integrals
from screw_dynamics.soft.soft_robot import SoftRobot


@dataclass
class ChainLink:
    """A module along a motion, prepared for the recursion: relative motion and body integrals."""

    rotation: SeriesArray  # R_i
    translation: SeriesArray  # t_i
    angular: SeriesArray  # (n, 3) columns of J_w, in S_i, (40)
    linear: SeriesArray  # (n, 3) columns of J_v, in S_i, (39)
    velocity: SeriesArray  # of S_i in S_{i-1}
    spin: SeriesArray  # angular velocity of S_i against S_{i-1}, in S_{i-1}
    spin_rate: SeriesArray
    body: BodyIntegrals | None
    stress: SeriesArray

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.angular)


def chain_link(motion: ModuleMotion) -> ChainLink:
    """Return a module along a motion with the projectors [P2025] (39), (40)."""
    rotation, translation = motion.rotation.plain(), motion.translation.plain()
    rate = rotation.derivative()
    relative = rate @ rotation.T
    turned = motion.rotation.gradient() @ rotation.T  # (n, 3, 3), dR/dq_j R^T
    return ChainLink(
        rotation,
        translation,
        _vee(turned) @ rotation,
        motion.translation.gradient() @ rotation,
        translation.derivative(),
        _vee(relative),
        _vee(relative.derivative()),
        body_integrals(motion.distal_points, motion.masses),
        motion.stress,
    )


def chain_links(robot: SoftRobot, jet: Array) -> list[ChainLink]:
    """Return the modules along a motion (k + 3, n)."""
    return [
        chain_link(module.motion(jet[:, own]))
        for module, own in zip(robot.modules, robot.slices, strict=True)
    ]


def chain_efforts(robot: SoftRobot, jet: Array, *, stress: bool = True) -> Array:
    """Return the efforts (k + 1, n) of a motion, ID, or without elastic and damping ones."""
    links = chain_links(robot, jet)
    rows = len(jet) - 2
    efforts = np.empty((rows, robot.n))
    parts = inertial_efforts(links, robot.gravity)
    for link, part, own in zip(links, parts, robot.slices, strict=True):
        total = part + link.stress if stress else part
        efforts[:, own] = total.truncated(rows - 1).jet()
    return efforts


@dataclass(frozen=True)
class BodyForces:
    """Forces on a module: force and torque (3,) at S_i, generalised forces (n,); None for none."""

    force: SeriesArray | None = None
    torque: SeriesArray | None = None
    generalised: SeriesArray | None = None


def _sum(a: SeriesArray | None, b: SeriesArray | None) -> SeriesArray | None:
    if a is None or b is None:
        return b if a is None else a
    total: SeriesArray = a + b
    return total


def point_forces(motion: ModuleMotion, forces: SeriesArray) -> BodyForces:
    """Return active forces (m, 3) on the points of a module, in S_i [P2025] (30), (34)."""
    points = motion.distal_points
    generalised = bilinear(
        lambda a, b: np.einsum('...jmx,...mx->...j', a, b), points.gradient(), forces
    )
    moments = cross(points.plain(), forces)
    return BodyForces(forces.sum(axis=0), moments.sum(axis=0), generalised)


def inertial_efforts(links: Sequence[ChainLink], gravity: Array) -> list[SeriesArray]:
    """
    Return M q'' + c + g of every module (n_i,), with gravity (3,) in S_0; IID for zero gravity.

    Gravity acts as the acceleration a_0 = -g of the base. [P2025] (24), (42), (43), (49), (50),
    (53), (54).
    """
    return [-effort for effort in generalised_efforts(links, _inertia_forces(links, gravity))]


def _inertia_forces(links: Sequence[ChainLink], gravity: Array) -> list[BodyForces]:
    """Forward pass: motion of every frame [P2025] (61), (64), (65), and the forces of inertia."""
    like = links[0].rotation
    zero = SeriesArray(0.0 * like.data[:, :, 0])
    w, al, a = zero, zero, zero - gravity
    found = []
    for link in links:
        back = link.rotation.T
        t = link.translation
        a = back @ (
            a
            + cross(al, t)
            + cross(w, cross(w, t))
            + 2.0 * cross(w, link.velocity)
            + link.velocity.derivative()
        )
        al = back @ (al + cross(w, link.spin) + link.spin_rate)
        w = back @ (w + link.spin)
        found.append(_body_forces(link, w, al, a))
    return found


def _body_forces(link: ChainLink, w: SeriesArray, al: SeriesArray, a: SeriesArray) -> BodyForces:
    """Return the forces of inertia of a body [P2025] (31), (35), (44) to (47), (66)."""
    body = link.body
    if body is None:
        return BodyForces()
    com = body.com
    rate = com.derivative()
    centre = (
        a + cross(al, com) + cross(w, cross(w, com)) + 2.0 * cross(w, rate) + rate.derivative()
    )
    force = -body.mass * centre  # (44)
    momentum = body.inertia @ w
    torque = -(
        body.inertia @ al
        + cross(w, momentum)
        + body.inertia.derivative() @ w
        + cross(w, body.spin)
        + body.spin_rate
    )  # (46), about the centre of mass
    moment = torque + cross(com, force)
    if link.n == 0:
        return BodyForces(force, moment)
    generalised = (
        0.5 * ((body.inertia_gradient @ w) @ w)
        - body.turning @ al
        - 2.0 * (body.coriolis @ w)
        - body.inertial
        + body.com_gradient @ force
    )  # (47)
    return BodyForces(force, moment, generalised)


def generalised_efforts(
    links: Sequence[ChainLink], forces: Sequence[BodyForces]
) -> list[SeriesArray]:
    """Return the efforts of forces by a backward pass [P2025] (33), (36) to (38), (41)."""
    carried, found = BodyForces(), []
    for link, own in zip(reversed(links), reversed(forces), strict=True):
        carried = BodyForces(_sum(own.force, carried.force), _sum(own.torque, carried.torque))
        total = own.generalised
        if carried.force is not None:
            total = _sum(total, link.linear @ carried.force)
        if carried.torque is not None:
            total = _sum(total, link.angular @ carried.torque)
        if total is None:  # nothing beyond has mass
            total = SeriesArray(0.0 * link.angular.data[..., 0])
        found.append(total)
        carried = _at_proximal(link, carried)
    return found[::-1]


def _at_proximal(link: ChainLink, carried: BodyForces) -> BodyForces:
    """Return force and torque at S_i as they act at S_{i-1}."""
    if carried.force is None or carried.torque is None:
        return carried
    force = link.rotation @ carried.force
    return BodyForces(force, link.rotation @ carried.torque + cross(link.translation, force))


def mass_matrix(links: Sequence[ChainLink]) -> Array:
    """
    Return M of the chain by unit accelerations at rest, MIID [P2025] (48), (75), (76).

    The accelerations of a module are linear in those of the coordinates before it and its own;
    O(N^2) for N modules, as M has that many entries.
    """
    n = sum(link.n for link in links)
    linear, angular = np.zeros((3, n)), np.zeros((3, n))
    forces, first = [], 0
    for link in links:
        own = slice(first, first + link.n)
        back = link.rotation.value.T
        linear = back @ (linear - skew(link.translation.value) @ angular)
        angular = back @ angular
        linear[:, own] += link.linear.value.T
        angular[:, own] += link.angular.value.T
        forces.append(_unit_forces(link, linear, angular, own))
        first += link.n
    matrix = np.zeros((n, n))
    force, torque = np.zeros((3, n)), np.zeros((3, n))
    for i in reversed(range(len(links))):
        link, (own_force, own_torque, generalised) = links[i], forces[i]
        if i + 1 < len(links):
            rotation = links[i + 1].rotation.value
            force = rotation @ force
            torque = rotation @ torque + skew(links[i + 1].translation.value) @ force
        force, torque = force + own_force, torque + own_torque
        first -= link.n
        rows = generalised + link.linear.value @ force + link.angular.value @ torque
        matrix[first : first + link.n] = -rows
    return matrix


def _unit_forces(
    link: ChainLink, linear: Array, angular: Array, own: slice
) -> tuple[Array, Array, Array]:
    """Return force, torque about S_i (3, n), generalised forces (n_i, n) [P2025] (77) to (79)."""
    body, n = link.body, linear.shape[1]
    if body is None:
        return np.zeros((3, n)), np.zeros((3, n)), np.zeros((link.n, n))
    com = body.com.value
    centre = linear - skew(com) @ angular
    centre[:, own] += body.com_gradient.value.T
    force = -body.mass * centre
    torque = -body.inertia.value @ angular
    torque[:, own] -= body.turning.value.T
    generalised = body.com_gradient.value @ force - body.turning.value @ angular
    generalised[:, own] -= body.metric.value
    return force, torque + skew(com) @ force, generalised


def _vee(matrix: SeriesArray) -> SeriesArray:
    """Return the vectors (..., 3) of the skew parts of matrices (..., 3, 3)."""
    data = 0.5 * (matrix.data - np.swapaxes(matrix.data, -1, -2))
    return SeriesArray(np.stack([data[..., 2, 1], data[..., 0, 2], data[..., 1, 0]], axis=-1))
