# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Wait for processes that record, and stop them."""

from __future__ import annotations

import signal
import subprocess
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helpers.patience import patience
from screw_dynamics.errors import BagError, BagWarning


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + patience()
    while not condition():
        assert time.monotonic() < deadline, 'timed out'
        time.sleep(0.02)


def wait_for_match(*publishers: Any, count: int = 1) -> None:
    """Wait until what is published is heard by so many subscriptions."""
    wait_for(lambda: all(p.get_subscription_count() >= count for p in publishers))


def messages_in(path: Path, topic: str) -> list[Any]:
    """Return the messages of a topic that are in the file of a bag that is being recorded."""
    from screw_dynamics.recordings.bags import Bag

    with warnings.catch_warnings():
        warnings.simplefilter('ignore', BagWarning)
        try:
            with Bag(path) as bag:
                if topic in bag.topics:
                    return list(bag.messages([topic]))
        except BagError:  # the recorder has not made it yet
            pass
    return []


def signal_until_it_ends(process: subprocess.Popen[str], number: int = signal.SIGINT) -> None:
    """Send more signals than one, as an impatient user does."""

    def ended() -> bool:
        process.send_signal(number)
        return process.poll() is not None

    wait_for(ended)


def stop(process: subprocess.Popen[str], number: int = signal.SIGINT) -> str:
    signal_until_it_ends(process, number)
    _, log = process.communicate(timeout=patience())
    assert process.returncode == 0, log
    assert 'Traceback' not in log
    return log
