# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Arms of the comparison: two robots, stiff and soft joints, two mountings, one fast motion each.

Manufacturers publish neither stiffness nor rotor inertia. The numbers here are rounded values of
the magnitude that identification and design papers report:

- strain-wave gears with a torque sensor, as in both robots: some 10^4 N m/rad at shoulder and
  elbow, a few 10^3 at the wrist;
- rotors of 0.5 to 2 10^-4 kg m^2 with gear ratios of 100 to 160: on the joint side several tenths
  of a kg m^2 at the wrist, more than the link itself, and 1 to 3 at the shoulder;
- series elastic arms with steel springs, such as the two-armed research robots of the 2010s:
  850 N m/rad at shoulder and elbow, 250 at the wrist. The soft arms here are the same robots with
  such springs, with half the stiffness in the Panda's wrist, whose motors are weaker;
- dry friction of 0.3 to 3 N m at the joint, smooth around rest, and about half of the rated load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from screw_dynamics.common.paths import share_path
from screw_dynamics.drives import Drives, JointDrive, LinearSpring, Motor
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.urdf import read_urdf
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    TrajectoryPoint,
    smooth_trajectory,
    waypoints_from_points,
)

MOTION = 2.0  # s from rest to rest
KNEE = 0.02  # rad/s at the joint, velocity at which dry friction reaches 76 %

Factor = float | Sequence[float]  # one for all joints, or one for each


@dataclass(frozen=True)
class DriveTrain:
    """
    Gears and motors of a robot, one value per joint.

    `rotor_inertias` are at the motor side [kg m^2], `viscous_friction` [N m s/rad] and
    `dry_friction` [N m] at the joint side. `stiffness` is that of the gears, `soft_stiffness` that
    of the springs of the soft arm [N m/rad].
    """

    gear_ratios: tuple[float, ...]
    rotor_inertias: tuple[float, ...]
    stiffness: tuple[float, ...]
    soft_stiffness: tuple[float, ...]
    viscous_friction: tuple[float, ...]
    dry_friction: tuple[float, ...]


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


@dataclass(frozen=True)
class Robot:
    """
    One of the bundled robots with its load and motion.

    `locked` are joints with constant positions [m]. `payload` is a point mass: frame, mass [kg],
    position in the frame [m]. `turn` are the positions at 0, 1 and 2 s, at rest at both ends
    [rad].
    """

    name: str
    urdf: str
    locked: tuple[tuple[str, float], ...]
    payload: tuple[str, float, tuple[float, float, float]]
    drives: DriveTrain
    turn: tuple[tuple[float, ...], ...]


IIWA = Robot(
    'iiwa 14',
    'urdf/iiwa14.urdf',
    (),
    ('flange', 7.0, (0.0, 0.0, 0.1)),
    DriveTrain(
        gear_ratios=(160.0,) * 4 + (100.0,) * 3,
        rotor_inertias=(1.2e-4, 1.2e-4, 8e-5, 8e-5, 8e-5, 4e-5, 4e-5),
        stiffness=(1e4,) * 4 + (5e3,) * 3,
        soft_stiffness=(850.0,) * 4 + (250.0,) * 3,
        viscous_friction=(2.0, 2.0, 1.0, 1.0, 0.5, 0.3, 0.3),
        dry_friction=(3.0, 3.0, 2.0, 2.0, 1.0, 0.5, 0.5),
    ),
    (
        (0.0, -0.35, 0.0, 0.45, 0.0, -0.4, 0.0),
        (0.65, 0.3, -0.35, -0.15, 0.6, 0.45, -0.55),
        (0.2, 0.45, 0.35, -0.5, -0.3, 0.3, 0.5),
    ),
)

PANDA = Robot(
    'Panda',
    'urdf/panda.urdf',
    (('panda_finger_joint1', 0.02),),
    ('panda_hand_tcp', 1.5, (0.0, 0.0, 0.0)),
    DriveTrain(
        gear_ratios=(100.0,) * 7,
        rotor_inertias=(6e-5, 6e-5, 5e-5, 5e-5, 2e-5, 2e-5, 1e-5),
        stiffness=(1.4e4,) * 4 + (9e3,) * 3,
        soft_stiffness=(850.0,) * 4 + (125.0,) * 3,
        viscous_friction=(1.0, 1.0, 0.5, 0.5, 0.2, 0.2, 0.1),
        dry_friction=(1.0, 1.0, 0.8, 0.8, 0.4, 0.4, 0.3),
    ),
    (
        (0.0, -0.3, 0.0, -0.5, 0.0, 2.8, 0.8),
        (0.9, 0.5, -0.5, -0.1, 0.8, 3.4, 0.0),
        (0.1, 0.2, 0.3, -0.4, -0.2, 2.9, 1.0),
    ),
)

ROBOTS = (IIWA, PANDA)
JOINTS = ('stiff', 'soft')
# hanging: on the ceiling, stable under gravity; upright: on the floor, unstable
POSES = ('hanging', 'upright')


@dataclass(frozen=True)
class Arm:
    """A robot with one kind of joints (of `JOINTS`) in one mounting (of `POSES`)."""

    robot: Robot
    kind: str
    pose: str

    @property
    def name(self) -> str:
        """Name for tables."""
        return f'{self.robot.name}, {self.kind}, {self.pose}'

    def model(self, factors: Factors = TRUE) -> ScrewModel:
        """Return the loaded arm; if hanging, gravity points from the base towards the hand."""
        model = read_urdf(share_path(self.robot.urdf), locked=dict(self.robot.locked))
        frame, mass, place = self.robot.payload
        model = model.with_payload(frame, factors.payload * mass, place)
        return replace(model, gravity=-model.gravity) if self.pose == 'hanging' else model

    def drives(self, model: ScrewModel, factors: Factors = TRUE) -> Drives:
        """Return the springs and motors."""
        train = self.robot.drives
        springs = train.stiffness if self.kind == 'stiff' else train.soft_stiffness
        columns = zip(
            model.joint_names,
            springs * np.asarray(factors.stiffness),
            train.rotor_inertias * np.asarray(factors.rotor_inertia),
            train.gear_ratios,
            train.viscous_friction * np.asarray(factors.friction),
            train.dry_friction * np.asarray(factors.friction),
            strict=True,
        )
        return Drives(
            {
                name: JointDrive(
                    LinearSpring(float(stiffness)),
                    Motor(
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

    def motion(self, model: ScrewModel) -> PiecewisePolynomial:
        """Return the reference motion, C4 from rest to rest."""
        still = tuple(np.zeros(model.n))
        start, via, end = self.robot.turn
        points = (
            TrajectoryPoint(0.0, start, still),
            TrajectoryPoint(0.5 * MOTION, via),
            TrajectoryPoint(MOTION, end, still),
        )
        return smooth_trajectory(
            waypoints_from_points(model.joint_names, points, model.joint_names)
        )


def arms() -> list[Arm]:
    """Return all arms of the comparison."""
    return [Arm(robot, kind, pose) for robot in ROBOTS for kind in JOINTS for pose in POSES]
