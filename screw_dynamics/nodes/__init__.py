# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 nodes; only this package and the recorder of bags import rclpy."""
