# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The clock of a running node: another source of time, and a jump forward."""

from __future__ import annotations

import time

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from helpers.node_processes import trajectory
from helpers.simulated_clock import SimulatedClock

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
TOPIC = '/feedforward/joint_trajectory'
SECOND = 10**9
DROPPED = 'use_sim_time has changed: the active trajectory is dropped'


def simulated(sample):
    return nanoseconds(sample.header.stamp) < 10**6 * SECOND


def test_use_sim_time_changes_while_a_trajectory_is_followed(ros, planar):
    process = ros.start('feedforward', urdf_path=planar, publish_rate=100)
    ros.wait_until_active(process)
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    verdicts = ros.listen(DiagnosticStatus, '/feedforward/trajectory_status')
    long = trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0.0, 1000.0])
    ros.publish(long, TOPIC)
    ros.wait_for('samples by the system clock', lambda: len(samples) > 3, process)
    assert abs(nanoseconds(samples[-1].header.stamp) - time.time_ns()) < 10 * SECOND

    assert ros.set_parameter('/feedforward', 'use_sim_time', True) == (True, '')
    ros.wait_for(
        'the warning',
        lambda: process.log.count(DROPPED) == 1,
        process,
    )
    samples.clear()
    clock = SimulatedClock(ros, 100 * SECOND)

    verdicts.clear()
    ros.publish(long, TOPIC)

    def step():
        clock.step(step=SECOND // 100)
        if verdicts and verdicts[-1].level == DiagnosticStatus.ERROR:  # it came before the time
            verdicts.clear()
            ros.publish(long, TOPIC)
        return sum(map(simulated, samples)) > 5

    ros.wait_for('samples by /clock', step, process)
    assert all(
        100 * SECOND < nanoseconds(sample.header.stamp) <= clock.now
        for sample in samples
        if simulated(sample)  # else sent before the change
    )

    # the skipped time has passed: the end is kept
    clock.now += 2000 * SECOND
    ros.wait_for(
        'the end',
        lambda: (step(), samples[-1].source == FeedforwardTorque.SOURCE_HOLD)[1],
        process,
    )
    np.testing.assert_array_equal(samples[-1].reference.positions, [1.0, 1.0])
    assert not np.any(samples[-1].reference.velocities)

    assert ros.set_parameter('/feedforward', 'use_sim_time', False) == (True, '')
    ros.wait_for(
        'the second warning',
        lambda: process.log.count(DROPPED) == 2,
        process,
    )
    samples.clear()
    ros.publish(long, TOPIC)
    ros.wait_for(
        'samples by the system clock',
        lambda: sum(not simulated(sample) for sample in samples) > 5,
        process,
    )
    assert abs(nanoseconds(samples[-1].header.stamp) - time.time_ns()) < 10 * SECOND
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log
