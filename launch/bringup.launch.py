# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch feedforward and dynamics_server, on request robot_state_publisher and recorder."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from screw_dynamics.nodes.launching import (
    PACKAGE,
    argument_value,
    feedforward_arguments,
    flag,
    node_arguments,
    parameter_file,
    recorder,
    robot_state_publisher,
)
from screw_dynamics.nodes.shared.file_url import resolve_file_url


def generate_launch_description() -> LaunchDescription:
    """Return the arguments, the two launch files and what is on request."""
    return LaunchDescription(
        [
            *node_arguments(),
            *feedforward_arguments(),
            parameter_file('feedforward'),
            parameter_file('dynamics_server', 'server_params_file'),
            flag('start_rsp', 'Start robot_state_publisher with urdf_file too.'),
            flag('record', 'Record the topics of feedforward to an MCAP bag.'),
            OpaqueFunction(function=_entities),
        ]
    )


def _entities(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the included launch files and the optional nodes; all that they need is there."""
    optional = []
    if argument_value(context, 'start_rsp') == 'true':
        optional.append(_robot_state_publisher(context))
    if argument_value(context, 'record') == 'true':
        followed = argument_value(context, 'controller_name') or 'feedforward'
        topics = ('feedforward/feedforward', 'feedforward/model_info')
        optional.append(recorder(context, [*topics, f'{followed}/joint_trajectory']))
    # launch leaves alone what it has started when an included file fails: look before
    for argument in ('params_file', 'server_params_file'):
        resolve_file_url(argument_value(context, argument), f'argument {argument!r}')
    shared = node_arguments()
    return [
        _included(context, 'feedforward', 'params_file', [*shared, *feedforward_arguments()]),
        _included(context, 'dynamics_server', 'server_params_file', shared),
        *optional,
    ]


def _included(
    context: LaunchContext,
    name: str,
    parameter_file: str,
    arguments: list[DeclareLaunchArgument],
) -> IncludeLaunchDescription:
    """Return the launch file of a node, its arguments handed on."""
    path = PathJoinSubstitution([FindPackageShare(PACKAGE), 'launch', f'{name}.launch.py'])
    values = {argument.name: argument_value(context, argument.name) for argument in arguments}
    values['params_file'] = argument_value(context, parameter_file)
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path), launch_arguments=list(values.items())
    )


def _robot_state_publisher(context: LaunchContext) -> Node:
    path = argument_value(context, 'urdf_file')
    if not path:
        raise RuntimeError("argument 'start_rsp': expected 'urdf_file' with it, got none")
    node = robot_state_publisher(context, path, "argument 'urdf_file'")
    if node is None:
        raise RuntimeError(
            "argument 'start_rsp': expected the package robot_state_publisher, which is not "
            'installed (apt install ros-<distro>-robot-state-publisher)'
        )
    return node
