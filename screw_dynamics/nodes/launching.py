# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments and nodes of the launch files."""

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ament_index_python.packages import PackageNotFoundError
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

from screw_dynamics.bridges.load import is_mjcf
from screw_dynamics.common.scalars import finite_or_nan
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.file_url import resolve_file_url

PACKAGE = 'screw_dynamics'
_RSP = 'robot_state_publisher'
COMMAND_FIELDS = ('position', 'velocity', 'effort', 'kp', 'kd')
_LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal']


def text(name: str, description: str, default: str = '') -> DeclareLaunchArgument:
    """Return an argument that accepts any text."""
    return DeclareLaunchArgument(name, default_value=default, description=description)


def flag(name: str, description: str, default: str = 'false') -> DeclareLaunchArgument:
    """Return an argument that is ``true`` or ``false``."""
    return DeclareLaunchArgument(
        name, default_value=default, choices=['true', 'false'], description=description
    )


def parameter_file(node: str, name: str = 'params_file', nodes: str = '') -> DeclareLaunchArgument:
    """Return the argument for a parameter file of `nodes`; the default is the installed file."""
    return DeclareLaunchArgument(
        name,
        default_value=PathJoinSubstitution([FindPackageShare(PACKAGE), 'config', f'{node}.yaml']),
        description=f'Parameter file of {nodes or node}.',
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
            'Effort controller that gets the efforts on its commands topic; empty: none. The node '
            'drive_commands then runs in the process of feedforward.',
        ),
        *(
            text(
                f'{field}_controller_name',
                f'Controller that gets the field {field} of drive_commands on its commands topic; '
                'empty: none. Those that are named determine fields, with topics: apart.',
            )
            for field in COMMAND_FIELDS
            if field != 'effort'
        ),
        text(
            'trajectory_effort_controller_name',
            'Controller that gets trajectories with efforts, densely sampled, on its '
            'joint_trajectory topic; empty: none. Needs another controller_name, as feedforward.',
        ),
        text(
            'action_controller_name',
            'Controller whose action follow_joint_trajectory gets the goals sent to the action '
            'feedforward/follow_joint_trajectory below its name, densely sampled and with '
            'efforts; empty: none.',
        ),
        flag(
            'drive_commands',
            'Run drive_commands in the process of feedforward, for a driver of your own that '
            'listens on its commands.',
        ),
        text(
            'drives_path',
            'YAML file with motors, friction and springs, a path or package://; empty: as the '
            'parameter files say.',
        ),
        text(
            'joint_limits_path',
            'joint_limits.yaml of MoveIt, a path or package://, whose limits replace those of the '
            'URDF; empty: as the parameter files say.',
        ),
        text(
            'content',
            'What drive_commands commands: joints, motors or rotors; empty: as its file says.',
        ),
        text(
            'effort_content',
            'What the efforts of commands and of forwarded trajectories contain: full, '
            'without_gravity or gravity_only; empty: as the files say.',
        ),
        text(
            'fields',
            'Fields of the commands, separated by commas: position,velocity,effort,kp,kd; empty: '
            'as the file of drive_commands says.',
        ),
        text('publish_rate', 'Rate of the output [Hz]; empty: as the parameter file says.'),
        parameter_file('drive_commands', 'drive_commands_params_file'),
        flag('autostart', 'Configure and activate as soon as there is a robot model.', 'true'),
    ]


def action_remappings(action: str, other: str) -> list[tuple[str, str]]:
    """Return the remappings of the topics and services of an action, which has none of its own."""
    parts = ('send_goal', 'cancel_goal', 'get_result', 'feedback', 'status')
    return [(f'{action}/_action/{part}', f'{other}/_action/{part}') for part in parts]


# arguments that become string parameters unless they are empty
_TEXTS = {'urdf_file': 'urdf_path', 'joint_prefix': 'joint_prefix'}


def argument_value(context: LaunchContext, argument: str) -> str:
    """Return the value of an argument."""
    value: str = LaunchConfiguration(argument).perform(context)
    return value


def typed_argument(argument: str, kind: type) -> ParameterValue:
    """Return an argument, which is text, as a parameter value of the given type."""
    return ParameterValue(LaunchConfiguration(argument), value_type=kind)


def number(context: LaunchContext, argument: str) -> float:
    """Return the value of an argument as a finite number, or raise InputError."""
    text = argument_value(context, argument)
    value = finite_or_nan(text)
    if math.isnan(value):
        raise InputError(f'argument {argument!r}: expected a finite number, got {text!r}')
    return value


def launched_node(
    context: LaunchContext,
    *names: str,
    parameters: Mapping[str, Any] | None = None,
    remappings: Sequence[tuple[str, str]] = (),
) -> Node:
    """Return nodes in one process, each with its parameter file, by `node_arguments`."""
    arguments = ['params_file', *(f'{name}_params_file' for name in names[1:])]
    # raises if a file does not exist: the node would start without it
    files = [
        str(resolve_file_url(argument_value(context, argument), f'argument {argument!r}'))
        for argument in arguments
    ]
    namespace, level = argument_value(context, 'namespace'), argument_value(context, 'log_level')
    above = [*filter(None, namespace.split('/'))]
    levels = [('--log-level', f'{".".join([*above, name])}:={level}') for name in names]
    alone = names[0] if len(names) == 1 else None
    values = {'use_sim_time': typed_argument('use_sim_time', bool), **(parameters or {})}
    for argument, parameter in _TEXTS.items():
        if argument_value(context, argument):
            values[parameter] = typed_argument(argument, str)
    return Node(
        package=PACKAGE,
        executable=alone or 'nodes',
        name=alone,
        arguments=None if alone else list(names),
        namespace=namespace,
        parameters=[*files, values],
        remappings=[
            ('robot_description', argument_value(context, 'robot_description_topic')),
            *remappings,
        ],
        respawn=argument_value(context, 'respawn') == 'true',
        ros_arguments=list(chain.from_iterable(levels)),
        output='screen',
    )


def single_node(name: str) -> LaunchDescription:
    """Return the arguments and the node of a launch file for one node."""
    node = OpaqueFunction(function=lambda context: [launched_node(context, name)])
    return LaunchDescription([*node_arguments(), parameter_file(name), node])


def recorder(context: LaunchContext, topics: Sequence[str]) -> Node:
    """Return a recorder in the namespace of the nodes, with the same `use_sim_time`."""
    return Node(
        package=PACKAGE,
        executable='recorder',
        arguments=list(topics),
        namespace=argument_value(context, 'namespace'),
        parameters=[{'use_sim_time': typed_argument('use_sim_time', bool)}],
        output='screen',
    )


def robot_state_publisher(context: LaunchContext, urdf: str, where: str) -> Node | None:
    """Return robot_state_publisher with a URDF file, or None if it is not installed."""
    try:
        ExecutableInPackage(executable=_RSP, package=_RSP).perform(context)
    except (PackageNotFoundError, SubstitutionFailure):
        return None
    file = resolve_file_url(urdf, where)
    if is_mjcf(file):
        raise RuntimeError(f'{where}: expected a URDF for {_RSP}, got MJCF')
    description = file.read_text(encoding='utf-8')
    return Node(
        package=_RSP,
        executable=_RSP,
        namespace=argument_value(context, 'namespace'),
        parameters=[
            {
                'robot_description': ParameterValue(description, value_type=str),
                'use_sim_time': typed_argument('use_sim_time', bool),
            }
        ],
        remappings=[('robot_description', argument_value(context, 'robot_description_topic'))],
        output='screen',
    )
