# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Seldom`: warnings of a control loop, at most one in a period."""

import math
import time


class Seldom:
    """
    Whether a warning is due again.

    The throttling of rclpy looks up its caller in every call, which takes up to a millisecond.
    """

    def __init__(self, period: float) -> None:
        self._period, self._last = period, -math.inf

    def due(self) -> bool:
        """Return True at most once in a period [s]."""
        now = time.monotonic()
        if now - self._last < self._period:
            return False
        self._last = now
        return True
