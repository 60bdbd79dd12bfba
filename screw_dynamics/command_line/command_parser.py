# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parsers of the commands: help with examples, errors that say where arguments belong."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn


class CommandParser(argparse.ArgumentParser):
    """A parser that tells where to give a file which a list of names has taken."""

    def error(self, message: str) -> NoReturn:
        """
        End the process with an error text.

        Parameters
        ----------
        message : str

        """
        # `--joints a b FILE` takes FILE as a name; options that are missing are no files
        if 'arguments are required' in message and '--' not in message:
            message += ' (before options that take lists, as --joints does, or behind --)'
        super().error(message)


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
    Declare a command.

    Parameters
    ----------
    commands : object
        What ``add_subparsers`` returned.
    name : str
    files : str
        What must be given, for the usage; ahead of the options, some of which take lists.
    summary : str
        One line in the list of commands.
    description : str
    examples : sequence of str
        Command lines for the end of the help text.

    Returns
    -------
    argparse.ArgumentParser

    """
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
