# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bounds of the inverse error of a learned motion, against the linearized dynamics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.learning.inverse_error import inverse_errors
from screw_dynamics.trajectory import PiecewisePolynomial

PART = 1e-4  # of a parameter: the response is compared to first order
FREQUENCIES = np.array([0.7, 4.0, 15.0, 40.0])  # rad/s
BOUND_GAINS = np.array([900.0, 300.0]), np.array([60.0, 20.0])  # N m/rad, N m s/rad


def planar_arm() -> sd.Robot:
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    joint = sd.JointDrive(
        sd.LinearSpring(600.0, 0.5),
        sd.Motor(rotor_inertia=0.3, viscous_friction=1.5, coulomb_friction=2.0),
        friction=sd.JointFriction(viscous=3.0, coulomb=0.1),
        parallel_spring=sd.TorsionSpring(40.0, 0.2),
    )
    other = sd.JointDrive(sd.LinearSpring(300.0, 0.2), sd.Motor(0.1, viscous_friction=0.4))
    return sd.Robot(model, sd.Drives({'joint_1': joint, 'joint_2': other}))


def variants(robot: sd.Robot, *, of_motors: bool) -> list[sd.Robot]:
    """Return the robot with each of its parameters a little larger."""
    model, drives = robot.model, robot.drives
    found = []
    for i in range(model.body_count):
        inertias = model.inertias.copy()
        inertias[i] *= 1.0 + PART
        found.append(robot.with_model(replace(model, inertias=inertias)))
    for name, drive in drives.joints.items():
        stiffer = replace(drive.spring, stiffness=drive.spring.stiffness * (1.0 + PART))
        others = [replace(drive, spring=stiffer)]
        if of_motors:
            motor = drive.motor
            heavier = replace(motor, rotor_inertia=motor.rotor_inertia * (1.0 + PART))
            rougher = replace(
                motor,
                viscous_friction=motor.viscous_friction * (1.0 + PART),
                coulomb_friction=motor.coulomb_friction * (1.0 + PART),
            )
            others += [replace(drive, motor=heavier), replace(drive, motor=rougher)]
        for one in others:
            joints = {**drives.joints, name: one}
            found.append(sd.Robot(model, replace(drives, joints=joints)))
    return found


def linear(robot: sd.Robot, jet: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    motion = sd.elastic_feedforward(robot, jet[np.newaxis], times=[0.0])
    found = sd.linearized_dynamics(
        robot, jet[0], jet[1], motion.motor_effort[0],
        motor_position=motion.motor_position[0], motor_velocity=motion.motor_velocity[0],
    )  # fmt: skip
    return found.state_matrix, found.input_matrix


def response(robot, others, jet, s, gains) -> list[np.ndarray]:
    """Return Delta of each variant: links with the commands of the nominal robot."""
    a, b = linear(robot, jet)
    size, n = len(a), robot.n
    links, motors = np.eye(size)[:n], np.eye(size)[2 * n : 3 * n]
    rates = np.eye(size)[3 * n :]
    # x' = A x + B u with q = r
    system = np.block([[s * np.eye(size) - a, -b], [links, np.zeros((n, n))]])
    led = np.linalg.solve(system, np.vstack((np.zeros((size, n)), np.eye(n))))
    state, efforts = led[:size], led[size:]
    found = []
    for other in others:
        a, b = linear(other, jet)
        if gains is None:  # efforts that hold the motors at theta of the nominal robot
            system = np.block([[s * np.eye(size) - a, -b], [motors, np.zeros((n, n))]])
            right = np.vstack((np.zeros((size, n)), motors @ state))
            moved = np.linalg.solve(system, right)[:size]
        else:
            drive = np.diag(gains[0]) @ motors + np.diag(gains[1]) @ rates
            system = s * np.eye(size) - a + b @ drive
            moved = np.linalg.solve(system, b @ (efforts + drive @ state))
        found.append(moved[:n] - np.eye(n))
    return found


def resting(position: np.ndarray, duration: float) -> PiecewisePolynomial:
    times = np.array([0.0, duration])
    return PiecewisePolynomial(times, position[np.newaxis, np.newaxis], position, 4)


def test_bound_of_a_motion_is_at_least_that_at_either_end() -> None:
    """Whenever it begins; at the lowest frequency the begin is worse here, then the end."""
    robot, ends = planar_arm(), np.array([[-1.3, 0.3], [1.5, 0.1]])
    curve = sd.trajectory.through(robot.model, [2.0, 5.0], ends)
    bounds = inverse_errors(robot, curve, FREQUENCIES, 1.0, BOUND_GAINS)
    begin, end = (
        inverse_errors(robot, resting(place, 3.0), FREQUENCIES, 1.0, BOUND_GAINS) for place in ends
    )
    assert begin[0] > 1.3 * end[0] and end[1] > 1.2 * begin[1]
    assert (np.maximum(begin, end) <= bounds * (1.0 + 1e-9)).all()


@pytest.mark.parametrize('gains', [BOUND_GAINS, None], ids=['PD', 'held'])
def test_bound_is_that_of_the_linearized_dynamics(gains) -> None:
    """
    Sums of squares of |Delta| agree to first order: to 30 times the part of a parameter.

    The arm rests, so that all poses are one state, and friction has the slope at rest.
    """
    robot = planar_arm()
    rest = resting(np.array([0.4, -0.9]), 4.0)
    jet = rest.jets([0.0])[0]
    others = variants(robot, of_motors=gains is not None)
    bounds = inverse_errors(robot, rest, FREQUENCIES, np.sqrt(3.0), gains)
    for frequency, bound in zip(FREQUENCIES, bounds, strict=True):
        found = response(robot, others, jet, 0.5 + 1j * frequency, gains)
        norms = [np.linalg.norm(delta, 2) / PART for delta in found]
        assert bound == pytest.approx(np.sqrt(np.square(norms).sum()), rel=30 * PART)
