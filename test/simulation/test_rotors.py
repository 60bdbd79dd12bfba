# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Accelerations with spinning rotors on moving links against rotors that are bodies with mass."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_model
from oracles.rotor_robot import locked, random_rotor, spinning

import screw_dynamics as sd
from screw_dynamics.drives.rotors import rotor_axis
from screw_dynamics.simulation import ElasticRobot
from screw_dynamics.simulation.robot_states import robot_tables

ROBOTS = {
    'chain': [BodyRecipe()] * 4,
    'sliding carrier': [BodyRecipe(), BodyRecipe('prismatic'), BodyRecipe(), BodyRecipe()],
    'tree': [BodyRecipe(), BodyRecipe(), BodyRecipe(parent_back=2), BodyRecipe()],
}
STIFFNESS = 300.0


@pytest.mark.parametrize('rigid', [(), (1,), (0, 2)], ids=str)
@pytest.mark.parametrize('name', ROBOTS)
def test_accelerations(name, rigid, rng):
    links = random_model(rng, ROBOTS[name])
    n = links.n
    rotors = [random_rotor(rng, j, *rotor_axis(links, j, sd.Rotor())) for j in range(n)]
    model = locked(links, rotors)
    entries = {}
    for rotor in rotors:
        j = rotor.coordinate
        spring = None if j in rigid else sd.LinearSpring(STIFFNESS)
        motor = sd.Motor(rotor.spin_inertia, rotor.gear_ratio)
        carrier = 'base' if rotor.carrier < 0 else f'body_{rotor.carrier + 1}'
        entries[model.joint_names[j]] = sd.JointDrive(
            spring, motor, rotor=sd.Rotor(rotor.axis, carrier)
        )
    robot = ElasticRobot(sd.Robot(model, sd.Drives(entries, rotor_coupling=True)))
    q, qd, theta, rate, effort = rng.normal(size=(5, n))
    theta[list(rigid)], rate[list(rigid)] = q[list(rigid)], qd[list(rigid)]
    tau = STIFFNESS * (theta - q)
    tau[list(rigid)] = 0.0
    # of the robot of links and rotors, with q = theta for rigid joints: G^T (M G x + h) = f
    full = spinning(links, rotors)
    both, rates = np.concatenate([q, theta]), np.concatenate([qd, rate])
    forces = np.concatenate([tau, effort - tau])
    soft = [j for j in range(n) if j not in rigid]
    reduce = np.vstack([np.eye(n), np.diag([float(j in rigid) for j in range(n)])])
    reduce = np.hstack([reduce, np.eye(2 * n)[:, [n + j for j in soft]]])
    matrix = reduce.T @ sd.mass_matrix(full, both) @ reduce
    right = reduce.T @ (forces - sd.bias_forces(full, both, rates))
    expected = reduce @ np.linalg.solve(matrix, right)
    derivative = robot.derivatives(robot.state(q, qd, theta, rate), effort)
    _, link, _, motor = robot.split(derivative)
    assert np.allclose(link, expected[:n], rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert np.allclose(motor, expected[n:], rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def on_links_before(model, rotors, rigid=()):
    """Return joints with springs, except the rigid ones, and rotors at their default places."""
    entries = {}
    for rotor in rotors:
        spring = None if rotor.coordinate in rigid else sd.LinearSpring(STIFFNESS)
        motor = sd.Motor(rotor.spin_inertia, rotor.gear_ratio)
        entries[model.joint_names[rotor.coordinate]] = sd.JointDrive(spring, motor)
    return sd.Drives(entries, rotor_coupling=True)


def test_coordinates_of_rotors_bear_their_names(rng):
    links = random_model(rng, 4)
    rotors = [random_rotor(rng, j, *rotor_axis(links, j, sd.Rotor())) for j in range(4)]
    robot = sd.Robot(locked(links, rotors), on_links_before(links, rotors, rigid=(1,)))
    extended, _ = robot_tables(robot)
    spinning_names = [f'rotor of {name}' for name in links.joint_names[2:]]
    assert extended.joint_names == (*links.joint_names, *spinning_names)


@pytest.mark.parametrize('coupling', [False, True])
def test_all_wrenches_on_a_body_act(coupling, rng):
    links = random_model(rng, 4)
    rotors = [random_rotor(rng, j, *rotor_axis(links, j, sd.Rotor())) for j in range(4)]
    model = locked(links, rotors)
    entries = on_links_before(model, rotors).joints
    robot = ElasticRobot(sd.Robot(model, sd.Drives(entries, rotor_coupling=coupling)))
    q, theta, effort = rng.normal(size=(3, 4))
    state = robot.state(q, None, theta)
    wrenches = {name: rng.normal(size=6) for name in ('body_3', 'tool_3', 'tool_2', 'base')}
    pushed = robot.derivatives(state, effort, wrenches=wrenches)
    change = pushed - robot.derivatives(state, effort)
    push = sum(sd.frame_jacobian(model, q, name).T @ wrench for name, wrench in wrenches.items())
    if coupling:
        # of links and rotors: what turns a link also turns what spins on it
        matrix = sd.mass_matrix(spinning(links, rotors), np.concatenate([q, theta]))
        expected = np.linalg.solve(matrix, np.append(push, np.zeros(4)))
    else:
        expected = np.append(np.linalg.solve(sd.mass_matrix(model, q), push), np.zeros(4))
    _, link, _, motor = robot.split(change)
    np.testing.assert_allclose(
        np.append(link, motor), expected, rtol=0, atol=1e-11 * np.abs(expected).max()
    )
