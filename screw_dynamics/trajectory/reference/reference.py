# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Reference`: joint motion as a function of time, with replacement, hold and speed scaling."""

import copy
from collections.abc import Callable, Collection
from dataclasses import replace
from enum import IntEnum

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError, TrajectoryError
from screw_dynamics.kernels.curves.motions import sample_polynomial
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial, Waypoints, nearest_turn
from screw_dynamics.trajectory.reference.interpolation import (
    ActiveTrajectory,
    Interpolation,
    Join,
    is_bounded,
)

# Above any practical use; its fourth power, which scales the snap, is far from overflow.
MAX_SPEED = 1000.0
# Limit of a Duration message, reached after 68 years at speed 1 [s].
LONGEST_DURATION = 2.0**31 - 1.0
_POSTPONED = 10**8  # ns by which a motion that is held back is put off at a time


class Source(IntEnum):
    """Source of a sample; values as in FeedforwardTorque."""

    HOLD = 0
    TRAJECTORY = 1
    STREAM = 2
    MEASURED = 3


class Reference:
    """
    The motion that the joints must follow, as a function of time alone.

    Instants are integers [ns] on one clock. A trajectory applies until the next one takes over, by
    the rules of the interpolation; after its end the last position is held. Joints named in
    `continuous` have no limits and go to the nearest turn.
    """

    def __init__(
        self, joint_count: int, interpolation: Interpolation, continuous: Collection[str] = ()
    ) -> None:
        self.speed = 1.0
        self.speed_since = 0  # instant from which it applies [ns]
        # if either is False, the robot is not at the reference and no motion continues it
        self.executed = True  # False: it was held long enough and is left
        self.driven = True  # by motor commands, if there are any
        self.time_from_start = 0.0
        self.held_for = 0.0  # s on the clock of the node
        self.first = False  # whether the last sample is the first one of its motion
        # called after a change, with the instant from which it applies [ns]; 0 if all is dropped
        self.on_change: Callable[[int], object] | None = None
        self._sampled: Waypoints | None = None
        self._held: tuple[Waypoints, int] | None = None  # and the instant of its end [ns]
        self._held_back: Waypoints | None = None  # of a motion that waits for `release`
        self.interpolation, self.continuous = interpolation, continuous
        self._motions: list[ActiveTrajectory] = []
        self._jet = np.empty((JET_ROWS, joint_count))

    def copy(self, since: int) -> 'Reference':
        """Return a reference of the same motions from an instant [ns] on that changes alone."""
        other = copy.copy(self)
        other.on_change = None
        other._jet = np.empty_like(self._jet)
        other._motions = [
            replace(motion, curve=_rest(motion.curve, self._curve_time(motion, since)))
            for motion in self._motions
        ]
        return other

    @property
    def empty(self) -> bool:
        """True if there is nothing to follow, now or later."""
        return not self._motions

    @property
    def continuity(self) -> int:
        """Highest k such that the positions of the last sampled motion are C^k."""
        return self._motions[0].curve.continuity if self._motions else 0

    @property
    def sampled(self) -> Waypoints | None:
        """The points of the motion that was sampled last."""
        return self._sampled

    @property
    def continues(self) -> bool:
        """True if the motion that was sampled last continues the one before it."""
        return bool(self._motions) and self._motions[0].continues

    def clear(self) -> None:
        """Drop all motions."""
        self._held_back = None
        if self._motions:
            self._motions.clear()
            self._changed(0)

    def _changed(self, since: int) -> None:
        if self.on_change is not None:
            self.on_change(since)

    @property
    def leaves_at_reception(self) -> bool:
        """True if a trajectory begins at its reception, even if that has passed."""
        return self.interpolation.leaves_at_reception

    @property
    def newest(self) -> ActiveTrajectory:
        """The motion added last; there must be one."""
        return self._motions[-1]

    def state(self, time: int) -> Array | None:
        """Return the joint jet at an instant [ns] for speed 1; None if no motion is executed."""
        motion = self.motion_at(time)
        if motion is None or not (self.executed and self.driven):
            return None
        jet: Array = motion.curve.sample(self._curve_time(motion, time), self._jet).copy()
        return jet

    def add(
        self,
        waypoints: Waypoints,
        start: int,
        now: int,
        start_jet: Array | None = None,
        follow: bool = True,
        received: int | None = None,
    ) -> None:
        """
        Follow a trajectory; motions that begin later are dropped.

        `start` is the instant of time from start 0, `now` the earliest that will still be sampled
        [ns]. With `follow` the trajectory continues the motion at its start; otherwise, or without
        one, it starts in `start_jet` (5, n). Raises TrajectoryError if no start state or no part
        of it is left.
        """
        join = self.join(start, now, start_jet, follow, received)
        jet = None if join.jet is None else nearest_turn(join.jet, waypoints, self.continuous)
        joined, curve = self.interpolation.join(waypoints, join.elapsed, jet)
        self.follow(join, waypoints, joined, curve)

    def join(
        self,
        start: int,
        now: int,
        start_jet: Array | None = None,
        follow: bool = True,
        received: int | None = None,
    ) -> Join:
        """Return the takeover of a trajectory; for the parameters see `add`."""
        received = now if received is None else received
        begin = self.interpolation.leaves(start, received, now)
        jet = self.state(begin) if follow else None
        continues = jet is not None and is_bounded(jet)
        if not continues:
            jet = start_jet
        if jet is None:
            begin = max(start, now)
        elapsed = self.interpolation.time_at(begin, start, received, self.speed)
        return Join(start, begin, elapsed, jet, continues)

    def rejoined(
        self, curve: PiecewisePolynomial, waypoints: Waypoints, jet: Array, earlier: float = 0.0
    ) -> PiecewisePolynomial | None:
        """Return the curve with another start state; see `Interpolation.rejoined`."""
        turned = nearest_turn(jet, waypoints, self.continuous)
        return self.interpolation.rejoined(curve, turned, earlier)

    def follow(
        self,
        join: Join,
        waypoints: Waypoints,
        joined: float,
        curve: PiecewisePolynomial,
        anchor: tuple[int, float] | None = None,
    ) -> None:
        """
        Follow a curve from its join on, with the `anchor` of `ActiveTrajectory` or the join.

        Motions that begin later are dropped, and one that is held back.
        """
        held_back = self._held_back
        kept = [m for m in self._motions if m.begin < join.begin and m.waypoints is not held_back]
        if waypoints is not held_back:
            self._held_back = None
        instant, time = anchor or (join.begin, join.elapsed)
        # its state may be that of a motion which stepped away, and is dropped before any sample
        continues = join.continues and all(
            m.continues or m.begin != join.begin or m.waypoints is self._sampled
            for m in self._motions
        )
        motion = ActiveTrajectory(
            waypoints, curve, join.begin, join.start, joined, instant, time, continues
        )
        self._motions = [*kept, motion]
        self.executed = True
        self._changed(join.begin)

    def rests(self, time: int) -> bool:
        """Return True if at an instant [ns] the end of a motion is held, or none is executed."""
        motion = self.motion_at(time) if self.executed and self.driven else None
        return motion is None or self._curve_time(motion, time) >= motion.curve.breaks[-1]

    def sample(self, time: int, out: Array) -> Source | None:
        """Write the joint jet at an instant [ns] to `out` (5, n); None if no motion applies."""
        if self._held_back is not None:
            self._postpone(time)
        while len(self._motions) > 1 and self._motions[1].begin <= time:
            del self._motions[0]
        if not self._motions or time < self._motions[0].begin:
            return None
        motion = self._motions[0]
        self.first = motion.waypoints is not self._sampled
        self._sampled = motion.waypoints
        t, curve = self._curve_time(motion, time), motion.curve
        # not `curve.sample`, whose checks cost more: `out` is an array of the node
        sample_polynomial(curve.breaks, curve.coefficients, curve.end, t, out)
        if self.speed != 1.0:
            scale_speed(out, self.speed)
        self.time_from_start = max(-LONGEST_DURATION, min(motion.joined + t, LONGEST_DURATION))
        beyond = t - curve.breaks.item(-1)
        if beyond < 0.0:
            self.held_for, self._held = 0.0, None
            return Source.TRAJECTORY
        if self._held is None or self._held[0] is not motion.waypoints:
            applied = 1e-9 * (time - motion.begin)
            held_for = min(beyond / self.speed, applied) if self.speed > 0.0 else 0.0
            self._held = motion.waypoints, time - round(1e9 * held_for)
        self.held_for = 1e-9 * (time - self._held[1])
        return Source.HOLD

    def set_speed(self, speed: float, now: int) -> None:
        """Set d(time from start) / dt, 0 (pause) to MAX_SPEED, from the instant `now` [ns] on."""
        require_speed(speed)
        if speed == self.speed:
            return
        self._postpone(now)
        later = [motion for motion in self._motions if motion.begin > now]
        self._motions = [
            replace(m, anchor=now, anchor_time=m.time_at(now, self.speed))
            for m in self._motions
            if m.begin <= now
        ]
        self.speed, self.speed_since = speed, now
        self._rejoin(later)
        self._changed(now)

    def motion_at(self, time: int) -> ActiveTrajectory | None:
        """Return the motion that applies at an instant [ns]; None if there is none."""
        for motion in reversed(self._motions):
            if motion.begin <= time and motion.waypoints is not self._held_back:
                return motion
        return None

    def motions_from(self, time: int) -> tuple[ActiveTrajectory, ...]:
        """Return the motion that applies at an instant [ns], if any, and all later ones."""
        first = sum(motion.begin <= time for motion in self._motions) - 1
        return tuple(self._motions[max(first, 0) :])

    def leading_to_newest(self, since: int) -> tuple[ActiveTrajectory, ...]:
        """Return the motions after the instant `since` [ns] that the newest one continues."""
        leading: tuple[ActiveTrajectory, ...] = ()
        for motion, later in zip(self._motions[-2::-1], self._motions[::-1], strict=False):
            if not later.continues or later.begin <= since:
                break
            leading = motion, *leading
        return leading

    def follows(self, motion: ActiveTrajectory) -> bool:
        """Return whether a motion applies, or will apply or be released."""
        return any(one.waypoints is motion.waypoints for one in self._motions)

    def after(self, motion: ActiveTrajectory) -> tuple[ActiveTrajectory, ...]:
        """Return the motions that follow a motion; all of them if it does not apply any more."""
        found = [k for k, one in enumerate(self._motions) if one.waypoints is motion.waypoints]
        return tuple(self._motions[found[0] + 1 if found else 0 :])

    def withdraw(self, motion: ActiveTrajectory, time: int) -> bool:
        """Drop the newest motion, if it is this one and begins after an instant [ns]."""
        if not self._motions or self.newest.waypoints is not motion.waypoints:
            return False
        if self.newest.begin <= time and not self.holds_back(motion):
            return False
        dropped = self._motions.pop()
        self._held_back = None
        self._changed(dropped.begin if self._motions else 0)
        return True

    def hold_back(self) -> None:
        """Do not let the newest motion, which begins from rest, begin before `release`."""
        self._held_back = self.newest.waypoints

    def holds_back(self, motion: ActiveTrajectory) -> bool:
        """Return whether a motion waits for `release`."""
        return motion.waypoints is self._held_back

    def release(self, motion: ActiveTrajectory, start: int) -> None:
        """Let the newest motion, if it is this one, start from rest at an instant [ns]."""
        if self._motions and self._motions[-1].waypoints is motion.waypoints:
            self._held_back = None
            self._shift(start - self._motions[-1].start)

    def _postpone(self, time: int) -> None:
        """Let the motion that is held back, if it is the newest, begin after an instant [ns]."""
        last = self._motions[-1] if self._motions else None
        if last is None or last.waypoints is not self._held_back:
            self._held_back = None
        elif last.begin <= time:
            self._shift(time - last.begin + _POSTPONED)

    def _shift(self, by: int) -> None:
        last = self._motions[-1]
        begin, start, anchor = last.begin + by, last.start + by, last.anchor + by
        self._motions[-1] = replace(last, begin=begin, start=start, anchor=anchor)
        self._changed(min(last.begin, begin))

    def _rejoin(self, later: list[ActiveTrajectory]) -> None:
        """Recompute the start of every later motion that continues its predecessor."""
        for motion in later:
            jet = self.state(motion.begin) if motion.continues else None
            if jet is not None and is_bounded(jet):
                curve = self.rejoined(motion.curve, motion.waypoints, jet)
                if curve is not None:
                    self._motions.append(replace(motion, curve=curve))
                    continue
                try:
                    self.add(motion.waypoints, motion.start, motion.begin)
                    continue
                except TrajectoryError:
                    pass  # a small jump is better than no motion
            self._motions.append(motion)

    def _curve_time(self, motion: ActiveTrajectory, time: int) -> float:
        return motion.time_at(time, self.speed) - motion.joined


def require_speed(speed: float) -> None:
    """Raise InputError unless a factor of the speed is in range."""
    if not 0.0 <= speed <= MAX_SPEED:  # also True for NaN
        raise InputError(
            f'speed scaling: expected a number of at least 0 and at most {MAX_SPEED:g}, got '
            f'{speed}'
        )


def _rest(curve: PiecewisePolynomial, time: float) -> PiecewisePolynomial:
    """Return a view of the segments of a curve that end after a time, and of the last one."""
    passed = min(int(np.searchsorted(curve.breaks, time, side='right')), len(curve.breaks) - 1) - 1
    if passed <= 0:
        return curve
    rest = copy.copy(curve)  # without the checks, which take time
    object.__setattr__(rest, 'breaks', curve.breaks[passed:])
    object.__setattr__(rest, 'coefficients', curve.coefficients[passed:])
    return rest
