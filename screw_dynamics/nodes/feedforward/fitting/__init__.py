# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of JointTrajectory messages to curves in a process beside the ticks."""
