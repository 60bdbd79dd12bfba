# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ElasticRobot`: equations of motion, integration, arguments."""

import tracemalloc

import numpy as np
import pytest
from oracles import two_links
from scipy.integrate import quad

import screw_dynamics as sd
from screw_dynamics.common.integration import integrate
from screw_dynamics.errors import (
    InputError,
    ModelError,
    NotFiniteError,
    ShapeError,
    SimulationError,
    SingularMassMatrixError,
    UnknownNameError,
)
from screw_dynamics.simulation import ElasticRobot, natural_frequencies

B = np.array(two_links.ROTORS)
SPRINGS = {
    'linear': sd.LinearSpring(150.0),
    'cubic': sd.CubicSpring(150.0, 4000.0),
    'exponential': sd.ExponentialSpring(100.0, 5.0),
    'variable': sd.VariableStiffness(120.0),
    'tabulated': sd.TabulatedSpring((-1.0, -0.3, 0.0, 0.4, 1.0), (-90.0, -20.0, 0.0, 30.0, 200.0)),
    'damped': sd.LinearSpring(150.0, 0.8),
}


@pytest.fixture(scope='module')
def model():
    return two_links.model()


def energy(spring, state):
    q, qd, theta, rate = state.reshape(4, 2)
    wound = sum(quad(spring.effort, 0.0, phi, epsabs=1e-12)[0] for phi in theta - q)
    return two_links.energy(q, qd) + 0.5 * B @ rate**2 + wound


@pytest.mark.parametrize('name', SPRINGS)
def test_energy_is_what_the_motors_put_in_less_what_is_lost(name, rng):
    spring = SPRINGS[name]
    viscous, coulomb, knee = 0.2, 0.3, 0.5
    motors = [sd.Motor(b, 1.0, viscous, coulomb, knee) for b in B]
    robot = ElasticRobot(two_links.robot(*(sd.JointDrive(spring, m) for m in motors)))
    times = np.linspace(0.0, 1.0, 2001)

    def effort(t, state=None):
        return np.array([np.sin(9.0 * t), 0.5 * np.cos(7.0 * t)])

    start = robot.state([-1.4, 0.5], [0.3, -0.2], [-1.45, 0.45], [0.1, 0.4])
    motion = robot.integrate(times, effort, start, rtol=1e-11)
    rate = motion.motor_velocity
    slip = rate - motion.velocity
    lost = viscous * rate**2 + coulomb * np.tanh(rate / knee) * rate
    lost += getattr(spring, 'damping', 0.0) * slip**2
    power = (np.array([effort(t) for t in times]) * rate - lost).sum(axis=1)
    work = (times[1] / 3.0) * (power[0] + power[-1] + 4.0 * power[1:-1:2].sum()
                               + 2.0 * power[2:-1:2].sum())  # fmt: skip
    states = np.hstack(
        [motion.position, motion.velocity, motion.motor_position, motion.motor_velocity]
    )
    gained = energy(spring, states[-1]) - energy(spring, states[0])
    assert gained == pytest.approx(work, abs=2e-8)
    assert abs(work) > 0.1


def test_fixed_steps_are_of_fourth_order():
    robot = ElasticRobot(two_links.robot())
    start = robot.state([-1.4, 0.5], None, [-1.45, 0.45])
    effort = np.array([-3.0, 1.0])
    exact = robot.integrate([0.0, 0.1], lambda t, y: effort, start, rtol=1e-13)
    errors = []
    for steps in (50, 100):
        state = start.copy()
        assert robot.step(state, effort, 0.1 / steps, steps=steps) is state
        errors.append(np.abs(robot.split(state)[0] - exact.position[-1]).max())
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.1)
    one_by_one = start.copy()
    for _ in range(100):
        robot.step(one_by_one, effort, 1e-3)
    assert np.array_equal(one_by_one, state)


def test_steps_take_no_memory():
    robot = ElasticRobot(two_links.robot())
    state, effort = robot.state([-1.4, 0.5]), np.zeros(2)
    robot.step(state, effort, 1e-3)
    tracemalloc.start()
    for _ in range(100):
        robot.step(state, effort, 1e-3)
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(1000):
        robot.step(state, effort, 1e-3)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 10_000  # an array kept per step would be ten times that


def test_progress_and_order_of_samples():
    robot = ElasticRobot(two_links.robot())
    seen = []
    start = robot.state([-1.4, 0.5])
    motion = robot.integrate(
        [0.0, 1e-4, 0.5], lambda t, y: np.zeros(2), start, progress=seen.append
    )
    assert seen == sorted(seen) and seen[-1] == 0.5 and len(seen) > 3
    assert np.array_equal(motion.position[0], [-1.4, 0.5])
    assert motion.evaluations > 12
    state = np.hstack([motion.position[1], motion.velocity[1]])
    assert np.allclose(state[:2], [-1.4, 0.5], atol=1e-5)


def test_what_cannot_be_simulated_is_named(model):
    spring = sd.LinearSpring(100.0)
    with pytest.raises(ModelError, match="motor 'joint_2': expected a rotor inertia above 0"):
        ElasticRobot(two_links.robot(None, sd.JointDrive(spring)))
    with pytest.raises(UnknownNameError, match='elbow'):
        ElasticRobot(sd.Robot(model, sd.Drives({'elbow': sd.JointDrive()})))
    with pytest.raises(InputError, match='expected Drives, got dict'):
        ElasticRobot(sd.Robot(model, {}))
    massless = sd.ScrewModel.from_screws(
        [-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.zeros((6, 6))]
    )
    robot = ElasticRobot(sd.Robot(massless, sd.Drives({'joint_1': sd.JointDrive()})))
    with pytest.raises(SimulationError, match="joint 'joint_1': expected an inertia above"):
        robot.derivatives(robot.state([0.0]), [1.0])
    with pytest.raises(SingularMassMatrixError):
        sd.forward_dynamics(massless, [0.0], [0.0], [1.0])


def test_bad_inputs_are_named():
    robot = ElasticRobot(two_links.robot())
    state = robot.state(two_links.START)
    with pytest.raises(ShapeError, match=r'motor_effort: expected shape \(2,\)'):
        robot.derivatives(state, np.zeros(3))
    with pytest.raises(NotFiniteError, match=r'state\[1\]'):
        robot.derivatives([0, np.nan, 0, 0, 0, 0, 0, 0], np.zeros(2))
    with pytest.raises(UnknownNameError, match='hand'):
        robot.derivatives(state, np.zeros(2), wrenches={'hand': np.zeros(6)})
    with pytest.raises(InputError, match='expected a mapping'):
        robot.derivatives(state, np.zeros(2), wrenches=[1.0])
    with pytest.raises(ShapeError, match='stiffness'):
        robot.derivatives(state, np.zeros(2), stiffness=[1.0])
    with pytest.raises(ShapeError, match='state'):
        robot.step(np.zeros(7), np.zeros(2), 1e-3)
    with pytest.raises(InputError, match='writable'):
        robot.step(np.zeros(16)[::2], np.zeros(2), 1e-3)
    with pytest.raises(InputError, match=r'times\[1\]: expected more than 1, got 0'):
        robot.integrate([1.0, 0.0], lambda t, y: np.zeros(2), state)
    with pytest.raises(InputError, match='method: expected one of DOP853'):
        robot.integrate([0.0, 1.0], lambda t, y: np.zeros(2), state, method='Euler')
    with pytest.raises(InputError, match="motor 'joint_1': expected stiffness"):
        natural_frequencies(two_links.robot(), two_links.START, stiffness=[0.0, 1.0])


def test_end_of_a_simulation_is_explained():
    table = sd.TabulatedSpring((-0.1, 0.0, 0.1), (-19.0, 0.0, 19.0))
    motor = sd.Motor(0.1)
    robot = ElasticRobot(two_links.robot(None, sd.JointDrive(table, motor)))
    start = robot.state(two_links.START)
    with pytest.raises(
        SimulationError, match=r"after .* s: motor 'joint_2': .* range of the spring"
    ):
        robot.integrate([0.0, 2.0], lambda t, y: np.array([0.0, 30.0]), start)
    linear = ElasticRobot(two_links.robot())
    with pytest.raises(SimulationError, match='a shorter step'):
        linear.step(start, np.zeros(2), 0.5, steps=200)
    # the one that is not finite, not the one with the largest deflection
    state = linear.state(two_links.START, None, two_links.START + np.array([5.0, 0.0]))
    state[5] = np.nan
    with pytest.raises(SimulationError, match="motor 'joint_2': the motion is not finite"):
        linear.step(state, np.zeros(2), 1e-3)


STIFFNESS, TIMES = 9.0, np.linspace(0.0, 2.0, 11)


class Oscillator:
    """A unit mass on a spring, pulled by a force."""

    state_size = 2

    def derivatives(self, state, force):
        if state[0] > 3.0:
            raise SimulationError('too far')
        return np.array([state[1], force - STIFFNESS * state[0]])


def test_any_system_is_integrated_under_its_inputs():
    seen = []
    times, states, evaluations = integrate(
        Oscillator(),
        TIMES,
        lambda t, state: {'force': STIFFNESS * 0.5},
        [1.5, 0.0],
        rtol=1e-10,
        progress=seen.append,
    )
    assert np.array_equal(times, TIMES) and seen[-1] == TIMES[-1] and evaluations > len(seen)
    expected = 0.5 + np.cos(np.sqrt(STIFFNESS) * TIMES)
    np.testing.assert_allclose(states[:, 0], expected, atol=1e-8)


def test_a_state_without_derivative_is_reported_with_its_time():
    with pytest.raises(SimulationError, match=r'^after [0-9.]+ s: too far$'):
        integrate(Oscillator(), TIMES, lambda t, state: {'force': 100.0}, [0.0, 0.0])


@pytest.fixture(scope='module')
def robot():
    return ElasticRobot(two_links.robot())


@pytest.mark.parametrize(
    'h', [-1e-3, np.nan, np.inf, 'a', '0', True, np.True_, np.complex128(1e-3), None, [1e-3]]
)
def test_length_of_a_step(robot, h):
    state = robot.state(two_links.START)
    with pytest.raises(InputError, match='h: expected a finite number of 0 or more, got'):
        robot.step(state, np.zeros(2), h)
    assert np.array_equal(state, robot.state(two_links.START))


@pytest.mark.parametrize('steps', [-3, 2.5, 'a', True, None])
def test_number_of_steps(robot, steps):
    with pytest.raises(InputError, match='steps: expected a whole number of 0 or more, got'):
        robot.step(robot.state(two_links.START), np.zeros(2), 1e-3, steps=steps)


def test_numbers_of_any_kind_are_taken(robot):
    one, other = (robot.state(two_links.START) for _ in range(2))
    robot.step(one, np.zeros(2), np.float64(0.001), steps=np.int64(2))
    robot.step(other, np.zeros(2), 0.001, steps=2)
    assert np.array_equal(one, other) and not np.array_equal(one, robot.state(two_links.START))
    for options in ({'h': 0}, {'h': 1e-3, 'steps': 0}):
        assert np.array_equal(robot.step(one, np.zeros(2), **options), other)


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'rtol': -1.0}, 'rtol: expected a finite number above 0, got -1.0'),
        ({'rtol': 0.0}, 'rtol: expected a finite number above 0, got 0.0'),
        ({'rtol': np.nan}, 'rtol: expected a finite number above 0, got nan'),
        ({'rtol': 'fine'}, "rtol: expected a finite number above 0, got 'fine'"),
        ({'atol': -1.0}, 'atol: expected a finite number of 0 or more, got -1.0'),
        ({'atol': np.nan}, 'atol: expected a finite number of 0 or more, got nan'),
    ],
)
def test_tolerances(robot, options, message):
    with pytest.raises(InputError, match=message):
        robot.integrate(
            [0.0, 0.1], lambda t, y: np.zeros(2), robot.state(two_links.START), **options
        )


def test_where_a_motion_begins(robot):
    jet = two_links.reference(0.2)
    feedforward = sd.elastic_feedforward(robot.robot, jet)
    start = robot.initial_state(jet, feedforward)
    expected = [*jet[:2].ravel(), *feedforward.motor_jet[:2].ravel()]
    np.testing.assert_array_equal(start, expected)
    empty = sd.elastic_feedforward(robot.robot, np.zeros((0, 5, 2)))
    for jets, motors, error, message in (
        (jet, None, InputError, 'feedforward: expected a MotorFeedforward, got NoneType'),
        (jet, empty, InputError, 'feedforward: expected at least one sample, got none'),
        ('abc', feedforward, InputError, 'joint_jet: expected real numbers'),
        (jet[0], feedforward, ShapeError, r'joint_jet: expected shape \(rows, 2\) with rows >= 2'),
    ):
        with pytest.raises(error, match=message):
            robot.initial_state(jets, motors)


def test_natural_frequencies_name_what_is_no_record():
    with pytest.raises(InputError, match='robot: expected one with drives, .* got none'):
        natural_frequencies(two_links.model(), two_links.START)
    with pytest.raises(InputError, match='model: expected a ScrewModel, got str'):
        natural_frequencies('robot', two_links.START)
