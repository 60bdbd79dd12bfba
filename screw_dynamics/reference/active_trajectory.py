# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories on the clock of the node, and their takeover from another motion."""

from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints
from screw_dynamics.trajectory.waypoint_checks import LARGEST


@dataclass(frozen=True)
class ActiveTrajectory:
    """
    A trajectory on the clock of the node.

    It applies from the instant `begin` on; `start` is the requested instant of time from start 0
    [ns]. `waypoints` are as received; `curve` begins at the time from start `joined` [s] and is a
    function of the time since then. `anchor_time` [s] is the time from start at the instant
    `anchor` [ns]. With `continues` it begins in the state of the previous motion.
    """

    waypoints: Waypoints
    curve: PiecewisePolynomial
    begin: int
    start: int
    joined: float
    anchor: int
    anchor_time: float
    continues: bool

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
    """
    Instant and state at which a trajectory takes over from the previous motion.

    `start` is the instant of time from start 0 and `begin` that of the takeover [ns], at which the
    time from start is `elapsed` [s]. `jet` (5, n) is the state there at speed 1, None if unknown;
    with `continues` it is the state of the previous motion.
    """

    start: int
    begin: int
    elapsed: float
    jet: Array | None
    continues: bool


def is_bounded(jet: Array) -> bool:
    """Return True if a motion can continue from a state: no value is NaN or too large."""
    return bool((np.abs(jet) <= LARGEST).all())
