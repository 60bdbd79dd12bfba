# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Qualities of service, timers that end while calls are due, ticks, reasons of lines."""

import time
from types import SimpleNamespace

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from std_msgs.msg import String

from screw_dynamics.control.report import OK, WARN
from screw_dynamics.nodes.shared import reason_throttle
from screw_dynamics.nodes.shared.endpoints import (
    LATCHED,
    make_subscription,
    publishing_nodes,
    steady_timer,
)
from screw_dynamics.nodes.shared.executor import make_executor
from screw_dynamics.nodes.shared.reason_throttle import ReasonThrottle
from screw_dynamics.nodes.shared.tick_timer import TickStatistics, TickTimer


@pytest.mark.parametrize('qos', [LATCHED, qos_profile_sensor_data])
def test_an_override_is_for_one_topic(ros, qos):
    depth = qos.depth
    override = Parameter('qos_overrides./one.subscription.depth', value=depth + 7)
    node = Node('overridden', context=ros.context, parameter_overrides=[override])
    try:
        found = [
            make_subscription(node, String, topic, print, qos).qos_profile.depth
            for topic in ('/one', '/other')
        ]
    finally:
        node.destroy_node()
    assert found == [depth + 7, depth]
    assert qos.depth == depth


def test_a_node_that_was_started_again_is_no_other_one(ros):
    """After a kill -9 of drive_commands its state counted as none for 20 s."""
    names, nodes = ['commands', 'commands', 'further'], []
    try:
        for name in names:
            nodes.append(Node(name, context=ros.context))
            nodes[-1].create_publisher(String, '/state', LATCHED)
            count = len(nodes)
            ros.wait_for('it', lambda n=count: nodes[0].count_publishers('/state') == n)
            found = publishing_nodes(nodes[0], '/state')
            assert found == {('/', one) for one in names[:count]}
    finally:
        for node in nodes:
            node.destroy_node()


def tick_timers(node, callbacks):
    """Return functions that end timers of ticks."""
    timers = [
        TickTimer(node, lambda now, callback=callback: callback(), pytest.fail)
        for callback in callbacks
    ]
    for timer in timers:
        timer.start(1000.0)
    return [timer.stop for timer in timers]


def steady_timers(node, callbacks):
    """Return functions that destroy steady timers."""
    timers = [steady_timer(node, 0.001, callback) for callback in callbacks]
    return [lambda timer=timer: node.destroy_timer(timer) for timer in timers]


def canceled_timers(node, callbacks):
    """Return functions that cancel steady timers."""
    return [steady_timer(node, 0.001, callback).cancel for callback in callbacks]


@pytest.mark.parametrize('make', [tick_timers, steady_timers, canceled_timers])
def test_a_timer_that_has_ended_is_not_called(ros, make):
    """Both are due; the events executor has queued the call of that which the first one ends."""
    called = []

    def first_ends(other):
        def callback():
            called.append(other)
            ends[other]()

        return callback

    node = Node('two_timers', context=ros.context)
    executor = make_executor(ros.context)
    try:
        ends = make(node, [first_ends(1), first_ends(0)])
        executor.add_node(node)
        time.sleep(0.1)
        ros.wait_for('a call', lambda: executor.spin_once(timeout_sec=0.01) or called)
        for _ in range(10):
            executor.spin_once(timeout_sec=0.01)
    finally:
        executor.shutdown()
        node.destroy_node()
    assert len(set(called)) == 1


def test_ticks_are_those_of_the_clock_that_is_set(ros):
    node, executor = Node('two_clocks', context=ros.context), make_executor(ros.context)
    ticks, jumps = [], []
    timer = TickTimer(node, ticks.append, jumps.append)

    def tick():
        ticks.clear()
        ros.wait_for('a tick', lambda: executor.spin_once(timeout_sec=0.01) or ticks)

    try:
        executor.add_node(node)
        timer.start(1000.0)
        tick()
        for simulated in (True, False):
            node.set_parameters([Parameter('use_sim_time', value=simulated)])
            assert timer.times_by_node == simulated
        tick()
    finally:
        executor.shutdown()
        node.destroy_node()
    assert jumps == 2 * ['use_sim_time has changed']


def test_steady_ticks_miss_nothing():
    statistics = TickStatistics(10**6)
    for i in range(11):
        statistics.record(10**6 * i, 50_000 + 1000 * i)
    level, message, values = statistics.report(pytest.fail)
    assert (level, message) == (OK, 'ok')
    assert values == {
        'rate [Hz]': '1000.0',
        'wanted rate [Hz]': '1000.0',
        'missed ticks': 0,
        'missed ticks in all': 0,
        'ticks in all': 11,
        'mean compute time [us]': '55.0',
        'longest compute time [us]': '60.0',
    }


@pytest.mark.parametrize(
    ('times', 'missed'),
    [((0, 1000, 4000, 5400, 8000), 4), ((0, 1800, 2000, 3900, 4000), 0)],
    ids=['gaps', 'late'],
)
def test_gaps_count_as_missed_ticks_and_late_ones_do_not(times, missed):
    statistics = TickStatistics(1000)
    for now in times:
        statistics.record(now, 1)
    report = statistics.report(pytest.fail)
    assert (report.level, report.values['missed ticks']) == (WARN if missed else OK, missed)
    assert report.message == (f'{400 / 9:.1f} % of the ticks missed' if missed else 'ok')


def test_windows_do_not_overlap_and_a_pause_is_no_loss():
    statistics = TickStatistics(10)
    for now in (0, 10):
        statistics.record(now, 1)
    statistics.report(pytest.fail)
    report = statistics.report(pytest.fail)
    assert (report.message, report.values['rate [Hz]']) == ('not active', '0.0')
    statistics.record(20, 3)
    assert statistics.report(pytest.fail).values['rate [Hz]'] == '100000000.0'
    statistics.pause()
    statistics.record(10**6, 1)
    values = statistics.report(pytest.fail).values
    assert (values['missed ticks in all'], values['ticks in all']) == (0, 4)


@pytest.mark.parametrize(('taken', 'reason'), [(100, True), (900, False)])
def test_ticks_that_are_missed_for_long_are_logged(taken, reason):
    """At the third report in a row, and then seldom."""
    statistics, lines = TickStatistics(1000), []
    for k in range(34):
        statistics.record(2000 * k, taken)  # every other one
        statistics.report(lines.append)
        assert len(lines) == int(k >= 3) + int(k >= 33)
    assert lines[0].startswith('50 % of the ticks are missed: a tick takes ')
    assert ('busy with other work' in lines[0]) == reason


def test_a_reason_is_logged_once_a_second_whatever_its_numbers(monkeypatch):
    now = 100.0
    monkeypatch.setattr(reason_throttle, 'time', SimpleNamespace(monotonic=lambda: now))
    throttle = ReasonThrottle(None)
    assert throttle.due('0.31 s late') and not throttle.due('-2e-3 s late')
    now += 0.5
    assert throttle.due('not all joints')
    for passed, late, joints in (
        (0.4375, False, False),
        (0.0625, True, False),
        (0.5, False, True),
    ):
        now += passed  # a period counts from the line of its own reason
        assert (throttle.due('1 s late'), throttle.due('not all joints')) == (late, joints)
    assert all(throttle.due(f'joint {word * "a"}') for word in range(1, 19))
    assert not throttle.due('one reason too many')
