# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node sea_simulator over DDS: its motion against equations by hand, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers.node_processes import keep_all
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
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics_interfaces.msg import MotorFeedforward

HOME = np.array([-1.2, 0.5])
RATE = 100.0
CAUGHT_UP = 10  # steps, a tenth of a second


class Simulation:
    """A running simulator and what it publishes."""

    def __init__(self, ros, planar, folder, name, **parameters):
        self.ros, self.topic = ros, f'/{name}/sea_simulator'
        self.process = ros.start(
            'sea_simulator',
            namespace=f'/{name}',
            urdf_path=planar,
            elastic_joints_path=write_joints(folder),
            initial_position=HOME.tolist(),
            diagnostic_updater__period=0.1,
            **{'rate': RATE, **parameters},
        )
        self.links = ros.listen(JointState, f'/{name}/joint_states')
        self.motors = ros.listen(JointState, f'/{name}/motor_states')
        self.reports = ros.listen(DiagnosticArray, '/diagnostics')
        ros.wait_for('states', lambda: self.links and self.motors, self.process)

    def drive(self, *efforts):
        self.ros.publish(Float64MultiArray(data=[*efforts]), f'{self.topic}/commands')

    def wait(self, what, condition):
        return self.ros.wait_for(what, condition, self.process)

    def report(self):
        """Return level, message and values of the latest report on the simulation."""
        for message in reversed(self.reports):
            for status in message.status:
                if status.name.endswith('simulation'):
                    return status.level, status.message, {v.key: v.value for v in status.values}
        return None, '', {}

    def rejected(self, count, text):
        """Wait for a report on so many rejections whose message contains a text; return that."""

        def reported():
            # where a busy computer has left states out, the report tells that, and the next this
            _, message, values = self.report()
            return (
                values.get('motor efforts rejected') == str(count) and text in message and message
            )

        return self.wait(f'{count} rejections, {text}', reported)

    def states(self):
        """Return stamps [s] and states (q, q', theta, theta', tau, tau_m) of both topics."""
        links = {nanoseconds(m.header.stamp): m for m in self.links}
        motors = {nanoseconds(m.header.stamp): m for m in self.motors}
        times = sorted(links.keys() & motors.keys())
        rows = [
            [
                [*links[t].position, *links[t].velocity],
                [*motors[t].position, *motors[t].velocity],
                [*links[t].effort, *motors[t].effort],
            ]
            for t in times
        ]
        return 1e-9 * np.array(times), np.reshape(rows, (-1, 12))


@pytest.fixture
def simulate(ros, planar, tmp_path):
    started = []

    def simulate(name, **parameters):
        started.append(Simulation(ros, planar, tmp_path, name, **parameters))
        return started[-1]

    yield simulate
    for simulation in started:
        assert simulation.process.interrupt() == 0, simulation.process.log
        assert 'Traceback' not in simulation.process.log


def test_motion_agrees_with_equations_by_hand(simulate):
    simulation = simulate('moving', effort_timeout=0.0)
    rest = gravity_efforts(HOME)
    # so little more than the weight that the arm swings below 2.5 rad/s, however late it is seen
    efforts = rest + [2.0, -1.0]
    np.testing.assert_allclose(simulation.links[-1].effort, rest, atol=1e-12)
    np.testing.assert_allclose(simulation.motors[-1].position, HOME + rest / STIFFNESS, atol=1e-12)
    simulation.drive(*efforts)
    simulation.wait('motion', lambda: abs(simulation.links[-1].velocity[0]) > 0.1)

    def motion():
        """Return what the efforts move, since a busy computer has left time out, if it has."""
        times, states = simulation.states()
        moving = (states[:, 10:] == efforts).all(axis=1)
        times, states = times[moving], states[moving]
        # a tenth of a second is caught up with
        late = np.flatnonzero(np.diff(times) > (CAUGHT_UP + 0.5) / RATE)
        begin = late[-1] + 1 if len(late) else 0
        return times[begin:], states[begin:]

    simulation.wait('more', lambda: len(motion()[0]) > 30)
    times, states = motion()
    # steps of 1 / RATE each, also if the computer was late and some were not published
    np.testing.assert_allclose(np.diff(times) * RATE, np.round(np.diff(times) * RATE), atol=1e-4)
    expected = integrate(states[0, :8], efforts, times[30] - times[0])
    np.testing.assert_allclose(states[30, :8], expected, rtol=0, atol=2e-5)
    q, qd, theta, _ = expected.reshape(4, 2)
    tau = STIFFNESS * (theta - q)
    np.testing.assert_allclose(states[30, 8:10], tau, rtol=0, atol=1e-2)
    qdd = np.linalg.solve(mass_matrix(q), tau - velocity_efforts(q, qd) - gravity_efforts(q))
    np.testing.assert_allclose(link_efforts(q, qd, qdd), tau, atol=1e-9)


def test_brakes_bad_input_and_reset(simulate, ros):
    simulation = simulate('braked', effort_timeout=0.3)
    for bad in ([1.0], [1.0, math.nan], [1.0, 2.0, 3.0]):
        simulation.drive(*bad)
    last = 'last rejection: data: expected 2 values (joint_1, joint_2), got 3'
    assert simulation.rejected(3, 'last rejection: ') == last
    assert (np.array(simulation.links[-1].position) == HOME).all()
    brakes = 'No motor efforts for 0.3 s: the brakes are on'
    told = 0  # before the efforts that count

    def count():
        return simulation.process.log.count(brakes)

    def moved():
        return any(abs(m.velocity[0]) > 0.05 for m in simulation.links)

    def driven():
        """Return whether one command moves the arm: on a busy machine it may expire unused."""
        nonlocal told
        told = count()
        simulation.drive(1000.0, 0.0)
        simulation.wait('motion or the brakes', lambda: moved() or count() > told)
        if not moved():
            ros.spin(1.2)  # brakes are told of once per second
        return moved()

    simulation.wait('motion', driven)
    simulation.wait('the brakes', lambda: not any(simulation.links[-1].velocity))
    simulation.wait(
        'the effort at its limit',  # its topic is another one than that of the links
        lambda: max(m.effort[0] for m in simulation.motors) == MAX_EFFORT[0],
    )
    assert count() == told + 1
    stopped = np.array(simulation.links[-1].position)
    assert not np.allclose(stopped, HOME, atol=1e-4)
    np.testing.assert_allclose(simulation.links[-1].effort, gravity_efforts(stopped), atol=1e-12)
    assert ros.call(Trigger, f'{simulation.topic}/reset', Trigger.Request()).success
    simulation.wait('home', lambda: (np.array(simulation.links[-1].position) == HOME).all())


def test_in_lock_step_the_brakes_come_on_where_efforts_end(simulate):
    """Time stands still while they are expected, and then goes on."""
    simulation = simulate(
        'ended',
        publish_clock=True,
        lock_step_timeout=0.3,
        effort_timeout=0.1,
        **keep_all('/ended', 'joint_states', 'motor_states'),
    )
    simulation.drive(5.0, -1.0)
    simulation.wait('the brakes', lambda: 'the brakes are on' in simulation.process.log)
    simulation.wait('their effect', lambda: not any(simulation.motors[-1].effort))
    driven = [m for m in simulation.motors if any(m.effort)]
    assert len(driven) == 10
    assert {tuple(m.effort) for m in driven} == {(5.0, -1.0)}
    simulation.wait(
        'the report on the wait',
        lambda: simulation.report()[2].get('states without motor efforts') == '1',
    )


def test_without_brakes_it_falls(simulate):
    simulation = simulate('falling', idle_mode='zero', effort_timeout=0.05)
    simulation.wait('a fall', lambda: abs(simulation.links[-1].velocity[0]) > 0.5)
    assert not any(simulation.motors[-1].effort)

    def driven():
        simulation.drive(5.0, -1.0)  # again and again: on a busy machine one may expire unused
        return any(m.effort.tolist() == [5.0, -1.0] for m in simulation.motors)

    simulation.wait('efforts', driven)
    simulation.wait('their end', lambda: not any(simulation.motors[-1].effort))


def test_a_motion_out_of_control_is_never_published(simulate, ros):
    simulation = simulate('wild', effort_timeout=0.0, substeps=1, rate=20.0)
    simulation.drive(50.0, 20.0)
    simulation.wait('the failure', lambda: simulation.report()[0] == b'\x02')
    assert 'the motion is not finite' in simulation.report()[1]
    assert 'the robot stands still until ~/reset is called' in simulation.process.log
    _, states = simulation.states()
    assert np.isfinite(states).all()
    simulation.wait('a stop', lambda: simulation.links[-1].velocity.tolist() == [0.0, 0.0])
    begin = len(simulation.links)
    simulation.drive(50.0, 20.0)
    simulation.wait(
        'the efforts', lambda: simulation.report()[2].get('motor efforts accepted') == '2'
    )
    accepted = len(simulation.links)
    simulation.wait('three later states', lambda: len(simulation.links) >= accepted + 3)
    assert not any(any(m.velocity) for m in simulation.links[begin:])
    assert ros.call(Trigger, f'{simulation.topic}/reset', Trigger.Request()).success
    simulation.wait('the repair', lambda: simulation.report()[0] == b'\x00')


def test_feedback_of_the_motors_holds_a_position(simulate, ros):
    """With motor positions to hold and no feedforward, feedback and weight balance."""
    simulation = simulate(
        'held',
        input='motor_feedforward',
        feedback__proportional=[2000.0],
        feedback__derivative=[40.0, 20.0],
        effort_timeout=0.0,
    )
    topic = f'{simulation.topic}/motor_feedforward'
    message = MotorFeedforward(
        motor_names=NAMES[::-1],
        motor_position=[0.5, -1.2],
        motor_velocity=[0.0, 0.0],
        motor_effort=[0.0, 0.0],
    )
    ros.publish(message, topic)
    simulation.wait('motion', lambda: any(simulation.links[-1].velocity))
    begin = len(simulation.motors)
    simulation.wait('time', lambda: len(simulation.motors) > begin + 300)
    held = simulation.motors[begin + 100 :]
    positions = np.array([m.position for m in held])
    feedback = 2000.0 * (HOME - positions) - [40.0, 20.0] * np.array([m.velocity for m in held])
    # the effort is that of the physics step that ends in this state
    np.testing.assert_allclose([m.effort for m in held], feedback, atol=0.1)
    # the links swing on, undamped, about where weight and springs balance
    balance = 2000.0 * np.mean(HOME - positions, axis=0)
    np.testing.assert_allclose(balance, gravity_efforts(HOME), rtol=0.1)
    message.motor_names = ['joint_1', 'elbow']
    ros.publish(message, topic)
    assert 'missing: joint_2' in simulation.rejected(1, 'last rejection: ')
    good = ros.set_parameter(simulation.topic, 'feedback.proportional', [1.0, 2.0])
    assert good == (True, '')
    taken, reason = ros.set_parameter(simulation.topic, 'feedback.proportional', [1.0, 2.0, 3.0])
    assert not taken
    assert 'expected no value, one, or 2 (joint_1, joint_2), got 3' in reason
    for name in ('feedback.proportional', 'feedback.derivative'):
        assert any(simulation.motors[-1].effort)
        assert ros.set_parameter(simulation.topic, name, [0.0])[0]
    simulation.wait('no feedback', lambda: not any(simulation.motors[-1].effort))


@pytest.mark.parametrize(
    'parameters, text, reason',
    [
        ({'elastic_joints_path': "''"}, None, 'expected a file with the springs and motors'),
        ({'elastic_joints_path': '/no/such.yaml'}, None, "expected a file, got '/no/such.yaml'"),
        ({}, 'elastic_joints: {joint_1: {sprung: 1}}', 'joints.yaml: elastic_joints.joint_1'),
        ({}, 'elastic_joints: {elbow: {spring: {type: rigid}}}', "unknown joint 'elbow'"),
        (
            {},
            'elastic_joints: {joint_1: {spring: {type: linear, stiffness: 100.0}}}',
            "motor 'joint_1': expected a rotor inertia above 0 behind a spring",
        ),
        (
            {},
            'elastic_joints: {joint_2: {motor: {rotor_inertia: 0.1}, spring: {type: tabulated, '
            'deflections: [0.1, 0.2, 0.4], efforts: [3.0, 8.0, 20.0]}}}',
            "'substeps': expected 1 or more, as 0 takes springs whose stiffness at rest is known",
        ),
        ({'initial_position': [1.0]}, None, "'initial_position': expected 2 values"),
        (
            {'feedback__proportional': [1.0]},
            None,
            "expected none with input 'commands', which carries no motor positions",
        ),
    ],
)
def test_a_bad_start_is_fatal_and_says_why(ros, planar, tmp_path, parameters, text, reason):
    path = write_joints(tmp_path, text) if text else write_joints(tmp_path)
    process = ros.start(
        'sea_simulator', **{'urdf_path': planar, 'elastic_joints_path': path, **parameters}
    )
    assert process.wait() == 1
    assert '[FATAL]' in process.log
    assert reason in process.log
    assert 'Traceback' not in process.log
