# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`interpolation: jtc` over DDS: the published reference is the controller's, in both nodes."""

from __future__ import annotations

import time

import numpy as np
import pytest
from node_processes import trajectory
from oracles.controller_trajectory import ControllerTrajectory, through
from services import SERVICES, ros_duration

from screw_dynamics import inverse_dynamics, read_urdf
from screw_dynamics.nodes.conversions import nanoseconds, set_stamp
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
OLD = [[0.0, 0.0], [1.0, -0.5], [0.5, 0.5]]
OLD_VELOCITIES = [[0.0, 0.0], [0.8, 0.2], [0.0, 0.0]]
NEW = [[0.2, 0.1], [0.0, -0.3]]


@pytest.fixture(scope='module')
def process(ros, planar):
    process = ros.start('feedforward', urdf_path=planar, interpolation='jtc', publish_rate=100.0)
    ros.wait_until_active(process)
    return process


def states(positions, velocities, joint):
    return [
        [p[joint]] if velocities is None else [p[joint], v[joint]]
        for p, v in zip(positions, velocities or positions, strict=True)
    ]


def test_topic(ros, process, planar):
    """A cubic trajectory, replaced in its middle by a linear one: both with stamps."""
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    now = time.time_ns()
    # late enough for a busy machine to have heard of both before the first begins
    first, second = now + 3_000_000_000, now + 4_000_000_000
    old = trajectory(NAMES, *OLD, times=[0.0, 0.7, 2.0], velocities=OLD_VELOCITIES)
    new = trajectory(NAMES, *NEW, times=[0.4, 0.9])
    for message, stamp in ((old, first), (new, second)):
        set_stamp(message.header.stamp, stamp)
        ros.publish(message, '/feedforward/joint_trajectory')
    ros.wait_for(
        'the end',
        lambda: samples and samples[-1].source == FeedforwardTorque.SOURCE_HOLD,
        process,
    )
    controllers = [ControllerTrajectory(), ControllerTrajectory()]
    for joint, controller in enumerate(controllers):
        # nothing is known before: the first message waits for its start; times in s from there
        controller.receive(
            0.0, 0.0, [0.0, 0.7, 2.0], states(OLD, OLD_VELOCITIES, joint), [0.0, 0.0]
        )
        controller.receive(0.5, 1.0, [0.4, 0.9], states(NEW, None, joint), [0.0, 0.0])
    model = read_urdf(planar)
    seen = set()
    for sample in samples:
        stamp = nanoseconds(sample.header.stamp)
        assert stamp >= first
        point = sample.reference
        got = np.array([point.positions, point.velocities, point.accelerations])
        expected = np.transpose([c.sample(1e-9 * (stamp - first)) for c in controllers])
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
        assert sample.reference_continuity == (1 if stamp < second else 0)
        seen.add(sample.reference_continuity)
        jet = np.array([*got, sample.reference_jerk, sample.reference_snap])
        effort = [sample.effort, sample.effort_dot, sample.effort_ddot]
        np.testing.assert_allclose(effort, inverse_dynamics(model, jet), rtol=1e-9, atol=1e-9)
    assert seen == {0, 1}


def test_service(ros, planar):
    process = ros.start('dynamics_server', urdf_path=planar, interpolation='jtc')
    kind = SERVICES['compute_trajectory_torques']
    request = kind.Request(
        trajectory=trajectory(NAMES, *OLD, times=[0.0, 0.7, 2.0], velocities=OLD_VELOCITIES),
        sample_period=ros_duration(0.13),
    )
    name = '/dynamics_server/compute_trajectory_torques'
    responses = []

    def answered():
        responses.append(ros.call(kind, name, request))
        return responses[-1].success

    ros.wait_for('the model', answered, process)
    response = responses[-1]
    assert response.interpolation == 'jtc'
    assert len(response.trajectory.points) == 17
    for point in response.trajectory.points[:-1]:
        t = 1e-9 * nanoseconds(point.time_from_start)
        expected = [
            through([0.0, 0.7, 2.0], states(OLD, OLD_VELOCITIES, joint), t) for joint in range(2)
        ]
        got = [point.positions, point.velocities, point.accelerations]
        np.testing.assert_allclose(got, np.transpose(expected), rtol=1e-9, atol=1e-9)
