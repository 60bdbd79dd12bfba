# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Qualities of service and publishers of one topic; timers that end while calls are due."""

from __future__ import annotations

import time

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from std_msgs.msg import String

from screw_dynamics.nodes.shared.endpoints import (
    LATCHED,
    make_subscription,
    steady_timer,
)
from screw_dynamics.nodes.shared.executor import make_executor
from screw_dynamics.nodes.shared.tick_timer import TickTimer


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
