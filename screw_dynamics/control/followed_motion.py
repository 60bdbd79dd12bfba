# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FollowedMotion`: the reference and the stream that a node follows, sampled tick by tick."""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.blends import quintic
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.drives.robot import Robot
from screw_dynamics.recordings.messages.feedforward import FeedforwardSample
from screw_dynamics.trajectory.reference.interpolation import INTERPOLATIONS
from screw_dynamics.trajectory.reference.reference import Reference, Source, require_speed
from screw_dynamics.trajectory.reference.streamed_reference import StreamedReference

_SPEED_TIME = SECOND // 10  # ns, within which another speed is reached


class FollowedMotion:
    """
    Trajectories and streams of references, one of which applies at an instant.

    Motions are numbered from `number` on. A motion that continues the one before in motion has its
    number; one that begins from rest has the next one, and a gap changes nothing.
    """

    def __init__(self, robot: Robot, parameters: FeedforwardParameters, number: int) -> None:
        self._use(parameters)
        turning = np.array(robot.model.coordinate_types) == 'continuous'
        self.reference = Reference(
            robot.n,
            INTERPOLATIONS[parameters.interpolation],
            np.array(robot.joint_names)[turning].tolist(),
        )
        self.streamed = StreamedReference(self.reference, turning, parameters.stream_settings)
        self.number = number
        self._sampled: object = None  # what the last sample is of
        self._moves = False  # whether that was in motion
        self._wanted = 1.0  # speed
        self._changes: list[tuple[int, float]] = []  # of that, which are led: since when [ns]

    def apply(self, parameters: FeedforwardParameters, now: int) -> None:
        """Apply changed parameters at a time [ns]."""
        self._use(parameters)
        self.streamed.apply(parameters.stream_settings, self.sampled(now))

    def _use(self, parameters: FeedforwardParameters) -> None:
        self._parameters, self._lead = parameters, round(SECOND * parameters.lead)

    def sampled(self, now: int) -> int:
        """Return the instant sampled by a tick at this time [ns]."""
        return now + self._lead

    def set_speed(self, now: int, speed: float, *, leads: bool) -> None:
        """Set the speed, at once or led there within 0.1 s; raise InputError if it is none."""
        require_speed(speed)
        if leads:
            self._changes.append((now, speed - self._wanted))
        else:
            self._changes.clear()
            self.reference.set_speed(speed, self.sampled(now))
        self._wanted = speed

    def lead_speed(self, now: int) -> None:
        """Lead the speed on to that which is wanted; changes overlap, and each takes its time."""
        if not self._changes:
            return
        speed, left = self._wanted, []
        for since, change in self._changes:
            share = max(now - since, 0) / _SPEED_TIME
            if share < 1.0:
                left.append((since, change))
                speed -= change * (1.0 - quintic(share))
        self._changes = left
        self.reference.set_speed(max(speed, 0.0), self.sampled(now))

    def sample(self, now: int, jet: Array) -> FeedforwardSample | None:
        """Write the joint jet (5, n) of this tick; return None if there is nothing to publish."""
        time = self.sampled(now)
        if self.streamed.followed is not None:
            streamed = self.streamed.sample(now, time, jet)
            if streamed is None:
                return None
            number = self._numbered(self.streamed.takeovers, continues=False, moves=True)
            known, continuity = jet[: streamed.rows], streamed.continuity
            return _sample(streamed.instant, number, known, Source.STREAM, 0, continuity)
        reference = self.reference
        source = reference.sample(time, jet)
        if source is None:
            return None
        moves = source is Source.TRAJECTORY
        if not moves and (self._released() or not reference.executed):
            reference.executed = False  # the next trajectory begins at joint_states
            return None
        number = self._numbered(reference.sampled, continues=reference.continues, moves=moves)
        from_start = round(1e9 * reference.time_from_start)
        return _sample(time, number, jet, source, from_start, reference.continuity)

    def _numbered(self, sampled: object, *, continues: bool, moves: bool) -> int:
        """Return the number of the motion of a sample."""
        before, self._sampled = self._sampled, sampled
        moved, self._moves = self._moves, moves
        same = sampled is before or (isinstance(sampled, int) and sampled == before)
        if not same and not (continues and moved):
            self.number += 1
        return self.number

    def _released(self) -> bool:
        return 0.0 <= self._parameters.hold_time < self.reference.held_for

    def end(self) -> None:
        """Register that the motion has ended: none continues it."""
        self._sampled, self._moves = None, False

    def clear(self) -> None:
        """Stop following; a stream is followed again after it has paused."""
        self.reference.clear()
        self.streamed.supersede()
        self.end()

    def forget(self) -> None:
        """Drop all state after a jump of the clock."""
        self.reference.clear()
        self.streamed.reset()
        self.end()
        self._changes = [(0, change) for _, change in self._changes]  # they are over

    @property
    def empty(self) -> bool:
        """True if there is nothing to follow, now or later."""
        return self.reference.empty and self.streamed.followed is None


def _sample(
    instant: int, motion: int, jet: Array, source: Source, from_start: int, continuity: int
) -> FeedforwardSample:
    """Return a sample without efforts."""
    return FeedforwardSample(instant, motion, jet, jet[:0], None, source, from_start, continuity)
