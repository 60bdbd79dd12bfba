# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Samples, states and outputs of `DriveCommands`."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.report import Line


class FeedforwardSample(NamedTuple):
    """A FeedforwardTorque; arrays (n,) in the order of the joints."""

    instant: int  # [ns]
    motion: int
    since_start: float  # of the trajectory [s]; infinite for a stream
    jet: Array  # positions to accelerations (3, n), or to jerks (4, n)
    effort: Array
    effort_dot: Array | None = None
    gravity: Array | None = None
    measured: bool = False  # the robot itself, which is compensated


class MotorSample(NamedTuple):
    """A MotorFeedforward, of the instant of a FeedforwardSample; arrays (m,)."""

    instant: int  # [ns]
    motion: int
    jet: Array  # positions to accelerations (3, m)
    effort: Array
    deflection: Array
    ratios: Array
    effort_dot: Array | None = None


class State(Enum):
    """What the commands do; transitions: docs/architecture.md."""

    SILENT = 'silent'
    RAMP_IN = 'ramp in'
    ACTIVE = 'active'
    RAMP_OUT = 'ramp out'
    STOPPED = 'stopped'


class Outputs(NamedTuple):
    """What a step asks for; arrays are shared, and valid until the next step."""

    rows: Array | None  # fields (f, m) to publish
    state: Array | None  # positions, velocities and efforts (3, m) as sent, with the rows
    tensions: Array | None  # of threads, with the rates if they are known (1 or 2, threads)
    instant: int  # of these [ns]
    log: tuple[Line, ...]
    busy: bool  # there is more to send without further inputs
