# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch feedforward, with drive_commands where commands are wanted, beside controllers."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction

from screw_dynamics.nodes.launching import (
    COMMAND_FIELDS,
    action_remappings,
    argument_value,
    feedforward_arguments,
    launched_node,
    node_arguments,
    number,
    parameter_file,
    typed_argument,
)


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    return LaunchDescription(
        [
            *node_arguments(),
            *feedforward_arguments(),
            parameter_file('feedforward'),
            OpaqueFunction(function=_node),
        ]
    )


def _node(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return one process; what no argument is given for has no parameters and remappings."""
    parameters = {'autostart': typed_argument('autostart', bool)}
    if argument_value(context, 'publish_rate'):
        parameters['publish_rate'] = number(context, 'publish_rate')
    remappings = []
    followed = argument_value(context, 'controller_name')
    if followed:
        remappings.append(('~/joint_trajectory', f'{followed}/joint_trajectory'))
    proxied = argument_value(context, 'trajectory_effort_controller_name')
    if proxied:
        parameters['outputs'] = ['joint_trajectory_effort']
        remappings.append(('~/joint_trajectory_effort', f'{proxied}/joint_trajectory'))
    executing = argument_value(context, 'action_controller_name')
    if executing:
        action = 'follow_joint_trajectory'
        parameters[action] = f'{executing}/{action}'
        # clients such as MoveIt put the name of the controller before that of its action
        remappings += action_remappings(f'~/{action}', f'{executing}/feedforward/{action}')
    commanded = {
        field: name
        for field in COMMAND_FIELDS
        if (name := argument_value(context, f'{field}_controller_name'))
    }
    fields = [field.strip() for field in argument_value(context, 'fields').split(',') if field]
    if commanded.keys() - {'effort'}:
        fields = list(commanded)
    if fields:
        parameters['fields'] = fields
    if commanded:  # a controller gets its own field alone
        parameters['topics'] = 'apart'
    for name in ('drives_path', 'joint_limits_path', 'content', 'effort_content'):
        if argument_value(context, name):
            parameters[name] = typed_argument(name, str)
    for field, name in commanded.items():
        topic = '~/commands' if field == 'effort' else f'~/{field}_commands'
        remappings.append((topic, f'{name}/commands'))
    wanted = commanded or argument_value(context, 'drive_commands') == 'true'
    names = ['feedforward', 'drive_commands'] if wanted else ['feedforward']
    return [launched_node(context, *names, parameters=parameters, remappings=remappings)]
