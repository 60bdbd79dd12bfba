# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Interpolation of trajectories: curves, their join with other motion, their time on the clock."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import NotFiniteError, TrajectoryError
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    Waypoints,
    jtc_trajectory,
    smooth_trajectory,
)
from screw_dynamics.trajectory.smooth.spline import with_start
from screw_dynamics.trajectory.waypoint_checks import LARGEST


@dataclass(frozen=True)
class ActiveTrajectory:
    """A trajectory on the clock of the node."""

    waypoints: Waypoints  # as received
    curve: PiecewisePolynomial  # by the time since `joined`
    begin: int  # instant from which it applies [ns]
    start: int  # requested instant of time from start 0 [ns]
    joined: float  # time from start at which the curve begins [s]
    anchor: int  # an instant [ns]
    anchor_time: float  # time from start at the anchor [s]
    continues: bool  # begins in the state of the previous motion

    @property
    def end(self) -> float:
        """Time from start at which it ends [s]."""
        return self.joined + float(self.curve.breaks[-1])

    def time_at(self, instant: int, speed: float) -> float:
        """
        Return the time from start [s] at an instant [ns].

        `speed` is d(time from start) / dt since the anchor.
        """
        return self.anchor_time + speed * 1e-9 * (instant - self.anchor)


@dataclass(frozen=True)
class Join:
    """Instant and state at which a trajectory takes over from the previous motion."""

    start: int  # instant of time from start 0 [ns]
    begin: int  # instant of the takeover [ns]
    elapsed: float  # time from start at the takeover [s]
    jet: Array | None  # (5, n), the state there at speed 1, if known
    continues: bool  # it is the state of the previous motion


def is_bounded(jet: Array) -> bool:
    """Return True if a motion can continue from a state: no value is NaN or too large."""
    return bool((np.abs(jet) <= LARGEST).all())


# A trajectory that ends at once must end at the current reference; encoders are coarser than this.
_SAME_POSITION = 1e-6  # rad or m
# A curve that joins shortly before a point leads to the next one: how far the state is from the
# point, divided by the third power of the time that is left, is its jerk.
_NEAR_SHARE = 0.1  # of the time between two points, within which a point is near
_NEAREST, _NEAR = 1e-3, 1e-2  # least and largest such time [s]


class Interpolation(Protocol):
    """Type of curve, with the rules by which it takes over from the previous motion."""

    leaves_at_reception: bool  # even if the fit is ready later, with a jump

    def curve(self, waypoints: Waypoints, start_jet: Array | None) -> PiecewisePolynomial:
        """Return the curve from `start_jet` (5, n) at 0, if given, or raise TrajectoryError."""

    def leaves(self, start: int, received: int, sampled: int) -> int:
        """
        Return the instant at which a trajectory takes over from the present state [ns].

        `start` is the instant of time from start 0, `sampled` the earliest that will be sampled.
        """

    def time_at(self, begin: int, start: int, received: int, speed: float) -> float:
        """Return the time from start [s] at the takeover `begin`; `speed` is its rate."""

    def join(
        self, waypoints: Waypoints, time: float, jet: Array | None
    ) -> tuple[float, PiecewisePolynomial]:
        """
        Return the time from start at which the curve begins [s], and the curve since then.

        At `time` from start [s] the joints are in the state `jet` (5, n); None if unknown.
        """

    def rejoined(
        self, curve: PiecewisePolynomial, jet: Array, earlier: float
    ) -> PiecewisePolynomial | None:
        """Return `curve`, begun `earlier` [s] in the state `jet`; None if it takes a new fit."""


class Smooth:
    """C4 curve through the points; continues position to snap of the motion it replaces."""

    leaves_at_reception = False

    def leaves(self, start: int, received: int, sampled: int) -> int:
        """Return the start; the previous motion continues until then."""
        return max(start, sampled)

    def time_at(self, begin: int, start: int, received: int, speed: float) -> float:
        """Return the time from start; all of it runs at the present speed."""
        return 1e-9 * (begin - start) * speed

    def curve(self, waypoints: Waypoints, start_jet: Array | None) -> PiecewisePolynomial:
        """Return the curve, at rest at both ends; see `Interpolation`."""
        return _checked(lambda: smooth_trajectory(waypoints, start_jet, rest_at_ends=True))

    def join(
        self, waypoints: Waypoints, time: float, jet: Array | None
    ) -> tuple[float, PiecewisePolynomial]:
        """
        Return the curve from the state through the remaining points.

        Without points so shortly after the join that the way to them would be a jolt: with less
        than a tenth of the time since the point before them left, at most 10 ms, or less than
        1 ms. The last point is not left out.
        """
        if jet is None:
            _require_first_point_by(waypoints, 0.0)
            return 0.0, self.curve(waypoints, None)
        left, inside = _next_point(waypoints.times, time)
        remaining = max(0.0, float(waypoints.times[-1]) - time)
        if left == len(waypoints.times) or (inside and remaining < _NEAREST):
            _require_reached(waypoints, remaining, jet)
        if left < len(waypoints.times):
            return time, self.curve(shifted(waypoints, slice(left, None), time), jet)
        last = shifted(waypoints, slice(-1, None), waypoints.times[-1])
        return time, self.curve(last, None)

    def rejoined(
        self, curve: PiecewisePolynomial, jet: Array, earlier: float
    ) -> PiecewisePolynomial | None:
        """Return the curve with another first segment; see `Interpolation`."""
        return with_start(curve, jet, earlier) if len(curve.breaks) > 1 else None


class ControllerSpline:
    """
    The motion that joint_trajectory_controller of ROS 2 Jazzy executes, including jumps.

    The previous motion ends at reception. A first point in the future is reached from the state
    there, by a segment of the degree that the point allows; if it has passed, the state is not
    used.
    """

    leaves_at_reception = True

    def leaves(self, start: int, received: int, sampled: int) -> int:
        """Return the instant of reception."""
        return received

    def time_at(self, begin: int, start: int, received: int, speed: float) -> float:
        """Return the time from start; the part before reception ran at speed 1."""
        known = min(begin, max(start, received))
        return 1e-9 * (known - start) + 1e-9 * (begin - known) * speed

    def curve(self, waypoints: Waypoints, start_jet: Array | None) -> PiecewisePolynomial:
        """Return the controller's spline; see `Interpolation`."""
        return _checked(lambda: jtc_trajectory(waypoints, start_jet))

    def join(
        self, waypoints: Waypoints, time: float, jet: Array | None
    ) -> tuple[float, PiecewisePolynomial]:
        """Return the curve from the state, or from the first point if that has passed."""
        first = float(waypoints.times[0])
        if first > time:
            if jet is None:
                _require_first_point_by(waypoints, time)
            return time, self.curve(shifted(waypoints, slice(None), time), jet)
        return first, self.curve(shifted(waypoints, slice(None), first), None)

    def rejoined(
        self, curve: PiecewisePolynomial, jet: Array, earlier: float
    ) -> PiecewisePolynomial | None:
        """Return None: a new spline costs little; see `Interpolation`."""
        return None


def _next_point(times: Array, time: float) -> tuple[int, bool]:
    """
    Return the first point of a curve that begins at a time, and whether it begins after the first.

    A motion from the very begin of a segment has the time that was planned for it.
    """
    left = int(np.searchsorted(times, time, side='right'))
    before = float(times[left - 1]) if left else 0.0
    if time <= before:
        return left, False
    while left < len(times) - 1:
        planned = times[left] - before
        if times[left] - time >= min(max(_NEAR_SHARE * planned, _NEAREST), _NEAR):
            break
        before, left = float(times[left]), left + 1
    return left, True


SMOOTH, CONTROLLER_SPLINE = Smooth(), ControllerSpline()
INTERPOLATIONS: dict[str, Interpolation] = {'smooth': SMOOTH, 'jtc': CONTROLLER_SPLINE}


def shifted(waypoints: Waypoints, part: slice, time: float) -> Waypoints:
    """Return some of the points, with `time` [s] subtracted from their times."""
    return Waypoints(
        waypoints.joint_names,
        waypoints.times[part] - time,
        waypoints.positions[part].copy(),
        waypoints.velocities[part].copy(),
        waypoints.accelerations[part].copy(),
    )


def _require_reached(waypoints: Waypoints, remaining: float, jet: Array) -> None:
    """Raise TrajectoryError unless a state leads to the last point in what remains [s]."""
    with np.errstate(all='ignore'):
        ahead = jet[0] + remaining * (jet[1] + 0.5 * remaining * jet[2])
    gap = np.abs(waypoints.positions[-1] - ahead)
    if (gap > _SAME_POSITION).any():
        j = int(np.argmax(gap))
        raise TrajectoryError(
            f'no time is left to reach the last point (time_from_start {waypoints.times[-1]:g} s, '
            f'{1e3 * remaining:.3g} ms after the join): joint {waypoints.joint_names[j]} would '
            f'jump from {ahead[j]:g} to {waypoints.positions[-1, j]:g}'
        )


def _require_first_point_by(waypoints: Waypoints, time: float) -> None:
    if waypoints.times[0] > time:
        raise TrajectoryError(
            f'the first point has time_from_start {waypoints.times[0]:g} s and no state '
            'to start from is known: expected 0 s, or joint_states'
        )


def _checked(make: Callable[[], PiecewisePolynomial]) -> PiecewisePolynomial:
    try:
        with np.errstate(all='ignore'):
            return make()
    except (NotFiniteError, np.linalg.LinAlgError) as error:
        raise TrajectoryError(
            f'The curve through the points overflows: expected smaller values or more time '
            f'between the points ({error})'
        ) from None
