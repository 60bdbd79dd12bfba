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

from screw_dynamics.arrays import Array
from screw_dynamics.series.series_array import SeriesArray, cross
from screw_dynamics.soft.integrals import BodyIntegrals, body_integrals
from screw_dynamics.soft.module import ModuleMotion


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
    """Return a module along a motion as the recursion needs it."""
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
        body_integrals(motion.points, motion.masses),
        motion.stress,
    )


def inertial_efforts(links: Sequence[ChainLink], gravity: Array) -> list[SeriesArray]:
    """
    Return M q'' + c + g of every module (n_i,), with gravity (3,) in S_0; IID for zero gravity.

    Gravity acts as the acceleration a_0 = -g of the base.
    """
    forces = _inertia_forces(links, gravity)
    return _project(links, forces)


@dataclass
class _InertiaForces:
    """Force (44), torque about the centre of mass (46), and generalised forces (47)."""

    force: SeriesArray | None
    torque: SeriesArray | None
    generalised: SeriesArray | None


def _inertia_forces(links: Sequence[ChainLink], gravity: Array) -> list[_InertiaForces]:
    """Forward pass: motion of every frame, (60)-(62), (64)-(67), and the forces of inertia."""
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


def _body_forces(
    link: ChainLink, w: SeriesArray, al: SeriesArray, a: SeriesArray
) -> _InertiaForces:
    body = link.body
    if body is None:
        return _InertiaForces(None, None, None)
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
    )  # (46)
    if link.n == 0:
        return _InertiaForces(force, torque, None)
    generalised = (
        0.5 * ((body.inertia_gradient @ w) @ w)
        - body.turning @ al
        - 2.0 * (body.coriolis @ w)
        - body.inertial
        + body.com_gradient @ force
    )  # (47)
    return _InertiaForces(force, torque, generalised)


def _project(links: Sequence[ChainLink], forces: Sequence[_InertiaForces]) -> list[SeriesArray]:
    """Backward pass: accumulated forces (37), (38), projected on the coordinates, (43)."""
    force: SeriesArray | None = None
    torque: SeriesArray | None = None
    after: ChainLink | None = None
    efforts = []
    for link, own in zip(reversed(links), reversed(forces), strict=True):
        if force is not None and torque is not None and after is not None:
            carried = after.rotation @ force
            torque = after.rotation @ torque + cross(after.translation, carried)
            force = carried
        if own.force is not None and own.torque is not None and link.body is not None:
            moment = own.torque + cross(link.body.com, own.force)
            force = own.force if force is None else force + own.force
            torque = moment if torque is None else torque + moment
        effort = -own.generalised if own.generalised is not None else None
        if force is not None and torque is not None:
            projected = -(link.linear @ force + link.angular @ torque)
            effort = projected if effort is None else effort + projected
        if effort is None:  # nothing beyond has mass
            effort = SeriesArray(0.0 * link.angular.data[..., 0])
        efforts.append(effort)
        after = link
    return efforts[::-1]


def mass_matrix(links: Sequence[ChainLink]) -> Array:
    """
    Return M of the chain by unit accelerations at rest, MIID [P2025, appendix A.6].

    The accelerations of a module are linear in those of the coordinates before it and its own;
    O(N^2) for N modules, as M has that many entries.
    """
    n = sum(link.n for link in links)
    linear, angular = np.zeros((3, n)), np.zeros((3, n))
    forces, first = [], 0
    for link in links:
        own = slice(first, first + link.n)
        back = link.rotation.value.T
        linear = back @ (linear - _skew(link.translation.value) @ angular)
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
            torque = rotation @ torque + _skew(links[i + 1].translation.value) @ force
        force, torque = force + own_force, torque + own_torque
        first -= link.n
        rows = generalised + link.linear.value @ force + link.angular.value @ torque
        matrix[first : first + link.n] = -rows
    return matrix


def _unit_forces(
    link: ChainLink, linear: Array, angular: Array, own: slice
) -> tuple[Array, Array, Array]:
    """Return force (3, n), torque about S_i (3, n) and generalised forces (n_i, n)."""
    body, n = link.body, linear.shape[1]
    if body is None:
        return np.zeros((3, n)), np.zeros((3, n)), np.zeros((link.n, n))
    com = body.com.value
    centre = linear - _skew(com) @ angular
    centre[:, own] += body.com_gradient.value.T
    force = -body.mass * centre
    torque = -body.inertia.value @ angular
    torque[:, own] -= body.turning.value.T
    generalised = body.com_gradient.value @ force - body.turning.value @ angular
    generalised[:, own] -= body.metric.value
    return force, torque + _skew(com) @ force, generalised


def _vee(matrix: SeriesArray) -> SeriesArray:
    """Return the vectors (..., 3) of the skew parts of matrices (..., 3, 3)."""
    data = 0.5 * (matrix.data - np.swapaxes(matrix.data, -1, -2))
    return SeriesArray(np.stack([data[..., 2, 1], data[..., 0, 2], data[..., 1, 0]], axis=-1))


def _skew(vector: Array) -> Array:
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
