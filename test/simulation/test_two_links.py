# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion against those of a two-link arm derived by hand."""

import numpy as np
import pytest
from oracles import two_links

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.simulation import ElasticRobot, natural_frequencies

K, B = np.array(two_links.STIFFNESS), np.array(two_links.ROTORS)

TABLE = np.linspace(-3.0, 3.0, 13)
# spring of both joints, and its law f(phi, phi')
SPRINGS = {
    'linear': (sd.LinearSpring(70.0), lambda phi, rate: 70.0 * phi),
    'damped': (sd.LinearSpring(70.0, 4.0), lambda phi, rate: 70.0 * phi + 4.0 * rate),
    'variable': (sd.VariableStiffness(60.0), lambda phi, rate: 60.0 * phi),
    'cubic': (sd.CubicSpring(50.0, 900.0), lambda phi, rate: 50.0 * phi + 900.0 * phi**3),
    'exponential': (sd.ExponentialSpring(30.0, 2.0), lambda phi, rate: 15.0 * np.sinh(2.0 * phi)),
    # a quartic stencil reproduces a cubic: the spline through its values is the cubic itself
    'tabulated': (
        sd.TabulatedSpring(TABLE, 50.0 * TABLE + 2.0 * TABLE**3),
        lambda phi, rate: 50.0 * phi + 2.0 * phi**3,
    ),
}


@pytest.fixture(scope='module')
def model():
    return two_links.model()


@pytest.mark.parametrize('name', SPRINGS)
def test_derivatives_for_every_spring(name, rng):
    spring, law = SPRINGS[name]
    friction = {'viscous_friction': 0.3, 'coulomb_friction': 0.4, 'coulomb_velocity': 0.2}
    entries = [sd.JointDrive(spring, sd.Motor(inertia, **friction)) for inertia in B]
    robot = ElasticRobot(two_links.robot(*entries))
    for _ in range(20):
        state, effort = rng.uniform(-1.2, 1.2, 8), rng.normal(size=2)
        expected = two_links.derivative(
            state, effort, law, lambda rate: 0.3 * rate + 0.4 * np.tanh(rate / 0.2)
        )
        result = robot.derivatives(state, effort)
        assert np.abs(result - expected).max() < 1e-12 * np.abs(expected).max()


def test_variable_stiffness_follows_what_it_is_given(rng):
    entries = [sd.JointDrive(sd.VariableStiffness(60.0), sd.Motor(b)) for b in B]
    robot = ElasticRobot(two_links.robot(*entries))
    state, effort, stiffness = rng.normal(size=8), rng.normal(size=2), np.array([30.0, 90.0])
    expected = two_links.derivative(
        state, effort, lambda phi, rate: stiffness * phi, lambda rate: 0.0 * rate
    )
    result = robot.derivatives(state, effort, stiffness=stiffness)
    assert np.abs(result - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize(
    ('fields', 'law'),
    [
        (
            {'law': 'exponential', 'spring_stiffness': 20.0, 'rate': 3.0},
            lambda x: 20.0 / 3.0 * np.expm1(3.0 * x),
        ),
        ({'law': 'quadratic', 'quadratic_stiffness': 90.0}, lambda x: 90.0 * max(x, 0.0) ** 2),
        (
            {'law': 'cubic', 'spring_stiffness': 20.0, 'cubic_stiffness': 90.0},
            lambda x: 20.0 * x + 90.0 * x**3,
        ),
    ],
    ids=['exponential', 'quadratic', 'cubic'],
)
def test_derivatives_for_an_antagonistic_pair(model, fields, law, rng):
    pair = sd.AntagonisticPair(stiffness=50.0, **fields)
    joint = sd.JointDrive(pair, sd.Motor(0.1), sd.Motor(0.2, viscous_friction=0.5))
    robot = ElasticRobot(
        sd.Robot(model, sd.Drives({'joint_2': joint, 'joint_1': sd.JointDrive()}))
    )
    for _ in range(20):
        q, qd, theta, rate = rng.normal(size=2), rng.normal(size=2), rng.normal(size=3), None
        rate, effort = rng.normal(size=3), rng.normal(size=3)
        f1, f2 = law(theta[1] - q[1]), -law(-(theta[2] - q[1]))
        qdd = np.linalg.solve(
            two_links.mass_matrix(q), np.array([effort[0], f1 + f2]) - two_links.bias(q, qd)
        )
        motors = [(effort[1] - f1) / 0.1, (effort[2] - 0.5 * rate[2] - f2) / 0.2]
        expected = np.concatenate([qd, qdd, qd[:1], rate[1:], qdd[:1], motors])
        result = robot.derivatives(robot.state(q, qd, theta, rate), effort)
        assert np.abs(result - expected).max() < 1e-12 * np.abs(expected).max()


def test_rotor_of_a_rigid_joint_joins_the_mass_matrix(rng):
    rigid = sd.JointDrive(motor=sd.Motor(0.7, viscous_friction=0.3))
    robot = ElasticRobot(two_links.robot(rigid, None))
    q, qd, effort = rng.normal(size=2), rng.normal(size=2), rng.normal(size=2)
    theta, rate = np.array([q[0], 0.4]), np.array([qd[0], -0.6])
    matrix = two_links.mass_matrix(q) + np.diag([0.7, 0.0])
    tau = np.array([effort[0] - 0.3 * qd[0], K[1] * (theta[1] - q[1])])
    qdd = np.linalg.solve(matrix, tau - two_links.bias(q, qd))
    expected = [*qd, *qdd, qd[0], rate[1], qdd[0], (effort[1] - tau[1]) / B[1]]
    result = robot.derivatives(robot.state(q, qd, theta, rate), effort)
    assert np.allclose(result, expected, rtol=1e-12, atol=0.0)


def test_frequencies_with_a_rigid_joint_and_a_pair(model):
    pair = sd.AntagonisticPair(
        'cubic', stiffness=140.0, spring_stiffness=70.0, cubic_stiffness=9.0
    )
    entries = (
        sd.JointDrive(motor=sd.Motor(0.4)),
        sd.JointDrive(pair, sd.Motor(0.05), sd.Motor(0.2)),
    )
    arm = two_links.robot(*entries)
    weightless = sd.ScrewModel.from_screws(
        model.parents, model.home_poses, model.screws, model.inertias, (0.0, 0.0, 0.0)
    )
    robot = ElasticRobot(arm.with_model(weightless))
    rest = robot.state(two_links.START)
    steps = 1e-6 * np.eye(len(rest))
    columns = [robot.derivatives(rest + step, np.zeros(3)) for step in steps]
    # theta of the rigid joint is not a state of its own
    linear = np.delete(np.delete(np.array(columns).T / 1e-6, [4, 7], 0), [4, 7], 1)
    expected = np.sort(np.linalg.eigvals(linear).imag)[-2:]
    assert np.allclose(natural_frequencies(arm, two_links.START), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ('spring', 'slope'),
    [
        (sd.LinearSpring(70.0, 4.0), 70.0),
        (sd.VariableStiffness(60.0), 60.0),
        (sd.CubicSpring(50.0, 900.0), 50.0),
        (sd.ExponentialSpring(30.0, 2.0), 30.0),
        (sd.TabulatedSpring(TABLE, 50.0 * TABLE + 2.0 * TABLE**3), 50.0),
        # at rest it is deflected by 0.7
        (sd.TabulatedSpring(TABLE + 0.7, 50.0 * TABLE + 2.0 * TABLE**3), 50.0),
    ],
    ids=['damped', 'variable', 'cubic', 'exponential', 'tabulated', 'preloaded'],
)
def test_frequencies_are_those_of_springs_that_transmit_no_effort(spring, slope):
    one, linear = (
        two_links.robot(*(sd.JointDrive(s, sd.Motor(inertia)) for inertia in B))
        for s in (spring, sd.LinearSpring(slope))
    )
    expected = natural_frequencies(linear, two_links.START)
    frequencies = natural_frequencies(one, two_links.START)
    np.testing.assert_allclose(frequencies, expected, rtol=1e-12)


def test_a_table_without_rest_has_no_frequencies_of_its_own():
    pulled = sd.TabulatedSpring((0.1, 0.2, 0.4), (3.0, 8.0, 20.0))
    robot = two_links.robot(None, sd.JointDrive(pulled, sd.Motor(0.1)))
    with pytest.raises(InputError, match="table of joint 'joint_2' does not contain effort 0"):
        natural_frequencies(robot, two_links.START)
    slopes = [200.0, 70.0]
    assert natural_frequencies(robot, two_links.START, stiffness=slopes).shape == (2,)


def test_joints_that_move_no_mass_are_named_but_for_rigid_ones_with_a_rotor():
    flange = sd.ScrewModel.from_screws(
        [-1, 0], [np.eye(4)] * 2, [[0, 0, 1, 0, 0, 0]] * 2, [np.eye(6), np.zeros((6, 6))]
    )
    soft = sd.JointDrive(sd.LinearSpring(70.0), sd.Motor(0.5))
    with pytest.raises(InputError, match=r'joints that move mass, .* at q = \[0.0, 1.0\]'):
        natural_frequencies(two_links.robot(soft, soft).with_model(flange), [0.0, 1.0])
    rigid = sd.JointDrive(motor=sd.Motor(0.25))
    # the flange spins freely: 70 (1 / 1 + 1 / 0.5)
    frequencies = natural_frequencies(two_links.robot(soft, rigid).with_model(flange), [0.0, 1.0])
    np.testing.assert_allclose(frequencies, np.sqrt(210.0), rtol=1e-12)


def test_error_of_the_rigid_feedforward(model):
    robot = ElasticRobot(two_links.robot())

    def rigid(t, y):
        jet = two_links.reference(t, 3)
        return sd.inverse_dynamics(model, jet)[0] + B * jet[2]

    tau = sd.inverse_dynamics(model, two_links.reference(0.0, 3))[0]
    start = robot.state(two_links.START, None, two_links.START + tau / K)
    motion = robot.integrate(np.linspace(0.0, 1.0, 1001), rigid, start, rtol=1e-9)
    error = np.abs(motion.position - [two_links.reference(t)[0] for t in motion.times]).max()
    # measured in another program
    assert error == pytest.approx(4.199e-3, rel=2e-3)
