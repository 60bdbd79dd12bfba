# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SampleIntake`, `StartGate`: which samples and measured positions count for commands."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.model.records import POSITION_UNITS
from screw_dynamics.recordings.messages.feedforward import (
    AnySample,
    Course,
    MotorSample,
)

_LONGEST_LEAD = SECOND  # ns by which stamps may be ahead
_MOST_WAITING = 10  # samples whose other half is on its way


class SampleIntake:
    """
    Pairs samples with those of their motors, and drops old ones and those out of order.

    `instant` [ns] and `motion` are those of the newest sample that counted, `step` [s] the time
    since the one before, 0 for the first one. Last samples of motions always count.
    """

    def __init__(self, *, motors: bool) -> None:
        self._paired, self.instant, self.motion = motors, 0, 0
        self.step, self._lowest = 0.0, -1
        self.counts = {'too old': 0, 'out of order': 0}
        self.problem = ''
        self.forget()

    def forget(self) -> None:
        """Drop what was received before a jump of the clock."""
        self._ready: deque[tuple[AnySample, MotorSample | None]] = deque()
        self._halves: dict[int, AnySample] = {}  # by their instants
        self._first = True

    def add(self, item: AnySample) -> None:
        """Take over a sample."""
        halves = self._halves
        if item.state != Course.FOLLOWS or not self._paired:
            self._ready.append((item, None))
            if item.state != Course.FOLLOWS:  # what is of its motion does not begin it any more
                self._halves = {at: one for at, one in halves.items() if one.motion != item.motion}
            return
        other = halves.get(item.instant)
        if other is None or type(other) is type(item):
            halves[item.instant] = item
            while len(halves) > _MOST_WAITING:
                del halves[min(halves)]
            return
        self._halves = {at: half for at, half in halves.items() if at > item.instant}
        if isinstance(item, MotorSample):
            self._ready.append((other, item))
        elif isinstance(other, MotorSample):
            self._ready.append((item, other))

    def next(self, now: int, timeout: float) -> tuple[AnySample, MotorSample | None] | None:
        """Return the next sample that counts at `now` [ns], in the order of their reception."""
        while self._ready:
            sample, motors = self._ready.popleft()
            if sample.state != Course.FOLLOWS or self._counts(sample, now, timeout):
                return sample, motors
        return None

    def _counts(self, sample: AnySample, now: int, timeout: float) -> bool:
        if not -_LONGEST_LEAD <= now - sample.instant <= timeout * SECOND:
            self.counts['too old'] += 1
            self.problem = (
                f'feedforward: header.stamp: expected within {timeout:g} s of now '
                f'({now / SECOND:.3f}), got {sample.instant / SECOND:.3f}: too old, or of '
                'another clock'
            )
            return False
        step = 0.0 if self._first else 1e-9 * (sample.instant - self.instant)
        # after a jump of the clock back, samples of the motion before it may still come
        earlier = sample.motion < self._lowest and step <= timeout
        if not self._first and (step <= 0.0 or earlier):
            self.counts['out of order'] += 1
            return False
        self.step, self._first = step, False
        self.instant, self.motion, self._lowest = sample.instant, sample.motion, sample.motion
        return True

    def let_others(self) -> None:
        """Let samples of motions with a lower number count: that of the newest is over."""
        self._lowest = -1


# samples of a resting reference without fresh states before a warning: after a stall these may
# still wait to be received
_LOOKS = 3


class StartGate:
    """Measured positions (n,): reference plus `distance` and whole `turns`, at the last look."""

    def __init__(self, names: Sequence[str], kinds: Sequence[str]) -> None:
        self._names, self._kinds = tuple(names), tuple(kinds)
        self._turning = np.array([kind == 'continuous' for kind in kinds])
        self.measured = JointStateBuffer(names)
        self._read = np.zeros((2, len(names)))
        self.distance, self.turns = np.zeros(len(names)), np.zeros(len(names))
        self._missed = 0

    def obstacle(
        self, reference: Array, now: int, age: float, tolerance: float
    ) -> tuple[str, str, bool]:
        """Return kind and text of what keeps commands from beginning, and whether it may pass."""
        if not self.measured.write(now, age, self._read):
            self._missed += 1
            known = np.isfinite(self.measured.positions(now, age))
            missing = [name for name, one in zip(self._names, known, strict=True) if not one]
            text = f'expected joint_states of {", ".join(missing)} within {age:g} s, got none'
            return 'unmeasured', text, self._missed < _LOOKS
        self._missed = 0
        np.subtract(self._read[0], reference, out=self.distance)
        np.rint(self.distance / (2.0 * np.pi), out=self.turns)
        self.turns *= 2.0 * np.pi * self._turning
        self.distance -= self.turns
        j = int(np.argmax(np.abs(self.distance)))
        if abs(self.distance[j]) <= tolerance:
            return '', '', False
        unit = POSITION_UNITS[self._kinds[j] == 'prismatic']
        text = (
            f'expected joint_states with {self._names[j]} within {tolerance:g} {unit} of the '
            f'reference {reference[j]:.6g}, got {self._read[0, j]:.6g}; ~/clear of the node that '
            'sends it drops the reference'
        )
        return 'distant', text, False
