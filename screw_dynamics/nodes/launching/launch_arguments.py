# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments shared by several launch files."""

from __future__ import annotations

from launch.actions import DeclareLaunchArgument
from launch.substitutions import PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare

PACKAGE = 'screw_dynamics'
_LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal']


def text(name: str, description: str, default: str = '') -> DeclareLaunchArgument:
    """Return an argument that accepts any text."""
    return DeclareLaunchArgument(name, default_value=default, description=description)


def flag(name: str, description: str, default: str = 'false') -> DeclareLaunchArgument:
    """Return an argument that is ``true`` or ``false``."""
    return DeclareLaunchArgument(
        name, default_value=default, choices=['true', 'false'], description=description
    )


def parameter_file(node: str, name: str = 'params_file') -> DeclareLaunchArgument:
    """Return the argument for the parameter file of a node; the default is the installed file."""
    return DeclareLaunchArgument(
        name,
        default_value=PathJoinSubstitution([FindPackageShare(PACKAGE), 'config', f'{node}.yaml']),
        description=f'Parameter file of {node}.',
    )


def node_arguments() -> list[DeclareLaunchArgument]:
    """Return the arguments common to all nodes."""
    return [
        text('namespace', 'Namespace of all that is started.'),
        text(
            'robot_description_topic',
            'Topic with the URDF (std_msgs/String, transient local).',
            'robot_description',
        ),
        text('urdf_file', 'URDF file, a path or package://; empty: robot_description_topic.'),
        text('joint_prefix', 'Prefix of joint names; empty: as the parameter file says.'),
        flag('use_sim_time', 'Take the time from /clock.'),
        flag('respawn', 'Start a node again if it ends.'),
        DeclareLaunchArgument(
            'log_level',
            default_value='info',
            choices=_LOG_LEVELS,
            description='Least severity that is logged.',
        ),
    ]


def feedforward_arguments() -> list[DeclareLaunchArgument]:
    """Return the arguments specific to the node `feedforward`."""
    return [
        text(
            'controller_name',
            'Controller whose joint_trajectory topic is followed; feedforward, or empty (which '
            "ros2 launch does not take): the node's own topic ~/joint_trajectory.",
            'joint_trajectory_controller',
        ),
        text(
            'effort_controller_name',
            'Effort controller that gets the efforts on its commands topic; empty: none.',
        ),
        text(
            'trajectory_effort_controller_name',
            'Controller that gets trajectories with efforts, densely sampled, on its '
            'joint_trajectory topic; empty: none. Needs another controller_name, as feedforward.',
        ),
        DeclareLaunchArgument(
            'sync',
            default_value='none',
            choices=['none', 'controller_state'],
            description='Clock of trajectories: that of the node, or the controller_state of '
            'controller_name.',
        ),
        text('publish_rate', 'Rate of the output [Hz]; empty: as the parameter file says.'),
        flag('autostart', 'Configure and activate as soon as there is a robot model.', 'true'),
    ]
