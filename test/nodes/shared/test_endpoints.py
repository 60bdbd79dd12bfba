# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A quality of service overridden for one topic does not change the others."""

from __future__ import annotations

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from std_msgs.msg import String

from screw_dynamics.nodes.shared.endpoints import LATCHED, make_subscription


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
