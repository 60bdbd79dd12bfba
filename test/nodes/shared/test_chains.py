# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Pairs of nodes that a guide chains: their cores, through the messages between them."""

from array import array

import numpy as np
import pytest
from helpers.drive_rig import Move
from helpers.drive_rig import Rig as Commands
from helpers.rig import Rig as Producer
from helpers.rig import limited
from rclpy.node import Node
from rclpy.serialization import deserialize_message, serialize_message

import screw_dynamics as sd
from screw_dynamics.control.compensation import (
    Compensation,
    CompensationParameters,
    MeasuredStates,
)
from screw_dynamics.control.drive_records import State
from screw_dynamics.control.inputs import Clear, Tick
from screw_dynamics.drives.robot import Robot
from screw_dynamics.nodes.feedforward.sample_outputs import MotorOutput
from screw_dynamics.nodes.shared.sample_output import FeedforwardOutput
from screw_dynamics.recordings.bags.definitions import MessageTypes
from screw_dynamics.recordings.bags.writer import BagWriter
from screw_dynamics.recordings.messages.feedforward import feedforward_sample, motor_sample
from screw_dynamics.recordings.results.results_from_bag import FEEDFORWARD, read_bag

STOOD = np.array([0.3, 0.2])
TOPIC = '/feedforward/feedforward'


class Wire:
    """A publisher that keeps what it is given, as bytes."""

    def __init__(self):
        self.sent = []

    def publish(self, message):
        self.sent.append((type(message), serialize_message(message)))

    def received(self):
        """Return the messages since the last call as they are received."""
        sent, self.sent = self.sent, []
        return [deserialize_message(data, kind) for kind, data in sent]


@pytest.fixture
def wired(ros):
    """Return a function that makes an output and the wire that it publishes on."""
    with ros.made(lambda: Node('sender')) as node:

        def wired(kind, *arguments):
            output, wire = kind(node, *arguments), Wire()
            output._publisher = wire
            return output, wire

        yield wired


@pytest.fixture(scope='module')
def model():
    return limited(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')), velocity=6.0, effort=80.0)


def run(producer, output, wire, commands, seconds, motors=None, every=lambda: None):
    """Let the producer tick, and the commands receive what it publishes; return all efforts."""
    asked, sent = [], []
    for _ in range(round(seconds * producer.parameters.publish_rate)):
        producer.now += producer.period
        commands.now = producer.now
        every()
        if producer.published.samples:
            commands.measure(producer.core.jet[0])
        producer.answer_until(producer.now)
        outputs = producer.step(Tick())
        for end in [] if outputs.end is None else [outputs.end]:
            output.end(end)
        if outputs.sample is not None:
            output.publish(outputs.sample)
            if motors is not None:
                motors.publish(outputs.sample, outputs.rows)
        for message in wire.received():
            convert = feedforward_sample if hasattr(message, 'gravity_effort') else motor_sample
            rows = commands.step(convert(message))
            if rows is not None and outputs.sample is not None:
                sent.append(rows[0].copy())
                asked.append(producer.core.efforts[0].copy())
    return np.array(asked), np.array(sent)


def test_a_trajectory_to_commands(wired, model):
    output, wire = wired(FeedforwardOutput, model.joint_names)
    producer, commands = Producer(model, hold_time=0.2), Commands(model)
    commands.now = producer.now
    producer.joint_states(STOOD)
    producer.send((0.0, STOOD), (1.0, STOOD + 0.5))
    asked, sent = run(producer, output, wire, commands, 2.5)
    np.testing.assert_allclose(sent[100:], asked[100:], rtol=0.0, atol=1e-12)
    assert commands.core.state is State.SILENT
    assert commands.heard()[-1].startswith('Commands end: the motion has ended: it has been held')


@pytest.mark.parametrize('rows', [3, 4, 5])
def test_a_stream_to_commands(wired, model, rows):
    output, wire = wired(FeedforwardOutput, model.joint_names)
    producer, commands = Producer(model), Commands(model)
    move, begin = Move(STOOD, STOOD + 0.4, 1.0), producer.now
    producer.joint_states(STOOD)

    def send():
        time = 1e-9 * (producer.now - begin)
        if time < 1.2:
            producer.sample(move(time)[:rows], producer.now)

    asked, sent = run(producer, output, wire, commands, 2.0, every=send)
    np.testing.assert_allclose(sent[100:], asked[100:], rtol=0.0, atol=1e-12)
    assert commands.core.state is not State.DRIVING
    assert 'joint_reference has ended' in commands.heard()[-1]


def test_motors_to_commands(wired, model):
    drive = sd.JointDrive(sd.LinearSpring(600.0), sd.Motor(rotor_inertia=0.05))
    robot = Robot(model, sd.Drives(dict.fromkeys(model.joint_names, drive)))
    producer = Producer(robot, drives_path='given')
    output, wire = wired(FeedforwardOutput, model.joint_names)
    motors, _ = wired(MotorOutput, producer.core)
    motors._publisher = wire
    commands = Commands(
        model, robot.drives, model.joint_names, content='motors', fields=('position', 'effort')
    )
    commands.now = producer.now
    producer.joint_states(STOOD)
    producer.send((0.0, STOOD), (1.0, STOOD + 0.5))
    _, sent = run(producer, output, wire, commands, 1.5, motors)
    expected = sd.elastic_feedforward(robot, producer.core.jet)
    np.testing.assert_allclose(sent[-1], expected.motor_position, rtol=0.0, atol=1e-12)


def test_compensation_to_commands(wired, model):
    """Every sample was rejected, as accelerations were missing (H2)."""
    output, wire = wired(FeedforwardOutput, model.joint_names)
    carried, commands = Compensation(Robot(model), CompensationParameters(), 7), Commands(model)
    rows = []
    for k in range(300):
        commands.now += 4 * 10**6
        moved = max(k - 100, 0)  # it begins at rest
        states = MeasuredStates(commands.now, STOOD + 1e-3 * moved, np.full(2, 0.25 * bool(moved)))
        sample = carried.step(commands.now, [states]).sample
        commands.measure(states.positions)
        if sample is not None:
            output.publish(sample)
        for message in wire.received():
            rows.append(commands.step(feedforward_sample(message)).copy())
    held = sd.gravity_forces(model, states.positions)
    np.testing.assert_allclose(rows[-1][0], held, rtol=0.0, atol=1e-12)
    output.end(carried.step(commands.now, [Clear()]).end)
    [end] = wire.received()
    commands.step(feedforward_sample(end))
    assert commands.core.state is State.LEADING_OUT
    [said] = commands.heard()
    assert said.startswith('Commands end: the motion has ended: ~/clear was called')


def recorded(types, value):
    """Return a message of ROS as one of the library that writes bags."""
    if not hasattr(value, 'get_fields_and_field_types'):
        return np.array(value) if isinstance(value, array) else value
    package, *_ = type(value).__module__.split('.')
    fields = value.get_fields_and_field_types()
    parts = {name: recorded(types, getattr(value, name)) for name in fields}
    return types[f'{package}/msg/{type(value).__name__}'](**parts)


@pytest.mark.parametrize('carries', [False, True])
def test_a_bag_of_either(wired, model, tmp_path, carries):
    """Plots and results leave out the messages that tell of an end."""
    output, wire = wired(FeedforwardOutput, model.joint_names)
    efforts = []
    if carries:
        core, now = Compensation(Robot(model), CompensationParameters()), 10**18
        for k in range(5):
            now += 10**7
            states = MeasuredStates(now, STOOD + 0.01 * k, np.zeros(2))
            sample = core.step(now, [states]).sample
            if sample is not None:
                output.publish(sample)
                efforts.append(sample.efforts)
        output.end(core.step(now, [Clear()]).end)
    else:
        producer = Producer(model)
        producer.joint_states(STOOD)
        producer.send((0.0, STOOD), (0.5, STOOD + 0.1))
        for _ in range(50):
            producer.run(1.0 / producer.parameters.publish_rate)
            sample = producer.published.samples and producer.published.samples[-1]
            if sample:
                output.publish(sample)
                efforts.append(sample.efforts.copy())
        producer.clear_motion()
        output.end(producer.ends[-1])
    with BagWriter(tmp_path / 'bag') as writer:
        writer.add_topic(TOPIC, FEEDFORWARD, MessageTypes().definition(FEEDFORWARD))
        types = MessageTypes()
        for k, message in enumerate(wire.received()):
            writer.write(TOPIC, 10**18 + k, types.serialize(recorded(types, message)))
    results = read_bag(tmp_path / 'bag', None)
    np.testing.assert_array_equal(results.effort_jet, efforts)
