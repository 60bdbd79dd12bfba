# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that the commands and the launch files declare, for `generate.py`."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, patch

from screw_dynamics.command_line.main import parser

LAUNCH = Path(__file__).resolve().parents[1] / 'launch'


def command_arguments(command: str) -> Iterator[tuple[str, str]]:
    """Yield the names, with values, and the meanings of the arguments of a command, by group."""
    (choices,) = (
        action.choices
        for action in parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    chosen = choices[command]
    chosen.declare()
    for group in chosen._action_groups:
        for action in group._group_actions:
            if not isinstance(action, argparse._HelpAction):
                yield option(action), (action.help or '').replace('%%', '%')


def option(action: argparse.Action) -> str:
    """Return the names of an option with the values that it takes."""
    words = action.metavar or action.dest.upper()
    if action.choices:
        words = ','.join(map(str, action.choices))
    if action.nargs == 0:
        words = ''
    elif isinstance(words, tuple):
        words = ' '.join(words)
    elif action.nargs == '+':
        words = f'{words} ...'
    if not action.option_strings:
        return f'`{words}`'
    return f'`{", ".join(action.option_strings)} {words}'.rstrip() + '`'


@dataclass
class LaunchArgument:
    """Stands for DeclareLaunchArgument: what a launch file declares."""

    name: str
    default_value: Any
    description: str
    choices: Sequence[str] = ()


def launch_arguments(file: str) -> list[LaunchArgument]:
    """Return the arguments of a launch file; the packages of launch are not needed."""
    names = ('ament_index_python.packages', 'launch_ros.actions', 'launch_ros.substitutions')
    names += ('launch_ros.parameter_descriptions', 'launch.actions', 'launch.substitutions')
    names += ('launch.event_handlers', 'launch.events.process', 'launch.logging')
    names += ('launch.launch_description_sources', 'launch.substitutions.substitution_failure')
    modules = {part: MagicMock() for name in names for part in parents_of(name)}
    modules['launch'].LaunchDescription = list
    modules['launch.actions'].DeclareLaunchArgument = LaunchArgument
    modules['launch.substitutions'].PathJoinSubstitution = lambda parts: '/'.join(parts[1:])
    ours = 'screw_dynamics.nodes.launching'
    with patch.dict(sys.modules, modules):
        sys.modules.pop(ours, None)
        path = LAUNCH / f'{file}.launch.py'
        entities = runpy.run_path(str(path))['generate_launch_description']()
    return [entity for entity in entities if isinstance(entity, LaunchArgument)]


def parents_of(name: str) -> Iterator[str]:
    """Yield the packages of a module, and the module."""
    parts = name.split('.')
    for count in range(1, len(parts) + 1):
        yield '.'.join(parts[:count])
