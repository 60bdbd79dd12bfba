# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Components of the node `sea_simulator`: motor drives, robot, steps, time."""
