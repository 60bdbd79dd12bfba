# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot model of a node, loaded from robot_description, files and parameters."""
