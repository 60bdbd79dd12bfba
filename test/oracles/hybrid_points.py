# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies on screws and arcs with two bends, as modules of material points."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracles import material_points
from oracles.material_points import PointModule


def rigid_module(home: Any, screw: Any, inertia: Any) -> PointModule:
    """Return a joint and its body as points, from the matrices of a model."""
    mass = inertia[3, 3]
    com = np.array([inertia[2, 4], inertia[0, 5], inertia[1, 3]]) / mass
    about_origin = inertia[:3, :3]
    second = 0.5 * np.trace(about_origin) * np.eye(3) - about_origin - mass * np.outer(com, com)
    values, axes = np.linalg.eigh(second)
    offsets = np.concatenate([axes.T, -axes.T])
    points = np.concatenate([com[np.newaxis], com + offsets])
    masses = np.concatenate([[mass - values.sum()], 0.5 * values, 0.5 * values])

    def place(q: Any) -> Any:
        pose = home @ material_points.exponential(material_points.hat(screw * q))
        moved = np.einsum('...ij,kj->...ki', pose[..., :3, :3], points)
        return pose, moved + pose[..., np.newaxis, :3, 3]

    return PointModule(1, place, masses)


def arc_module(
    start: Any,
    length: float,
    radius: float,
    mass: float,
    stiffness: Any,
    damping: float,
    sections: int = 14,
) -> PointModule:
    """Return an arc (two bends, elongation) by exponentials of its strain, after a fixed pose."""
    x, weights = np.polynomial.legendre.leggauss(sections)
    x, weights = 0.5 * (x + 1.0), 0.5 * weights
    r = radius / np.sqrt(2.0)
    section = np.array([[r, 0.0, 0.0], [-r, 0.0, 0.0], [0.0, r, 0.0], [0.0, -r, 0.0]])

    def place(q: Any) -> Any:
        zero = 0.0 * q[..., 0]
        whole = np.stack([-q[..., 1], q[..., 0], zero, zero, zero, length + q[..., 2]], axis=-1)
        poses = [
            start @ material_points.exponential(material_points.hat(s * whole)) for s in (*x, 1.0)
        ]
        points = [
            np.einsum('...ij,kj->...ki', pose[..., :3, :3], section) + pose[..., None, :3, 3]
            for pose in poses[:-1]
        ]
        return poses[-1], np.concatenate(points, axis=-2)

    matrix = np.diag(stiffness)
    masses = mass * np.repeat(0.25 * weights, 4)
    return PointModule(3, place, masses, matrix, damping * matrix)
