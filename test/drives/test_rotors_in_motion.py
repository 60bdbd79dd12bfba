# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Integration of a robot whose rotors have mass: coupled commands track, uncoupled ones do not."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.rotor_robot import locked, random_rotor, spinning
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from screw_dynamics.drives.rotors import rotor_axis
from screw_dynamics.lie import inertia_matrix, pose

STIFFNESS = np.array([300.0, 250.0, 200.0])
SIZE, RATE, PHASE = np.array([0.5, 0.4, 0.6]), np.array([5.0, 4.0, 6.0]), np.array([0.1, 1.0, 2.0])


def hanging_arm():
    """Return links that hang along -z from joints about z, y and x, without rotors."""
    link = inertia_matrix(1.5, np.array([0.05, 0.02, -0.2]), np.diag([0.03, 0.03, 0.02]))
    homes = [pose(np.eye(3), np.array([0.0, 0.0, z])) for z in (0.0, -0.1, -0.4)]
    screws = [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    return sd.ScrewModel.from_screws([-1, 0, 1], homes, screws, [link] * 3)


def motion(t, rows):
    return np.array(
        [SIZE * RATE**d * np.sin(RATE * t + PHASE + d * np.pi / 2) for d in range(rows)]
    )


def tracking_error(model, robot, drives, tolerance):
    """Return max |q - q_ref| over half a second with nothing but the motors' feedforward."""
    rows = sd.Robot(model, drives).required_rows

    def commands(t):
        return sd.elastic_feedforward(sd.Robot(model, drives), motion(t, rows))

    def derivative(t, state):
        q, theta, rates = state[:3], state[3:6], state[6:]
        spring = STIFFNESS * (theta - q)
        efforts = np.concatenate([spring, commands(t).motor_effort - spring])
        return np.concatenate([rates, sd.forward_dynamics(robot, state[:6], rates, efforts)])

    # exact initial state, also for the uncoupled commands
    coupled = sd.Drives(drives.joints, rotor_coupling=True)
    start = sd.elastic_feedforward(
        sd.Robot(model, coupled), motion(0.0, sd.Robot(model, coupled).required_rows)
    )
    q = motion(0.0, 2)
    state = np.concatenate([q[0], start.motor_position, q[1], start.motor_velocity])
    times = np.linspace(0.0, 0.5, 26)
    solution = solve_ivp(
        derivative, (0.0, 0.5), state, 'DOP853', times, rtol=tolerance, atol=tolerance / 100
    )
    return np.abs(solution.y[:3].T - [motion(t, 1)[0] for t in times]).max()


@pytest.mark.long
def test_coupled_commands_track_to_the_integrators_tolerance(rng):
    links = hanging_arm()
    rotors = [random_rotor(rng, j, *rotor_axis(links, j, sd.Rotor())) for j in range(3)]
    model, robot = locked(links, rotors), spinning(links, rotors)
    drives = {
        name: sd.JointDrive(
            sd.LinearSpring(STIFFNESS[j]),
            sd.Motor(rotors[j].spin_inertia, rotors[j].gear_ratio),
        )
        for j, name in enumerate(model.joint_names)
    }
    coupled = sd.Drives(drives, rotor_coupling=True)
    errors = [tracking_error(model, robot, coupled, tolerance) for tolerance in (1e-6, 1e-9)]
    assert errors[0] < 1e-5 and errors[1] < 1e-8
    assert errors[1] < 1e-2 * errors[0]
    apart = tracking_error(model, robot, sd.Drives(drives), 1e-9)
    assert apart > 1e-3
