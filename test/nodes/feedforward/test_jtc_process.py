# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`interpolation: jtc` over DDS: the published reference is the controller's, in both nodes."""

from __future__ import annotations

import time

import numpy as np
import pytest
from helpers.node_processes import trajectory
from helpers.services import SERVICES, ros_duration
from oracles.controller_trajectory import through

from screw_dynamics import inverse_dynamics, read_urdf
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
SECOND = 10**9
OLD_TIMES, NEW_TIMES = [0.0, 0.7, 60.0], [0.4, 0.9]
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


def motion_of(sample):
    point = sample.reference
    return np.array([point.positions, point.velocities, point.accelerations])


def spline(times, positions, velocities, t):
    """Return position, velocity and acceleration of the controller, all joints."""
    return np.transpose([through(times, states(positions, velocities, j), t) for j in range(2)])


def test_topic(ros, process, planar):
    """A cubic trajectory that a linear one with a start to come replaces on its way."""
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    # late enough for a busy machine to have heard of it before it begins
    first = time.time_ns() + 3 * SECOND
    old = trajectory(NAMES, *OLD, times=OLD_TIMES, velocities=OLD_VELOCITIES)
    set_stamp(old.header.stamp, first)
    ros.publish(old, '/feedforward/joint_trajectory')
    # no state is known before: it waits for its start
    ros.wait_for('the first', lambda: len(samples) > 80, process)
    sent = time.time_ns()
    second = sent + 10 * SECOND
    new = trajectory(NAMES, *NEW, times=NEW_TIMES)
    set_stamp(new.header.stamp, second)
    ros.publish(new, '/feedforward/joint_trajectory')
    ros.wait_for('the end', lambda: samples[-1].source == FeedforwardTorque.SOURCE_HOLD, process)

    assert nanoseconds(samples[0].header.stamp) >= first
    # the first sample after the reception of the second trajectory
    left_at = next(nanoseconds(s.header.stamp) for s in samples if s.reference_continuity == 0)
    assert sent < left_at < second
    model, approach = read_urdf(planar), []
    for sample in samples:
        stamp, got = nanoseconds(sample.header.stamp), motion_of(sample)
        if stamp < left_at:
            expected = spline(OLD_TIMES, OLD, OLD_VELOCITIES, 1e-9 * (stamp - first))
        elif stamp < second + NEW_TIMES[0] * SECOND:
            # a line to the first point, the same all the way
            left = 1e-9 * (second - stamp) + NEW_TIMES[0]
            approach.append(got[1])
            expected = [NEW[0] - left * got[1], approach[0], [0.0, 0.0]]
        else:
            expected = spline(NEW_TIMES, NEW, None, 1e-9 * (stamp - second))
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
        jet = np.array([*got, sample.reference_jerk, sample.reference_snap])
        effort = [sample.effort, sample.effort_dot, sample.effort_ddot]
        np.testing.assert_allclose(effort, inverse_dynamics(model, jet), rtol=1e-9, atol=1e-9)
    assert len(approach) > 100
    # extended backwards, the line meets the old motion at the reception of the message
    span = np.linspace(sent, left_at, 2001)
    left = np.array([spline(OLD_TIMES, OLD, OLD_VELOCITIES, 1e-9 * (t - first)) for t in span])
    line = NEW[0] - (1e-9 * (second - span) + NEW_TIMES[0])[:, None] * approach[0]
    gaps, rates = np.abs(left[:, 0] - line), np.abs(left[:, 1] - approach[0])
    step = 1e-9 * (span[1] - span[0])
    assert gaps.max(axis=1).min() < rates.max() * step


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
