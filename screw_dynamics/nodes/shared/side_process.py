# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes beside a node, which take no time from its callbacks."""

import os
import sys
from contextlib import suppress

_SCRIPT = (
    'import sys; sys.path[:] = sys.argv[2:]; '
    'from screw_dynamics.nodes.shared.side_process import leave_real_time; leave_real_time(); '
    'from {module} import main; main(int(sys.argv[1]))'
)


def side_command(module: str, argument: int) -> list[str]:
    """Return the command that calls `main` of a module, with the path of this process."""
    return [sys.executable, '-c', _SCRIPT.format(module=module), str(argument), *sys.path]


def leave_real_time() -> None:
    """Reset the real-time priority inherited from the node, whose ticks have precedence."""
    if hasattr(os, 'sched_setscheduler'):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
