# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch a simulated series elastic arm with feedforward, and send it a trajectory."""

from functools import partial

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessIO
from launch.events.process import ProcessIO
from launch.substitutions import PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from screw_dynamics.nodes.launching.launch_arguments import (
    PACKAGE,
    flag,
    node_arguments,
    parameter_file,
)
from screw_dynamics.nodes.launching.launched_node import given, launched_node, typed
from screw_dynamics.nodes.robot.urdf_file import urdf_file

DELAY = 0.5  # s from sending to the beginning of the motion


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
            parameter_file('sea_arm'),
            DeclareLaunchArgument(
                'trajectory_file',
                default_value=trajectory,
                description='Trajectory that is sent once the robot is there (YAML or CSV, a path '
                'or package://); empty: none.',
            ),
            flag('record', 'Record motor commands and states to an MCAP bag.'),
            OpaqueFunction(function=_entities),
        ]
    )


def _entities(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes; the trajectory is sent when the robot stands there."""
    simulator = launched_node(
        context,
        'sea_simulator',
        {'publish_clock': typed('use_sim_time', bool)},
        [
            ('~/commands', 'feedforward/commands'),
            ('~/motor_feedforward', 'feedforward/motor_feedforward'),
        ],
    )
    feedforward = launched_node(context, 'feedforward')
    entities: list[LaunchDescriptionEntity] = [feedforward, simulator]
    if given(context, 'trajectory_file'):
        entities += _sent_when_ready(
            _sender(context), {simulator: b'Simulating', feedforward: b'Robot model'}
        )
    if given(context, 'record') == 'true':
        entities.append(_recorder(context))
    return entities


def _sent_when_ready(sender: Node, expected: dict[Node, bytes]) -> list[LaunchDescriptionEntity]:
    """Return what starts a node once each of others has written something."""
    waiting = set(expected)

    def look(node: Node, event: ProcessIO) -> list[Node]:
        if node not in waiting or expected[node] not in event.text:
            return []
        waiting.discard(node)
        return [] if waiting else [sender]

    handlers = []
    for node in expected:
        on_output = partial(look, node)
        handlers.append(OnProcessIO(target_action=node, on_stdout=on_output, on_stderr=on_output))
    return [RegisterEventHandler(handler) for handler in handlers]


def _sender(context: LaunchContext) -> Node:
    file = urdf_file(given(context, 'trajectory_file'), "argument 'trajectory_file'")
    return Node(
        package=PACKAGE,
        executable='trajectory_sender',
        namespace=given(context, 'namespace'),
        parameters=[
            {'file': str(file), 'delay': DELAY, 'use_sim_time': typed('use_sim_time', bool)}
        ],
        output='screen',
    )


def _recorder(context: LaunchContext) -> Node:
    prefix = f'/{given(context, "namespace").strip("/")}'.rstrip('/')
    topics = (
        'feedforward/feedforward',
        'feedforward/motor_feedforward',
        'feedforward/joint_trajectory',
        'joint_states',
        'motor_states',
    )
    return Node(
        package=PACKAGE,
        executable='recorder',
        arguments=[f'{prefix}/{topic}' for topic in topics],
        output='screen',
    )
