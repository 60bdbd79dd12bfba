# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch a simulated series elastic arm with feedforward, and send it a trajectory."""

from functools import partial

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler, Shutdown
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.logging import get_logger
from launch.substitutions import PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from screw_dynamics.common.yaml_files.loading import load_yaml
from screw_dynamics.nodes.launching import (
    PACKAGE,
    argument_value,
    flag,
    launched_node,
    node_arguments,
    parameter_file,
    recorder,
    robot_state_publisher,
    typed_argument,
)
from screw_dynamics.nodes.shared.file_url import resolve_file_url

READY = ('joint_states', 'feedforward/feedforward')  # published when both nodes have their robot
PATIENCE = 3600.0  # s, as long as the nodes work: one that ends takes all others down
RECORDED = (
    'feedforward/feedforward',
    'feedforward/motor_feedforward',
    'feedforward/joint_trajectory',
    'joint_states',
    'motor_states',
)


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the nodes."""
    trajectory = PathJoinSubstitution(
        [FindPackageShare(PACKAGE), 'config', 'sea_arm_trajectory.yaml']
    )
    shared = [argument for argument in node_arguments() if argument.name != 'use_sim_time']
    return LaunchDescription(
        [
            *shared,
            flag(
                'use_sim_time',
                'Have sea_simulator publish /clock, in lock-step with the motor efforts; false: '
                'real time.',
                'true',
            ),
            parameter_file('sea_arm', nodes='feedforward and sea_simulator'),
            DeclareLaunchArgument(
                'trajectory_file',
                default_value=trajectory,
                description='Trajectory that is sent once the robot is there (YAML or CSV, a path '
                'or package://); empty: none.',
            ),
            flag('view', 'Show the arm on a page for web browsers, whose address viewer logs.'),
            flag('record', 'Record motor commands and states to an MCAP bag.'),
            OpaqueFunction(function=_entities),
        ]
    )


def _entities(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes; the trajectory is sent when the robot stands there."""
    simulator = launched_node(
        context,
        'sea_simulator',
        parameters={'publish_clock': typed_argument('use_sim_time', bool)},
        remappings=[
            ('~/commands', 'drive_commands/commands'),
            ('~/motor_feedforward', 'feedforward/motor_feedforward'),
        ],
    )
    feedforward = launched_node(context, 'feedforward')
    others = []
    if argument_value(context, 'trajectory_file'):
        others.append(_sender(context))
    if argument_value(context, 'view') == 'true':
        others.append(launched_node(context, 'viewer'))
    frames = _frames(context)
    if frames is not None:
        others.append(frames)
    if argument_value(context, 'record') == 'true':
        others.append(recorder(context, RECORDED))
    entities: list[LaunchDescriptionEntity] = [feedforward, simulator, *others]
    if argument_value(context, 'respawn') == 'false':
        entities += _ended_together([feedforward, simulator], others)
    return entities


def _ended_together(loop: list[Node], others: list[Node]) -> list[LaunchDescriptionEntity]:
    """Return what ends all where a node of the loop ends by itself, and says so at the end."""
    left, reasons = {*loop, *others}, []

    def on_exit(node: Node, event: ProcessExited, context: LaunchContext) -> Shutdown | None:
        left.discard(node)
        if not context.is_shutdown and node in loop:
            reasons.append(f'{event.process_name} has ended with code {event.returncode}')
            return Shutdown(reason=reasons[0])
        if reasons and not left:
            get_logger('sea_demo').error(f'{reasons[0]}: the arm cannot move, all was shut down')
        return None

    return [
        RegisterEventHandler(OnProcessExit(target_action=node, on_exit=partial(on_exit, node)))
        for node in tuple(left)
    ]


def _frames(context: LaunchContext) -> Node | None:
    """Return robot_state_publisher with the URDF of feedforward, if there are both."""
    urdf, where = argument_value(context, 'urdf_file'), "argument 'urdf_file'"
    if not urdf:
        where = "argument 'params_file'"
        parameters = load_yaml(
            resolve_file_url(argument_value(context, 'params_file'), where).read_bytes()
        )
        for name, values in parameters.items():
            if name.rpartition('/')[2] == 'feedforward':
                urdf, where = values['ros__parameters'].get('urdf_path', ''), f'{where}: urdf_path'
    return robot_state_publisher(context, urdf, where) if urdf else None


def _sender(context: LaunchContext) -> Node:
    file = resolve_file_url(
        argument_value(context, 'trajectory_file'), "argument 'trajectory_file'"
    )
    return Node(
        package=PACKAGE,
        executable='trajectory_sender',
        namespace=argument_value(context, 'namespace'),
        parameters=[
            {
                'file': str(file),
                'wait_for': list(READY),
                'wait_timeout': PATIENCE,
                'use_sim_time': typed_argument('use_sim_time', bool),
            }
        ],
        output='screen',
    )
