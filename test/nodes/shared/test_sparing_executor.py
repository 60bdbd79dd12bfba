# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The executor of the nodes: events of endpoints arrive, although few waits look for them."""

from __future__ import annotations

from rclpy.event_handler import (
    EventHandler,
    PublisherEventCallbacks,
    SubscriptionEventCallbacks,
)
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Empty

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
