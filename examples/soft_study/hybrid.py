# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation 2 of P2025: an arm like the UR10e with a soft arm and a soft gripper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array

START, TARGET = np.zeros(6), np.pi * np.array([1 / 2, -1 / 4, -1 / 4, -1 / 5, 1 / 8, -1 / 2])
SOFT_TARGET = np.array([-np.pi / 2, np.pi / 4, -0.02])  # rad, rad, m
PRESSURE = 2e6  # Pa
PHASES = (0.0, 3.0, 5.0, 6.0)  # s
STIFFNESS, DAMPING = 100.0, 10.0  # of the joints, 1/s^2 and 1/s
LENGTH, RADIUS, DENSITY, THREADS = 0.3, 0.02, 1070.0, 0.015  # of the soft arm
ETA, GRIPPER_COEFFICIENT, GRIPPER_ETA, GRIPPER_DENSITY = 0.1, 22.2e6, 0.05, 960.0
JOINTS, ARM, GRIPPER = slice(0, 6), slice(6, 9), slice(9, 11)

# Substitutes for what P2025 does not state. Arm: dimensions and rounded masses of a UR10e, links
# as solid cylinders. Soft arm: 0.17857 MPa is read as the shear modulus of E = 0.5 MPa. Gripper:
# a tube. Gains of the soft arm: in proportion to its stiffness and inertia. It starts straight.
MODULUS = 0.5e6  # Pa
GRIPPER_LENGTH, GRIPPER_RADIUS, CAVITY = 0.1, 0.02, 0.015  # m
SOFT_STIFFNESS, SOFT_DAMPING = np.array([1.0, 1.0, 600.0]), np.array([0.3, 0.3, 30.0])
LINKS = (  # displacement and turn about x before the joint, mass, vector to the next joint, radius
    ((0.0, 0.0, 0.1807), 0.0, 7.4, (0.0, 0.0, 0.0), 0.08),
    ((0.0, 0.0, 0.0), np.pi / 2, 13.0, (-0.6127, 0.0, 0.0), 0.07),
    ((-0.6127, 0.0, 0.0), 0.0, 4.0, (-0.57155, 0.0, 0.17415), 0.05),
    ((-0.57155, 0.0, 0.17415), 0.0, 2.1, (0.0, -0.11985, 0.0), 0.05),
    ((0.0, -0.11985, 0.0), np.pi / 2, 2.0, (0.0, 0.11655, 0.0), 0.05),
    ((0.0, 0.11655, 0.0), -np.pi / 2, 0.6, (0.0, 0.0, 0.0), 0.04),
)


@dataclass(frozen=True, eq=False)
class HybridMotion:
    """Times (T,), coordinates (T, 11), inputs (T, 10): efforts, tensions, pressure."""

    times: Array
    position: Array
    inputs: Array


def robot() -> tuple[sd.soft.SoftRobot, list[sd.soft.Actuator]]:
    """Return the robot and its actuators: six joints, three threads, the chamber."""
    soft = sd.soft
    modules: list[sd.soft.Module] = []
    for i, (place, turn, mass, vector, radius) in enumerate(LINKS):
        pose = np.eye(4)
        pose[:3, :3] = sd.lie.exp_so3(np.array([turn, 0.0, 0.0]))
        pose[:3, 3] = place
        modules.append(soft.Joint('revolute', pose=pose, name=f'joint_{i + 1}'))
        modules.append(_link(mass, np.array(vector), radius, f'link_{i + 1}'))
    area = np.pi * RADIUS**2
    arm = soft.ConstantCurvature(
        LENGTH,
        RADIUS,
        DENSITY * area * LENGTH,
        MODULUS * area * RADIUS**2 / 4.0,
        MODULUS * area,
        ETA,
        name='arm',
    )
    modes = [[0.0, 0.0, 1.0 / GRIPPER_LENGTH**2]]
    gripper = soft.VolumePreserving(
        GRIPPER_LENGTH,
        GRIPPER_RADIUS,
        GRIPPER_DENSITY * np.pi * (GRIPPER_RADIUS**2 - CAVITY**2) * GRIPPER_LENGTH,
        [soft.VolumePrimitive('stretch', modes), soft.VolumePrimitive('source', modes)],
        inner_radius=CAVITY,
        material=soft.NeoHookean(GRIPPER_COEFFICIENT),
        viscosity=soft.KelvinVoigt(GRIPPER_ETA * GRIPPER_COEFFICIENT),
        nodes=(2, 4, 4),
        name='gripper',
    )
    whole = soft.SoftRobot([*modules, arm, gripper])
    actuators: list[sd.soft.Actuator] = [
        soft.JointEffort(whole, f'joint_{i + 1}') for i in range(6)
    ]
    for angle in 2.0 * np.pi * np.arange(3) / 3:
        offset = (THREADS * np.cos(angle), THREADS * np.sin(angle))
        actuators.append(soft.Thread(whole, {'arm': offset}))
    actuators.append(soft.PressureChamber(whole, {'gripper': (0.0, 0.0)}, CAVITY))
    return whole, actuators


def _link(mass: float, vector: Array, radius: float, name: str) -> sd.soft.RigidBody:
    """Return a cylinder from its joint to the next one, at least as long as it is thick."""
    length = max(float(np.linalg.norm(vector)), 2.0 * radius)
    axis = vector / np.linalg.norm(vector) if vector.any() else np.array([0.0, 0.0, 1.0])
    along = np.outer(axis, axis)
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    inertia = 0.5 * mass * radius**2 * along + across * (np.eye(3) - along)
    return sd.soft.RigidBody(mass, 0.5 * vector, inertia, name=name)


def reference(t: float) -> tuple[Array, Array, Array]:
    """Return angles, rates and accelerations (6,) of the cubic motion from rest to rest."""
    s = min(max(t / PHASES[1], 0.0), 1.0)
    way = TARGET - START
    inside = float(0.0 <= t < PHASES[1])
    return (
        START + way * s * s * (3.0 - 2.0 * s),
        way * 6.0 * s * (1.0 - s) / PHASES[1],
        inside * way * (6.0 - 12.0 * s) / PHASES[1] ** 2,
    )


class Control:
    """The control of the three phases: joints, then threads as well, then the pressure."""

    def __init__(self) -> None:
        self.robot, self.actuators = robot()

    def inputs(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the inputs (10,) and their generalised efforts (11,)."""
        matrix = sd.soft.actuation_matrix(self.actuators, q[np.newaxis])[0]
        inputs = np.zeros(10)
        if t >= PHASES[1]:
            at_rest = sd.bias_forces(self.robot, q, 0.0 * q)[ARM]
            wanted = SOFT_STIFFNESS * (SOFT_TARGET - q[ARM]) - SOFT_DAMPING * qd[ARM] + at_rest
            inputs[6:9] = np.linalg.solve(matrix[ARM, 6:9], wanted)
        if t >= PHASES[2]:
            inputs[9] = PRESSURE
        angles, rates, accelerations = reference(t)
        errors = STIFFNESS * (angles - q[JOINTS]) + DAMPING * (rates - qd[JOINTS])
        known = matrix[:, 6:] @ inputs[6:]
        inputs[:6] = sd.soft.linearising_inputs(
            self.actuators[:6], q, qd, accelerations + errors, known
        )
        return inputs, matrix @ inputs

    def efforts(self, last: float, t: float, q: Array, qd: Array) -> Array:
        """Return the generalised efforts (11,), with the phase of an instant at most `last`."""
        return self.inputs(min(t, last), q, qd)[1]


def simulate(
    end: float = PHASES[-1],
    step: float = 0.02,
    progress: Callable[[float], object] = lambda t: None,
    rtol: float = 1e-3,
) -> HybridMotion:
    """Return the motion from rest up to an instant, phase by phase."""
    control = Control()
    state = np.zeros(22)
    times, rows, inputs = [], [], []
    for begin, until in zip(PHASES, (*PHASES[1:-1], PHASES[-1] + step), strict=False):
        until = min(until, end)
        if begin >= until:
            break
        instants = np.append(np.arange(begin, until - 0.5 * step, step), until)
        # a phase has its own control up to its end
        last = np.nextafter(until, 0.0)
        motion = sd.simulate(
            control.robot,
            instants,
            state[:11],
            state[11:],
            partial(control.efforts, last),
            rtol=rtol,
            atol=1e-5,
            progress=progress,
        )
        for t, q, qd in zip(instants, motion.position, motion.velocity, strict=True):
            times.append(t)
            rows.append(q)
            inputs.append(control.inputs(min(t, last), q, qd)[0])
        state = np.concatenate([motion.position[-1], motion.velocity[-1]])
    return HybridMotion(np.array(times), np.array(rows), np.array(inputs))
