# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trouble without bad input: efforts that overflow, ticks that are missed."""

from __future__ import annotations

from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers.node_processes import trajectory
from helpers.stream_client import stream_until
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from screw_dynamics.control.report import ERROR, OK, WARN
from screw_dynamics.nodes.feedforward.diagnostics import FeedforwardReports
from screw_dynamics.nodes.shared.tick_timer import TickStatistics
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
TOPIC = '/feedforward/joint_trajectory'
PERIOD = 4_000_000  # ns


def rate_report(missed):
    """Report on 200 ticks of which some are missed."""
    statistics = TickStatistics(PERIOD)
    for i in range(200):
        if i % 20 or i >= 20 * missed:
            statistics.record(i * PERIOD, 1000)
    reports = FeedforwardReports(None, SimpleNamespace(statistics=statistics), pytest.fail)
    return reports.tasks()['rate']()


def test_missed_ticks_are_worth_a_warning_above_one_percent():
    assert rate_report(0).level == OK
    assert rate_report(2).level == OK
    report = rate_report(8)
    assert report.level == WARN
    assert 'of the ticks missed' in report.message


def test_a_stream_beyond_all_bounds_survives_another_filter(ros, planar):
    process = ros.start(
        'feedforward',
        name='huge',
        urdf_path=planar,
        filter__bandwidth=20.0,
        check_limits='off',
        diagnostic_updater__period=0.1,
    )
    ros.wait_until_active(process, '/huge')
    topic = '/huge/joint_state_reference'
    reports = ros.listen(DiagnosticArray, '/diagnostics')

    def rejected():
        return 'expected at most 1e+100 in size, got' in process.log

    def followed():
        return any(
            int(value.value) > 20
            for report in reports[-1:]
            for found in report.status
            if found.name == 'huge: joint_state_reference'
            for value in found.values
            if value.key == 'accepted'
        )

    for size, condition, name, value in (
        (1e305, rejected, 'filter.bandwidth', 0.1),
        (9e99, followed, 'filter.order', 12),
    ):
        signs = cycle((1.0, -1.0))

        def message(size=size, signs=signs):
            return JointState(name=NAMES, position=[next(signs) * size] * 2)

        stream_until(ros, process, topic, message, condition)
        assert ros.set_parameter('/huge', name, value) == (True, '')
    assert process.interrupt() == 0, process.log


def test_a_change_that_cannot_be_made_is_told(ros, planar):
    override = {'qos_overrides./told/joint_effort.publisher.reliability': 'sometimes'}
    process = ros.start('feedforward', name='told', urdf_path=planar, **override)
    ros.wait_until_active(process, '/told')
    assert ros.set_parameter('/told', 'publish_joint_state', True)[0]
    ros.wait_for(
        'the failure',
        lambda: (
            'Parameters publish_joint_state changed, with a failure: Unexpected QoS override'
            in process.log
        ),
        process,
    )
    for name, value, expected in (
        ('derivative_order', 1.0, 'an integer, got 1.0'),
        ('publish_commands', 1, 'true or false, got 1'),
        ('start_state', 2, 'a string, got 2'),
    ):
        reason = f'parameter {name!r}: expected {expected}'
        assert ros.set_parameter('/told', name, value) == (False, reason)
    samples = ros.listen(FeedforwardTorque, '/told/feedforward')
    ros.wait_for(
        'its one publisher', lambda: ros.node.count_publishers('/told/feedforward') == 1, process
    )
    ros.publish(trajectory(NAMES, [0.0, 0.0]), '/told/joint_trajectory')
    ros.wait_for('samples', lambda: samples, process)
    assert process.interrupt() == 0, process.log


def test_an_effort_that_overflows_is_not_published(ros, planar):
    process = ros.start(
        'feedforward', urdf_path=planar, publish_rate=100, diagnostic_updater__period=0.1
    )
    ros.wait_until_active(process)
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    # the fourth power of the velocity, in effort_ddot, is beyond double precision
    ros.publish(trajectory(NAMES, [0.0, 0.0], [1e99, -1e99], times=[0.0, 5.0]), TOPIC)

    def error():
        return [
            status
            for report in reports
            for status in report.status
            if status.name == 'feedforward: rate' and status.level == ERROR
        ]

    ros.wait_for('the error', error, process)
    assert 'Nothing published: ' in process.log
    assert error()[0].message
    assert all(np.isfinite(sample.effort).all() for sample in samples)
    assert ros.call(Trigger, '/feedforward/clear', Trigger.Request()).success
    ros.publish(trajectory(NAMES, [0.1, 0.2], [0.1, 0.2], times=[0.0, 0.1]), TOPIC)
    ros.wait_for(
        'the next trajectory',
        lambda: samples and list(samples[-1].reference.positions) == [0.1, 0.2],
        process,
    )
    assert process.interrupt() == 0, process.log
