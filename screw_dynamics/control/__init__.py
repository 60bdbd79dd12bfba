# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Decisions of the nodes, without ROS, threads and clocks: `step(now, inputs)` returns outputs."""
