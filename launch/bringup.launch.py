# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch feedforward and dynamics_server, on request robot_state_publisher and recorder."""

from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

BOOLEANS = ['true', 'false']
LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal']
SYNCS = ['none', 'controller_state']
SHARED = (
    'namespace',
    'robot_description_topic',
    'joint_prefix',
    'use_sim_time',
    'respawn',
    'log_level',
)
FEEDFORWARD = (
    'controller_name',
    'effort_controller_name',
    'trajectory_effort_controller_name',
    'sync',
    'publish_rate',
    'autostart',
)


def generate_launch_description() -> LaunchDescription:
    """Return the arguments, the two launch files and what is on request."""
    share = FindPackageShare('screw_dynamics')
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                'namespace', default_value='', description='Namespace of all nodes.'
            ),
            DeclareLaunchArgument(
                'params_file',
                default_value=PathJoinSubstitution([share, 'config', 'feedforward.yaml']),
                description='Parameter file of feedforward.',
            ),
            DeclareLaunchArgument(
                'server_params_file',
                default_value=PathJoinSubstitution([share, 'config', 'dynamics_server.yaml']),
                description='Parameter file of dynamics_server.',
            ),
            DeclareLaunchArgument(
                'robot_description_topic',
                default_value='robot_description',
                description='Topic with the URDF (std_msgs/String, transient local).',
            ),
            DeclareLaunchArgument(
                'urdf_file', default_value='', description='URDF file; empty: the topic.'
            ),
            DeclareLaunchArgument(
                'controller_name',
                default_value='joint_trajectory_controller',
                description='Controller whose joint_trajectory topic is followed; empty: the '
                "node's own topic.",
            ),
            DeclareLaunchArgument(
                'effort_controller_name',
                default_value='',
                description='Effort controller that gets the efforts; empty: none.',
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
                'start_rsp',
                default_value='false',
                choices=BOOLEANS,
                description='Start robot_state_publisher with urdf_file too.',
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
                description='Start a node again if it ends.',
            ),
            DeclareLaunchArgument(
                'record',
                default_value='false',
                choices=BOOLEANS,
                description='Record the topics of feedforward to an MCAP bag.',
            ),
            DeclareLaunchArgument(
                'log_level',
                default_value='info',
                choices=LOG_LEVELS,
                description='Least severity that is logged.',
            ),
            OpaqueFunction(function=_entities),
        ]
    )


def _entities(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the included launch files and the optional nodes."""

    def given(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    def included(name: str, **arguments: str) -> IncludeLaunchDescription:
        path = PathJoinSubstitution(
            [FindPackageShare('screw_dynamics'), 'launch', f'{name}.launch.py']
        )
        arguments.update({argument: given(argument) for argument in SHARED})
        return IncludeLaunchDescription(
            PythonLaunchDescriptionSource(path), launch_arguments=list(arguments.items())
        )

    urdf_file = given('urdf_file')
    entities: list[LaunchDescriptionEntity] = [
        included(
            'feedforward',
            params_file=given('params_file'),
            urdf_file=urdf_file,
            **{argument: given(argument) for argument in FEEDFORWARD},
        ),
        included('dynamics_server', params_file=given('server_params_file'), urdf_file=urdf_file),
    ]
    if given('start_rsp') == 'true':
        if not urdf_file:
            raise RuntimeError("argument 'start_rsp': expected 'urdf_file' with it, got none")
        description = Path(urdf_file).read_text(encoding='utf-8')
        entities.append(
            Node(
                package='robot_state_publisher',
                executable='robot_state_publisher',
                namespace=given('namespace'),
                parameters=[
                    {'robot_description': ParameterValue(description, value_type=str)},
                    {
                        'use_sim_time': ParameterValue(
                            LaunchConfiguration('use_sim_time'), value_type=bool
                        )
                    },
                ],
                remappings=[('robot_description', given('robot_description_topic'))],
                output='screen',
            )
        )
    if given('record') == 'true':
        prefix = f'/{given("namespace").strip("/")}'.rstrip('/')
        followed = given('controller_name') or 'feedforward'
        entities.append(
            Node(
                package='screw_dynamics',
                executable='recorder',
                arguments=[
                    f'{prefix}/feedforward/feedforward',
                    f'{prefix}/feedforward/model_info',
                    f'{prefix}/{followed}/joint_trajectory',
                ],
                output='screen',
            )
        )
    return entities
