# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`StreamedReference`: reference received sample by sample, with its takeover rules."""

import copy
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.errors import InputError
from screw_dynamics.series.jets import scale_speed, taylor_shifted
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.reference.interpolation import is_bounded
from screw_dynamics.trajectory.reference.reference import Reference
from screw_dynamics.trajectory.reference.reference_filter import FilteredPositions


class StreamSettings(NamedTuple):
    """Largest age of a sample [s], and the order and bandwidth [Hz] of the reference filter."""

    max_age: float
    filter_order: int
    filter_bandwidth: float


class Stream(Enum):
    """The streams by their topics."""

    SAMPLES = '~/joint_reference'
    POSITIONS = '~/joint_state_reference'


class StreamSample(NamedTuple):
    """Metadata of the reference at a tick."""

    instant: int  # [ns]
    rows: int  # position and known derivatives, 3 to 5
    continuity: int  # of the positions; for samples by the derivatives that they have


class LatestSample:
    """A sample that is returned once, and extrapolated by its Taylor polynomial."""

    def __init__(self, n: int) -> None:
        self.instant = 0  # [ns]
        self._jet = np.zeros((JET_ROWS, n))
        self._rows = 0
        self._taken = True

    def require_later(self, instant: int) -> None:
        """Raise InputError unless an instant [ns] is later than that of the sample."""
        if instant <= self.instant:
            raise InputError(
                f'header.stamp: expected later than that of the sample before '
                f'({self.instant / SECOND:.6f}), got {instant / SECOND:.6f}'
            )

    def put(self, jet: Array, rows: int) -> None:
        """Store a sample (5, n), of which `rows` rows are known; the caller sets `instant`."""
        self._jet[...] = jet
        self._rows, self._taken = rows, False

    def take(self, earliest: int, out: Array) -> StreamSample | None:
        """Write the sample to `out` (5, n); None if it was taken or is before `earliest` [ns]."""
        if self._taken or self.instant < earliest:
            return None
        self._taken = True
        out[...] = self._jet
        return StreamSample(self.instant, self._rows, self._rows - 1)

    def state(self, time: int) -> Array:
        """Return the (5, n) joint jet at an instant [ns], extrapolated from the sample."""
        return taylor_shifted(self._jet, (time - self.instant) / SECOND)


class StreamedReference:
    """
    The streams of samples (position to snap) and of positions (through the reference filter).

    A stream is one command, from its first sample to a gap longer than the largest age. The newest
    command is followed: if a trajectory or another stream begins, the rest of a stream is ignored.

    `motions` are the trajectories. Joints marked by `continuous` (n,) have no limits: filtered
    positions go to the nearest turn. `now` is the time of the node and `time` the instant that is
    sampled [ns].
    """

    def __init__(
        self, motions: Reference, continuous: NDArray[np.bool_], settings: StreamSettings
    ) -> None:
        self.followed: Stream | None = None
        self.takeovers = 0  # how often a stream has begun to be followed
        self._motions = motions
        self._arrivals: dict[Stream, int] = {}
        self._n = len(continuous)
        self._latest = LatestSample(self._n)
        self._filtered = FilteredPositions(
            continuous, settings.filter_order, settings.filter_bandwidth
        )
        self._max_age = round(SECOND * settings.max_age)

    def copy(self, motions: Reference) -> 'StreamedReference':
        """Return the same streams beside a copy of the trajectories; they change on their own."""
        return copy.deepcopy(self, {id(self._motions): motions})

    def apply(self, settings: StreamSettings, time: int) -> None:
        """Apply changed settings; a new filter continues in the state of the old one at `time`."""
        self._max_age = round(SECOND * settings.max_age)
        self._filtered.retune(settings.filter_order, settings.filter_bandwidth, time)

    @property
    def delay(self) -> float:
        """Steady-state delay of the reference filter [s]."""
        return self._filtered.delay

    def age(self, now: int) -> float:
        """Return the time since the last sample of the followed stream [s]; 0 without one."""
        if self.followed is None:
            return 0.0
        return (now - self._arrivals[self.followed]) / SECOND

    def stale(self, now: int) -> bool:
        """Return True if the followed stream has ended without another command."""
        return self.followed is not None and now - self._arrivals[self.followed] > self._max_age

    def flows(self, now: int) -> bool:
        """Return True if the followed stream lasts, though a sample may be missing."""
        return self.followed is not None and not self.stale(now)

    def supersede(self) -> None:
        """Follow no stream until a new one begins."""
        self.followed = None

    def reset(self) -> None:
        """Drop all state, as after a jump of the clock."""
        self.followed = None
        self._arrivals.clear()

    def add_sample(self, jet: Array, rows: int, instant: int, now: int) -> bool:
        """Add a sample with `rows` known rows of `jet` (5, n); return True if it is followed."""
        begins = self._begins(Stream.SAMPLES, now)
        if not begins and instant != now:
            self._latest.require_later(instant)
        self._arrivals[Stream.SAMPLES] = now
        if begins:
            self._take_over(Stream.SAMPLES)
        self._latest.instant = instant
        if self.followed is not Stream.SAMPLES:
            return False
        self._latest.put(jet, rows)
        return True

    def add_positions(self, positions: Array, now: int, time: int) -> bool:
        """Set positions (n,) [rad or m] as the input of the filter; True if they are followed."""
        if self._begins(Stream.POSITIONS, now):
            self._filtered.start(positions, time, self._running_state(now, time))
            self._take_over(Stream.POSITIONS)
        elif self.followed is Stream.POSITIONS:
            self._filtered.follow(positions, time)
        self._arrivals[Stream.POSITIONS] = now
        return self.followed is Stream.POSITIONS

    def sample(self, now: int, time: int, out: Array) -> StreamSample | None:
        """Write the joint jet of a tick to `out` (5, n); None if stale or already returned."""
        if not self.flows(now):
            return None
        if self.followed is Stream.POSITIONS:
            self._filtered.sample(time, out)
            return StreamSample(time, JET_ROWS, JET_ROWS - 1)
        return self._latest.take(now - self._max_age, out)

    def state(self, now: int, time: int) -> Array | None:
        """
        Return the state (5, n) of the filter or extrapolated sample.

        None without a stream, or if the robot is not at the reference.
        """
        if not (self.flows(now) and self._motions.driven):
            return None
        if self.followed is Stream.POSITIONS:
            return self._filtered.sample(time, np.empty((JET_ROWS, self._n)))
        return self._latest.state(time)

    def _begins(self, stream: Stream, now: int) -> bool:
        last = self._arrivals.get(stream)
        return last is None or now - last > self._max_age

    def _take_over(self, stream: Stream) -> None:
        self.followed = stream
        self.takeovers += 1
        self._motions.clear()

    def _running_state(self, now: int, time: int) -> Array | None:
        jet = self.state(now, time)
        if jet is None:
            jet = self._motions.state(time)
            if jet is not None:
                scale_speed(jet, self._motions.speed)
        return jet if jet is not None and is_bounded(jet) else None
