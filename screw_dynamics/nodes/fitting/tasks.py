# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks for the process that fits trajectories, and its answers; all of it is pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import ElasticJoints
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.parameters.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.reference.motion import Join, Motion
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints


@dataclass(frozen=True)
class Robot:
    """The robot that the fits that follow are for; joints that turn without end are continuous."""

    model: ScrewModel
    elastic: ElasticJoints | None
    other_joints: Mapping[str, str]
    continuous: tuple[str, ...]


@dataclass(frozen=True)
class WarmUp:
    """Load the kernels that fits for a robot call."""

    robot: Robot


@dataclass(frozen=True)
class Reading:
    """Decode a serialised message, which is kept for the tasks that follow."""

    data: bytes
    most_points: int


@dataclass(frozen=True)
class Heading:
    """The header of a message; the stamp is in ns."""

    stamp: int
    frame_id: str


@dataclass(frozen=True)
class Outline(Heading):
    """What a message says about itself; the time of the first point is in s."""

    joint_names: tuple[str, ...]
    points: int
    first_time: float


@dataclass(frozen=True)
class Fitting:
    """
    Check the message and make its curve.

    `hold_positions` (n,); `received` [ns].
    """

    join: Join
    from_first_point: bool
    hold_positions: Array | None
    parameters: FeedforwardParameters
    speed: float
    received: int


@dataclass(frozen=True)
class Fit:
    """The curve, the time from start at which it begins [s], its points; texts on limits."""

    waypoints: Waypoints
    joined: float
    curve: PiecewisePolynomial
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Forwarding:
    """Serialise a motion as a message with efforts; the stamp is in ns, the period in s."""

    motion: Motion
    stamp: int
    frame_id: str
    period: float


@dataclass(frozen=True)
class Refusal:
    """Why a task was not done, and what a message said about itself if it was decoded."""

    reason: str
    outline: Outline | None = None
