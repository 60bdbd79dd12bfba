# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Command line of a node: help text, unknown arguments, parameter files."""

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from rclpy.utilities import remove_ros_args

from screw_dynamics.common.yaml_files.loading import load_yaml
from screw_dynamics.control.parameters import ParameterRule, rule_of
from screw_dynamics.errors import InputError

_USAGE = """usage: {name} [--ros-args [-p PARAMETER:=VALUE] [--params-file FILE]
       [-r FROM:=TO] [-r __node:=NAME] [-r __ns:=/NAMESPACE]
       [--log-level LEVEL] ...]

{purpose}
"""
_LEAST_WIDTH = 40
_PARAMETERS = 'ros__parameters'


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


def _facts(rule: ParameterRule, default: Any) -> Iterator[str]:
    shown = list(default) if isinstance(default, tuple) else default
    yield f'default: {str(shown).lower() if isinstance(shown, bool) else repr(shown)}'
    if rule.choices:
        yield f'one of {", ".join(rule.choices)}'
    elif isinstance(default, (int, float)) and not isinstance(default, bool):
        yield f'{rule.minimum:g} to {rule.maximum:g}'
    if rule.read_only:
        yield 'set at start only'


def files_for_others(arguments: Sequence[str], nodes: Sequence[str]) -> list[str]:
    """Return a warning for every parameter file without parameters for any node (full names)."""
    texts = []
    for option, path in zip(arguments, arguments[1:], strict=False):
        if option != '--params-file':
            continue
        try:
            with open(path, 'rb') as file:
                names = list(_node_names(load_yaml(file.read())))
        except (InputError, OSError):
            continue  # ROS has read the file itself: no warning
        if names and not any(re.fullmatch(_pattern(n), node) for n in names for node in nodes):
            texts.append(
                f'{path}: there are no parameters for {", ".join(nodes)}, only for '
                f'{", ".join(names[:5])}'
            )
    return texts


def _node_names(document: Any, above: str = '') -> Iterator[str]:
    """Yield the full names of nodes, which may contain wildcards."""
    for key, value in document.items() if isinstance(document, dict) else ():
        if isinstance(value, dict):
            name = f'{above}/{str(key).strip("/")}'
            if _PARAMETERS in value:
                yield name
            else:
                yield from _node_names(value, name)


def _pattern(name: str) -> str:
    """Return the regular expression of a name: `*` matches one part, `**` any number of parts."""
    parts = {'**': '(/[^/]+)*', '*': '/[^/]+'}
    words = [part for part in name.split('/') if part]
    return ''.join(parts.get(word, f'/{re.escape(word)}') for word in words)
