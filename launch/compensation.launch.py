# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch the node compensation."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction

from screw_dynamics.nodes.launching import launched_node, node_arguments, parameter_file


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    return LaunchDescription(
        [
            *node_arguments(),
            parameter_file('compensation'),
            OpaqueFunction(function=_node),
        ]
    )


def _node(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node."""
    return [launched_node(context, 'compensation')]
