# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Demo of the main job: nodes, a trajectory, service calls, a bag, a report, a plot."""
