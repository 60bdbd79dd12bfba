# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between messages and arrays, for rclpy and for recorded messages; no ROS import."""
