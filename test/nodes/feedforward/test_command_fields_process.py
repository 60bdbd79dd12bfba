# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""~/commands with positions, velocities and gains over DDS: begin, motion, end, changes."""

from __future__ import annotations

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers.node_processes import altered_command, keep_all, node_command, trajectory
from helpers.planar_sea import TEXT, write_joints
from helpers.stream_client import jet_of
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

import screw_dynamics as sd
from screw_dynamics.messages.times import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

NAMES = ['joint_1', 'joint_2']
MIT = ['position', 'velocity', 'kp', 'kd', 'effort']
GAINS = {'mit_kp': [20.0, 10.0], 'mit_kd': [1.0, 0.5]}
STOOD, GOAL = [0.3, 0.2], [1.3, -0.8]
SLOW = (6.0,)  # s, so that enough ticks are left where a busy computer misses most of them
# rad: a motion of which a busy node has missed a second is no step, which would end the commands
ANY_STEP = 10.0
LARGEST_STEP = 0.1  # of the way of a ramp, from one command to the next after a stall
# the last command stays until it is received, however long that takes
DELIVERED = """
from screw_dynamics.nodes.shared import endpoints
endpoints.DELIVERY = 60.0
"""


class Drives:
    """Publishes joint_states and hears the commands."""

    def __init__(self, ros, process, name, topics=('commands',)):
        self._ros, self._process, self.name = ros, process, name
        self.heard = {topic: ros.listen(Float64MultiArray, f'/{name}/{topic}') for topic in topics}
        self.samples = ros.listen(FeedforwardTorque, f'/{name}/feedforward')
        # the node has discovered the publisher when it responds: no first message is lost
        ros.advertise(JointState, '/joint_states')
        ros.wait_until_heard(f'/{name}')

    @property
    def commands(self):
        """The commands on the first topic as arrays (T, fields, 2)."""
        [messages, *_] = self.heard.values()
        rows = [list(message.data) for message in messages]
        return np.reshape(rows, (len(rows), -1, 2)) if rows else np.empty((0, 1, 2))

    def wait(self, what, condition, position=STOOD):
        """Wait for a condition while the robot is measured at a position, or not at all."""

        def met():
            if position is not None:
                message = JointState(name=NAMES, position=[float(x) for x in position])
                self._ros.publish(message, '/joint_states')
            return condition()

        return self._ros.wait_for(what, met, self._process)

    def move(self, *points, times=(1.5,)):
        message = trajectory(NAMES, *points, times=times)
        self._ros.publish(message, f'/{self.name}/joint_trajectory')

    def followed(self):
        """Wait for the end of a motion that begins at STOOD."""
        # measured for as long as it takes until the trajectory is planned and commanded
        self.wait('commands', lambda: len(self.commands) > 2)

        def held():
            ended = self.samples and self.samples[-1].source == FeedforwardTorque.SOURCE_HOLD
            return ended and np.abs(self.commands[-1][0] - self.commands[-2][0]).max() == 0.0

        self.wait('the end', held)

    def pairs(self, fields):
        """Return commands in motion, as dictionaries by field, with their samples."""
        known = {tuple(s.reference.velocities): s for s in self.samples}
        found = []
        for command in self.commands:
            rows = dict(zip(fields, command, strict=True))
            sample = known.get(tuple(rows['velocity'])) if 'velocity' in rows else None
            if sample is not None and np.any(rows['velocity']):
                found.append((rows, sample))
        return found


@pytest.fixture
def start(ros, planar):
    """Return a function that starts an active node that is measured at STOOD."""
    processes = []

    def start(name, topics=('commands',), command=None, **parameters):
        process = ros.start_command(
            command or node_command('feedforward'),
            name=name,
            urdf_path=planar,
            publish_commands=True,
            diagnostic_updater__period=0.1,
            **keep_all(f'/{name}', 'feedforward', *topics),
            **parameters,
        )
        processes.append(process)
        ros.wait_until_active(process, f'/{name}')
        return Drives(ros, process, name, topics), process

    yield start
    for process in processes:
        assert process.interrupt() == 0, process.log
        assert 'Traceback' not in process.log


def test_fields_of_one_instant(ros, start):
    drives, process = start(
        'together',
        command_fields=MIT,
        command_start_tolerance=ANY_STEP,
        ramp_time=0.1,
        **GAINS,
    )
    drives.wait('a state', lambda: True)
    drives.move(GOAL, times=SLOW)
    drives.followed()
    first = dict(zip(MIT, drives.commands[0], strict=True))
    np.testing.assert_allclose(first['position'], STOOD, rtol=0.0, atol=1e-3)
    np.testing.assert_allclose(first['effort'], 0.0, atol=1e-6)
    pairs = drives.pairs(MIT)
    assert len(pairs) > 50
    for rows, sample in pairs[len(pairs) // 2 :]:  # the ramp is over
        np.testing.assert_array_equal(rows['position'], sample.reference.positions)
        np.testing.assert_array_equal(rows['effort'], sample.effort)
        np.testing.assert_array_equal(rows['kp'], GAINS['mit_kp'])
        np.testing.assert_array_equal(rows['kd'], GAINS['mit_kd'])
    np.testing.assert_array_equal(drives.commands[-1][4], drives.samples[-1].effort)
    layout = drives.heard['commands'][-1].layout
    dims = [(dim.label, dim.size, dim.stride) for dim in layout.dim]
    assert dims == [('fields', 5, 10), ('joints', 2, 2)]


def test_fields_on_topics_of_their_own(ros, start):
    topics = {field: f'{field}_commands' for field in MIT[:-1]} | {'effort': 'commands'}
    drives, process = start(
        'apart',
        topics.values(),
        command_fields=MIT,
        command_topics='apart',
        command_start_tolerance=ANY_STEP,
        ramp_time=0.1,
        **GAINS,
    )
    drives.wait('a state', lambda: True)
    drives.move(GOAL, times=SLOW)
    drives.followed()
    known = {
        'position': {tuple(sample.reference.positions) for sample in drives.samples},
        'velocity': {tuple(sample.reference.velocities) for sample in drives.samples},
        'kp': {tuple(GAINS['mit_kp'])},
        'kd': {tuple(GAINS['mit_kd'])},
        'effort': {tuple(sample.effort) for sample in drives.samples},
    }
    for field, topic in topics.items():
        messages = drives.heard[topic]
        late = [tuple(message.data) for message in messages[len(messages) // 2 :]]
        assert len(late) > 50
        # some samples may have been lost
        assert sum(values in known[field] for values in late) > 0.5 * len(late), field
        [dim] = messages[-1].layout.dim
        assert (dim.label, dim.size, dim.stride) == ('joints', 2, 2)


def test_an_end_in_motion_holds_the_drives(ros, start):
    drives, process = start(
        'ended',
        command_fields=MIT,
        command_start_tolerance=ANY_STEP,
        ramp_time=2.0,
        **GAINS,
    )
    drives.wait('a state', lambda: True)
    drives.move([2.3, -1.8], times=[20.0])
    drives.wait('motion', lambda: len(drives.commands) > 0 and drives.commands[-1, 1].any())
    drives.wait('speed', lambda: np.abs(drives.commands[-1, 1]).max() > 0.1)

    def whole():
        efforts = {tuple(sample.effort) for sample in drives.samples}
        return any(tuple(command[4]) in efforts for command in drives.commands[-20:])

    drives.wait('all of the effort', whole)
    assert ros.call(Trigger, '/ended/clear', Trigger.Request()).success
    drives.wait('rest', lambda: not drives.commands[-1][[1, 4]].any())
    commands = drives.commands
    moving = np.flatnonzero((np.diff(commands[:, 0], axis=0) != 0.0).any(axis=1))[-1] + 1
    end = commands[moving:]
    np.testing.assert_array_equal(end[:, 0], np.tile(end[0, 0], (len(end), 1)))
    np.testing.assert_array_equal(end[:, 2:4], np.tile(end[0, 2:4], (len(end), 1, 1)))
    # to 0 without a step, however many ticks a busy computer has missed
    for row in (1, 4):
        steps = np.diff(np.abs(end[:, row]), axis=0)
        assert (steps <= 0.0).all()
        assert (steps >= -LARGEST_STEP * np.abs(end[0, row])).all()


def test_without_ramp_velocities_end_too(ros, start):
    drives, process = start(
        'sudden',
        command_fields=['position', 'velocity'],
        command_start_tolerance=ANY_STEP,
        ramp_time=0.0,
    )
    drives.wait('a state', lambda: True)
    drives.move(GOAL, times=[6.0])
    drives.wait('speed', lambda: len(drives.commands) and drives.commands[-1, 1].all())
    assert ros.call(Trigger, '/sudden/clear', Trigger.Request()).success
    drives.wait('rest', lambda: not drives.commands[-1, 1].any())
    np.testing.assert_array_equal(drives.commands[-1, 0], drives.commands[-2, 0])


def report(reports):
    for message in reversed(reports):
        for status in message.status:
            if status.name.endswith('commands'):
                return status.level, status.message
    return None, ''


def test_positions_begin_only_where_the_robot_is(ros, start):
    drives, process = start('careful', command_fields=['position'], start_state='first_point')
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    drives.move(STOOD, times=[0.0])
    text = (
        'Commands do not begin: expected joint_states of joint_1, joint_2 within 0.5 s, got none'
    )
    drives.wait('the warning', lambda: text in process.log, None)
    far = [STOOD[0], STOOD[1] + 0.0501]
    text = 'expected joint_states with joint_2 within 0.05 rad of the reference 0.2, got 0.2501'
    drives.wait('the warning', lambda: text in process.log, far)
    reported = b'\x01', f'commands do not begin: {text}'
    drives.wait('the report', lambda: report(reports) == reported, far)
    count = len(drives.samples)
    drives.wait('further ticks', lambda: len(drives.samples) > count + 100, far)
    assert not len(drives.commands)
    assert process.log.count('do not begin') == 2
    near = [STOOD[0] - 0.02, STOOD[1] + 0.03]
    drives.wait('commands', lambda: len(drives.commands) > 10, near)
    np.testing.assert_allclose(drives.commands[0, 0], near, rtol=0.0, atol=1e-9)
    drives.wait('the reference', lambda: list(drives.commands[-1, 0]) == STOOD, near)
    assert np.abs(np.diff(drives.commands[:, 0], axis=0)).max() < LARGEST_STEP * 0.03
    drives.wait('the report', lambda: report(reports) == (b'\x00', 'ok'), near)
    assert 'Commands begin: the robot is at the reference' in process.log


def test_a_trajectory_brings_a_robot_that_stands_elsewhere(ros, start):
    drives, process = start('elsewhere', command_fields=['position'], start_state='first_point')
    elsewhere = [0.0, 0.0]
    drives.move(STOOD, times=[0.0])
    drives.wait('the warning', lambda: 'do not begin' in process.log, elsewhere)
    assert ros.set_parameter('/elsewhere', 'start_state', 'reference')[0]
    drives.move(GOAL, times=SLOW)
    drives.wait('commands', lambda: len(drives.commands), elsewhere)
    assert ros.set_parameter('/elsewhere', 'command_start_tolerance', ANY_STEP)[0]
    drives.wait(
        'the goal',
        lambda: len(drives.commands) and list(drives.commands[-1, 0]) == GOAL,
        elsewhere,
    )
    np.testing.assert_allclose(drives.commands[0, 0], elsewhere, rtol=0.0, atol=1e-3)


def test_commands_that_a_parameter_ends_are_ramped_out(ros, start):
    command = altered_command('feedforward', before=DELIVERED)
    drives, _ = start('switched', command=command, ramp_time=0.3)
    drives.move(STOOD, STOOD, times=[0.0, 0.1])
    held = sd.gravity_forces(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')), STOOD)

    def reached():
        return len(drives.commands) and np.abs(drives.commands[-1][0] - held).max() < 1e-9

    drives.wait('the efforts', reached)
    assert ros.set_parameter('/switched', 'publish_commands', False)[0]
    drives.wait('the end', lambda: not drives.commands[-1].any())
    # the ramp out is sent at one step of its time each; the ramp in before it, as the ticks come
    efforts = drives.commands[:, 0]
    ramp = efforts[np.flatnonzero(np.abs(efforts - held).max(axis=1) < 1e-9)[-1] :]
    assert len(ramp) > 70
    assert np.abs(np.diff(ramp, axis=0)).max() <= 1.875 / 75.0 * np.abs(held).max()
    assert ros.set_parameter('/switched', 'publish_commands', True)[0]
    drives.wait('the efforts again', reached)


def test_gains_lead_to_new_values(ros, start):
    drives, process = start('tuned', command_fields=['kp', 'position'], mit_kp=[20.0, 10.0])
    drives.wait('a state', lambda: True)
    drives.move(STOOD, times=[0.0])
    drives.wait('commands', lambda: len(drives.commands) > 2)
    for name, value, reason in (
        ('mit_kp', [20.0, 500.5], 'expected at most 500, the largest of mit_largest_gains'),
        ('mit_kp', [20.0], 'expected 2 values, one for each of joint_1, joint_2, got 1'),
        ('mit_kd', [1.0, 1.0], 'expected no value without kd in command_fields'),
        ('motor_side', 'rotor', 'read-only'),
        ('command_topics', 'apart', 'read-only'),
        ('servo_stiffness', [1.0, 1.0], 'read-only'),
    ):
        accepted, text = ros.set_parameter('/tuned', name, value)
        assert not accepted
        assert reason in text
    count = len(drives.commands)
    assert ros.set_parameter('/tuned', 'mit_kp', [40.0, 10.0])[0]
    drives.wait('the gain', lambda: drives.commands[-1, 0, 0] == 40.0)
    gains = drives.commands[count - 1 :, 0]
    np.testing.assert_array_equal(gains[:, 1], 10.0)
    steps = np.diff(gains[:, 0])
    assert ((steps >= 0.0) & (steps < LARGEST_STEP * 20.0)).all()
    assert ros.set_parameter('/tuned', 'command_start_tolerance', 0.1)[0]


def test_position_servos(ros, start, planar):
    model = sd.read_urdf(planar)
    stiffness, damping = np.array([300.0, 200.0]), np.array([3.0, 1.0])
    drives, process = start(
        'servos',
        ['commands'],
        command_fields=['position', 'velocity'],
        command_start_tolerance=ANY_STEP,
        servo_stiffness=stiffness.tolist(),
        servo_damping=damping.tolist(),
        servo_offset_limit=0.3,
        derivative_order=0,
        publish_rate=100.0,
        ramp_time=0.0,  # no blend from where the robot is measured
    )
    drives.wait('a state', lambda: True)
    drives.move(GOAL, times=SLOW)
    drives.wait('commands', lambda: len(drives.commands) > 2)

    def ended():
        return drives.samples[-1].source == FeedforwardTorque.SOURCE_HOLD

    drives.wait('the end', ended)
    expected = []
    for sample in drives.samples:
        jet = jet_of(sample)
        assert not len(sample.effort_dot)  # not published, but the commands need it
        tau = sd.inverse_dynamics(model, jet)
        np.testing.assert_allclose(sample.effort, tau[0], rtol=1e-12, atol=1e-12)
        offset = (tau[:2] + damping * jet[1:3]) / stiffness
        expected.append(jet[:2] + offset)
    expected, commands = np.array(expected), drives.commands
    found = 0
    for command in commands:
        distance = np.abs(expected - command).max(axis=(1, 2))
        found += distance.min() < 1e-12
    assert found > 0.5 * len(commands) > 40  # samples of the others have not been heard
    rest = sd.gravity_forces(model, GOAL) / stiffness + GOAL
    drives.wait('rest', lambda: np.abs(drives.commands[-1] - [rest, [0, 0]]).max() < 1e-12)
    # the offset at another place is beyond a lower limit
    assert ros.set_parameter('/servos', 'servo_offset_limit', 0.01)[0]
    text = 'No servo commands are published: limit exceeded: joint_1: offset of the servo '
    drives.wait('the stop', lambda: text in process.log)
    last = [0, 0]

    def quiet():
        if len(drives.commands) != last[0]:
            last[:] = len(drives.commands), len(drives.samples)
        return len(drives.samples) > last[1] + 100

    drives.wait('samples without commands', quiet)
    assert process.log.count(text) == 1


@pytest.mark.parametrize('side', ['joint', 'rotor'])
def test_motors_on_the_side_of_the_gear(ros, start, tmp_path, side):
    text = TEXT.replace('rotor_inertia: 0.3', 'rotor_inertia: 0.003, gear_ratio: 10.0')
    assert text != TEXT
    drives, process = start(
        f'motors_{side}',
        elastic_joints_path=write_joints(tmp_path, text),
        commands_content='motor_efforts',
        command_fields=['position', 'velocity', 'effort'],
        command_start_tolerance=ANY_STEP,
        effort_offset=[0.5, 0.0],
        motor_side=side,
        publish_motor_state=True,
        ramp_time=0.1,
    )
    states = ros.listen(JointState, f'/motors_{side}/motor_effort')
    motors = ros.listen(MotorFeedforward, f'/motors_{side}/motor_feedforward')
    drives.wait('a state', lambda: True)
    drives.move(GOAL)
    drives.followed()
    assert states[-1].name == NAMES
    ratio, offset = np.array([10.0, 1.0]), np.array([0.5, 0.0])

    def pairs():
        by_stamp = {nanoseconds(motor.header.stamp): motor for motor in motors}
        found = [(s, by_stamp.get(nanoseconds(s.header.stamp))) for s in states]
        return [pair for pair in found if pair[1] is not None]

    drives.wait('states with their motors', lambda: len(pairs()) > 50)
    known = {}
    for state, motor in pairs():
        position, velocity, effort = (
            np.array(motor.motor_position),
            np.array(motor.motor_velocity),
            np.array(motor.motor_effort),
        )
        if side == 'rotor':
            position, velocity = position * ratio, velocity * ratio
            effort = (effort - offset) / ratio + offset
        np.testing.assert_allclose(state.position, position, rtol=1e-15)
        np.testing.assert_allclose(state.velocity, velocity, rtol=1e-15)
        np.testing.assert_allclose(state.effort, effort, rtol=1e-15)
        # at rest, and at a place that is passed twice, states differ in more than the position
        known.setdefault(tuple(state.position), []).append(state)
    second_half = len(drives.commands) // 2  # the ramp is over

    def matches():
        commands = drives.commands[second_half:]
        return [(c, known[tuple(c[0])]) for c in commands if tuple(c[0]) in known]

    drives.wait('commands with their states', lambda: len(matches()) > 20)
    for command, same_place in matches():
        moving = [(tuple(state.velocity), tuple(state.effort)) for state in same_place]
        assert (tuple(command[1]), tuple(command[2])) in moving
    assert drives.heard['commands'][0].layout.dim[1].label == 'motors'


@pytest.mark.parametrize(
    'parameters, text',
    [
        (
            {'command_fields': ['effort', 'kp']},
            "parameter 'mit_kp': expected 2 values, one for each of joint_1, joint_2, got none",
        ),
        (
            {'command_fields': ['torque']},
            "parameter 'command_fields': expected some of position, velocity, effort, kp, kd",
        ),
        (
            {'servo_stiffness': [10.0, 10.0]},
            "parameter 'command_fields': expected position and not effort with servo_stiffness",
        ),
    ],
)
def test_bad_parameters(ros, planar, parameters, text):
    process = ros.start('feedforward', urdf_path=planar, **parameters)
    ros.wait_for('the error', lambda: text in process.log)
    process.kill()
