# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams and trajectories take over from each other in a running node, by a clock of our own."""

from __future__ import annotations

import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from helpers.node_processes import trajectory
from helpers.simulated_clock import SimulatedClock
from helpers.stream_client import status
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
POSITIONS, TRAJECTORY = '/feedforward/joint_state_reference', '/feedforward/joint_trajectory'
STEP = 10_000_000  # ns
AGAIN = 0.5  # s, until a time that may have been lost is sent again
STREAM, FOLLOWED, HOLD = (
    FeedforwardTorque.SOURCE_STREAM,
    FeedforwardTorque.SOURCE_TRAJECTORY,
    FeedforwardTorque.SOURCE_HOLD,
)


class Driver:
    """Moves the time of the node on, a step when it has answered the one before."""

    def __init__(self, ros, process):
        self.ros, self.process = ros, process
        self.samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
        self._clock = SimulatedClock(ros, 100 * 10**9)

    def send(self, positions):
        message = JointState(name=NAMES, position=[float(x) for x in positions])
        self.ros.publish(message, POSITIONS, qos_profile_sensor_data)

    def begin(self, positions):
        """Stream until there is output."""

        def output():
            self._clock.step(step=STEP)
            self.send(positions)
            return self.samples

        self.ros.wait_for('the first sample', output, self.process)

    def step(self, positions=None):
        """Go on by a step, with a sample of the stream or without; wait for the output."""
        self._clock.step(step=STEP)
        if positions is not None:
            self.send(positions)
        told = time.monotonic()

        def answered():
            nonlocal told
            if time.monotonic() > told + AGAIN:
                self._clock.tell()
                told = time.monotonic()
            return nanoseconds(self.samples[-1].header.stamp) >= self._clock.now

        self.ros.wait_for('the output of a step', answered, self.process)

    def until(self, source, positions=None):
        while self.samples[-1].source != source:
            self.step(positions)

    def path(self, begin=0):
        return np.array([sample.reference.positions for sample in self.samples[begin:]])


@pytest.fixture
def driver(ros, planar):
    process = ros.start(
        'feedforward',
        urdf_path=planar,
        use_sim_time=True,
        max_reference_age=0.3,
        filter__bandwidth=2.0,
        diagnostic_updater__period=0.2,
    )
    ros.wait_until_active(process)
    yield Driver(ros, process)
    process.end()


def test_trajectory_and_stream_take_over_from_each_other(ros, driver):
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    verdicts = ros.listen(DiagnosticStatus, '/feedforward/trajectory_status')
    ros.wait_until_heard()
    driver.begin([0.3, 0.4])
    ros.publish(trajectory(NAMES, [1.0, 1.0], times=[1.0]), TRAJECTORY)
    # time is paused during the fit: the whole second is left to it
    ros.wait_for('the fit', lambda: verdicts, driver.process)
    # the stream goes on and is ignored
    driver.until(HOLD, [0.3, 0.4])
    sources = [sample.source for sample in driver.samples]
    switches = np.flatnonzero(np.diff(sources))
    assert [sources[0], *(sources[i + 1] for i in switches)] == [STREAM, FOLLOWED, HOLD]
    path = driver.path()
    np.testing.assert_allclose(path[0], [0.3, 0.4])
    np.testing.assert_allclose(path[-1], [1.0, 1.0])
    assert np.abs(np.diff(path, axis=0)).max() < 0.03
    now = nanoseconds(driver.samples[-1].header.stamp)
    _, values = status(ros, reports, 'joint_state_reference', now)
    assert int(values['ignored for a newer command']) > 50

    # a stream that starts again takes over in turn, from the state of the trajectory
    for _ in range(40):
        driver.step()
    begin = len(driver.samples) - 1
    driver.until(STREAM, [0.8, 0.7])
    while not np.allclose(driver.samples[-1].reference.positions, [0.8, 0.7], atol=1e-3):
        driver.step([0.8, 0.7])
    path = driver.path(begin)
    np.testing.assert_allclose(path[0], [1.0, 1.0])
    assert np.abs(np.diff(path, axis=0)).max() < 0.03
