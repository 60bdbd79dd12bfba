# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The main job, start to end: nodes, a trajectory, service calls, a bag, a report, a plot."""
