# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""~/motor_feedforward and motor efforts on ~/commands over DDS, and reasons to stop them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers.node_processes import keep_all, trajectory
from helpers.planar_sea import NAMES, TEXT, motor_feedforward, write_joints
from helpers.stream_client import jet_of
from helpers.swings import swing
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque, JointReference, MotorFeedforward

# the effort of joint 2 is beyond its table if the arm is stretched out
WEAK = """
elastic_joints:
  joint_1:
    spring: {type: linear, stiffness: 600.0}
    motor: {rotor_inertia: 0.3, gear_ratio: 2.0}
  joint_2:
    spring: {type: tabulated, deflections: [-0.1, 0.0, 0.1], efforts: [-2.0, 0.0, 2.0]}
    motor: {rotor_inertia: 0.1}
"""
COUPLED = TEXT + 'rotor_coupling: true\n'


@pytest.fixture
def start(ros, planar, tmp_path):
    """Return a function that starts a node with springs and waits until it is active."""
    started = []
    # a node has discovered the publisher once it is active: no first message is lost
    ros.advertise(JointState, '/joint_states')

    def start(name, text=TEXT, **parameters):
        process = ros.start(
            'feedforward',
            name=name,
            urdf_path=planar,
            elastic_joints_path=write_joints(tmp_path, text),
            diagnostic_updater__period=0.1,
            **keep_all(f'/{name}', 'feedforward', 'motor_feedforward', 'commands'),
            **parameters,
        )
        started.append(process)
        ros.wait_until_active(process, f'/{name}')
        return process

    yield start
    for process in started:
        assert process.interrupt() == 0, process.log
        assert 'Traceback' not in process.log


def test_samples_agree_with_equations_by_hand(ros, start):
    process = start('springs', publish_commands=True, commands_content='motor_efforts')
    links = ros.listen(FeedforwardTorque, '/springs/feedforward')
    motors = ros.listen(MotorFeedforward, '/springs/motor_feedforward')
    commands = ros.listen(Float64MultiArray, '/springs/commands')
    ros.wait_until_heard('/springs')
    swing(ros, process, 'springs', motors, 70)
    by_stamp = {nanoseconds(sample.header.stamp): sample for sample in links}
    checked = 0
    for sample in motors[::3]:
        link = by_stamp.get(nanoseconds(sample.header.stamp))
        if link is None:
            continue
        checked += 1
        jet = jet_of(link)
        theta, rate, acceleration, effort = motor_feedforward(jet)
        np.testing.assert_allclose(sample.motor_position, theta, rtol=0, atol=1e-12)
        np.testing.assert_allclose(sample.motor_velocity, rate, rtol=0, atol=1e-6)
        np.testing.assert_allclose(sample.motor_acceleration, acceleration, rtol=0, atol=1e-3)
        np.testing.assert_allclose(sample.motor_effort, effort, rtol=0, atol=1e-4)
        np.testing.assert_allclose(sample.deflection, theta - jet[0], rtol=0, atol=1e-12)
        assert (sample.effort, sample.effort_dot) == (link.effort, link.effort_dot)
        assert sample.effort_ddot == link.effort_ddot
        assert sample.reference_continuity == link.reference_continuity == 4
        assert sample.source == link.source
    assert checked > 20
    assert motors[0].joint_names == motors[0].motor_names == NAMES
    assert commands[0].layout.dim[0].label == 'motors'
    ros.wait_for('the command', lambda: commands[-1].data == motors[-1].motor_effort, process)
    assert ros.set_parameter('/springs', 'commands_content', 'link_efforts')[0]
    ros.wait_for('the other', lambda: commands[-1].layout.dim[0].label == 'joints', process)
    assert ros.set_parameter('/springs', 'publish_commands', False)[0]


def report(reports):
    for message in reversed(reports):
        for status in message.status:
            if status.name.endswith('motors'):
                return status.level, status.message
    return None, ''


def links_of(sample):
    return np.array(sample.motor_position) - sample.deflection


def measure(ros, sample):
    """Publish and return the link positions for which these commands were the last."""
    stood = links_of(sample)
    for _ in range(25):  # some may be lost: the subscription is best-effort
        ros.publish(JointState(name=NAMES, position=stood.tolist()), '/joint_states')
        ros.spin(0.02)
    return stood


def test_what_a_spring_cannot_transmit_stops_the_motors_only(ros, start):
    process = start(
        'weak',
        WEAK,
        publish_commands=True,
        commands_content='motor_efforts',
        max_joint_state_age=60.0,
    )
    links = ros.listen(FeedforwardTorque, '/weak/feedforward')
    motors = ros.listen(MotorFeedforward, '/weak/motor_feedforward')
    commands = ros.listen(Float64MultiArray, '/weak/commands')
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    hanging, stretched = [-np.pi / 2, 0.0], [0.0, 0.0]
    ros.publish(trajectory(NAMES, hanging, hanging), '/weak/joint_trajectory')
    ros.wait_for('commands', lambda: len(commands) > 5, process)
    assert motors[-1].gear_ratio.tolist() == [2.0, 1.0]
    # from rest a trajectory begins when its fit is there, however long that takes
    ros.wait_for('rest', lambda: links[-1].source == 0, process)
    ros.publish(trajectory(NAMES, stretched, times=[1.5]), '/weak/joint_trajectory')
    ros.wait_for('the stop', lambda: report(reports)[0] == b'\x01', process)
    reason = "joint 'joint_2': effort: expected -2 to 2, the range of the table, got"
    assert reason in report(reports)[1]

    def alone():
        # whichever topic is read first: those that no motor command is newer than
        newest = nanoseconds(motors[-1].header.stamp)
        return sum(nanoseconds(sample.header.stamp) > newest for sample in list(links))

    ros.wait_for('the links alone', lambda: alone() > 60, process)
    assert process.log.count('No motor commands are published') == 1
    stood = measure(ros, motors[-1])
    ros.wait_for('the end', lambda: links[-1].source == 0, process)
    back = nanoseconds(links[-1].header.stamp)
    ros.publish(trajectory(NAMES, hanging, times=[1.5]), '/weak/joint_trajectory')

    def again():
        return [motor for motor in motors if nanoseconds(motor.header.stamp) > back]

    ros.wait_for('the motors', lambda: len(again()) > 20, process)
    np.testing.assert_allclose(links_of(again()[0]), stood, atol=0.02)
    ros.wait_for('the report', lambda: report(reports) == (b'\x00', 'ok'), process)
    assert 'Motor commands are published again' in process.log
    values = [[*m.motor_position, *m.motor_effort, *m.deflection] for m in motors]
    assert np.isfinite(values).all()
    assert np.isfinite([c.data for c in commands]).all()
    assert ros.set_parameter('/weak', 'check_limits', 'reject')[0]
    before = process.log.count('Trajectory rejected')
    ros.wait_for('rest', lambda: links[-1].source == 0, process)
    ros.publish(trajectory(NAMES, stretched, times=[1.5]), '/weak/joint_trajectory')
    ros.wait_for('the refusal', lambda: process.log.count('Trajectory rejected') > before, process)
    assert 'Trajectory rejected: limit exceeded: joint_2: effort: expected -2 to 2' in process.log


@pytest.mark.parametrize('mode', ['off', 'warn'])
def test_nothing_beyond_a_limit_is_published(ros, start, mode):
    """Springs that the stretched arm would deflect too far; motors come back with a new motion."""
    name = f'limited_{mode}'
    text = TEXT.replace('max_effort: 30.0}', 'max_effort: 30.0}\n    limits: {deflection: 0.008}')
    commanding = {'publish_commands': True, 'commands_content': 'motor_efforts'}
    process = start(name, text, check_limits=mode, max_joint_state_age=60.0, **commanding)
    links = ros.listen(FeedforwardTorque, f'/{name}/feedforward')
    motors = ros.listen(MotorFeedforward, f'/{name}/motor_feedforward')
    commands = ros.listen(Float64MultiArray, f'/{name}/commands')
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    hanging = [-np.pi / 2, 0.0]

    def move(*points, times=None):
        ros.publish(trajectory(NAMES, *points, times=times), f'/{name}/joint_trajectory')
        old = len(links)
        ros.wait_for('motion', lambda: any(link.source for link in links[old:]), process)
        ros.wait_for('its end', lambda: links[-1].source == 0, process)

    move(hanging, hanging)
    ros.wait_for('motor commands', lambda: motors, process)
    move([0.0, 0.0], times=[0.6])
    ros.wait_for('the report', lambda: report(reports)[0] == b'\x01', process)
    # of either sign, and the first beyond the limit that a busy node comes to
    assert re.search(r'limit exceeded: joint_2: deflection -?0\.0', report(reports)[1])
    back = nanoseconds(links[-1].header.stamp)
    stood = measure(ros, motors[-1])
    assert np.abs(stood - links[-1].reference.positions).max() > 0.1
    move(hanging, times=[0.6])
    ros.wait_for('the report', lambda: report(reports) == (b'\x00', 'ok'), process)
    ros.wait_for('commands', lambda: nanoseconds(motors[-1].header.stamp) > back, process)
    assert process.log.count('No motor commands are published: limit exceeded') == 1
    again = next(m for m in motors if nanoseconds(m.header.stamp) > back)
    # they go on at the position of the robot, not at that of the reference
    np.testing.assert_allclose(links_of(again), stood, atol=0.02)
    beyond = [nanoseconds(m.header.stamp) for m in links if abs(m.effort[1]) > 0.008 * 300.0]
    stamps = np.array([nanoseconds(m.header.stamp) for m in motors])
    assert len(beyond) > 20
    assert not ((beyond[0] <= stamps) & (stamps <= back)).any()
    assert max(abs(m.deflection[1]) for m in motors) <= 0.008
    assert max(abs(c.data[1]) for c in commands) <= max(abs(m.motor_effort[1]) for m in motors)


def test_samples_without_snaps(ros, start):
    process = start('poor', max_reference_age=10.0)  # one stream, however late its samples
    links = ros.listen(FeedforwardTorque, '/poor/feedforward')
    motors = ros.listen(MotorFeedforward, '/poor/motor_feedforward')
    sample = JointReference(
        joint_names=NAMES, positions=[0.0, 0.0], velocities=[0.0, 0.0], accelerations=[0.0, 0.0]
    )
    sample.jerks = [0.0, 0.0]

    def stream():
        sample.header.stamp = ros.node.get_clock().now().to_msg()
        ros.publish(sample, '/poor/joint_reference')
        ros.spin(0.01)
        return len(links) > 10

    ros.wait_for('efforts', stream, process)
    assert not motors
    text = 'No motor commands are published: expected references with derivatives up to order 4'
    assert process.log.count(text) == 1
    sample.snaps = [0.0, 0.0]
    ros.wait_for('motor commands', lambda: stream() and motors, process)


@pytest.mark.parametrize(
    'text, parameters, reason',
    [
        (
            COUPLED,
            {},
            'rotor_coupling: the motor efforts of this robot need the derivatives of the joint '
            'positions up to order 6, a reference of the node has them up to order 4: expected '
            'rotor_coupling: false',
        ),
        (
            TEXT,
            {'elastic_joints_path': "''", 'commands_content': 'motor_efforts'},
            "'commands_content': expected link_efforts without elastic_joints_path",
        ),
        (TEXT.replace('joint_2', 'elbow'), {}, "joints.yaml: unknown joint 'elbow'"),
        (TEXT.replace('stiffness: 300.0', 'stiffness: -1'), {}, 'joint_2.spring.stiffness'),
        (TEXT, {'elastic_joints_path': 'package://screw_dynamics/config/x.yaml'}, 'x.yaml'),
    ],
)
def test_a_bad_start_is_fatal_and_says_why(ros, planar, tmp_path, text, parameters, reason):
    path = write_joints(tmp_path, text)
    process = ros.start(
        'feedforward', **{'urdf_path': planar, 'elastic_joints_path': path, **parameters}
    )
    assert process.wait() == 1
    assert '[FATAL]' in process.log
    assert reason in process.log
    assert 'Traceback' not in process.log


def test_springs_of_another_robot_refuse_its_description(ros, planar, tmp_path):
    path = write_joints(tmp_path, TEXT.replace('joint_2', 'elbow'))
    process = ros.start('feedforward', namespace='/other', elastic_joints_path=path)
    ros.describe(planar.read_text(), '/other/robot_description')
    reason = "Robot description refused: parameter 'elastic_joints_path': .*unknown joint 'elbow'"
    ros.wait_for('the refusal', lambda: re.search(reason, process.log), process)
    # the same springs fit the robot that has this joint
    ros.describe(planar.read_text().replace('joint_2', 'elbow'), '/other/robot_description')
    ros.wait_until_active(process, '/other/feedforward')
    assert process.interrupt() == 0, process.log


def test_stiffness_changes_while_it_runs(ros, start):
    """An exponential pair: stiffness and effort give both deflections."""
    text = TEXT.replace(
        '{type: linear, stiffness: 300.0}',
        '{type: antagonistic, law: exponential, stiffness: 120.0, spring_stiffness: 20.0, '
        'rate: 8.0}',
    ).replace(', max_effort: 30.0', '')  # which would stop the commands before the weight does
    process = start('pair', text, stiffness_transition=0.2)
    motors = ros.listen(MotorFeedforward, '/pair/motor_feedforward')
    ros.publish(trajectory(NAMES, [0.0, 0.0], [0.0, 0.0]), '/pair/joint_trajectory')

    def stiffness():
        first, second = motors[-1].deflection[1:]
        return 20.0 * (np.exp(8.0 * first) + np.exp(-8.0 * second))

    ros.wait_for('motor commands', lambda: motors, process)
    assert motors[0].motor_names == ['joint_1', 'joint_2/1', 'joint_2/2']
    assert stiffness() == pytest.approx(120.0)
    for bad, reason in (([1.0, 2.0], '(joint_2), got [1.0, 2.0]'), ([0.0], 'one above 0')):
        taken, why = ros.set_parameter('/pair', 'stiffness', bad)
        assert not taken
        assert reason in why
    assert ros.set_parameter('/pair', 'stiffness', [250.0]) == (True, '')
    ros.wait_for('the stiffness', lambda: stiffness() == pytest.approx(250.0), process)
    # too soft for the weight: no motor commands until it is stiff enough again
    assert ros.set_parameter('/pair', 'stiffness', [5.0])[0]
    ros.wait_for('the stop', lambda: 'No motor commands are published' in process.log, process)
    assert ros.set_parameter('/pair', 'stiffness', [])[0]
    ros.wait_for('the end', lambda: stiffness() == pytest.approx(120.0), process)


def test_a_late_correction_of_the_stiffness_keeps_its_range(ros, start):
    text = TEXT.replace(
        '{type: linear, stiffness: 300.0}',
        '{type: variable, stiffness: 12000.0, min_stiffness: 900.0, max_stiffness: 20000.0}',
    )
    process = start('late', text, stiffness_transition=2.0)
    motors = ros.listen(MotorFeedforward, '/late/motor_feedforward')
    ros.publish(trajectory(NAMES, [0.0, 0.0], [0.0, 0.0]), '/late/joint_trajectory')

    def stiffness(sample):
        return sample.effort[1] / sample.deflection[1]

    ros.wait_for('motor commands', lambda: motors, process)
    taken, why = ros.set_parameter('/late', 'stiffness', [50000.0])
    assert not taken
    assert "parameter 'stiffness': joint 'joint_2': expected 900 to 20000, its min_" in why
    assert ros.set_parameter('/late', 'stiffness', [1000.0])[0]
    ros.wait_for('the way', lambda: stiffness(motors[-1]) < 8000.0, process)
    # slower from here on, and a little further
    assert ros.set_parameter('/late', 'stiffness_transition', 4.0)[0]
    assert ros.set_parameter('/late', 'stiffness', [900.0])[0]
    ros.wait_for('the end', lambda: stiffness(motors[-1]) == pytest.approx(900.0), process)
    path = [stiffness(sample) for sample in motors]
    assert min(path) > 900.0 * (1.0 - 1e-12)
    assert max(path) < 12000.0 * (1.0 + 1e-12)
    efforts = np.array([sample.motor_effort[1] for sample in motors])
    assert np.abs(efforts - motors[0].motor_effort[1]).max() < 0.1
    assert 'No motor commands' not in process.log
