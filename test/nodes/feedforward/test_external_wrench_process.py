# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The feedforward process over DDS with a wrench ON a link, in its frame."""

from __future__ import annotations

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from helpers.node_processes import trajectory
from helpers.stream_client import efforts_of, jet_of, status, stream_until

from screw_dynamics import read_urdf, recursive_body_fixed
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
TOPIC = '/feedforward/external_wrench'
VALUES = np.array([0.1, 0.2, -0.3, 4.0, -5.0, 6.0])


@pytest.fixture(scope='module')
def model(planar):
    return read_urdf(planar)


@pytest.fixture(scope='module')
def process(ros, planar):
    process = ros.start(
        'feedforward',
        urdf_path=planar,
        publish_rate=100.0,
        external_wrench_timeout=0.3,
        diagnostic_updater__period=0.2,
    )
    ros.wait_until_active(process)
    return process


@pytest.fixture(scope='module')
def reports(ros):
    return ros.listen(DiagnosticArray, '/diagnostics')


@pytest.fixture(scope='module')
def samples(ros, process):
    """Return the effort messages of a constant position."""
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    ros.publish(trajectory(NAMES, [0.3, 0.2]), '/feedforward/joint_trajectory')
    ros.wait_for('samples', lambda: samples, process)
    return samples


@pytest.fixture
def held(samples, model):
    """Return the efforts without a wrench."""
    return recursive_body_fixed(model, jet_of(samples[-1]))


def message_on(frame, values=VALUES):
    message = WrenchStamped()
    message.header.frame_id = frame
    torque, force = message.wrench.torque, message.wrench.force
    torque.x, torque.y, torque.z, force.x, force.y, force.z = map(float, values)
    return message


def test_counts_until_it_is_stale(ros, process, samples, model, reports, held):
    frame = [name for name, frame in model.frames.items() if frame.body >= 0][-1]
    load = {frame: np.vstack([VALUES, np.zeros((2, 6))])}
    expected = recursive_body_fixed(model, jet_of(samples[-1]), load)
    assert np.abs(expected - held).max() > 0.1

    def loaded():
        return np.allclose(efforts_of(samples[-1]), expected, rtol=0, atol=1e-10)

    stream_until(ros, process, TOPIC, lambda: message_on(frame), loaded)
    ros.wait_for(
        'the effort without the wrench',
        lambda: np.allclose(efforts_of(samples[-1]), held, rtol=0, atol=1e-10),
        process,
    )
    text = f"the wrench on '{frame}' is older than 0.3 s: it is no longer in force"
    ros.wait_for('the warning', lambda: text in process.log, process)
    # a report that was under way may still say otherwise
    stale = f'stale, not in force: {frame}'
    ros.wait_for('the report', lambda: status(ros, reports, 'external_wrench')[0].message == stale)
    found, values = status(ros, reports, 'external_wrench')
    assert found.level == found.WARN
    assert int(values['accepted']) > 0


@pytest.mark.parametrize(
    'frame, values, text',
    [
        ('nose', VALUES, "unknown frame 'nose': expected one of"),
        ('link_2', [np.nan, *VALUES[1:]], 'wrench.torque.x: expected a finite number'),
    ],
)
def test_bad_ones_are_ignored(ros, process, samples, reports, held, frame, values, text):
    _, before = status(ros, reports, 'external_wrench')
    stream_until(
        ros,
        process,
        TOPIC,
        lambda: message_on(frame, values),
        lambda: f'~/external_wrench ignored: {text}' in process.log,
    )

    def counted():
        _, after = status(ros, reports, 'external_wrench')
        return int(after['ignored']) > int(before['ignored'])

    ros.wait_for('the report', counted, process)
    np.testing.assert_allclose(efforts_of(samples[-1]), held, rtol=0, atol=1e-10)
