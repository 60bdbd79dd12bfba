# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Service `identify` of load_observer: what was heard, its parameters, refusals."""

import math
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.child_processes import endless
from helpers.recordings import COM, EFFORT_NOISE, drawn
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND, set_stamp
from screw_dynamics.nodes.load_observer import identification_service
from screw_dynamics.nodes.load_observer.identification_process import found
from screw_dynamics.nodes.load_observer.identification_service import respond
from screw_dynamics.nodes.load_observer.node import LoadObserverNode
from screw_dynamics.nodes.load_observer.observed_loads import ObservedLoads
from screw_dynamics.nodes.load_observer.parameters import LoadObserverParameters
from screw_dynamics.nodes.shared.loaded_robot import load_robot
from screw_dynamics_interfaces.srv import IdentifyDynamics

BEGIN = 1_700_000_000 * SECOND
SECONDS = 16.0
LOAD = 'tool', 1.0, [COM[0], COM[1], 0.0], np.zeros((3, 3))
CODES = IdentifyDynamics.Response


def messages(recording, begin=BEGIN):
    velocities = np.gradient(recording.positions, recording.times, axis=0)
    rows = zip(recording.times, recording.positions, velocities, recording.efforts, strict=True)
    for seconds, q, qd, effort in rows:
        message = JointState(name=list(recording.joint_names))
        message.position, message.velocity = q.tolist(), qd.tolist()
        message.effort = effort.tolist()
        set_stamp(message.header.stamp, begin + round(seconds * SECOND))
        yield message


class Kept:
    """What a node keeps of a recording, and what it answers."""

    def __init__(self, planar):
        loaded = load_robot(planar.read_text(), 'test', LoadObserverParameters())
        self.model = loaded.robot.model
        self.kept = loaded, ObservedLoads(loaded.robot, LoadObserverParameters())

    def hear(self, recording, begin=BEGIN):
        for message in messages(recording, begin):
            self.kept[1].receive(message, 0)

    def ask(self, **fields):
        return respond(IdentifyDynamics.Request(**fields), self.kept, found)


@pytest.fixture(scope='module')
def truth(planar):
    """Return the recording of an arm with friction, rotors and a load, and its drives."""
    return drawn(sd.read_urdf(planar), 11, LOAD, seconds=SECONDS)


@pytest.fixture(scope='module')
def node(planar, truth):
    kept = Kept(planar)
    kept.hear(truth[0])
    return kept


def test_without_a_model_or_states(planar):
    response = respond(IdentifyDynamics.Request(), None, found)
    assert (response.success, response.error_code) == (False, CODES.NO_MODEL)
    assert response.message == 'the node has no robot model yet'
    response = Kept(planar).ask()
    assert response.error_code == CODES.UNUSABLE_RECORDING
    assert response.message == 'joint_states: expected some that last, got 0'


@pytest.mark.long
def test_the_node_observes_on_and_ends_at_once_meanwhile(ros, planar, truth, monkeypatch):
    monkeypatch.setattr(identification_service, 'answer', endless)
    with ros.made(LoadObserverNode, urdf_path=planar) as made, ThreadPoolExecutor(1) as pool:
        made._source.finish()
        for message in messages(truth[0].between(0.0, 1.0)):
            made._on_joint_states(message)
        future = pool.submit(made._identification._answer, IdentifyDynamics.Request(), CODES())
        ros.wait_for('the process', lambda: made._identification._process._pool)
        for message in messages(truth[0].between(1.01, 1.3)):
            made._on_joint_states(message)
        assert made._counts['observed'] == 260
        assert not future.done()
        made._identification.close()
        assert future.result().message == 'the node ends'


def test_the_answer_is_that_of_the_library(node, truth):
    recording, _ = truth
    response = node.ask(payload_frame='tool', held_out=0.2)
    assert response.success and response.error_code == CODES.OK, response.message
    assert response.message.startswith(f'{len(recording.times)} joint states of ')
    end = recording.times[-1]
    expected = sd.identify(node.model, recording.between(0.0, 0.8 * end), payload='tool')
    # times come as nanoseconds
    np.testing.assert_allclose(response.values, expected.values, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(
        response.standard_deviations, expected.standard_deviations, rtol=1e-4
    )
    load, known = response.payload, expected.payload
    assert (load.m, load.com.x) == pytest.approx((known.mass, known.com[0]), rel=1e-4)
    assert response.payload_mass_deviation == pytest.approx(known.mass_deviation, rel=1e-3)
    assert response.payload_com_deviation.z == math.inf
    assert response.names == list(expected.names)
    assert list(response.joint_names) == list(node.model.joint_names)
    np.testing.assert_allclose(response.effort_fitted, EFFORT_NOISE, rtol=0.1)
    np.testing.assert_allclose(response.effort_held_out, EFFORT_NOISE, rtol=0.2)
    assert (np.array(response.effort_before) > 2.0 * EFFORT_NOISE).all()


def test_the_documents_are_a_robot(node, truth):
    response = node.ask(payload_frame='tool')
    robot = sd.Robot(
        sd.read_urdf(response.robot_description.encode()),
        sd.Drives.from_yaml(response.elastic_joints.encode()),
    )
    mass = sum(matrix[5, 5] for matrix in robot.model.inertias - node.model.inertias)
    assert mass == pytest.approx(response.payload.m, rel=1e-9)
    found = dict(zip(response.names, response.values, strict=True))
    for name, joint in zip(robot.joint_names, robot.joint_drives, strict=True):
        assert joint.friction.viscous == pytest.approx(found[f'{name}.viscous'], rel=0.05)


def test_chosen_parameters_of_a_chosen_time(node):
    response = node.ask(parameters=['offsets', 'friction'], duration=12.0, no_check=True)
    assert response.success, response.message
    kinds = {name.split('.')[1] for name in response.names}
    assert kinds == {'offset', 'viscous', 'coulomb'}
    count, _, _, _, seconds = response.message.split()[:5]
    assert (int(count), float(seconds)) == (2401, 12.0)
    assert (response.payload.m, response.payload_mass_deviation) == (0.0, 0.0)
    assert node.ask(parameters=['links', 'friction'], no_check=True).success


@pytest.mark.parametrize(
    ('fields', 'message'),
    [
        ({'duration': -1.0}, 'duration: expected 0 or more, got -1'),
        ({'held_out': 1.0}, 'held_out: expected a part below 1, got 1'),
        ({'parameters': ['mass']}, "parameters: expected some of friction, rotors, .*got 'mass'"),
        ({'payload_frame': 'hand'}, "payload_frame: unknown link 'hand': expected one of "),
        ({'payload_frame': 'plane'}, "payload_frame: expected a link that moves, got 'plane'"),
        (
            {'payload_frame': 'tool', 'parameters': ['links']},
            'payload_frame: expected none with parameters links',
        ),
    ],
)
def test_invalid_requests(node, fields, message):
    response = node.ask(**fields)
    assert (response.success, response.error_code) == (False, CODES.INVALID_REQUEST)
    assert re.match(message, response.message), response.message
    assert not response.names and not response.robot_description


@pytest.mark.parametrize('value', [math.nan, math.inf])
def test_numbers_must_be_finite(node, value):
    response = node.ask(smoothing_time=value)
    assert (response.success, response.error_code) == (False, CODES.NOT_FINITE)
    assert response.message == f'smoothing_time: expected a finite number, got {value}'


def test_what_was_heard_must_tell_something(node):
    response = node.ask(duration=0.05)
    assert (response.success, response.error_code) == (False, CODES.UNUSABLE_RECORDING)
    assert 'expected a motion of at least' in response.message


def test_bad_recordings_are_named(node):
    recording, _ = drawn(node.model, 12, seconds=SECONDS)
    efforts = recording.efforts * [-1.0, 1.0]
    reverse = sd.Recording(recording.joint_names, recording.times, recording.positions, efforts)
    node.hear(reverse, BEGIN + 200 * SECOND)
    response = node.ask()
    assert (response.success, response.error_code) == (False, CODES.UNUSABLE_RECORDING)
    assert "joint 'joint_1'" in response.message and 'is reversed' in response.message
