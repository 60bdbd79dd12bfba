# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The executor of the nodes: events and requests arrive, although few waits look for them."""

from __future__ import annotations

import platform
import subprocess
import sys
import time

import pytest
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.event_handler import (
    EventHandler,
    PublisherEventCallbacks,
    SubscriptionEventCallbacks,
)
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

from screw_dynamics.nodes.shared.endpoints import make_subscription
from screw_dynamics.nodes.shared.executor import SparingExecutor

UNRELIABLE = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


def test_a_driver_with_another_quality_of_service_is_reported_on_both_sides(ros):
    offered, requested = [], []
    publisher = PublisherEventCallbacks(incompatible_qos=offered.append)
    subscription = SubscriptionEventCallbacks(incompatible_qos=requested.append)
    node = ros.add_node('mismatched')  # spun by an executor of the kind that the nodes have
    node.create_publisher(Empty, 'topic', UNRELIABLE, event_callbacks=publisher)
    node.create_subscription(Empty, 'topic', print, 1, event_callbacks=subscription)
    ros.wait_for('both events', lambda: offered and requested)
    assert offered[0].total_count == requested[0].total_count == 1
    ros.remove_node(node)


def test_most_waits_leave_events_out(ros):
    executor = SparingExecutor(context=ros.context)
    node = ros.node
    handlers = [one for one in node.waitables if isinstance(one, EventHandler)]
    assert handlers
    looked = set()

    def both_kinds():
        executor.spin_once(timeout_sec=0.02)
        assert all(map(executor.can_execute, node.services))
        looked.add(any(map(executor.can_execute, handlers)))
        return looked == {False, True}

    ros.wait_for('waits with and without events', both_kinds)
    executor.shutdown()


@pytest.mark.parametrize('periods', [(0.001,), (0.004, 0.004)], ids=str)
def test_requests_are_answered_between_frequent_ticks(ros, periods):
    """Most waits leave services out then; without ticks none does, as the test above shows."""
    executor, answered = SparingExecutor(context=ros.context), []
    node = Node('ticking', context=ros.context)
    try:
        executor.add_node(node)
        ticks, looked = [], []
        timers = [node.create_timer(period, lambda: ticks.append(1)) for period in periods]
        service = node.create_service(
            Trigger, 'asked', lambda _, response: answered.append(1) or response
        )
        client = ros.node.create_client(Trigger, 'asked')
        ros.wait_for('the service', client.service_is_ready)
        for _ in range(3):
            asked = len(answered)
            client.call_async(Trigger.Request())

            def is_answered(before=asked):
                for _ in range(5):
                    executor.spin_once(timeout_sec=0.1)
                    looked.append(executor.can_execute(service))
                return len(answered) > before

            ros.wait_for('the answer', is_answered)
        ros.wait_for('both kinds of waits', lambda: is_answered() and set(looked) == {True, False})
        for timer in timers:
            timer.cancel()
        time.sleep(0.02)  # longer than between ticks that are frequent
        executor.spin_once(timeout_sec=0.0)
        assert executor.can_execute(service)
    finally:
        executor.shutdown()
        node.destroy_node()


def test_seldom_messages_arrive_between_frequent_ticks(ros):
    """Most waits leave them out, but those that follow one that has arrived."""
    executor = SparingExecutor(context=ros.context)
    node = Node('receiving', context=ros.context)
    try:
        executor.add_node(node)
        events = []
        node.create_timer(0.002, lambda: events.append('tick'))
        seldom = make_subscription(
            node, Empty, 'seldom', lambda _: events.append('message'), seldom=True
        )
        other = make_subscription(node, Empty, 'other', lambda _: None)
        publisher = ros.node.create_publisher(Empty, 'seldom', 10)
        ros.wait_for('the subscription', publisher.get_subscription_count)
        looked = set()

        def left_out():
            executor.spin_once(timeout_sec=0.1)
            assert executor.can_execute(other)
            looked.add(executor.can_execute(seldom))
            return looked == {True, False}

        ros.wait_for('both kinds of waits', left_out)
        for _ in range(10):
            publisher.publish(Empty())

        def all_have_arrived():
            before = events.count('message')
            executor.spin_once(timeout_sec=0.1)
            if events.count('message') > before:
                executor.spin_once(timeout_sec=0.1)
                assert executor.can_execute(seldom)
            return events.count('message') == 10

        ros.wait_for('the messages', all_have_arrived)
    finally:
        executor.shutdown()
        node.destroy_node()


def test_cancelled_timers_are_left_out(ros):
    executor, ticks = SparingExecutor(context=ros.context), []
    timer = ros.node.create_timer(0.001, lambda: ticks.append(1))
    try:
        assert executor.can_execute(timer)
        timer.cancel()
        assert not executor.can_execute(timer)
        timer.reset()
        assert executor.can_execute(timer)
        ros.wait_for('ticks', lambda: len(ticks) > 3)
    finally:
        executor.shutdown()
        ros.node.destroy_timer(timer)


def test_a_task_made_by_a_task_is_executed_at_once(ros, monkeypatch):
    """Although the executor leaves out wake-ups of its own thread: it would wait for a minute."""
    monkeypatch.setattr('screw_dynamics.nodes.shared.executor._SELDOM_PERIOD', 60.0)
    executor, done = SparingExecutor(context=ros.context), []
    try:
        executor.spin_once(timeout_sec=0.0)  # it knows its thread now, and no wake-up is left
        executor.create_task(lambda: executor.create_task(lambda: done.append(1)))
        executor.spin_once(timeout_sec=60.0)
        executor.spin_once(timeout_sec=60.0)
        assert done
    finally:
        executor.shutdown()


def test_a_coroutine_that_waits_for_an_older_one_goes_on(ros):
    """The older one goes on in the same turn, after the newer one has been looked at."""
    executor, begun, done = SparingExecutor(context=ros.context), [], []
    node, first, second = Node('waited_for', context=ros.context), Future(), Future()

    async def older():
        begin.cancel()
        begun.append(1)
        await first
        second.set_result(1)

    async def newer():
        await second
        done.append(1)

    def end():
        if begun and not first.done():
            first.set_result(1)
            ending.cancel()

    try:
        executor.add_node(node)
        begin = node.create_timer(0.01, older, callback_group=ReentrantCallbackGroup())
        while not begun:
            executor.spin_once(timeout_sec=1.0)
        task = executor.create_task(newer)
        ending = node.create_timer(0.05, end)
        executor.spin_until_future_complete(task, timeout_sec=60.0)
        assert done
    finally:
        executor.shutdown()
        node.destroy_node()


PAGES = """
import resource
from rclpy.node import Node
from screw_dynamics.nodes.shared.endpoints import make_subscription
from screw_dynamics.nodes.shared.executor import run_node

def faults():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt

def work(node):
    for _ in range(3):
        before = faults()
        copies = [bytes(10**6) + b'1' for _ in range(3)]  # as rclpy takes a message
        del copies
    print(faults() - before)

run_node(lambda: Node('paging'), 'paging', ['paging'], work=work)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != 'glibc', reason='needs glibc')
def test_a_long_message_takes_no_new_pages(ros):
    """Those of the message before are used again; otherwise there are some 700."""
    done = subprocess.run(
        [sys.executable, '-c', PAGES], env=ros.environment, capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    assert int(done.stdout) < 50
