# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear state-space models against the equations of motion that they linearise."""

import numpy as np
import pytest
from oracles import two_links
from oracles.random_models import TREE, BodyRecipe, random_joint_jet, random_model

import screw_dynamics as sd
from screw_dynamics.errors import (
    InputError,
    ModelError,
    NotFiniteError,
    ShapeError,
    SimulationError,
)
from screw_dynamics.simulation import ElasticRobot, natural_frequencies
from screw_dynamics.theory.sensitivities import acceleration_partials

LARGER = [*TREE, BodyRecipe('prismatic', parent_back=9)]
FRICTION = sd.JointFriction(0.3, 0.4, 0.3, 0.6, 0.5, 0.2, 0.3)
RUBBED = sd.Motor(
    0.2,
    1.5,
    viscous_friction=0.1,
    coulomb_friction=0.3,
    coulomb_velocity=0.4,
    breakaway_friction=0.5,
    stribeck_velocity=0.6,
    load_friction=0.15,
    load_effort=0.2,
)
SPRINGS = {
    'linear': sd.LinearSpring(150.0),
    'damped': sd.LinearSpring(150.0, 0.8),
    'cubic': sd.CubicSpring(150.0, 400.0),
    'exponential': sd.ExponentialSpring(100.0, 2.0),
    'variable': sd.VariableStiffness(120.0),
    'tabulated': sd.TabulatedSpring((-2.0, -0.3, 0.0, 0.4, 2.0), (-90.0, -20.0, 0.0, 30.0, 200.0)),
    'pair': sd.AntagonisticPair('exponential', 50.0, 25.0, rate=2.0),
    'tendons': sd.AntagonisticPair('quadratic', 50.0, quadratic_stiffness=90.0),
}


def slopes(function, at, step):
    """Return the Jacobian by central differences of order 6, whose error is step^6."""
    at = np.asarray(at, dtype=float)
    columns = []
    for unit in np.eye(len(at)):
        values = [
            function(at + k * step * unit) - function(at - k * step * unit) for k in (1, 2, 3)
        ]
        columns.append((45.0 * values[0] - 9.0 * values[1] + values[2]) / (60.0 * step))
    return np.column_stack(columns)


def assert_linearizes(robot, rng, step=2e-3, tolerance=1e-9, stiffness=None):
    """Compare A and B with differences of the right-hand side of the simulation."""
    simulation = ElasticRobot(robot)
    table = robot.motors
    q, qd = random_joint_jet(rng, robot.n, 0)[:2]
    theta = q[table.joint_of_motor] + rng.uniform(0.05, 0.25, table.m)
    theta_rate, tau = rng.uniform(-1.0, 1.0, (2, table.m))
    rigid = table.laws[table.joint_of_motor] == 0
    theta[rigid] = q[table.joint_of_motor[rigid]]
    found = sd.linearized_dynamics(
        robot, q, qd, tau,
        motor_position=theta, motor_velocity=theta_rate, stiffness=stiffness,
    )  # fmt: skip
    state = simulation.state(q, qd, theta, theta_rate)
    elastic = np.flatnonzero(~rigid)
    start = 2 * table.n
    entries = np.r_[:start, start + elastic, start + table.m + elastic]
    at = {'stiffness': stiffness}
    by_state = slopes(lambda x: simulation.derivatives(x, tau, **at), state, step)
    by_input = slopes(lambda u: simulation.derivatives(state, u, **at), tau, step)
    by_state, by_input = by_state[np.ix_(entries, entries)], by_input[entries]
    for got, expected in ((found.state_matrix, by_state), (found.input_matrix, by_input)):
        size = np.abs(expected).max()
        np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * size)
    derivative = simulation.derivatives(state, tau, **at)[entries]
    np.testing.assert_array_equal(found.derivative, derivative)
    assert len(found.state_names) == len(entries) == len(found.state_matrix)


def test_rigid_robots(rng):
    model = random_model(rng, LARGER)
    q, qd, tau = random_joint_jet(rng, model.n, 0)
    A, B, derivative, names = sd.linearized_dynamics(model, q, qd, tau)
    by_position, by_rate, by_effort = acceleration_partials.forward_dynamics_partials(
        model, q, qd, tau
    )
    zero, one = np.zeros((model.n, model.n)), np.eye(model.n)
    expected = np.block([[zero, one], [by_position, by_rate]])
    # solved with the mass matrix
    bound = 1e-15 * max(np.linalg.cond(sd.mass_matrix(model, q)), 100.0) * model.n
    np.testing.assert_allclose(A, expected, rtol=0, atol=bound * np.abs(expected).max())
    expected = np.vstack([zero, by_effort])
    np.testing.assert_allclose(B, expected, rtol=0, atol=bound * np.abs(expected).max())
    np.testing.assert_allclose(derivative[model.n :], sd.forward_dynamics(model, q, qd, tau))
    assert names[0] == f'q {model.joint_names[0]}'
    assert names[-1] == f"q' {model.joint_names[-1]}"


@pytest.mark.parametrize('name', SPRINGS)
def test_springs(name, rng):
    model = random_model(rng, LARGER)
    motors = {'second_motor': sd.Motor(0.3)} if name in ('pair', 'tendons') else {}
    joint = sd.JointDrive(SPRINGS[name], sd.Motor(0.2, 1.5), **motors)
    robot = sd.Robot(model, sd.Drives({model.joint_names[j]: joint for j in (0, 2)}))
    stiffness = [90.0, 140.0] if name == 'variable' else None
    assert_linearizes(robot, rng, stiffness=stiffness)


@pytest.mark.parametrize('spring', [None, sd.LinearSpring(150.0, 0.8)], ids=['rigid', 'damped'])
def test_friction_under_load(spring, rng):
    model = random_model(rng, LARGER)
    joint = sd.JointDrive(spring, RUBBED, friction=FRICTION)
    robot = sd.Robot(model, sd.Drives(dict.fromkeys(model.joint_names, joint)))
    assert_linearizes(robot, rng, step=4e-3, tolerance=2e-8)


def test_parallel_springs(rng):
    parallel = sd.JointDrive(
        sd.LinearSpring(150.0), sd.Motor(0.1), parallel_spring=sd.TorsionSpring(40.0, 0.3)
    )
    assert_linearizes(two_links.robot(parallel), rng)


@pytest.mark.parametrize('rigid', [(), (1,), (0, 2)], ids=str)
def test_rotors_on_moving_links(rigid, rng):
    model = random_model(
        rng, [BodyRecipe(), BodyRecipe(), BodyRecipe(parent_back=2), BodyRecipe()]
    )
    entries = {
        name: sd.JointDrive(
            None if j in rigid else sd.LinearSpring(300.0), sd.Motor(1e-3, 20.0, 0.01)
        )
        for j, name in enumerate(model.joint_names)
    }
    assert_linearizes(sd.Robot(model, sd.Drives(entries, rotor_coupling=True)), rng)


def test_natural_frequencies(rng):
    """At rest, without gravity and friction, the eigenvalues of A are the natural frequencies."""
    model = random_model(rng, LARGER, gravity=(0.0, 0.0, 0.0))
    joint = sd.JointDrive(sd.LinearSpring(150.0), sd.Motor(0.2, 1.5))
    robot = sd.Robot(model, sd.Drives(dict.fromkeys(model.joint_names[1:], joint)))
    q = rng.uniform(-1.0, 1.0, model.n)
    rest = np.zeros(model.n)
    A = sd.linearized_dynamics(robot, q, rest, rest).state_matrix
    squares = np.sort(np.linalg.eigvals(A @ A).real)[: 2 * (model.n - 1)]
    expected = natural_frequencies(robot, q)[::-1]
    np.testing.assert_allclose(np.sqrt(-squares), np.repeat(expected, 2), rtol=1e-9)


def test_bad_arguments(rng):
    model = two_links.model()
    for place, name in enumerate(('q', 'qd', 'tau')):
        arguments = [[0.0, 0.0] if k != place else [0.0] for k in range(3)]
        with pytest.raises(ShapeError, match=f'^{name}: expected shape'):
            sd.linearized_dynamics(model, *arguments)
        arguments[place] = [0.0, np.nan]
        with pytest.raises(NotFiniteError, match=rf'^{name}\[1\]: expected a finite number'):
            sd.linearized_dynamics(model, *arguments)
    with pytest.raises(ShapeError, match='stiffness: expected shape'):
        sd.linearized_dynamics(model, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], stiffness=[1.0])
    with pytest.raises(InputError, match='model: expected a ScrewModel'):
        sd.linearized_dynamics('robot', [0.0], [0.0], [0.0])
    massless = two_links.robot(sd.JointDrive(sd.LinearSpring(1.0)), None)
    with pytest.raises(ModelError, match='expected a rotor inertia above 0'):
        sd.linearized_dynamics(massless, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    torn = two_links.robot(sd.JointDrive(SPRINGS['tabulated'], sd.Motor(0.1)))
    with pytest.raises(SimulationError, match='within the range of the spring'):
        sd.linearized_dynamics(torn, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], motor_position=[9.0, 0.0])
