# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of `Feedforward`, beside a new robot (`FitRobot`) and new parameters."""

from collections.abc import Callable
from typing import Any, NamedTuple

WRENCH_TOPIC = '~/external_wrench'


class Tick(NamedTuple):
    """Time for the next sample."""


class TrajectoryMessage(NamedTuple):
    """A serialised JointTrajectory, or with `poses` a Path."""

    data: bytes
    poses: bool = False


class Answer(NamedTuple):
    """The answer to a `Request`, for its `done`."""

    done: Callable[[Any, int], None]
    value: Any


class JointStates(NamedTuple):
    """A JointState message with measurements."""

    message: Any


class StreamedSample(NamedTuple):
    """A JointReference message."""

    message: Any


class StreamedPositions(NamedTuple):
    """A JointState message with positions to be followed."""

    message: Any


class Wrench(NamedTuple):
    """A WrenchStamped message."""

    message: Any


class Speed(NamedTuple):
    """Factor of the speed, 0 (pause) to 2."""

    factor: float


class ClearMotion(NamedTuple):
    """Stop following; `Feedforward.cleared` tells what was dropped."""


class Stop(NamedTuple):
    """Stop following and abort all goals."""

    reason: str


class ClockJumped(NamedTuple):
    """Earlier stamps are not valid any more."""

    reason: str


class GoalAccepted(NamedTuple):
    """A goal of a client with its serialised trajectory; `ready` is the controller's action."""

    goal: int
    data: bytes
    ready: bool


class GoalCanceled(NamedTuple):
    """A client cancels a goal."""

    goal: int


class GoalBuilt(NamedTuple):
    """The message of a `BuildGoal` is made, with a stamp [ns]."""

    goal: int
    stamp: int
    ready: bool


class GoalAnswered(NamedTuple):
    """The controller has accepted or rejected a goal."""

    goal: int
    accepted: bool


class GoalEnded(NamedTuple):
    """The controller has ended a goal: succeed, abort, canceled or unknown."""

    goal: int
    event: str
    violated: bool


class GoalWatch(NamedTuple):
    """A look at the controller, every 0.1 s while goals run."""

    ready: bool
