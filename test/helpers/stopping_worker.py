# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A process that fits trajectories, and stops itself in the midst of its first long fit."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from screw_dynamics.nodes.feedforward.fitting import worker

LONG = 5000  # points
# what to do before the start of a node, so that this module does its fits
USED = f"""
sys.path.append({str(Path(__file__).parents[1])!r})
from screw_dynamics.nodes.feedforward.fitting import fit_process
fit_process._WORKER = {__name__!r}
"""
_fit = worker.fit


def main(descriptor: int) -> None:
    """Do what the worker does, but stop once when a long message is decoded."""
    worker.fit = _fit_after_stop
    worker.main(descriptor)


def _fit_after_stop(message: Any, *arguments: Any) -> Any:
    if len(message.points) > LONG:
        worker.fit = _fit
        os.kill(os.getpid(), signal.SIGSTOP)
    return _fit(message, *arguments)
