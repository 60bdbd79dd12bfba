# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ElasticRobot`: equations of motion, integration, arguments."""

import tracemalloc

import numpy as np
import pytest
from oracles import two_links

import screw_dynamics as sd
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
from screw_dynamics.simulation.natural_frequencies import damping_rate, parallel_frequency


@pytest.fixture(scope='module')
def model():
    return two_links.model()


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
    with pytest.raises(InputError, match='expected stiffness over inertia that is a finite'):
        natural_frequencies(two_links.robot(), two_links.START, stiffness=[1e308, 1.0])


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


@pytest.fixture(scope='module')
def robot():
    return ElasticRobot(two_links.robot())


def test_numbers_of_any_kind_are_taken(robot):
    one, other = (robot.state(two_links.START) for _ in range(2))
    robot.step(one, np.zeros(2), np.float64(0.001), steps=np.int64(2))
    robot.step(other, np.zeros(2), 0.001, steps=2)
    assert np.array_equal(one, other) and not np.array_equal(one, robot.state(two_links.START))
    for options in ({'h': 0}, {'h': 1e-3, 'steps': 0}):
        assert np.array_equal(robot.step(one, np.zeros(2), **options), other)


@pytest.mark.parametrize(
    ('method', 'options', 'message'),
    [
        *(('step', {'h': h}, 'h: expected a finite number of 0 or more, got')
          for h in (-1e-3, np.nan, '0', True, None, [1e-3])),
        *(('step', {'h': 1e-3, 'steps': steps}, 'steps: expected a whole number of 0 or more, got')
          for steps in (-3, 2.5, True)),
        *(('integrate', {'rtol': rtol}, 'rtol: expected a finite number above 0, got')
          for rtol in (0.0, np.nan, 'fine')),
        *(('integrate', {'atol': atol}, 'atol: expected a finite number of 0 or more, got')
          for atol in (-1.0, np.nan)),
    ],
)  # fmt: skip
def test_numbers_that_are_refused(robot, method, options, message):
    state = robot.state(two_links.START)
    arguments = (state, np.zeros(2)) if method == 'step' else ([0.0, 0.1], np.zeros, state)
    with pytest.raises(InputError, match=message):
        getattr(robot, method)(*arguments, **options)
    assert np.array_equal(state, robot.state(two_links.START))


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


def test_the_damping_rate_is_that_of_the_equations_of_motion():
    """At rest under gravity, by central differences of the accelerations by the rates."""
    motor = sd.Motor(
        0.1, viscous_friction=0.5, coulomb_friction=0.3, coulomb_velocity=0.4,
        breakaway_friction=0.4, stribeck_velocity=0.6, load_friction=0.1, load_effort=0.2,
    )  # fmt: skip
    friction = sd.JointFriction(0.3, 0.4, 0.5, 0.6, 0.7, 0.2, 0.3)
    near = sd.JointDrive(sd.LinearSpring(200.0, 0.8), motor, friction=friction)
    arm = two_links.robot(near, sd.JointDrive(sd.LinearSpring(200.0, 0.1), sd.Motor(0.05)))
    robot, q = ElasticRobot(arm), two_links.START
    gravity, derivative = two_links.bias(q, 0.0 * q), np.array([3.0, 0.2])
    rest = robot.state(q, None, q + gravity / 200.0)

    def rates(step):
        """Return how much rates (q', theta') slow themselves down."""
        ends = [robot.derivatives(rest + side * step, gravity) for side in (1.0, -1.0)]
        return -(ends[0] - ends[1]) @ step / (2.0 * step @ step)

    links, motors = (np.array([rates(1e-5 * np.eye(8)[k]) for k in ks]) for ks in ((2, 3), (6, 7)))
    expected = links + motors + derivative / [0.1, 0.05]
    assert expected[0] > expected[1]
    assert damping_rate(arm, q, derivative) == pytest.approx(expected[0], rel=1e-6)


@pytest.mark.parametrize('stiffness', [(30.0, 2.0), (2.0, 30.0), (0.0, 30.0)])
def test_the_frequency_on_parallel_springs_is_the_highest(stiffness):
    entries = [
        sd.JointDrive(parallel_spring=sd.TorsionSpring(k) if k else None) for k in stiffness
    ]
    mobility = np.diag(np.linalg.inv(two_links.mass_matrix(two_links.START)))
    found = parallel_frequency(two_links.robot(*entries), two_links.START)
    assert found == pytest.approx(np.sqrt(max(stiffness * mobility)), rel=1e-12)


@pytest.mark.parametrize('spring', [None, sd.TorsionSpring(2.0)])
@pytest.mark.parametrize('rotor', [0.01, 5.0])
def test_friction_that_holds_a_rotor_has_a_frequency_beside_those_of_springs(spring, rotor):
    grip = sd.Motor(rotor, coulomb_friction=1.0, presliding_stiffness=5000.0)
    held = sd.JointDrive(sd.LinearSpring(70.0), grip, parallel_spring=spring)
    link = 1.0 / np.linalg.inv(two_links.mass_matrix(two_links.START))[0, 0]
    assert 0.01 < link < 5.0
    found = parallel_frequency(two_links.robot(held, None), two_links.START)
    assert found == pytest.approx(np.sqrt(5000.0 / max(rotor, link)), rel=1e-12)
    assert parallel_frequency(two_links.robot(), two_links.START) == 0.0
