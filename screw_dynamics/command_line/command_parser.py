# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parsers of the commands: help with examples, errors that say where arguments belong."""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from screw_dynamics.error_texts import bounded, shown

# what float() reads: before Python 3.14 argparse takes -1e-3 for an option
_NEGATIVE_NUMBER = re.compile(
    r'-(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(e[-+]?\d+)?$|-(inf|infinity|nan)$', re.IGNORECASE
)


class BoundedParser(argparse.ArgumentParser):
    """A parser whose errors are of bounded length, whatever argument they repeat."""

    def error(self, message: str) -> NoReturn:
        """End the process with an error text."""
        super().error(bounded(message))


class CommandParser(BoundedParser):
    """
    A parser that takes all negative numbers for values.

    Its errors say where to give a file which a list of names has taken.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._negative_number_matcher = _NEGATIVE_NUMBER

    def error(self, message: str) -> NoReturn:
        """End the process with an error text."""
        # `--joints a b FILE` takes FILE as a name
        if 'arguments are required' in message:
            message += ' (before options that take lists, as --joints does, or behind --)'
        super().error(message)


class EachOnce(argparse.Action):
    """
    Extends a list of values that stand by name; an option that is given twice adds to the list.

    A name that stands twice is an error: nobody could tell which value is meant.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Add the values of one option."""
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
    """Declare a command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        usage=f'%(prog)s {files} [options]',
        help=summary,
        # the formatter that keeps the lines of the examples keeps those of the description, too
        description=textwrap.fill(description, max(1, shutil.get_terminal_size().columns - 2)),
        epilog='\n'.join(['examples:', *(f'  {line}' for line in examples)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser
