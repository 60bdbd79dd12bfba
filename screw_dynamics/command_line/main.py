# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The command `screw_dynamics`.

    screw_dynamics demo
    screw_dynamics model my_robot.urdf
    screw_dynamics terms my_robot.urdf --position joint_2=0.5 --frame tool0
    screw_dynamics evaluate my_robot.urdf my_trajectory.yaml --csv efforts.csv
    screw_dynamics evaluate my_bag --bag my_bag_with_efforts
"""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence

from screw_dynamics import __version__
from screw_dynamics.command_line.command_parser import BoundedParser, CommandParser
from screw_dynamics.command_line.exit_codes import (
    print_error,
    run_to_end,
    signals_as_interrupts,
    usable_streams,
)
from screw_dynamics.common.text_table import styled_tables

_PROGRAM = 'screw_dynamics'
# each is a module in `commands`, imported when the command is used
_COMMANDS = {
    'demo': 'a robot and a trajectory to try the commands on, and what they print',
    'doctor': 'what is missing or odd in a URDF, and what that means for the results',
    'model': 'screw axes, limits and masses of a robot',
    'terms': 'matrices, frames and accelerations of a robot at one state',
    'evaluate': 'efforts, their derivatives and limits along a motion, computed or recorded',
    'observe': 'collisions in the joint states that a bag has recorded',
    'identify': 'friction, rotors, load and inertias behind recorded efforts',
    'excite': 'a motion from which drives and a load can be identified',
    'learn': 'a repeated motion, corrected by the errors of its last run',
    'generate': 'C99 code of efforts, matrices and frames of a robot',
    'symbolic': 'expressions of a small robot, as SymPy, LaTeX and C',
    'retime': 'the fastest motion along the path of a trajectory',
    'view': 'a robot and its motion in a web browser',
}


def main(args: Sequence[str] | None = None) -> int:
    """
    Run a subcommand with `args`, without the program name (default ``sys.argv[1:]``).

    Returns the exit code: 0; 1 after an error, printed as one line on stderr; 2 for wrong
    arguments; 3 for an infeasible motion; 130 after Ctrl-C; 143 after SIGTERM.
    """
    options = argparse.Namespace()

    def parse() -> int:
        whole = parser()
        whole.parse_args(args, options)
        if options.command is None:
            whole.print_help()
            return 0
        return -1

    with usable_streams(), signals_as_interrupts(), styled_tables():
        code = run_to_end(_PROGRAM, lambda: _ended(parse))
        if code >= 0:
            return code
        name = f'{_PROGRAM} {options.command}'
        return run_to_end(name, lambda: _ended(lambda: _run(options)))


def _ended(work: Callable[[], int]) -> int:
    """Return the exit code of some work, also where argparse ends the program."""
    try:
        return work()
    except SystemExit as stop:  # help, the version, wrong arguments
        return int(stop.code or 0)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command; those of its commands are declared at first use."""
    whole = BoundedParser(
        prog=_PROGRAM,
        description='Exact robot dynamics with time derivatives: robots, trajectories and bags.',
        epilog='The arguments of a command: screw_dynamics COMMAND --help',
    )
    whole.add_argument(
        '--version', action=_Version, nargs=0, help='show the version and the form of the kernels'
    )
    commands = whole.add_subparsers(dest='command', metavar='COMMAND', parser_class=CommandParser)
    for name, summary in _COMMANDS.items():
        module = f'screw_dynamics.command_line.commands.{name}'
        commands.add_parser(name, help=summary, module=module)
    if '_ARGCOMPLETE' in os.environ:  # a shell asks what may follow, and no more
        from argcomplete import autocomplete

        for name in {*_COMMANDS} & {*os.environ.get('COMP_LINE', '').split()}:
            commands.choices[name].declare()
        autocomplete(whole)
    return whole


class _Version(argparse.Action):
    """Print the version and the form of the kernels, which the help does not load."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from screw_dynamics.kernels.kernel import kernel_form

        print(f'{_PROGRAM} {__version__} (kernels: {kernel_form()})')
        parser.exit()


def _run(options: argparse.Namespace) -> int:
    import numpy as np  # not for the help

    with warnings.catch_warnings(), np.errstate(all='ignore'):  # overflow raises an error later
        warnings.showwarning = _print_warning
        warnings.simplefilter('always', UserWarning)
        code: int = options.parser.run(options)
    return code


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning without the source line that issued it."""
    print_error(f'warning: {" ".join(str(message).split())}')


if __name__ == '__main__':
    sys.exit(main())
