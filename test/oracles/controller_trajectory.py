# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What joint_trajectory_controller executes, one joint at a time, written from its rules."""

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
    The motion of a joint under the messages that a controller receives.

    The old trajectory runs until the new one starts, as controllers do that have
    allow_trajectory_replacement. Without an old one, the state before the trajectory is the
    measured one at reception.
    """

    _parts: list[tuple[float, State, list[float], list[State]]] = field(default_factory=list)

    def receive(
        self,
        now: float,
        stamp: float,
        times: Sequence[float],
        points: Sequence[State],
        measured: State,
    ) -> None:
        """Take a message: `times` from start, `stamp` 0 for now."""
        start = stamp or now
        begin = max(start, now) if self._parts else now
        before = self.sample(begin) if self._parts else [*measured, 0.0]
        self._parts = [part for part in self._parts if part[0] < begin]
        self._parts.append((begin, before, [start + t for t in times], list(points)))

    def sample(self, t: float) -> State:
        """Return position, velocity and acceleration."""
        begin, before, times, points = [part for part in self._parts if part[0] <= t][-1]
        if t < times[0]:
            return between(begin, before, times[0], points[0], t)
        return through(times, points, t)
