# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The arms of the comparison: two robots, stiff and soft joints, two mountings, one fast motion each.

Manufacturers publish neither stiffness nor rotor inertia. The numbers here are round ones of the
size that identification and design papers report:

- strain-wave gears with a torque sensor behind them, as in both robots: some 10^4 N m/rad at
  shoulder and elbow, a few 10^3 at the wrist;
- rotors of 0.5 to 2 10^-4 kg m^2 that turn 100 to 160 times as fast as the joint: several tenths
  of a kg m^2 at the wrist, 1 to 3 at the shoulder, more than the link itself has at the wrist;
- series elastic arms with steel springs, such as the two-armed research robots of the 2010s:
  850 N m/rad at shoulder and elbow, 250 at the wrist. The soft arms here are the same robots with
  such springs, and with half of it in the Panda's wrist, whose motors are weaker.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from screw_dynamics.elastic import ElasticJoint, ElasticJoints, LinearSpring, Motor
from screw_dynamics.errors import InertiaWarning
from screw_dynamics.model import ScrewModel
from screw_dynamics.parsers import read_urdf
from screw_dynamics.share import share_path
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    TrajectoryPoint,
    smooth_trajectory,
    waypoints_from_points,
)

MOTION = 2.0  # s from rest to rest
REST = 1.0  # s of holding still after it


@dataclass(frozen=True)
class Drives:
    """
    Gears and motors of a robot, joint by joint.

    `gear_ratios`, `rotor_inertias` [-]; `stiffness`, `soft_stiffness` [N m/rad];
    `viscous_friction` [N m s/rad].
    """

    gear_ratios: tuple[float, ...]
    rotor_inertias: tuple[float, ...]
    stiffness: tuple[float, ...]
    soft_stiffness: tuple[float, ...]
    viscous_friction: tuple[float, ...]


@dataclass(frozen=True)
class Robot:
    """
    One of the bundled robots with its motion.

    `locked` [m]; `turn` [rad].
    """

    name: str
    urdf: str
    locked: tuple[tuple[str, float], ...]
    drives: Drives
    turn: tuple[tuple[float, ...], ...]


IIWA = Robot(
    'iiwa 14',
    'urdf/iiwa14.urdf',
    (),
    Drives(
        gear_ratios=(160.0,) * 4 + (100.0,) * 3,
        rotor_inertias=(1.2e-4, 1.2e-4, 8e-5, 8e-5, 8e-5, 4e-5, 4e-5),
        stiffness=(1e4,) * 4 + (5e3,) * 3,
        soft_stiffness=(850.0,) * 4 + (250.0,) * 3,
        viscous_friction=(2.0, 2.0, 1.0, 1.0, 0.5, 0.3, 0.3),
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
    Drives(
        gear_ratios=(100.0,) * 7,
        rotor_inertias=(6e-5, 6e-5, 5e-5, 5e-5, 2e-5, 2e-5, 1e-5),
        stiffness=(1.4e4,) * 4 + (9e3,) * 3,
        soft_stiffness=(850.0,) * 4 + (125.0,) * 3,
        viscous_friction=(1.0, 1.0, 0.5, 0.5, 0.2, 0.2, 0.1),
    ),
    (
        (0.0, -0.3, 0.0, -0.5, 0.0, 2.8, 0.8),
        (0.9, 0.5, -0.5, -0.1, 0.8, 3.4, 0.0),
        (0.1, 0.2, 0.3, -0.4, -0.2, 2.9, 1.0),
    ),
)

ROBOTS = (IIWA, PANDA)
JOINTS = ('stiff', 'soft')
# an arm on the ceiling hangs: gravity pulls it back; upright on the floor it falls
POSES = ('hanging', 'upright')


@dataclass(frozen=True)
class Arm:
    """A robot with its joints in one of the mountings."""

    robot: Robot
    kind: str
    pose: str

    @property
    def name(self) -> str:
        """Name for tables."""
        return f'{self.robot.name}, {self.kind}, {self.pose}'

    def model(self) -> ScrewModel:
        """Return the robot; on the ceiling, gravity points from the base towards the hand."""
        with warnings.catch_warnings():
            # two links of the published iiwa are no physical bodies, see its file
            warnings.simplefilter('ignore', InertiaWarning)
            model = read_urdf(share_path(self.robot.urdf), locked=dict(self.robot.locked))
        return replace(model, gravity=-model.gravity) if self.pose == 'hanging' else model

    def joints(self, model: ScrewModel) -> ElasticJoints:
        """Return springs and motors."""
        drives = self.robot.drives
        springs = drives.stiffness if self.kind == 'stiff' else drives.soft_stiffness
        columns = zip(
            model.joint_names,
            springs,
            drives.rotor_inertias,
            drives.gear_ratios,
            drives.viscous_friction,
            strict=True,
        )
        return ElasticJoints(
            {
                name: ElasticJoint(
                    LinearSpring(stiffness),
                    Motor(inertia, ratio, viscous_friction=friction / ratio**2),
                )
                for name, stiffness, inertia, ratio, friction in columns
            }
        )

    def motion(self, model: ScrewModel) -> PiecewisePolynomial:
        """Return the motion to follow, C4 from rest to rest."""
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
    """Return every arm of the comparison."""
    return [Arm(robot, kind, pose) for robot in ROBOTS for kind in JOINTS for pose in POSES]
