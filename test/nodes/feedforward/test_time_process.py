# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated time: forward, paused, backward; the events executor."""

from __future__ import annotations

import time

import numpy as np
import pytest
from helpers.node_processes import trajectory
from helpers.simulated_clock import SimulatedClock

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']


@pytest.mark.parametrize('events', [False, True])
def test_simulated_time(ros, planar, events):
    name = f'simulated_{events}'.lower()
    process = ros.start(
        'feedforward', name=name, urdf_path=planar, use_sim_time=True, use_events_executor=events
    )
    ros.wait_until_active(process, f'/{name}')
    topic = f'/{name}/joint_trajectory'
    samples = ros.listen(FeedforwardTorque, f'/{name}/feedforward')
    message = trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0.0, 0.4])
    ros.publish(message, topic)
    ros.wait_for('the refusal', lambda: 'no time has been received on /clock' in process.log)

    simulation = SimulatedClock(ros, 50 * 10**9)

    def begin():
        # the two topics are handled in any order: the first message may still come too early
        simulation.step()
        if not samples:
            ros.publish(message, topic)
        return len(samples) > 5

    ros.wait_for('samples', begin, process)
    stamps = [nanoseconds(sample.header.stamp) for sample in samples]
    assert all(50 * 10**9 < stamp <= simulation.now for stamp in stamps)

    # time is paused: nothing more is published once the last step has been handled
    settled = caught_up(ros, simulation, samples)
    begun = time.monotonic()
    ros.wait_for('half a second', lambda: time.monotonic() > begun + 0.5, process)
    assert len(samples) == settled

    ros.wait_for(
        'the end',
        lambda: simulation.step() and samples[-1].source == FeedforwardTorque.SOURCE_HOLD,
        process,
    )
    settled = caught_up(ros, simulation, samples)
    stamps = [nanoseconds(sample.header.stamp) for sample in samples]
    assert (np.diff(stamps) > 0).all()
    np.testing.assert_allclose(samples[-1].reference.positions, [1.0, 1.0])

    simulation.now = 10 * 10**9
    ros.wait_for(
        'the jump', lambda: simulation.step() and 'Moved backwards in time' in process.log, process
    )
    simulation.step(20)
    sent = simulation.now
    ros.publish(message, topic)
    ros.wait_for('new samples', lambda: simulation.step() and len(samples) > settled, process)
    # none of the time between
    assert sent <= nanoseconds(samples[settled].header.stamp)
    assert nanoseconds(samples[-1].header.stamp) <= simulation.now
    assert process.interrupt() == 0, process.log


def caught_up(ros, simulation, samples):
    """Return the number of samples once that of the present instant is there."""

    def now():
        simulation.tell()  # again: a message of /clock may be lost
        return nanoseconds(samples[-1].header.stamp) == simulation.now

    ros.wait_for('the sample of now', now)
    return len(samples)


def test_events_executor_at_1_khz(ros, planar):
    process = ros.start(
        'feedforward', name='fast', urdf_path=planar, use_events_executor=True, publish_rate=1000
    )
    ros.wait_until_active(process, '/fast')
    samples = ros.listen(FeedforwardTorque, '/fast/feedforward')
    ros.publish(trajectory(NAMES, [0.0, 0.0], [1.0, 1.0]), '/fast/joint_trajectory')
    ros.wait_for(
        'the end',
        lambda: samples and samples[-1].source == FeedforwardTorque.SOURCE_HOLD,
        process,
    )
    # how many ticks a busy machine leaves out is measured by make bench-node, not here
    steps = np.diff([nanoseconds(sample.header.stamp) for sample in samples])
    assert (steps > 0).all()
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log
