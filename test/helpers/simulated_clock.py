# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A /clock that tests set."""

from __future__ import annotations

from builtin_interfaces.msg import Time
from rosgraph_msgs.msg import Clock

STEP = 4_000_000  # ns


class SimulatedClock:
    """Publishes /clock, a step each time it is asked to."""

    def __init__(self, ros, now=0):
        self._ros, self.now = ros, now

    def tell(self):
        sec, nanosec = divmod(self.now, 10**9)
        self._ros.publish(Clock(clock=Time(sec=sec, nanosec=nanosec)), '/clock')

    def step(self, count=1, step=STEP):
        for _ in range(count):
            self.now += step
            self.tell()
        return True
