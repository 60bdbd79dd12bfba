# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Outputs of a step of the core `Feedforward`, for its shell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from screw_dynamics.control.report import Line
from screw_dynamics.recordings.messages.feedforward import FeedforwardSample

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
