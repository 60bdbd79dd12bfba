# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Argument parsers of the commands: help with examples, errors with hints."""

import argparse
import re
import shutil
import textwrap
from importlib import import_module
from typing import Any, NoReturn

from screw_dynamics.errors import bounded, did_you_mean, shown

# all that float() accepts: before Python 3.14 argparse reads -1e-3 as an option
_NEGATIVE_NUMBER = re.compile(
    r'-(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(e[-+]?\d+)?$|-(inf|infinity|nan)$', re.IGNORECASE
)


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
            error.message += did_you_mean(value, map(str, action.choices or ()))
            raise


class CommandParser(BoundedParser):
    """
    Parser of one command; reads all negative numbers as values.

    `module` contains FILES for the usage line, DESCRIPTION, EXAMPLES, add_arguments(parser) and
    run(options). It is imported when the command is used, as the help needs no library.
    """

    def __init__(self, *, module: str, **kwargs: Any) -> None:
        # a formatter that keeps the line breaks of the examples
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs)
        self._negative_number_matcher = _NEGATIVE_NUMBER
        self._module = module

    def declare(self) -> None:
        """Add the arguments of the command, at the first call."""
        if not self._module:
            return
        command = import_module(self._module)
        self._module = ''
        self.usage = f'%(prog)s {command.FILES} [options]'
        # the formatter does not wrap the description
        columns = max(1, shutil.get_terminal_size().columns - 2)
        self.description = textwrap.fill(command.DESCRIPTION, columns)
        self.epilog = '\n'.join(['examples:', *(f'  {line}' for line in command.EXAMPLES)])
        command.add_arguments(self)
        self.set_defaults(run=command.run, error=self.error)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, declared before if this is the first time; all must be known."""
        self.declare()
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            option = next((word for word in unknown if word.startswith('-')), '')
            hint = did_you_mean(option.partition('=')[0], self._option_string_actions)
            self.error(f'unrecognized arguments: {" ".join(unknown)}{hint}')
        return namespace, unknown

    def error(self, message: str) -> NoReturn:
        """Print a usage error and exit with code 2."""
        # `--joints a b FILE` reads FILE as a name
        if 'arguments are required' in message:
            message += ' (before options that take lists, as --joints does, or behind --)'
        super().error(message)


class EachOnce(argparse.Action):
    """Action that appends values to a list, also over repeated options; a name may come once."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Append the values of one option."""
        known = list(getattr(namespace, self.dest) or [])
        kind = 'joint' if 'JOINT' in str(self.metavar) else 'name'
        for value in values:
            name = value if isinstance(value, str) else value[0]
            if name in (other if isinstance(other, str) else other[0] for other in known):
                parser.error(
                    f'argument {option_string}: expected every {kind} once, '
                    f'got {shown(name)} twice'
                )
            known.append(value)
        setattr(namespace, self.dest, known)
