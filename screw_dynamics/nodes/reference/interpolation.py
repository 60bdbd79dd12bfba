# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The parameter `interpolation`: which curve runs through the points, and how it joins in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import NotFiniteError, TrajectoryError
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    Waypoints,
    jtc_trajectory,
    smooth_trajectory,
)
from screw_dynamics.trajectory.smooth_spline import with_start

# A trajectory that is over at once must end where the reference stands; encoders are coarser.
_SAME_POSITION = 1e-6  # rad or m


class Interpolation(Protocol):
    """A kind of curve, and the rules by which it takes over from what was followed before."""

    leaves_at_reception: bool

    def curve(self, waypoints: Waypoints, start_jet: Array | None) -> PiecewisePolynomial:
        """
        Return the curve through points, from a state at time 0 if one is given.

        `start_jet` (5, n).
        """

    def leaves(self, start: int, received: int, sampled: int) -> int:
        """
        Return the instant at which a trajectory leaves the state of the joints.

        `start`, `received`, `sampled` [ns]; returns [ns].
        """

    def time_at(self, begin: int, start: int, received: int, speed: float) -> float:
        """
        Return the time from start at the instant at which a trajectory begins to apply.

        `begin`, `start`, `received` [ns]; returns [s].
        """

    def join(
        self, waypoints: Waypoints, time: float, jet: Array | None
    ) -> tuple[float, PiecewisePolynomial]:
        """
        Return the curve that is followed from a time of the trajectory on.

        `time` [s]; `jet` (5, n); returns `begin` [s].
        """

    def rejoined(
        self, curve: PiecewisePolynomial, jet: Array, earlier: float
    ) -> PiecewisePolynomial | None:
        """
        Return a curve of this kind that begins in another state, without a fit.

        `jet` (5, n); `earlier` [s].
        """


class Smooth:
    """C4 through what the points carry; continues position to snap of what it replaces."""

    leaves_at_reception = False

    def leaves(self, start: int, received: int, sampled: int) -> int:
        """Return the start; what was followed before goes on until then."""
        return max(start, sampled)

    def time_at(self, begin: int, start: int, received: int, speed: float) -> float:
        """Return the time from start, all of which runs at the present speed."""
        return 1e-9 * (begin - start) * speed

    def curve(self, waypoints: Waypoints, start_jet: Array | None) -> PiecewisePolynomial:
        """Return the curve, at rest at both ends; see `Interpolation`."""
        return _checked(lambda: smooth_trajectory(waypoints, start_jet, rest_at_ends=True))

    def join(
        self, waypoints: Waypoints, time: float, jet: Array | None
    ) -> tuple[float, PiecewisePolynomial]:
        """Return the curve from the state through the points that are left."""
        if jet is None:
            _require_first_point_by(waypoints, 0.0)
            return 0.0, self.curve(waypoints, None)
        left = int(np.searchsorted(waypoints.times, time, side='right'))
        if left < len(waypoints.times):
            return time, self.curve(shifted(waypoints, slice(left, None), time), jet)
        gap = np.abs(waypoints.positions[-1] - jet[0])
        if (gap > _SAME_POSITION).any():
            j = int(np.argmax(gap))
            raise TrajectoryError(
                f'no time is left to reach the last point (time_from_start '
                f'{waypoints.times[-1]:g} s): joint {waypoints.joint_names[j]} would jump '
                f'from {jet[0, j]:g} to {waypoints.positions[-1, j]:g}'
            )
        last = shifted(waypoints, slice(-1, None), waypoints.times[-1])
        return time, self.curve(last, None)

    def rejoined(
        self, curve: PiecewisePolynomial, jet: Array, earlier: float
    ) -> PiecewisePolynomial | None:
        """Return the curve with another first segment; see `Interpolation`."""
        return with_start(curve, jet, earlier) if len(curve.breaks) > 1 else None


class Controller:
    """
    What joint_trajectory_controller of ROS 2 Jazzy executes, jumps included.

    Whatever ran before ends with the reception of a message, also of one whose start is still to
    come. A first point that is still to come is reached from the state at reception, in a segment
    of the kind that the point allows. Once it has passed, the state plays no part.
    """

    leaves_at_reception = True

    def leaves(self, start: int, received: int, sampled: int) -> int:
        """Return the reception."""
        return received

    def time_at(self, begin: int, start: int, received: int, speed: float) -> float:
        """Return the time from start; what had passed of it at reception did so at speed 1."""
        known = min(begin, max(start, received))
        return 1e-9 * (known - start) + 1e-9 * (begin - known) * speed

    def curve(self, waypoints: Waypoints, start_jet: Array | None) -> PiecewisePolynomial:
        """Return the controller's spline; see `Interpolation`."""
        return _checked(lambda: jtc_trajectory(waypoints, start_jet))

    def join(
        self, waypoints: Waypoints, time: float, jet: Array | None
    ) -> tuple[float, PiecewisePolynomial]:
        """Return the curve from the state to the first point, or from there where that is past."""
        first = float(waypoints.times[0])
        if first > time:
            if jet is None:
                _require_first_point_by(waypoints, time)
            return time, self.curve(shifted(waypoints, slice(None), time), jet)
        return first, self.curve(shifted(waypoints, slice(None), first), None)

    def rejoined(
        self, curve: PiecewisePolynomial, jet: Array, earlier: float
    ) -> PiecewisePolynomial | None:
        """Return None: a spline is made anew at little cost; see `Interpolation`."""
        return None


SMOOTH, CONTROLLER = Smooth(), Controller()
INTERPOLATIONS: dict[str, Interpolation] = {'smooth': SMOOTH, 'jtc': CONTROLLER}


def shifted(waypoints: Waypoints, part: slice, time: float) -> Waypoints:
    """
    Return some of the points, with times counted from another instant.

    `time` [s].
    """
    return Waypoints(
        waypoints.joint_names,
        waypoints.times[part] - time,
        waypoints.positions[part].copy(),
        waypoints.velocities[part].copy(),
        waypoints.accelerations[part].copy(),
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
