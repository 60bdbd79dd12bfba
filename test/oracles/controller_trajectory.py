# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion executed by joint_trajectory_controller, one joint at a time, written from its rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import perm

import numpy as np

State = list[float]  # [q], [q, v] or [q, v, a]


def polynomial(ends: Sequence[State], length: float) -> np.polynomial.Polynomial:
    """Return the polynomial in time that takes on ends[0] at 0 and ends[1] at `length`."""
    count = len(ends[0])
    matrix = [
        [perm(k, d) * (t ** (k - d) if k >= d else 0.0) for k in range(2 * count)]
        for t in (0.0, length)
        for d in range(count)
    ]
    return np.polynomial.Polynomial(np.linalg.solve(np.array(matrix), np.concatenate(ends)))


def between(t0: float, left: State, t1: float, right: State, t: float) -> State:
    """Interpolate by what both ends carry."""
    carried = min(len(left), len(right))
    curve = polynomial([left[:carried], right[:carried]], t1 - t0)
    return [curve.deriv(d)(t - t0) if d else curve(t - t0) for d in range(3)]


def through(times: Sequence[float], points: Sequence[State], t: float) -> State:
    """Sample the spline through points; at rest before and after."""
    if t < times[0]:
        return [points[0][0], 0.0, 0.0]
    for i in range(len(times) - 1):
        if times[i] <= t < times[i + 1]:
            return between(times[i], points[i], times[i + 1], points[i + 1], t)
    return [points[-1][0], 0.0, 0.0]


@dataclass
class ControllerTrajectory:
    """
    The motion of a joint under the messages that a controller of ROS 2 Jazzy receives.

    A message ends what ran before at once, whatever its stamp. From then on a clock of its own
    counts at the scaled speed; at reception it shows the time of day. The point before the first
    of the message is the state at reception: the desired one (the controller's parameter
    `interpolate_from_desired_state`) or the measured one, which has no acceleration.
    """

    desired: bool = True
    speed: float = 1.0
    _shown: tuple[float, float] = (0.0, 0.0)  # an instant, and what the clock shows then
    _begin: float = 0.0
    _before: State = field(default_factory=list)
    _times: list[float] = field(default_factory=list)
    _points: list[State] = field(default_factory=list)

    def receive(
        self,
        now: float,
        stamp: float,
        times: Sequence[float],
        points: Sequence[State],
        measured: State,
    ) -> None:
        """Take a message: `times` from start, `stamp` 0 for now."""
        known = self.desired and self._points
        before = self._state(self._clock(now)) if known else [*measured, 0.0]
        self._begin, self._before, self._shown = now, before, (now, now)
        self._times, self._points = [(stamp or now) + t for t in times], list(points)

    def set_speed(self, now: float, speed: float) -> None:
        """Set the speed of the clock."""
        self._shown, self.speed = (now, self._clock(now)), speed

    def sample(self, t: float) -> State:
        """Return position, velocity and acceleration in real time."""
        state = self._state(self._clock(t))
        return [x * self.speed**d for d, x in enumerate(state)]

    def _clock(self, t: float) -> float:
        return self._shown[1] + self.speed * (t - self._shown[0])

    def _state(self, t: float) -> State:
        if t < self._times[0]:
            return between(self._begin, self._before, self._times[0], self._points[0], t)
        return through(self._times, self._points, t)
