# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch the node dynamics_server."""

from launch import LaunchDescription

from screw_dynamics.nodes.launching import single_node


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    return single_node('dynamics_server')
