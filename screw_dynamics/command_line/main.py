# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The command `screw_dynamics`.

    screw_dynamics model my_robot.urdf
    screw_dynamics evaluate my_robot.urdf my_trajectory.yaml --csv efforts.csv
    screw_dynamics bag my_bag --output my_bag_with_efforts
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from screw_dynamics.command_line import (
    bag_command,
    evaluate_command,
    feasibility_command,
    model_command,
    plot_command,
)
from screw_dynamics.command_line.command_parser import CommandParser
from screw_dynamics.errors import ScrewDynamicsError

_FAILED = 1  # argparse ends with 2 where the arguments are wrong
_INTERRUPTED = 130

_COMMANDS = (model_command, evaluate_command, bag_command, feasibility_command, plot_command)


def main(args: Sequence[str] | None = None) -> int:
    """
    Run a subcommand.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments without the name of the program; default ``sys.argv[1:]``.

    Returns
    -------
    int
        Exit code: 0; 1 after an error, told in one line; 3 for an infeasible motion; 130 after
        Ctrl-C. Wrong arguments end the process with 2.

    """
    options = parser().parse_args(args)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names may hold what the terminal has not
            stream.reconfigure(errors='backslashreplace')
    try:
        code: int = options.run(options)
        sys.stdout.flush()  # a full disk or a closed pipe shows here, and not after the end
        return code
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # `| head` has seen enough
        _close_output()
        return _FAILED
    except (ScrewDynamicsError, OSError) as error:
        _close_output()
        print(f'screw_dynamics {options.command}: {one_line(error)}', file=sys.stderr)
        return _FAILED
    except ModuleNotFoundError as error:
        if (error.name or '').partition('.')[0] == 'screw_dynamics':
            raise
        print(
            f'screw_dynamics {options.command}: {one_line(error)}: install what the command uses '
            "(pip install 'screw_dynamics[cli]')",
            file=sys.stderr,
        )
        return _FAILED


def _close_output() -> None:
    """Give up what cannot be printed, which the interpreter would complain of at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser() -> argparse.ArgumentParser:
    """
    Return the parser of the whole command.

    Returns
    -------
    argparse.ArgumentParser

    """
    whole = argparse.ArgumentParser(
        prog='screw_dynamics',
        description='Exact robot dynamics with time derivatives: robots, trajectories and bags.',
        epilog='Every command explains itself: screw_dynamics COMMAND --help',
    )
    commands = whole.add_subparsers(
        dest='command', required=True, metavar='COMMAND', parser_class=CommandParser
    )
    for module in _COMMANDS:
        module.add_to(commands)
    return whole


def one_line(error: BaseException) -> str:
    """
    Return what an error says, without line breaks.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    str

    """
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f'{error.filename}: {error.strerror}'
    return ' '.join(str(error).split()) or type(error).__name__


if __name__ == '__main__':
    sys.exit(main())
