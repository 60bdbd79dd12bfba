# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SampleIntake`: samples that count, with those of the motors of the same instant."""

from __future__ import annotations

from screw_dynamics.common.times import SECOND
from screw_dynamics.control.drive_records import FeedforwardSample, MotorSample

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
        if not self._first and sample.instant <= self.instant:
            self.counts['out of order'] += 1
            return None
        self.step = 0.0 if self._first else 1e-9 * (sample.instant - self.instant)
        lead = 1e-9 * (sample.instant - now)
        further = lead - (lead if self._first else self._lead)
        self.lead_step = min(further, self.step) if further > _LEAD_STEP else 0.0
        self._lead = lead - (1.0 - _FALL) * min(further, 0.0)
        self.instant, self.motion, self._first = sample.instant, sample.motion, False
        return sample, motors if self._paired else None
