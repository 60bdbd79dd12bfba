# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Motion`: a trajectory on the clock of the node; `Join`: where it takes over, and from what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints
from screw_dynamics.trajectory.waypoint_checks import LARGEST


@dataclass(frozen=True)
class Motion:
    """
    A trajectory on the clock of the node.

    Parameters
    ----------
    waypoints : Waypoints
        As they came, in time from start.
    curve : PiecewisePolynomial
        In time since `joined`.
    begin : int
        Instant from which it applies [ns].
    start : int
        Instant of time from start 0, as asked for [ns].
    joined : float
        Time from start at which the curve begins [s].
    anchor, anchor_time : int, float
        An instant [ns] and the time from start that belongs to it [s].
    continues : bool
        Whether it begins in the state of the motion before.

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
        Return the time from start at an instant.

        Parameters
        ----------
        instant : int
            [ns].
        speed : float
            d(time from start) / dt since the anchor.

        Returns
        -------
        float
            [s].

        """
        return self.anchor_time + speed * 1e-9 * (instant - self.anchor)


@dataclass(frozen=True)
class Join:
    """
    The instant and the state in which a trajectory takes over from what was followed before.

    `start`, `begin` [ns]; `elapsed` [s]; `jet` (5, n).
    """

    start: int
    begin: int
    elapsed: float
    jet: Array | None
    continues: bool


def continuable(jet: Array) -> bool:
    """
    Say whether a motion can go on from a state: from one that overflows nothing can.

    `jet` (rows, n).
    """
    return bool((np.abs(jet) <= LARGEST).all())  # nor NaN
