# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ReasonThrottle`: one line per reason and second, so that none hides behind another."""

from __future__ import annotations

import re
import time

_PERIOD = 1.0  # s
_MOST_REASONS = 20  # at a time; what is beyond is not logged
_NUMBER = re.compile(r'[-+]?\d+(\.\d+)?(e[-+]?\d+)?')


class ReasonThrottle:
    """Remembers when which reason was logged; numbers in it make no other reason."""

    def __init__(self) -> None:
        self._logged: dict[str, float] = {}  # by reason [s]

    def due(self, text: str) -> bool:
        """Return whether a text is to be logged now, and count it as logged then."""
        now = time.monotonic()
        self._logged = {
            reason: then for reason, then in self._logged.items() if now - then < _PERIOD
        }
        reason = _NUMBER.sub('#', text)
        if reason in self._logged or len(self._logged) >= _MOST_REASONS:
            return False
        self._logged[reason] = now
        return True
