# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SampleIntake`, `StartGate`: which samples and measured positions count for commands."""

from collections.abc import Sequence

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.drive_records import FeedforwardSample, MotorSample
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.model.records import POSITION_UNITS

_LONGEST_LEAD = SECOND  # ns by which stamps may be ahead
_LEAD_STEP = 5e-3  # s, of the lead of stamps: less is jitter
_FALL = 0.01  # of the difference, by which the known lead falls to that of later samples


class SampleIntake:
    """
    Keeps a sample until that of its motors is there, and drops old ones and those out of order.

    `instant` [ns] and `motion` are those of the newest sample that counted, `step` [s] the time
    since the one before, 0 for the first one. `lead_step` [s] is the part of it by which stamps
    are further ahead than ever: another lead time, and no time that has passed.
    """

    def __init__(self, *, motors: bool) -> None:
        self._paired, self.instant, self.motion = motors, 0, -1
        self.step = self.lead_step = self._lead = 0.0
        self.counts = {'too old': 0, 'out of order': 0}
        self.problem = ''
        self.forget()

    def forget(self) -> None:
        """Drop what was received before a jump of the clock."""
        self._sample: FeedforwardSample | None = None
        self._motors: MotorSample | None = None
        self._first = True

    def add(self, item: FeedforwardSample | MotorSample) -> None:
        """Take over a sample, in place of one before of its kind."""
        if isinstance(item, FeedforwardSample):
            self._sample = item
        else:
            self._motors = item

    def next(
        self, now: int, timeout: float
    ) -> tuple[FeedforwardSample, MotorSample | None] | None:
        """Return the sample that is complete and counts at `now` [ns], if there is a new one."""
        sample, motors = self._sample, self._motors
        if sample is None or (self._paired and motors is None):
            return None
        if motors is not None and motors.instant != sample.instant:
            return None  # one of them is on its way
        self._sample = self._motors = None
        if not -_LONGEST_LEAD <= now - sample.instant <= timeout * SECOND:
            self.counts['too old'] += 1
            self.problem = (
                f'feedforward: header.stamp: expected within {timeout:g} s of now '
                f'({now / SECOND:.3f}), got {sample.instant / SECOND:.3f}: too old, or of '
                'another clock'
            )
            return None
        step = 0.0 if self._first else 1e-9 * (sample.instant - self.instant)
        # after a jump of the clock back, samples of the motion before it may still come
        earlier = sample.motion < self.motion and step <= timeout
        if not self._first and (step <= 0.0 or earlier):
            self.counts['out of order'] += 1
            return None
        self.step = step
        lead = 1e-9 * (sample.instant - now)
        further = lead - (lead if self._first else self._lead)
        self.lead_step = min(further, self.step) if further > _LEAD_STEP else 0.0
        self._lead = lead - (1.0 - _FALL) * min(further, 0.0)
        self.instant, self.motion, self._first = sample.instant, sample.motion, False
        return sample, motors if self._paired else None


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
            f'reference {reference[j]:.6g}, got {self._read[0, j]:.6g}'
        )
        return 'distant', text, False
