# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Publication`: what was published of a motion, its jumps and its end."""

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.outputs import Outputs
from screw_dynamics.recordings.messages.feedforward import Course, FeedforwardSample


class Publication:
    """
    The last sample that was published, and that with motors, of a motion that goes on.

    `jumped` is set where what is asked has jumped; the next sample of the motion counts it.
    """

    def __init__(self, outputs: Outputs) -> None:
        self._outputs = outputs
        self.last: FeedforwardSample | None = None
        self._of_motors: FeedforwardSample | None = None
        self.jumped, self._jumps = False, 0

    def publish(self, sample: FeedforwardSample, efforts: Array, gravity: Array) -> None:
        """Publish a sample with its efforts (k, n) and their gravity (n,)."""
        if self.last is None or sample.motion != self.last.motion:
            self._jumps = 0
        else:
            self._jumps += self.jumped
        self.jumped = False
        # not `_replace`, whose tuples the garbage collector would count
        self._outputs.sample = self.last = FeedforwardSample(
            sample.instant,
            sample.motion,
            sample.jet,
            efforts,
            gravity,
            sample.source,
            sample.time_from_start,
            sample.continuity,
            self._jumps,
        )

    def with_motors(self) -> None:
        """Register that the motors of the last sample are published too."""
        self._of_motors = self.last

    def finish(self, state: Course, reason: str) -> None:
        """Tell that the motion goes on no more."""
        self.finish_motors(state, reason)
        if self.last is not None:
            self._outputs.end = self.last._replace(state=state, reason=reason)
        self.last = None

    def finish_motors(self, state: Course, reason: str) -> None:
        """Tell that the motors go on no more."""
        if self._of_motors is not None:
            self._outputs.motors_end = self._of_motors._replace(state=state, reason=reason)
        self._of_motors = None
