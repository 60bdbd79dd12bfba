# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Service `identify` of load_observer over DDS: what was heard, its parameters, refusals."""

from __future__ import annotations

import math
import os
import re
import signal
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from helpers.child_processes import children, state
from helpers.patience import patience
from helpers.recordings import COM, EFFORT_NOISE, drawn
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.messages.times import SECOND, nanoseconds, set_stamp
from screw_dynamics.nodes.load_observer.identification_process import Task, found
from screw_dynamics_interfaces.srv import IdentifyDynamics

BEGIN = 1_700_000_000 * SECOND
SECONDS = 16.0
AT_ONCE = 5  # messages under way: a subscription of the best effort keeps ten
LOAD = 'tool', 1.0, [COM[0], COM[1], 0.0], np.zeros((3, 3))
CODES = IdentifyDynamics.Response


class Identified:
    """A running load_observer, and the recording that it hears."""

    def __init__(self, ros, urdf, name, **parameters):
        self.ros, self.name = ros, f'/{name}/load_observer'
        self.model = sd.read_urdf(urdf)
        self.heard = ros.listen(JointState, f'{self.name}/external_effort')
        self.process = ros.start(
            'load_observer', namespace=f'/{name}', urdf_path=urdf, **parameters
        )
        self.wait('the model', lambda: 'Observing 2 joints' in self.process.log)
        self.client = ros.node.create_client(IdentifyDynamics, f'{self.name}/identify')
        self.wait('the service', self.client.service_is_ready)
        refusals = []

        def refused():
            refusals.append(self.send(duration=-1.0))
            return any(future.done() for future in refusals)

        # the node knows what we listen to, and no answer is lost, once one has arrived
        self.wait('a refusal', refused)

    def wait(self, what, condition):
        return self.ros.wait_for(what, condition, self.process)

    def hear(self, recording, begin=BEGIN):
        """Publish a recording, no faster than the node observes it."""
        topic = self.name.replace('load_observer', 'joint_states')
        velocities = np.gradient(recording.positions, recording.times, axis=0)
        rows = zip(
            recording.times, recording.positions, velocities, recording.efforts, strict=True
        )
        for i, (seconds, q, qd, effort) in enumerate(rows):
            message = JointState(name=list(recording.joint_names))
            message.position, message.velocity = q.tolist(), qd.tolist()
            message.effort = effort.tolist()
            instant = begin + round(seconds * SECOND)
            set_stamp(message.header.stamp, instant)
            self.ros.publish(message, topic)
            if i == 0:
                self.wait('the observer', partial(self._begun, message, topic, instant))
            elif i % AT_ONCE == 0 or i == len(recording.times) - 1:
                self.wait('the observer', partial(self._observed, instant))

    def _begun(self, message, topic, instant):
        """Publish a first message again, without effect where it has arrived, until it has."""
        if self._observed(instant):
            return True
        # the node may not know the publisher yet; copies of later messages could push others out
        # of the queue of a busy node
        self.ros.publish(message, topic)
        return False

    def _observed(self, instant):
        return bool(self.heard) and nanoseconds(self.heard[-1].header.stamp) == instant

    def send(self, **fields):
        """Return the future of a response."""
        return self.client.call_async(IdentifyDynamics.Request(**fields))

    def ask(self, **fields):
        future = self.send(**fields)
        self.wait('the response', future.done)
        return future.result()


@pytest.fixture(scope='module')
def truth(planar):
    """Return the recording of an arm with friction, rotors and a load, and its drives."""
    return drawn(sd.read_urdf(planar), 11, LOAD, seconds=SECONDS)


@pytest.fixture(scope='module')
def node(ros, planar, truth):
    identified = Identified(ros, planar, 'moved')
    identified.hear(truth[0])
    yield identified
    assert identified.process.interrupt() == 0, identified.process.log
    assert 'Traceback' not in identified.process.log


def test_friction_rotors_and_load_of_what_was_heard(node, truth):
    recording, drives = truth
    response = node.ask(payload_frame='tool')
    assert response.success and response.error_code == CODES.OK, response.message
    assert response.message.startswith(f'{len(recording.times)} joint states of ')
    found = dict(zip(response.names, response.values, strict=True))
    deviations = dict(zip(response.names, response.standard_deviations, strict=True))
    names = [
        f'{joint}.{kind}'
        for kind in ('viscous', 'coulomb', 'rotor_inertia')
        for joint in node.model.joint_names
    ]
    expected = dict(zip(names, drives.parameters, strict=True))
    expected |= {'payload.m': 1.0, 'payload.mx': COM[0], 'payload.my': COM[1]}
    for name, value in expected.items():
        assert abs(found[name] - value) < 4.5 * deviations[name], name
    assert deviations['payload.m'] < 0.03
    assert deviations['payload.xx'] == math.inf and found['payload.xx'] == 0.0
    load = response.payload
    assert (load.m, response.payload_mass_deviation) == (
        found['payload.m'],
        deviations['payload.m'],
    )
    assert load.com.x == pytest.approx(found['payload.mx'] / load.m)
    assert response.payload_com_deviation.z == math.inf
    assert list(response.joint_names) == list(node.model.joint_names)
    np.testing.assert_allclose(response.effort_fitted, EFFORT_NOISE, rtol=0.1)
    np.testing.assert_allclose(response.effort_held_out, EFFORT_NOISE, rtol=0.2)
    assert (np.array(response.effort_before) > 2.0 * EFFORT_NOISE).all()


def test_the_answer_is_that_of_the_library(node, truth):
    recording, _ = truth
    response = node.ask(payload_frame='tool', held_out=0.2)
    end = recording.times[-1]
    expected = sd.identify(node.model, recording.between(0.0, 0.8 * end), payload='tool')
    assert response.names == list(expected.names)
    # times come as nanoseconds
    np.testing.assert_allclose(response.values, expected.values, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(
        response.standard_deviations, expected.standard_deviations, rtol=1e-4
    )


def test_the_documents_are_a_robot(node, truth):
    response = node.ask(payload_frame='tool')
    robot = sd.Robot(
        sd.read_urdf(response.robot_description.encode()),
        sd.ElasticJoints.from_yaml(response.elastic_joints.encode()),
    )
    mass = sum(matrix[5, 5] for matrix in robot.model.inertias - node.model.inertias)
    assert mass == pytest.approx(response.payload.m, rel=1e-9)
    found = dict(zip(response.names, response.values, strict=True))
    for name, joint in zip(robot.joint_names, robot.joints, strict=True):
        assert joint.friction.viscous == pytest.approx(found[f'{name}.viscous'], rel=0.05)


def test_a_load_that_the_model_has_already_costs_only_the_documents(planar):
    """Such as that of the parameters of a node whose gripper is empty."""
    arm, (recording, drives) = sd.read_urdf(planar), drawn(sd.read_urdf(planar), 12, seconds=16.0)
    task = Task(
        sd.Robot(arm.with_payload(*LOAD)),
        Path(planar).read_text(),
        recording.times,
        recording.positions,
        recording.efforts,
        groups=('friction', 'rotors'),
        payload='tool',
        held_out=0.25,
        coulomb_velocity=0.01,
        smoothing_time=None,
        check=False,
    )
    answer = found(task)
    rows = {name: (value, deviation) for name, value, deviation in answer.rows}
    assert rows['payload.m'][0] == pytest.approx(-1.0, abs=0.05)
    assert abs(rows['joint_1.viscous'][0] - drives.viscous[0]) < 4.5 * rows['joint_1.viscous'][1]
    assert (answer.load, answer.urdf, answer.drives) == (None, '', '')
    assert '; no robot_description: ' in answer.message


def test_chosen_parameters_of_a_chosen_time(node):
    response = node.ask(parameters=['offsets', 'friction'], duration=12.0, no_check=True)
    assert response.success, response.message
    kinds = {name.split('.')[1] for name in response.names}
    assert kinds == {'offset', 'viscous', 'coulomb'}
    count, _, _, _, seconds = response.message.split()[:5]
    assert (int(count), float(seconds)) == (2401, 12.0)
    assert (response.payload.m, response.payload_mass_deviation) == (0.0, 0.0)
    assert node.ask(parameters=['links']).success


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
    response = node.ask(duration=2.0)
    assert (response.success, response.error_code) == (False, CODES.UNUSABLE_RECORDING)
    assert 'recording: expected more than ' in response.message


def test_bad_recordings_are_named(ros, planar, truth):
    recording, _ = truth
    node = Identified(ros, planar, 'reversed')
    response = node.ask()
    assert response.error_code == CODES.UNUSABLE_RECORDING
    assert response.message == 'joint_states: expected some that last, got 0'
    efforts = recording.efforts * [1.0, -1.0]
    node.hear(sd.Recording(recording.joint_names, recording.times, recording.positions, efforts))
    response = node.ask()
    assert (response.success, response.error_code) == (False, CODES.UNUSABLE_RECORDING)
    assert 'joint_2' in response.message and 'revers' in response.message
    assert node.process.interrupt() == 0


def test_without_a_model(ros):
    process = ros.start('load_observer', namespace='/waiting')
    name, request = '/waiting/load_observer/identify', IdentifyDynamics.Request()
    response = ros.call(IdentifyDynamics, name, request)
    assert (response.success, response.error_code) == (False, CODES.NO_MODEL)
    assert response.message == 'the node has no robot model yet'
    assert process.interrupt() == 0


def identifying(pid):
    """Return the processes of an identification that the threads of a process have started."""
    return [child for child in children(pid) if 'identification_process' in command_line(child)]


def command_line(pid):
    """Return that of a process, before its exec that of its parent."""
    try:
        return Path(f'/proc/{pid}/cmdline').read_text()
    except OSError:  # it has ended
        return ''


def stopped(pid):
    """Stop a process and return whether that was before its end."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    end = time.monotonic() + patience()
    while time.monotonic() < end:
        if (found := state(pid)) in 'TZX':
            return found == 'T'
        time.sleep(0.001)
    return False


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_the_node_observes_on_and_ends_at_once_meanwhile(ros, planar, truth, number):
    node = Identified(ros, planar, f'busy_{number}')
    node.hear(truth[0].between(0.0, 12.0))
    future = None

    def held():
        nonlocal future
        if future is None or future.done():  # on a busy machine it may be over before the stop
            future = node.send(parameters=['links', 'rotors'])
        return any(map(stopped, identifying(node.process.pid)))

    node.wait('the stopped process of the identification', held)
    node.hear(truth[0].between(12.01, 12.3))
    assert not future.done()
    assert node.process.interrupt(number) == 0
    assert 'Traceback' not in node.process.log
