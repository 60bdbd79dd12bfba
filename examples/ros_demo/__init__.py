# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Study of the main job over ROS 2: nodes, a trajectory, service calls, a bag, a report."""
