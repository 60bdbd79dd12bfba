# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node sea_simulator in this process, where it ticks when it is told to."""

import math
from contextlib import contextmanager

import numpy as np
import pytest
from helpers.node_processes import parameter
from helpers.planar_sea import (
    MAX_EFFORT,
    NAMES,
    STIFFNESS,
    gravity_efforts,
    integrate,
    link_efforts,
    mass_matrix,
    velocity_efforts,
    write_joints,
)
from rclpy.parameter import Parameter
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from screw_dynamics.common.times import SECOND, set_stamp
from screw_dynamics.control.report import ERROR, OK
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.sea_simulator.motor_drives import command_age, command_of_feedforward
from screw_dynamics.nodes.sea_simulator.node import SeaSimulatorNode
from screw_dynamics_interfaces.msg import MotorFeedforward

HOME = np.array([-1.2, 0.5])
RATE = 100.0
PERIOD = round(SECOND / RATE)
START = 50 * SECOND
BRAKES = 'the brakes are on'


class Recorder:
    """Stands for a publisher: times and states (3, n) of it."""

    def __init__(self):
        self.times, self.states = [], []

    def publish(self, time, state):
        self.times.append(time)
        self.states.append(np.array(state))

    def destroy(self):
        pass

    @property
    def last(self):
        return self.states[-1]


class Rig:
    """A node whose time is ours."""

    def __init__(self, node):
        self.node, self.now = node, START
        node._source.finish()
        for output in node._outputs:
            output.destroy()
        self.links, self.motors = node._outputs = [Recorder(), Recorder()]
        self.node.get_logger().set_level(50)

    def tick(self, count=1, step=PERIOD):
        for _ in range(count):
            self.now += step
            self.node._time._tick(self.now)

    def drive(self, *efforts):
        self.node._on_command(Float64MultiArray(data=[*efforts]))

    def send(self, instant=0, names=NAMES, efforts=(5.0, -3.0), positions=(0.0, 0.0)):
        message = MotorFeedforward(motor_names=list(names), motor_velocity=[0.0, 0.0])
        message.motor_effort, message.motor_position = list(efforts), list(positions)
        set_stamp(message.header.stamp, instant)
        self.node._on_command(message)

    def report(self):
        node = self.node
        return node._report.task(node._robot, node._time, node._values.rate)

    def reset(self):
        return self.node._on_reset(Trigger.Request(), Trigger.Response()).success


@pytest.fixture
def simulate(ros, planar, tmp_path):
    @contextmanager
    def simulate(text=None, **parameters):
        path = write_joints(tmp_path, text) if text else write_joints(tmp_path)
        values = {'urdf_path': planar, 'drives_path': path, 'rate': RATE, **parameters}
        with ros.made(SeaSimulatorNode, **values) as node:
            rig = Rig(node)
            if not values.get('publish_clock'):
                node._time.stop()
                node._time._tick(START)
            yield rig

    return simulate


def test_motion_agrees_with_equations_by_hand(simulate):
    with simulate(initial_position=HOME.tolist(), effort_timeout=0.0) as rig:
        rest = gravity_efforts(HOME)
        rig.tick()
        bent = HOME + rest / STIFFNESS
        np.testing.assert_allclose(rig.links.last[2], rest, atol=1e-12)
        np.testing.assert_allclose(rig.motors.last[0], bent, atol=1e-12)
        efforts = rest + [2.0, -1.0]
        rig.drive(*efforts)
        rig.tick(30)
        expected = integrate([*HOME, 0.0, 0.0, *bent, 0.0, 0.0], efforts, 30 / RATE)
        found = np.concatenate((*rig.links.last[:2], *rig.motors.last[:2]))
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)
        q, qd, theta, _ = expected.reshape(4, 2)
        tau = STIFFNESS * (theta - q)
        np.testing.assert_allclose(rig.links.last[2], tau, rtol=0, atol=1e-2)
        qdd = np.linalg.solve(mass_matrix(q), tau - velocity_efforts(q, qd) - gravity_efforts(q))
        np.testing.assert_allclose(link_efforts(q, qd, qdd), tau, atol=1e-9)
        np.testing.assert_array_equal(np.diff(rig.links.times), PERIOD)


def test_brakes_bad_input_and_reset(simulate):
    with simulate(initial_position=HOME.tolist(), effort_timeout=0.3) as rig:
        for bad in ([1.0], [1.0, math.nan], [1.0, 2.0, 3.0]):
            rig.drive(*bad)
        rig.tick()
        report = rig.report()
        assert report.message == (
            'last rejection: data: expected 2 values (joint_1, joint_2), got 3'
        )
        assert report.values['motor efforts rejected'] == 3
        assert (rig.links.last[0] == HOME).all()
        rig.drive(1000.0, 0.0)
        rig.tick(29)
        assert abs(rig.links.last[1, 0]) > 0.05
        assert rig.motors.last[2, 0] == MAX_EFFORT[0]
        rig.tick(2)
        stopped = rig.links.last[0]
        assert not np.allclose(stopped, HOME, atol=1e-4)
        np.testing.assert_array_equal(rig.links.last[1], 0.0)
        np.testing.assert_allclose(rig.links.last[2], gravity_efforts(stopped), atol=1e-12)
        assert rig.reset()
        rig.tick()
        assert (rig.links.last[0] == HOME).all()


def test_without_brakes_it_falls(simulate):
    with simulate(initial_position=HOME.tolist(), idle_mode='zero', effort_timeout=0.05) as rig:
        rig.tick(30)
        assert abs(rig.links.last[1, 0]) > 0.5
        assert not rig.motors.last[2].any()
        rig.drive(5.0, -1.0)
        rig.tick(5)
        np.testing.assert_array_equal(rig.motors.last[2], [5.0, -1.0])
        rig.tick()
        assert not rig.motors.last[2].any()


def test_a_motion_out_of_control_is_never_published(simulate):
    with simulate(effort_timeout=0.0, substeps=1, rate=20.0) as rig:
        rig.drive(50.0, 20.0)
        for _ in range(400):
            rig.tick(step=SECOND // 20)
            if rig.report().level == ERROR:
                break
        assert 'the motion is not finite' in rig.report().message
        assert np.isfinite(rig.links.states).all() and np.isfinite(rig.motors.states).all()
        rig.drive(50.0, 20.0)
        rig.tick(3, step=SECOND // 20)
        assert not rig.links.last[1].any()
        assert rig.reset()
        assert rig.report().level == OK


def test_feedback_of_the_motors_holds_a_position(simulate):
    """With motor positions to hold and no feedforward, feedback and weight balance."""
    with simulate(
        initial_position=HOME.tolist(),
        input='motor_feedforward',
        feedback__proportional=[2000.0],
        feedback__derivative=[40.0, 20.0],
        effort_timeout=0.0,
    ) as rig:
        rig.send(names=NAMES[::-1], efforts=(0.0, 0.0), positions=HOME[::-1].tolist())
        rig.tick(400)
        held = np.array(rig.motors.states[100:])
        feedback = 2000.0 * (HOME - held[:, 0]) - [40.0, 20.0] * held[:, 1]
        # the effort is the mean of the period that ends in this state, here of its trapezoid
        means = 0.5 * (feedback[1:] + feedback[:-1])
        np.testing.assert_allclose(held[1:, 2], means, atol=0.1)
        # the links swing on, undamped, about where weight and springs balance
        balance = 2000.0 * np.mean(HOME - held[:, 0], axis=0)
        np.testing.assert_allclose(balance, gravity_efforts(HOME), rtol=0.1)
        rig.send(names=['joint_1', 'elbow'])
        assert 'missing: joint_2' in rig.report().message
        change = rig.node.set_parameters
        (result,) = change([Parameter('feedback.proportional', value=[1.0, 2.0, 3.0])])
        assert not result.successful
        assert 'expected no value, one, or 2 (joint_1, joint_2), got 3' in result.reason
        for name in ('feedback.proportional', 'feedback.derivative'):
            assert rig.motors.last[2].any()
            (result,) = change([Parameter(name, value=[0.0])])
            assert result.successful
        rig.tick()
        assert not rig.motors.last[2].any()


def test_no_effort_outlives_its_time(simulate):
    with simulate(input='motor_feedforward') as rig:
        rig.send(1_700_000_000 * SECOND)
        assert 'got 1700000000.000 s' in rig.report().message
        rig.tick()
        assert not rig.motors.last[2].any()
        rig.send(rig.now)
        rig.tick()
        assert rig.motors.last[2].any()
        rig.now = SECOND  # the clock is set back
        rig.node._time._on_jump('Moved backwards in time')
        rig.tick(2)
        assert not rig.motors.last[2].any()


def test_time_that_was_left_out_does_not_age_efforts(simulate):
    """The efforts of that time may still be in the queue of the node."""
    with simulate(input='motor_feedforward', effort_timeout=2.0) as rig:
        rig.send()
        rig.tick()
        rig.tick(step=20 * SECOND)
        np.testing.assert_array_equal(rig.motors.last[2], [5.0, -3.0])
        rig.tick(200)
        assert not rig.motors.last[2].any()


def test_in_lock_step_the_brakes_come_on_where_efforts_end(simulate):
    """Time stands still while they are expected, and then goes on."""
    with simulate(
        publish_clock=True, lock_step_timeout=0.0, real_time_factor=0.0, effort_timeout=0.1
    ) as rig:
        rig.drive(5.0, -1.0)
        for _ in range(30):
            rig.node._time._look()
        driven = [state[2].tolist() for state in rig.motors.states if state[2].any()]
        assert driven == [[5.0, -1.0]] * 10
        assert not rig.motors.last[2].any()
        assert rig.report().values['states without motor efforts'] == 1


@pytest.mark.parametrize('ahead', [-60.0, -0.5, 0.0, 1.0, 2.0])
def test_age(ahead):
    now = 1_700_000_000 * SECOND
    given = command_of_feedforward(command(now + round(ahead * SECOND)), NAMES)
    assert command_age(given, now) == -ahead
    assert command_age(command_of_feedforward(command(), NAMES), now) == 0.0


@pytest.mark.parametrize('now, instant', [(3.0, 1.7e9), (1.7e9, 3.0), (3.0, 5.5), (70.0, 9.5)])
def test_another_clock(now, instant):
    given = command_of_feedforward(command(round(instant * SECOND)), NAMES)
    with pytest.raises(InputError, match=rf'it is {now:.3f} s, got {instant:.3f} s: is use_sim_'):
        command_age(given, round(now * SECOND))


def command(instant=0):
    message = MotorFeedforward(motor_names=NAMES)
    for field in ('motor_position', 'motor_velocity', 'motor_effort'):
        setattr(message, field, [0.0, 0.0])
    set_stamp(message.header.stamp, instant)
    return message


def test_a_motor_that_is_named_twice():
    message = command()
    message.motor_names = [*NAMES, 'joint_1']
    with pytest.raises(InputError, match='motor_names: expected each of .*; twice: joint_1'):
        command_of_feedforward(message, NAMES)


@pytest.mark.parametrize(
    'parameters, reason',
    [
        ({'drives_path': "''"}, 'expected a file with the springs and motors'),
        ({'drives_path': '/no/such.yaml'}, "expected a file, got '/no/such.yaml'"),
        (
            {'text': 'drives: {joint_1: {sprung: 1}}'},
            'joints.yaml: drives.joint_1',
        ),
        ({'text': 'drives: {elbow: {spring: {type: rigid}}}'}, "unknown joint 'elbow'"),
        (
            {'text': 'drives: {joint_1: {spring: {type: linear, stiffness: 100.0}}}'},
            "motor 'joint_1': expected a rotor inertia above 0 behind a spring",
        ),
        (
            {
                'text': 'drives: {joint_2: {motor: {rotor_inertia: 0.1}, spring: {type: '
                'tabulated, deflections: [0.1, 0.2, 0.4], efforts: [3.0, 8.0, 20.0]}}}'
            },
            "'substeps': expected 1 or more, as 0 takes springs whose stiffness at rest is known",
        ),
        ({'initial_position': [1.0] * 3}, "'initial_position': expected no value, one, or 2"),
        (
            {'feedback__proportional': [1.0]},
            "expected none with input 'commands', which carries no motor positions",
        ),
    ],
)
def test_a_bad_start_says_why(simulate, parameters, reason):
    with pytest.raises(InputError) as raised, simulate(**parameters):
        pass
    assert reason in str(raised.value)


PARAMETERS = {
    'feedback.proportional': ([], [5.0], [1e9], [0.0, 1.0], [1.0] * 3, [-1.0], 'nose'),
    'feedback.derivative': ([], [1.0], [1e9, 0.0], [np.nan, 1.0]),
    'effort_timeout': (0.0, 0.01, -1.0, True),
    'idle_mode': ('brake', 'zero', 'fly'),
    'gravity': ([0.0, 0.0, -9.81], [1e6, 0.0, 0.0], [0.0]),
    'payload.mass': (0.0, 3.0, 1e6),
    'payload.frame': ('link_2', 'nose'),
}


def random_values(rng):
    """Return a list of numbers, of the right length mostly, some of them beyond all use."""
    size = int(rng.choice([2, 2, 2, 2, 0, 1, 3]))
    scale = 10.0 ** rng.choice([0, 0, 1, 3, 150, 307])
    row = scale * rng.normal(size=size)
    if rng.random() < 0.1:
        row[rng.integers(size, size=min(size, 1))] = rng.choice([np.nan, np.inf])
    return row.tolist()


def random_command(rng, kind):
    if kind == 'commands':
        return Float64MultiArray(data=random_values(rng))
    names = [NAMES, NAMES[::-1], ['joint_1'], [*NAMES, 'nose'], []][rng.choice(5)]
    message = MotorFeedforward(motor_names=names)
    for field in ('motor_effort', 'motor_position', 'motor_velocity'):
        setattr(message, field, random_values(rng))
    message.header.stamp.sec = int(rng.choice([0, 1, 50, 2**31 - 1, -(2**31)]))
    return message


@pytest.mark.parametrize('kind', ['commands', 'motor_feedforward'])
def test_anything_at_all(simulate, rng, kind):
    with simulate(input=kind) as rig, np.errstate(over='ignore', invalid='ignore'):
        for i in range(600):
            rig.node._on_command(random_command(rng, kind))
            if i % 20 == 0:
                name = str(rng.choice(list(PARAMETERS)))
                value = PARAMETERS[name][rng.integers(len(PARAMETERS[name]))]
                change = Parameter.from_parameter_msg(parameter(name, value))
                (result,) = rig.node.set_parameters([change])
                assert result.successful or result.reason
                rig.node._source.finish()
            if i % 100 == 0:
                rig.reset()
            rig.tick()
        assert len(rig.links.states) > 600
        assert np.isfinite(rig.links.states).all() and np.isfinite(rig.motors.states).all()
        assert rig.reset()
