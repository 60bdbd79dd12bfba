# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""One visible skip if the nodes cannot be tested."""

from __future__ import annotations

import os

import pytest


def test_ros_is_here() -> None:
    pytest.importorskip('rclpy', reason='the nodes need ROS 2 (rclpy)')
    pytest.importorskip(
        'screw_dynamics_interfaces', reason='the nodes need screw_dynamics_interfaces, built'
    )
    if not os.environ.get('AMENT_PREFIX_PATH'):
        pytest.skip('the nodes need a sourced ROS 2 environment (AMENT_PREFIX_PATH)')
