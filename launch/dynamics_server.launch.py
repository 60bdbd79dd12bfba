# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch the node dynamics_server."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

BOOLEANS = ['true', 'false']
LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal']
# arguments that become parameters of type string where they are given
TEXTS = {'urdf_file': 'urdf_path', 'joint_prefix': 'joint_prefix'}


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    default_file = PathJoinSubstitution(
        [FindPackageShare('screw_dynamics'), 'config', 'dynamics_server.yaml']
    )
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                'namespace', default_value='', description='Namespace of the node.'
            ),
            DeclareLaunchArgument(
                'params_file', default_value=default_file, description='Parameter file.'
            ),
            DeclareLaunchArgument(
                'robot_description_topic',
                default_value='robot_description',
                description='Topic with the URDF (std_msgs/String, transient local).',
            ),
            DeclareLaunchArgument(
                'urdf_file',
                default_value='',
                description='URDF file, a path or package://; empty: robot_description_topic.',
            ),
            DeclareLaunchArgument(
                'joint_prefix',
                default_value='',
                description='Prefix of joint names; empty: as the parameter file says.',
            ),
            DeclareLaunchArgument(
                'use_sim_time',
                default_value='false',
                choices=BOOLEANS,
                description='Take the time from /clock.',
            ),
            DeclareLaunchArgument(
                'respawn',
                default_value='false',
                choices=BOOLEANS,
                description='Start the node again if it ends.',
            ),
            DeclareLaunchArgument(
                'log_level',
                default_value='info',
                choices=LOG_LEVELS,
                description='Least severity that is logged.',
            ),
            OpaqueFunction(function=_node),
        ]
    )


def _node(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node; the path of a URDF is a parameter only where one is given."""

    def given(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    parameters = {
        'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)
    }
    for argument, parameter in TEXTS.items():
        if given(argument):
            parameters[parameter] = ParameterValue(LaunchConfiguration(argument), value_type=str)
    return [
        Node(
            package='screw_dynamics',
            executable='dynamics_server',
            name='dynamics_server',
            namespace=given('namespace'),
            parameters=[given('params_file'), parameters],
            remappings=[('robot_description', given('robot_description_topic'))],
            respawn=given('respawn') == 'true',
            ros_arguments=['--log-level', f'dynamics_server:={given("log_level")}'],
            output='screen',
        )
    ]
