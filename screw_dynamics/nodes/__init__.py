# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 nodes; only this room (with the demo and the recorder) imports rclpy."""
