# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch the node feedforward beside a robot's controllers."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

BOOLEANS = ['true', 'false']
LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal']
SYNCS = ['none', 'controller_state']
# arguments that become parameters of type string where they are given
TEXTS = {'urdf_file': 'urdf_path', 'joint_prefix': 'joint_prefix'}


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    default_file = PathJoinSubstitution(
        [FindPackageShare('screw_dynamics'), 'config', 'feedforward.yaml']
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
                'controller_name',
                default_value='joint_trajectory_controller',
                description='Controller whose joint_trajectory topic is followed; empty: the '
                "node's own topic ~/joint_trajectory.",
            ),
            DeclareLaunchArgument(
                'effort_controller_name',
                default_value='',
                description='Effort controller that gets the efforts on its commands topic; '
                'empty: none.',
            ),
            DeclareLaunchArgument(
                'trajectory_effort_controller_name',
                default_value='',
                description='Controller that gets trajectories with efforts, densely sampled, on '
                'its joint_trajectory topic; empty: none. Needs another controller_name, or an '
                'empty one.',
            ),
            DeclareLaunchArgument(
                'sync',
                default_value='none',
                choices=SYNCS,
                description='Clock of trajectories: that of the node, or the controller_state of '
                'controller_name.',
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
                'publish_rate',
                default_value='',
                description='Rate of the output [Hz]; empty: as the parameter file says.',
            ),
            DeclareLaunchArgument(
                'autostart',
                default_value='true',
                choices=BOOLEANS,
                description='Configure and activate as soon as there is a robot model.',
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
    """Return the node; some parameters and remappings exist only where an argument is given."""

    def given(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    # arguments are strings: the types are said here
    parameters = {
        'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool),
        'autostart': ParameterValue(LaunchConfiguration('autostart'), value_type=bool),
    }
    for argument, parameter in TEXTS.items():
        if given(argument):
            parameters[parameter] = ParameterValue(LaunchConfiguration(argument), value_type=str)
    if given('publish_rate'):
        parameters['publish_rate'] = ParameterValue(
            LaunchConfiguration('publish_rate'), value_type=float
        )
    remappings = [('robot_description', given('robot_description_topic'))]
    if given('controller_name'):
        for topic in ('joint_trajectory', 'controller_state'):
            remappings.append((f'~/{topic}', f'{given("controller_name")}/{topic}'))
    if given('sync') != 'none':
        parameters['sync'] = ParameterValue(LaunchConfiguration('sync'), value_type=str)
    if given('trajectory_effort_controller_name'):
        parameters['publish_trajectory_effort'] = True
        remappings.append(
            (
                '~/joint_trajectory_effort',
                f'{given("trajectory_effort_controller_name")}/joint_trajectory',
            )
        )
    if given('effort_controller_name'):
        parameters['publish_commands'] = True
        remappings.append(('~/commands', f'{given("effort_controller_name")}/commands'))
    return [
        Node(
            package='screw_dynamics',
            executable='feedforward',
            name='feedforward',
            namespace=given('namespace'),
            parameters=[given('params_file'), parameters],
            remappings=remappings,
            respawn=given('respawn') == 'true',
            ros_arguments=['--log-level', f'feedforward:={given("log_level")}'],
            output='screen',
        )
    ]
