# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Outputs` of a step of a core for its shell; `Publication`, what was published of a motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.report import Line
from screw_dynamics.recordings.messages.feedforward import Course, FeedforwardSample

if TYPE_CHECKING:
    from screw_dynamics.control.tasks import Fit, Header, Samples


@dataclass(frozen=True)
class Verdict:
    """Acceptance, or rejection for a `reason`, of a trajectory; instants [ns]."""

    header: Header | None
    reason: str = ''
    warnings: tuple[str, ...] = ()
    start: int = 0
    end: int = 0


class BuildGoal(NamedTuple):
    """Make the message of a goal from samples, then report `GoalBuilt`."""

    goal: int
    samples: Samples


class SendGoal(NamedTuple):
    """Send a goal to the controller, with a stamp [ns] if given."""

    goal: int
    stamp: int | None


class CancelGoal(NamedTuple):
    """Let the controller cancel a goal that it was sent."""

    goal: int


class EndGoal(NamedTuple):
    """End a goal: succeed, abort or canceled; with the controller's result unless for a reason."""

    goal: int
    event: str
    reason: str = ''


class SendHold(NamedTuple):
    """Send a goal of one point, which nobody has asked for, to the controller."""

    samples: Samples


GoalAction: TypeAlias = BuildGoal | SendGoal | CancelGoal | EndGoal | SendHold


@dataclass
class Outputs:
    """Outputs of one step, in the order in which they came up."""

    end: FeedforwardSample | None = None  # of the motion that was published; before the sample
    motors_end: FeedforwardSample | None = None  # the same of its motors
    sample: FeedforwardSample | None = None
    motors: bool = False  # the motor efforts belong to the sample
    rows: int = 0  # of the reference from which they were computed
    lines: list[Line] = field(default_factory=list)
    requests: list[Fit] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    goals: list[GoalAction] = field(default_factory=list)
    forwarded: list[Samples] = field(default_factory=list)  # accepted trajectories

    def clear(self) -> None:
        """Begin a step."""
        self.end = self.motors_end = self.sample = None
        self.motors = False
        for items in (self.lines, self.requests, self.verdicts, self.goals, self.forwarded):
            if items:
                items.clear()

    def log(self, level: str, text: str) -> None:
        """Add a line for the log."""
        self.lines.append(Line(level, text))


class Publication:
    """
    The last sample that was published, and that with motors, of a motion that goes on.

    `jumped` is set where what is asked has jumped; the next sample of the motion counts it.
    """

    def __init__(self, outputs: Outputs) -> None:
        self._outputs = outputs
        self.last: FeedforwardSample | None = None
        self._of_motors: FeedforwardSample | None = None
        self.jumped, self._jumps = False, 0

    def publish(self, sample: FeedforwardSample, efforts: Array, gravity: Array) -> None:
        """Publish a sample with its efforts (k, n) and their gravity (n,)."""
        if self.last is None or sample.motion != self.last.motion:
            self._jumps = 0
        else:
            self._jumps += self.jumped
        self.jumped = False
        # not `_replace`, whose tuples the garbage collector would count
        self._outputs.sample = self.last = FeedforwardSample(
            sample.instant,
            sample.motion,
            sample.jet,
            efforts,
            gravity,
            sample.source,
            sample.time_from_start,
            sample.continuity,
            self._jumps,
        )

    def with_motors(self) -> None:
        """Register that the motors of the last sample are published too."""
        self._of_motors = self.last

    def finish(self, state: Course, reason: str) -> None:
        """Tell that the motion goes on no more."""
        self.finish_motors(state, reason)
        if self.last is not None:
            self._outputs.end = self.last._replace(state=state, reason=reason)
        self.last = None

    def finish_motors(self, state: Course, reason: str) -> None:
        """Tell that the motors go on no more."""
        if self._of_motors is not None:
            self._outputs.motors_end = self._of_motors._replace(state=state, reason=reason)
        self._of_motors = None
