# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes beside a node, whose callbacks have precedence."""

import os
import sys
from contextlib import suppress
from typing import Any

# Options of `subprocess.Popen`: Ctrl-C is not for the process. Not a session of its own, if Python
# has a choice: Linux may share the processor between sessions before it looks at priorities.
OWN_GROUP: dict[str, Any] = (
    {'process_group': 0} if sys.version_info >= (3, 11) else {'start_new_session': True}
)
_NICE = 5
_SCRIPT = (
    'import sys; sys.path[:] = sys.argv[2:]; '
    'from screw_dynamics.nodes.shared.side_process import give_precedence; give_precedence(); '
    'from {module} import main; main(*map(int, sys.argv[1].split()))'
)


def side_command(module: str, *arguments: int) -> list[str]:
    """Return the command that calls `main` of a module, with the path of this process."""
    script, given = _SCRIPT.format(module=module), ' '.join(map(str, arguments))
    return [sys.executable, '-c', script, given, *sys.path]


def give_precedence() -> None:
    """Reset the real-time priority inherited from the node, and lower the normal one."""
    if hasattr(os, 'sched_setscheduler'):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with suppress(OSError):
        os.nice(_NICE)
