# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ReasonThrottle`: lines for the log that repeat."""

import re
import time

_PERIOD = 1.0  # s
_MOST_REASONS = 20  # at a time; further reasons are not logged
_NUMBER = re.compile(r'[-+]?\d+(\.\d+)?(e[-+]?\d+)?')


class ReasonThrottle:
    """Stores when each reason was logged; texts that differ only in numbers are one reason."""

    def __init__(self) -> None:
        self._logged: dict[str, float] = {}  # by reason [s]

    def due(self, text: str) -> bool:
        """Return True if a text should be logged now, and register it as logged."""
        now = time.monotonic()
        self._logged = {
            reason: then for reason, then in self._logged.items() if now - then < _PERIOD
        }
        reason = _NUMBER.sub('#', text)
        if reason in self._logged or len(self._logged) >= _MOST_REASONS:
            return False
        self._logged[reason] = now
        return True
