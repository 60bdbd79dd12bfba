# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks for the process that fits trajectories, and its answers; all are pickled."""

from collections.abc import Mapping
from dataclasses import dataclass

from screw_dynamics.arrays import Array
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.reference.interpolation import ActiveTrajectory, Join
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints


@dataclass(frozen=True)
class FitRobot:
    """The robot of the following tasks; `continuous` names the joints without position limits."""

    robot: Robot
    uncontrolled_joints: Mapping[str, str]
    continuous: tuple[str, ...]


@dataclass(frozen=True)
class WarmUp:
    """Load the kernels that fits for a robot use."""

    robot: FitRobot


@dataclass(frozen=True)
class Reading:
    """Decode a serialised message and keep it for the following tasks."""

    data: bytes
    most_points: int


@dataclass(frozen=True)
class Heading:
    """Header of a message; `stamp` [ns]."""

    stamp: int
    frame_id: str


@dataclass(frozen=True)
class Outline(Heading):
    """Summary of a message; `first_time` is the time_from_start of the first point [s]."""

    joint_names: tuple[str, ...]
    points: int
    first_time: float


@dataclass(frozen=True)
class Fitting:
    """
    Check the message and fit its curve.

    With `from_first_point` the start state is rest at the first point, if its time is above 0.
    `hold_positions` (n,) are for joints that the message omits; `received` is in ns; `speed` is
    the factor at which the curve will be followed.
    """

    join: Join
    from_first_point: bool
    hold_positions: Array | None
    parameters: FeedforwardParameters
    speed: float
    received: int


@dataclass(frozen=True)
class Fit:
    """
    A fitted curve and its points.

    The curve begins `joined` seconds after the start; `warnings` are about limits.
    """

    waypoints: Waypoints
    joined: float
    curve: PiecewisePolynomial
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Forwarding:
    """
    Serialise a motion as a message with efforts, sampled every `period` [s]; `stamp` [ns].

    From the instant `since` [ns] until it begins, the motions `before` it apply, in this order;
    `speed` is d(time from start) / dt.
    """

    motion: ActiveTrajectory
    before: tuple[ActiveTrajectory, ...]
    since: int
    speed: float
    stamp: int
    frame_id: str
    period: float


@dataclass(frozen=True)
class Refusal:
    """Reason why a task failed, with the outline of the message if it was decoded."""

    reason: str
    outline: Outline | None = None
