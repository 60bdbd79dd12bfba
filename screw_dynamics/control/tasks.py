# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks that take longer than a tick and are done beside it, and their answers."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.control.motor_positions import links_at_rest
from screw_dynamics.drives.robot import Robot
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints
from screw_dynamics.trajectory.reference.interpolation import Join
from screw_dynamics.trajectory.reference.reference import Reference
from screw_dynamics.trajectory.reference.streamed_reference import StreamedReference

MOST_FORWARDED = 25_000  # points; a few MB; more than a received trajectory has


@dataclass(frozen=True)
class Header:
    """Header of a message; `stamp` [ns]."""

    stamp: int
    frame_id: str


@dataclass(frozen=True)
class Summary(Header):
    """What a message contains, with the time_from_start of its first and last point [s]."""

    joint_names: tuple[str, ...]
    points: int
    first_time: float
    last_time: float


@dataclass(frozen=True)
class TrajectoryMessage:
    """A serialised JointTrajectory, or a Path of `poses`; no header if it cannot be decoded."""

    data: bytes
    header: Header | None
    poses: bool = False


@dataclass(frozen=True, eq=False)
class Arrival:
    """A message with the measured state and the speed at its reception, and since."""

    message: TrajectoryMessage
    goal: int | None  # number of the goal that it belongs to
    received: int  # [ns]
    positions: Array  # (n,), NaN if not fresh
    state: Array | None  # (5, n), where a trajectory starts that continues no motion
    takeovers: int  # how often following a stream had begun
    speed: float  # now
    # instants of speed changes since [ns], each with the speed before it
    speeds: tuple[tuple[int, float], ...] = ()

    def at_speed(self, speed: float, since: int) -> 'Arrival':
        """Return the record if the time from start runs at `speed` from `since` [ns] on."""
        if speed == self.speed:
            return self
        return replace(self, speed=speed, speeds=(*self.speeds, (since, self.speed)))

    def clock(self, instant: int, passed: float) -> tuple[int, float]:
        """Move an instant [ns] and its time from start [s] on to the last speed change since."""
        for changed, speed in self.speeds:
            if changed > instant:
                instant, passed = changed, passed + 1e-9 * (changed - instant) * speed
        return instant, passed


class Running(NamedTuple):
    """The running motion, the measurements and the parameters at an instant."""

    reference: Reference
    streamed: StreamedReference
    measured: JointStateBuffer
    parameters: FeedforwardParameters
    robot: Robot
    uncontrolled_joints: Mapping[str, str]
    now: int  # [ns]

    def copy(self, since: int) -> 'Running':
        """Return what is running from an instant [ns] on; it does not change any more."""
        reference = self.reference.copy(since)
        streamed = self.streamed.copy(reference)
        return self._replace(
            reference=reference, streamed=streamed, measured=copy.deepcopy(self.measured)
        )

    @property
    def sampled(self) -> int:
        """The instant that a tick samples now [ns]."""
        return self.now + round(SECOND * self.parameters.lead)

    @property
    def measured_state(self) -> Array | None:
        """The state (5, n) from which a trajectory starts that continues no motion, if fresh."""
        # the controller starts from its measured state, including the velocity
        moving = self.parameters.interpolation == 'jtc'
        state = self.measured.state(self.now, self.parameters.input_timeout, moving)
        if state is not None and self.parameters.of_motors:
            state[0] = links_at_rest(self.robot, state[0])
            return state if np.isfinite(state[0]).all() else None
        return state

    @property
    def measured_positions(self) -> Array:
        """The positions (n,) of the links; NaN if not fresh."""
        found = self.measured.positions(self.now, self.parameters.input_timeout)
        return links_at_rest(self.robot, found) if self.parameters.of_motors else found

    def arrival(self, message: TrajectoryMessage, goal: int | None) -> Arrival:
        """Return the record of a message received now."""
        return Arrival(
            message,
            goal,
            self.now,
            self.measured_positions,
            self.measured_state,
            self.streamed.takeovers,
            self.reference.speed,
        )


@dataclass(frozen=True, eq=False)
class Fit:
    """
    Read a message, plan its join with a copy of what is running, fit, certify and sample it.

    The answer is a `Fitted`, for a fit that `resamples` the newest motion only its `Samples`, or a
    `Rejection`.
    """

    number: int
    arrival: Arrival
    running: Running
    expected: int  # duration of this task [ns]
    forwards: bool  # samples are wanted
    late: int = 0  # tasks for this message whose answers came after the join
    retimes: bool = False  # until limits are kept, in place of slowing
    resamples: bool = False


@dataclass(frozen=True)
class RemainingJoints:
    """Running motion of the joints that a trajectory leaves out, by the time from its join."""

    curve: PiecewisePolynomial
    time: float  # of the curve at the join [s]


@dataclass(frozen=True, eq=False)
class Plan:
    """Join of a trajectory with the running motion, and what it assumes."""

    join: Join
    ahead: int  # time until a controller has it [ns]
    floating: bool  # starts when its fit is ready: with stamp 0, from rest
    hold_positions: Array | None  # (n,), for joints that the message omits
    remaining: RemainingJoints | None  # if these move
    state: Array | None  # (5, n), followed at the join
    soonest: int  # instant from which a start at once could be followed [ns]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted curve, its points, and the plan for which it was fitted."""

    summary: Summary
    plan: Plan
    waypoints: Waypoints
    joined: float  # time from start at which the curve begins [s]
    curve: PiecewisePolynomial
    warnings: tuple[str, ...]
    slowed: bool = False
    samples: 'Samples | Rejection | None' = None


@dataclass(frozen=True, eq=False)
class Samples:
    """
    States (T, 3, n) and efforts (T, n) at `times` (T,) from the instant `stamp` [ns].

    The received trajectory begins at the time `lead` [ns].
    """

    stamp: int
    frame_id: str
    joint_names: tuple[str, ...]
    times: NDArray[np.int64]
    jets: Array
    efforts: Array
    lead: int = 0


@dataclass(frozen=True)
class Rejection:
    """Reason why a task failed, with what the message contains if that was read."""

    reason: str
    summary: Summary | None = None


Answer: TypeAlias = Fitted | Samples | Rejection
