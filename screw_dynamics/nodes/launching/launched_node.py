# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch actions for nodes, configured by launch arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from launch import LaunchContext
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from screw_dynamics.errors import InputError
from screw_dynamics.nodes.launching.launch_arguments import PACKAGE
from screw_dynamics.nodes.shared.existing_file import existing_file
from screw_dynamics.scalars import finite_or_nan

# arguments that become string parameters unless they are empty
_TEXTS = {'urdf_file': 'urdf_path', 'joint_prefix': 'joint_prefix'}


def given(context: LaunchContext, argument: str) -> str:
    """Return the value of an argument."""
    value: str = LaunchConfiguration(argument).perform(context)
    return value


def typed(argument: str, kind: type) -> ParameterValue:
    """Return an argument, which is text, as a parameter value of the given type."""
    return ParameterValue(LaunchConfiguration(argument), value_type=kind)


def number(context: LaunchContext, argument: str) -> float:
    """Return the value of an argument as a finite number, or raise InputError."""
    value = finite_or_nan(given(context, argument))
    if math.isnan(value):
        raise InputError(
            f'argument {argument!r}: expected a finite number, got {given(context, argument)!r}'
        )
    return value


def logger_name(context: LaunchContext, name: str) -> str:
    """Return the logger name of a node: namespace and node name, separated by dots."""
    parts = [part for part in given(context, 'namespace').split('/') if part]
    return '.'.join([*parts, name])


def launched_node(
    context: LaunchContext,
    name: str,
    parameters: Mapping[str, Any] | None = None,
    remappings: Sequence[tuple[str, str]] = (),
) -> Node:
    """
    Return a node of this package by the arguments of `node_arguments` and ``params_file``.

    Raises InputError if the parameter file does not exist: the node would start without it.
    """
    file = existing_file(given(context, 'params_file'), "argument 'params_file'")
    log_level = f'{logger_name(context, name)}:={given(context, "log_level")}'
    values = {'use_sim_time': typed('use_sim_time', bool), **(parameters or {})}
    for argument, parameter in _TEXTS.items():
        if given(context, argument):
            values[parameter] = typed(argument, str)
    return Node(
        package=PACKAGE,
        executable=name,
        name=name,
        namespace=given(context, 'namespace'),
        parameters=[str(file), values],
        remappings=[('robot_description', given(context, 'robot_description_topic')), *remappings],
        respawn=given(context, 'respawn') == 'true',
        ros_arguments=['--log-level', log_level],
        output='screen',
    )


def recorder(context: LaunchContext, topics: Sequence[str]) -> Node:
    """Return a recorder in the namespace of the nodes, with the same `use_sim_time`."""
    return Node(
        package=PACKAGE,
        executable='recorder',
        arguments=list(topics),
        namespace=given(context, 'namespace'),
        parameters=[{'use_sim_time': typed('use_sim_time', bool)}],
        output='screen',
    )
