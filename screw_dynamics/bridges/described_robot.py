# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`DescribedRobot`: a robot of a URDF or MJCF document, before joints are selected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.drives import (
    Drives,
    JointDrive,
    JointFriction,
    Motor,
    Robot,
    TorsionSpring,
    Winding,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.urdf import RobotDescription, model_from_description


@dataclass(frozen=True)
class JointDynamics:
    """What acts at a joint; `max_effort` limits all motors, `winding` is that of a single one."""

    armature: float
    damping: float
    frictionloss: float
    stiffness: float
    rest_position: float
    motors: tuple[Motor, ...]
    winding: Winding | None
    max_effort: float = np.inf

    @property
    def effort_limit(self) -> float:
        """The largest effort of all motors [N m or N]."""
        each = [motor.gear_ratio * motor.max_effort for motor in self.motors]
        return min(self.max_effort, sum(each) if each else np.inf)


@dataclass(frozen=True)
class DescribedRobot:
    """Links and joints, gravity (3,) [m/s^2], and what acts at the joints by their names."""

    description: RobotDescription
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
    dynamics: Mapping[str, JointDynamics] = field(default_factory=dict)

    def robot(
        self,
        gravity: ArrayLike | None = None,
        *selection: Any,
        stacklevel: int = 1,
        **named: Any,
    ) -> Robot:
        """Return the robot with the options of `read_urdf`."""
        gravity = self.gravity if gravity is None else gravity
        model = model_from_description(
            self.description, gravity, *selection, **named, stacklevel=stacklevel + 1
        )
        return Robot(model, self.drives(model))

    def drives(self, model: ScrewModel) -> Drives | None:
        """Return the drives of coordinates and of what follows them; None if there are none."""
        parts: dict[str, list[tuple[float, float, JointDynamics]]] = defaultdict(list)
        for i, name in enumerate(model.tree_joint_names):
            if name in self.dynamics and model.multipliers[i]:
                coordinate = model.joint_names[model.coordinates[i]]
                relation = float(model.multipliers[i]), float(model.offsets[i])
                parts[coordinate].append((*relation, self.dynamics[name]))
        joints = {name: _joint_drive(found) for name, found in parts.items()}
        joints = {name: drive for name, drive in joints.items() if drive != JointDrive()}
        return Drives(joints) if joints else None


def _joint_drive(parts: Sequence[tuple[float, float, JointDynamics]]) -> JointDrive:
    """Return the drive of a coordinate q of joints (m, o, joint) with positions m q + o."""
    damping = sum(m * m * joint.damping for m, _, joint in parts)
    coulomb = sum(abs(m) * joint.frictionloss for m, _, joint in parts)
    stiffness = sum(m * m * joint.stiffness for m, _, joint in parts)
    pull = sum(m * joint.stiffness * (joint.rest_position - o) for m, o, joint in parts)
    motors = [
        replace(motor, gear_ratio=abs(m) * motor.gear_ratio)
        for m, _, joint in parts
        for motor in joint.motors
    ]
    windings = [joint.winding for _, _, joint in parts if joint.winding]
    inertia = sum(m * m * joint.armature for m, _, joint in parts)
    inertia += sum(motor.joint_inertia for motor in motors)
    if len(motors) == 1:
        motor = motors[0]
    else:
        # in place of several motors one without gear
        motor = Motor(
            viscous_friction=sum(motor.behind_gear[1] for motor in motors),
            max_effort=sum(motor.gear_ratio * motor.max_effort for motor in motors) or np.inf,
        )
    return JointDrive(
        motor=replace(motor, rotor_inertia=inertia / motor.gear_ratio**2),
        friction=JointFriction(damping, coulomb) if damping or coulomb else None,
        parallel_spring=TorsionSpring(stiffness, pull / stiffness) if stiffness else None,
        winding=windings[0] if windings and len(motors) == 1 else None,
    )
