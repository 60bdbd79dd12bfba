# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Command line of a node: help text, unknown arguments."""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from rclpy.utilities import remove_ros_args

from screw_dynamics.common.settings import Rule, rule_of
from screw_dynamics.errors import InputError

_USAGE = """usage: {name} [--ros-args [-p PARAMETER:=VALUE] [--params-file FILE]
       [-r FROM:=TO] [-r __node:=NAME] [-r __ns:=/NAMESPACE]
       [--log-level LEVEL] ...]

{purpose}
"""
_LEAST_WIDTH = 40


def wants_help(arguments: Sequence[str]) -> bool:
    """Return True if a command line asks for help; raise InputError for unknown arguments."""
    own = remove_ros_args(list(arguments))[1:]
    if '-h' in own or '--help' in own:
        return True
    if own:
        raise InputError(
            f'unknown argument {own[0]!r}: ROS arguments (-p PARAMETER:=VALUE, -r FROM:=TO, '
            '--params-file FILE) follow --ros-args; --help lists the parameters'
        )
    return False


def help_text(name: str, purpose: str, record: Any) -> str:
    """Return the help text of a node; `record` is the dataclass of its parameters or None."""
    width = max(shutil.get_terminal_size().columns, _LEAST_WIDTH)
    lines = [_USAGE.format(name=name, purpose=textwrap.fill(purpose, width))]
    if record is not None:
        lines.append('parameters:')
        for item in fields(record):
            rule = rule_of(item)
            text = f'{rule.description} ({"; ".join(_facts(rule, item.default))})'
            lines.append(f'  {rule.name}')
            lines.append(textwrap.indent(textwrap.fill(text, width - 6), ' ' * 6))
    return '\n'.join(lines)


def _facts(rule: Rule, default: Any) -> Iterator[str]:
    shown = list(default) if isinstance(default, tuple) else default
    yield f'default: {str(shown).lower() if isinstance(shown, bool) else repr(shown)}'
    if rule.choices:
        yield f'one of {", ".join(rule.choices)}'
    elif isinstance(default, (int, float)) and not isinstance(default, bool):
        yield f'{rule.minimum:g} to {rule.maximum:g}'
    if rule.read_only:
        yield 'set at start only'
