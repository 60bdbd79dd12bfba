# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Arms of the study: two robots with three kinds of joints, upright and loaded, one fast motion each.

Manufacturers publish neither stiffness nor rotor inertia. The numbers here are rounded values of
the magnitude that identification and design papers report:

- strain-wave gears with a torque sensor, as in both robots ('stiff'): some 10^4 N m/rad at
  shoulder and elbow, a few 10^3 at the wrist;
- rotors of 0.5 to 2 10^-4 kg m^2 with gear ratios of 100 to 160: on the joint side several tenths
  of a kg m^2 at the wrist, more than the link itself, and 1 to 3 at the shoulder;
- series elastic arms with steel springs, such as the two-armed research robots of the 2010s
  ('soft'): 850 N m/rad at shoulder and elbow, 250 at the wrist, half of it in the Panda's wrist,
  whose motors are weaker; and between both ('springs') 2000 to 500 N m/rad;
- dry friction of 0.3 to 3 N m at the joint, smooth around rest, and about half of the rated load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

import screw_dynamics as sd
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    TrajectoryPoint,
    smooth_trajectory,
    waypoints_from_points,
)

MOTION = 2.0  # s from rest to rest
KNEE = 0.02  # rad/s at the joint, velocity at which dry friction reaches 76 %
JOINTS = 7

Factor = float | Sequence[float]  # one for all joints, or one for each


@dataclass(frozen=True)
class Factors:
    """
    Values that a feedforward assumes over the true ones, 1 where it is right.

    The first three are for all joints or one per joint; `friction` is viscous and dry friction.
    """

    stiffness: Factor = 1.0
    rotor_inertia: Factor = 1.0
    friction: Factor = 1.0
    payload: float = 1.0


TRUE = Factors()


def drawn_factors(level: float, seed: int) -> Factors:
    """Return factors within 1 +- `level`, drawn for each parameter and joint."""
    rng = np.random.default_rng(seed)
    drawn = 1.0 + level * rng.uniform(-1.0, 1.0, (4, JOINTS))
    stiffness, inertia, friction, payload = (tuple(row.tolist()) for row in drawn)
    return Factors(stiffness, inertia, friction, payload[0])


@dataclass(frozen=True)
class Arm:
    """
    One of the bundled robots with its drives, load and motion; values of drives per joint.

    `locked` are joints with constant positions [m]. `payload` is a point mass: frame, mass [kg],
    position in the frame [m]. `rotor_inertias` are at the motor side [kg m^2], `stiffness`
    [N m/rad], `viscous_friction` [N m s/rad] and `dry_friction` [N m] at the joint side. `turn`
    are the positions at 0, 1 and 2 s, at rest at both ends [rad].
    """

    make: str
    kind: str
    urdf: str
    locked: tuple[tuple[str, float], ...]
    payload: tuple[str, float, tuple[float, float, float]]
    gear_ratios: tuple[float, ...]
    rotor_inertias: tuple[float, ...]
    stiffness: tuple[float, ...]
    viscous_friction: tuple[float, ...]
    dry_friction: tuple[float, ...]
    turn: tuple[tuple[float, ...], ...]

    @property
    def name(self) -> str:
        """Name for tables."""
        return f'{self.make}, {self.kind}'

    def bare(self) -> sd.ScrewModel:
        """Return the arm without its load."""
        return sd.read_urdf(sd.share_path(self.urdf), locked=dict(self.locked))

    def drives(self, factors: Factors = TRUE) -> sd.Drives:
        """Return the springs and motors."""
        columns = zip(
            self.bare().joint_names,
            self.stiffness * np.asarray(factors.stiffness),
            self.rotor_inertias * np.asarray(factors.rotor_inertia),
            self.gear_ratios,
            self.viscous_friction * np.asarray(factors.friction),
            self.dry_friction * np.asarray(factors.friction),
            strict=True,
        )
        return sd.Drives(
            {
                name: sd.JointDrive(
                    sd.LinearSpring(float(stiffness)),
                    sd.Motor(
                        float(inertia),
                        ratio,
                        viscous_friction=float(viscous) / ratio**2,
                        coulomb_friction=float(dry) / ratio,
                        coulomb_velocity=KNEE * ratio,
                    ),
                )
                for name, stiffness, inertia, ratio, viscous, dry in columns
            }
        )

    @lru_cache(maxsize=100)  # noqa: B019
    def robot(self, factors: Factors = TRUE) -> sd.Robot:
        """Return the loaded arm with its drives."""
        frame, mass, place = self.payload
        model = self.bare().with_payload(frame, factors.payload * mass, place)
        return sd.Robot(model, self.drives(factors))

    @lru_cache(maxsize=100)  # noqa: B019
    def motion(self) -> PiecewisePolynomial:
        """Return the motion that the links shall follow, C4 from rest to rest."""
        names, still = self.bare().joint_names, (0.0,) * JOINTS
        start, via, end = self.turn
        points = (
            TrajectoryPoint(0.0, start, still),
            TrajectoryPoint(0.5 * MOTION, via),
            TrajectoryPoint(MOTION, end, still),
        )
        return smooth_trajectory(waypoints_from_points(names, points, names))


STIFF, SPRINGS, SOFT = KINDS = ('stiff', 'springs', 'soft')

IIWA = Arm(
    'iiwa 14',
    STIFF,
    'urdf/iiwa14.urdf',
    (),
    ('flange', 7.0, (0.0, 0.0, 0.1)),
    gear_ratios=(160.0,) * 4 + (100.0,) * 3,
    rotor_inertias=(1.2e-4, 1.2e-4, 8e-5, 8e-5, 8e-5, 4e-5, 4e-5),
    stiffness=(1e4,) * 4 + (5e3,) * 3,
    viscous_friction=(2.0, 2.0, 1.0, 1.0, 0.5, 0.3, 0.3),
    dry_friction=(3.0, 3.0, 2.0, 2.0, 1.0, 0.5, 0.5),
    turn=(
        (0.0, -0.35, 0.0, 0.45, 0.0, -0.4, 0.0),
        (0.65, 0.3, -0.35, -0.15, 0.6, 0.45, -0.55),
        (0.2, 0.45, 0.35, -0.5, -0.3, 0.3, 0.5),
    ),
)

PANDA = Arm(
    'Panda',
    STIFF,
    'urdf/panda.urdf',
    (('panda_finger_joint1', 0.02),),
    ('panda_hand_tcp', 1.5, (0.0, 0.0, 0.0)),
    gear_ratios=(100.0,) * 7,
    rotor_inertias=(6e-5, 6e-5, 5e-5, 5e-5, 2e-5, 2e-5, 1e-5),
    stiffness=(1.4e4,) * 4 + (9e3,) * 3,
    viscous_friction=(1.0, 1.0, 0.5, 0.5, 0.2, 0.2, 0.1),
    dry_friction=(1.0, 1.0, 0.8, 0.8, 0.4, 0.4, 0.3),
    turn=(
        (0.0, -0.3, 0.0, -0.5, 0.0, 2.8, 0.8),
        (0.9, 0.5, -0.5, -0.1, 0.8, 3.4, 0.0),
        (0.1, 0.2, 0.3, -0.4, -0.2, 2.9, 1.0),
    ),
)

_SERIES = (2000.0, 2000.0, 2000.0, 1500.0, 1000.0, 500.0, 500.0)
ARMS = tuple(
    replace(arm, kind=kind, stiffness=stiffness)
    for arm, wrist in ((IIWA, 250.0), (PANDA, 125.0))
    for kind, stiffness in (
        (STIFF, arm.stiffness),
        (SPRINGS, _SERIES),
        (SOFT, (850.0,) * 4 + (wrist,) * 3),
    )
)
