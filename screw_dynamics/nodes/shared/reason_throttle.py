# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines for the log: by level, and those that repeat."""

import re
import time

from rclpy.node import Node

_PERIOD = 1.0  # s
_MOST_REASONS = 20  # at a time; further reasons are not logged
_NUMBER = re.compile(r'[-+]?\d+(\.\d+)?(e[-+]?\d+)?')


def log_line(node: Node, level: str, text: str) -> None:
    """Log a line of the level info, warning or error."""
    logger = node.get_logger()
    # one call each: rclpy remembers the severity of a line of code
    if level == 'error':
        logger.error(text)
    elif level == 'warning':
        logger.warning(text)
    else:
        logger.info(text)


class ReasonThrottle:
    """
    Stores when each reason was logged; texts that differ only in numbers are one reason.

    The throttling of rclpy looks up its caller in every call, which takes up to a millisecond.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._logged: dict[str, float] = {}  # by reason [s]

    def log(self, level: str, text: str, reason: str = '') -> None:
        """Log a line, of one reason (by default its text) at most once per second."""
        if self.due(reason or text):
            log_line(self._node, level, text)

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
