# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""From the bytes of a JointTrajectory to its curve, in a process of its own beside the ticks."""
