# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Argument parsers of the commands: help with examples, errors with hints."""

import argparse
import re
import shutil
import textwrap
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn, get_type_hints

from screw_dynamics.errors import bounded, did_you_mean

# all that float() accepts: before Python 3.14 argparse reads -1e-3 as an option
_NEGATIVE_NUMBER = re.compile(
    r'-(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(e[-+]?\d+)?$|-(inf|infinity|nan)$', re.IGNORECASE
)


# what does the work of commands and options that are no more
_FORMER = {
    'bag': 'evaluate BAG',
    'feasibility': 'evaluate URDF TRAJECTORY --limits',
    'plot': 'evaluate RESULTS --plot PNG',
    '--elastic': '--drives YAML',
}


class BoundedParser(argparse.ArgumentParser):
    """A parser whose errors have a bounded length, even if they repeat a long argument."""

    def error(self, message: str) -> NoReturn:
        """Print a usage error and exit with code 2."""
        super().error(bounded(message))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise ArgumentError for a value that is none of the choices, with the nearest one."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            former = _FORMER.get(value) if isinstance(action, argparse._SubParsersAction) else None
            nearest = did_you_mean(value, map(str, action.choices or ()))
            error.message += f'; it is `{former}` now' if former else nearest
            raise


class CommandParser(BoundedParser):
    """
    Parser of one command; reads all negative numbers as values.

    `module` contains DESCRIPTION, EXAMPLES and the function run, whose arguments are records of
    the arguments of the command. It is imported when the command is used, as the help needs no
    library.
    """

    def __init__(self, *, module: str, **kwargs: Any) -> None:
        # a formatter that keeps the line breaks of the examples
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs)
        self._negative_number_matcher = _NEGATIVE_NUMBER
        self._module = module
        self._records: dict[str, type] = {}
        self._command: Callable[..., int]

    def declare(self) -> None:
        """Add the arguments of the command, at the first call."""
        if not self._module:
            return
        from screw_dynamics.command_line.records import declare

        command = import_module(self._module)
        self._module, self._command = '', command.run
        kinds = get_type_hints(command.run).items()
        self._records = {name: kind for name, kind in kinds if name != 'return'}
        # the formatter does not wrap the description
        columns = max(1, shutil.get_terminal_size().columns - 2)
        self.description = textwrap.fill(command.DESCRIPTION, columns)
        self.epilog = '\n'.join(['examples:', *(f'  {line}' for line in command.EXAMPLES)])
        for record in self._records.values():
            declare(self, record)
        files = ' '.join(map(_usage, self._positionals._group_actions))
        self.usage = f'%(prog)s {files}{files and " "}[options]'
        self.set_defaults(parser=self)

    def run(self, namespace: argparse.Namespace) -> int:
        """Run the command with the arguments in its records; return the exit code."""
        from screw_dynamics.command_line.records import UsageError, read

        records: dict[str, Any] = {
            name: read(record, namespace) for name, record in self._records.items()
        }
        try:
            return self._command(**records)
        except UsageError as error:
            self.error(str(error))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, declared before if this is the first time; all must be known."""
        self.declare()
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            option = next((word for word in unknown if word.startswith('-')), '')
            name = option.partition('=')[0]
            former = _FORMER.get(name)
            nearest = did_you_mean(name, self._option_string_actions)
            hint = f'; it is `{former}` now' if former else nearest
            self.error(f'unrecognized arguments: {" ".join(unknown)}{hint}')
        return namespace, unknown

    def error(self, message: str) -> NoReturn:
        """Print a usage error and exit with code 2."""
        # `--joints a b FILE` reads FILE as a name
        if 'arguments are required' in message:
            message += ' (before options that take lists, as --joints does, or behind --)'
        super().error(message)


def _usage(action: argparse.Action) -> str:
    """Return a positional argument as the usage line shows it."""
    name = str(action.metavar)
    if action.nargs in ('?', '*'):
        return f'[{name}]' if action.nargs == '?' else f'[{name} ...]'
    return f'{name} ...' if action.nargs == '+' and ' ' not in name else name
