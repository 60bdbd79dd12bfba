# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks that take longer than a tick and are done beside it, and their answers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints
from screw_dynamics.trajectory.reference.interpolation import ActiveTrajectory, Join


@dataclass(frozen=True)
class Reading:
    """Decode a serialised JointTrajectory, or Path of poses; the answer is its `Outline`."""

    data: bytes
    poses: bool = False


@dataclass(frozen=True)
class Heading:
    """Header of a message; `stamp` [ns]."""

    stamp: int
    frame_id: str


@dataclass(frozen=True)
class Outline(Heading):
    """Summary of a message, with the time_from_start of its first and last point [s]."""

    joint_names: tuple[str, ...]
    points: int
    first_time: float
    last_time: float


@dataclass(frozen=True)
class Others:
    """Running motion of the joints that a trajectory leaves out, by the time from its join."""

    curve: PiecewisePolynomial
    time: float  # of the curve at the join [s]


@dataclass(frozen=True)
class Fitting:
    """Check a message and fit its curve; the answer is a `Fit`."""

    reading: Reading
    robot: Robot
    uncontrolled_joints: Mapping[str, str]
    continuous: Collection[str]  # joints without position limits
    join: Join
    from_first_point: bool  # the start state is rest there, if its time is above 0
    hold_positions: Array | None  # (n,), for joints that the message omits
    others: Others | None  # if these move
    parameters: FeedforwardParameters
    speed: float  # at which the curve will be followed
    received: int  # [ns]
    retimes: bool = False  # until limits are kept, in place of slowing


@dataclass(frozen=True)
class Fit:
    """A fitted curve and its points."""

    waypoints: Waypoints
    joined: float  # time from start at which the curve begins [s]
    curve: PiecewisePolynomial
    warnings: tuple[str, ...]  # about limits
    partial: bool = False  # some joints finish a motion of their own
    slowed: bool = False


@dataclass(frozen=True)
class Forwarding:
    """
    Sample a motion every `period` [s], with efforts; the answer is `Samples`.

    From the instant `since` [ns] until it begins, the motions `before` it apply, in this order, at
    nominal speed. `stamp` is that of the received trajectory [ns]. Positions are those of links,
    or `of_motors`.
    """

    robot: Robot
    motion: ActiveTrajectory
    before: tuple[ActiveTrajectory, ...]
    since: int
    stamp: int
    frame_id: str
    period: float
    effort_format: EffortFormat
    of_motors: bool


@dataclass(frozen=True)
class Samples:
    """States (T, 3, n) and efforts (T, n) at `times` (T,) from the instant `stamp` [ns]."""

    stamp: int
    frame_id: str
    joint_names: tuple[str, ...]
    times: NDArray[np.int64]
    jets: Array
    efforts: Array


@dataclass(frozen=True)
class Refusal:
    """Reason why a task failed."""

    reason: str


Task: TypeAlias = Reading | Fitting | Forwarding
