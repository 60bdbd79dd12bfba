# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Argument parsers of the commands: help with examples, errors with hints."""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from screw_dynamics.error_texts import bounded, shown

# all that float() accepts: before Python 3.14 argparse reads -1e-3 as an option
_NEGATIVE_NUMBER = re.compile(
    r'-(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(e[-+]?\d+)?$|-(inf|infinity|nan)$', re.IGNORECASE
)


class BoundedParser(argparse.ArgumentParser):
    """A parser whose errors have a bounded length, even if they repeat a long argument."""

    def error(self, message: str) -> NoReturn:
        """Print a usage error and exit with code 2."""
        super().error(bounded(message))


class CommandParser(BoundedParser):
    """
    A parser that reads all negative numbers as values.

    Its errors explain how to pass a file that was read as part of a list of names.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._negative_number_matcher = _NEGATIVE_NUMBER

    def error(self, message: str) -> NoReturn:
        """Print a usage error and exit with code 2."""
        # `--joints a b FILE` reads FILE as a name
        if 'arguments are required' in message:
            message += ' (before options that take lists, as --joints does, or behind --)'
        super().error(message)


class EachOnce(argparse.Action):
    """
    Action that appends values to a list, also if the option is repeated.

    A duplicate name is an error, because its value would be ambiguous.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Append the values of one option."""
        known = list(getattr(namespace, self.dest) or [])
        for value in values:
            name = value if isinstance(value, str) else value[0]
            if name in (other if isinstance(other, str) else other[0] for other in known):
                parser.error(
                    f'argument {option_string}: expected every joint once, got {shown(name)} twice'
                )
            known.append(value)
        setattr(namespace, self.dest, known)


def add_command(
    commands: Any,
    name: str,
    *,
    files: str,
    summary: str,
    description: str,
    examples: Sequence[str],
) -> argparse.ArgumentParser:
    """
    Add a command to the subparsers `commands`, and return its parser.

    `files` are the required arguments in the usage line, before the options, some of which are
    lists. `summary` is its line in the list of commands.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        usage=f'%(prog)s {files} [options]',
        help=summary,
        # the formatter that keeps the line breaks of the examples does not wrap the description
        description=textwrap.fill(description, max(1, shutil.get_terminal_size().columns - 2)),
        epilog='\n'.join(['examples:', *(f'  {line}' for line in examples)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser
