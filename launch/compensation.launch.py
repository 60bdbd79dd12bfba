# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch the node compensation."""

from launch import LaunchDescription

from screw_dynamics.nodes.launching import single_node


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    return single_node('compensation')
