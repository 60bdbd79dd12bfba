# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`run_job`: exit codes, error lines and stop signals of the demos."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.stop_signals import STOP_SIGNALS, stop_once

DEMO_STOP_SIGNALS = (*STOP_SIGNALS, signal.SIGHUP)


def run_job(name: str, job: Callable[[], object], *, to_the_end: bool) -> int:
    """
    Run a job of the demo; SIGTERM and SIGHUP (closed terminal) interrupt it like Ctrl-C.

    Returns the exit code: 0, 1 after an error, 130 if interrupted. `to_the_end` means that the
    process ends with the job.
    """
    with stop_once(to_the_end=to_the_end, numbers=DEMO_STOP_SIGNALS):
        try:
            job()
        except (ScrewDynamicsError, OSError) as error:
            print(f'{name}: {error}', file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print(f'{name}: interrupted', file=sys.stderr)
            return 130
    return 0
