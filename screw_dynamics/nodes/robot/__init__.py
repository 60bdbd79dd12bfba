# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""From robot_description, files and parameters to the model that a node computes with."""
