# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots whose rotors are bodies with mass on moving links, and the same with rotors locked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oracles.random_models import random_rotation
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import inertia_matrix, pose, rotation_onto_z, transform_inertia
from screw_dynamics.model import Frame, JointLimits, ScrewModel


@dataclass(frozen=True)
class SolidRotor:
    """
    A rotor as a body of revolution, which drives a coordinate; the carrier -1 is the base.

    Spin axis and centre of mass (3,) are in the carrier's frame, the inertias about and across the
    axis.
    """

    coordinate: int
    carrier: int
    axis: Array
    centre: Array
    mass: float
    spin_inertia: float
    cross_inertia: float
    gear_ratio: float

    @property
    def inertia(self) -> Array:
        """6x6 inertia in a frame at the centre of mass with z along the axis."""
        moments = np.diag([self.cross_inertia, self.cross_inertia, self.spin_inertia])
        return inertia_matrix(self.mass, np.zeros(3), moments)

    @property
    def home(self) -> Array:
        """Pose of that frame on the carrier."""
        return pose(rotation_onto_z(self.axis), self.centre)


def random_rotor(
    rng: np.random.Generator, coordinate: int, carrier: int, axis: Array | None = None
) -> SolidRotor:
    """Return a rotor at a random place of a link."""
    return SolidRotor(
        coordinate=coordinate,
        carrier=carrier,
        axis=random_rotation(rng)[0] if axis is None else axis,
        centre=rng.normal(size=3),
        mass=rng.uniform(0.1, 0.5),
        spin_inertia=rng.uniform(0.005, 0.02),
        cross_inertia=rng.uniform(0.01, 0.02),
        gear_ratio=rng.uniform(2.0, 10.0),
    )


def locked(links: ScrewModel, rotors: Sequence[SolidRotor]) -> ScrewModel:
    """Return the links with their rotors locked, as a robot description gives them."""
    inertias = links.inertias.copy()
    for rotor in rotors:
        if rotor.carrier >= 0:
            inertias[rotor.carrier] += transform_inertia(rotor.inertia, rotor.home)
    return replace(links, inertias=inertias)


def spinning(links: ScrewModel, rotors: Sequence[SolidRotor]) -> ScrewModel:
    """
    Return the robot with every rotor as a body of its own that turns by r theta.

    The coordinates theta follow those of the links.
    """
    n, extra = links.n, len(rotors)
    names = tuple(f'rotor_{i}' for i in range(extra))
    return replace(
        links,
        joint_names=links.joint_names + names,
        tree_joint_names=links.tree_joint_names + names,
        body_names=links.body_names + names,
        joint_types=links.joint_types + ('revolute',) * extra,
        parents=np.append(links.parents, [rotor.carrier for rotor in rotors]),
        home_poses=np.concatenate([links.home_poses, [rotor.home for rotor in rotors]]),
        screws=np.vstack([links.screws, np.tile([0.0, 0, 1, 0, 0, 0], (extra, 1))]),
        inertias=np.concatenate([links.inertias, [rotor.inertia for rotor in rotors]]),
        coordinates=np.append(links.coordinates, n + np.arange(extra)),
        multipliers=np.append(links.multipliers, [rotor.gear_ratio for rotor in rotors]),
        # a body of revolution does not feel by how much it has turned
        offsets=np.append(links.offsets, np.linspace(-1.0, 2.0, extra)),
        limits=JointLimits.none(n + extra),
        damping=np.zeros(n + extra),
        friction=np.zeros(n + extra),
        frames=dict(links.frames) | {name: Frame(-1, np.eye(4)) for name in names},
    )
