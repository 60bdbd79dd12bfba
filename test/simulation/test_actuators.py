# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Actuators and rotors in simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.rotor_robot import locked, random_rotor, spinning

import screw_dynamics as sd
from screw_dynamics.drives.rotors import rotor_axis
from screw_dynamics.errors import ModelError
from screw_dynamics.simulation import ElasticRobot
from screw_dynamics.simulation.robot_tables import robot_tables

FRICTION = sd.JointFriction(2.0, 1.0, 0.1, 1.6, 0.3, 0.2, 0.5)
MOTOR = sd.Motor(
    1e-4,
    100.0,
    2e-4,
    2e-2,
    5.0,
    breakaway_friction=3e-2,
    stribeck_velocity=20.0,
    load_friction=0.3,
    load_effort=0.01,
)
BALANCE = sd.BalancingSpring(400.0, (0.1, 0.0, 0.3), (0.0, 0.1, 0.2), free_length=0.05)
SPRINGS = {
    'rigid': None,
    'linear': sd.LinearSpring(900.0),
    'damped': sd.LinearSpring(900.0, 9.0),
    'cubic': sd.CubicSpring(500.0, 4e4),
    'pair': sd.AntagonisticPair('exponential', 900.0, spring_stiffness=40.0, rate=6.0),
}


@pytest.fixture(scope='module')
def arm() -> sd.ScrewModel:
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


def drives(arm, names):
    """Return joints with these springs in turn, all with friction and parallel springs."""
    parts = {}
    for j, name in enumerate(arm.joint_names):
        kind = names[j % len(names)]
        parallel = BALANCE if j % 2 else sd.TorsionSpring(30.0, 0.2)
        parts[name] = sd.JointDrive(
            SPRINGS[kind], MOTOR, friction=FRICTION, parallel_spring=parallel
        )
    return sd.Drives(parts)


@pytest.mark.parametrize(
    ('names', 'coupling'),
    [
        *((names, False) for names in (['rigid'], ['cubic'], ['pair'], ['damped'], list(SPRINGS))),
        *((names, True) for names in (['linear'], ['linear', 'cubic'])),
    ],
    ids=str,
)
def test_motor_efforts_cause_the_motion_that_they_are_computed_for(arm, rng, names, coupling):
    driven = sd.Robot(arm, replace(drives(arm, names), rotor_coupling=coupling))
    robot = ElasticRobot(driven)
    for _ in range(3):
        jet = 0.7 * random_joint_jet(rng, arm.n, driven.required_rows - 3)
        motors = sd.elastic_feedforward(driven, jet)
        state = robot.initial_state(jet, motors)
        slope = robot.derivatives(state, motors.motor_effort)
        _, acceleration, _, motor_acceleration = robot.split(slope)
        size = np.abs(motors.motor_effort).max()
        np.testing.assert_allclose(acceleration, jet[2], rtol=0, atol=1e-10 * size)
        expected = motors.motor_acceleration
        np.testing.assert_allclose(motor_acceleration, expected, rtol=0, atol=1e-10 * size)


def test_friction_under_load_needs_a_load_of_one_side(arm):
    driven = sd.Robot(arm, sd.Drives({'joint_2': sd.JointDrive(motor=MOTOR)}, rotor_coupling=True))
    with pytest.raises(ModelError, match="joint 'joint_2': expected friction without load-dep"):
        ElasticRobot(driven)


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
