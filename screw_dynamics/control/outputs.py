# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Outputs of a step of the core `Feedforward`, for its shell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from screw_dynamics.control.report import Line
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.reference.reference import Source

if TYPE_CHECKING:
    from screw_dynamics.control.fit_requests import Heading, Samples, Task


class EffortSample(NamedTuple):
    """Metadata of the sample in the shared arrays."""

    instant: int  # [ns]
    source: Source
    continuity: int  # the positions of the reference are C^continuity
    time_from_start: int = 0  # [ns], 0 for a stream
    rows: int = JET_ROWS  # known ones of the reference, 3 to 5
    motion: int = 0  # number of the motion


class Request(NamedTuple):
    """A task beside the ticks; `done` of a later step takes its answer."""

    task: Task
    done: Callable[[int, Any], None]


@dataclass(frozen=True)
class Verdict:
    """Acceptance, or rejection for a `reason`, of a trajectory; instants [ns]."""

    heading: Heading | None
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


class HoldSoon(NamedTuple):
    """Let the controller hold the position at which it has stopped, if `begin`."""

    begin: bool


GoalAction: TypeAlias = BuildGoal | SendGoal | CancelGoal | EndGoal | HoldSoon


@dataclass
class Outputs:
    """Outputs of one step, in the order in which they came up."""

    sample: EffortSample | None = None
    motors: bool = False  # the motor efforts belong to the sample
    rows: int = 0  # of the reference from which they were computed
    lines: list[Line] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    goals: list[GoalAction] = field(default_factory=list)
    forwarded: list[Samples] = field(default_factory=list)  # accepted trajectories

    def clear(self) -> None:
        """Begin a step."""
        self.sample, self.motors = None, False
        for items in (self.lines, self.requests, self.verdicts, self.goals, self.forwarded):
            if items:
                items.clear()

    def log(self, level: str, text: str) -> None:
        """Add a line for the log."""
        self.lines.append(Line(level, text))
