# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inputs of the cores of nodes: what has happened, as records.

A core has one method ``step(now, inputs)``, with which time passes until the instant `now` [ns]
and inputs are taken in their order. It returns records too, valid until the next step. So a
sequence of inputs can be kept in a file, and leads to the same outputs again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from screw_dynamics.control.controller_hold import ControllerState
from screw_dynamics.control.tasks import Answer, TrajectoryMessage
from screw_dynamics.recordings.messages.feedforward import AnySample

if TYPE_CHECKING:
    from screw_dynamics.control.drive_records import Condition
    from screw_dynamics.drives.robot import Robot
    from screw_dynamics.trajectory.reference.streamed_reference import Stream


class Tick(NamedTuple):
    """Compute the next sample."""


class JointStates(NamedTuple):
    """Measured joints: a message with the fields of JointState."""

    message: Any


class RobotChanged(NamedTuple):
    """Another model, and the joints of its URDF that are not controlled, with the reasons."""

    robot: Robot
    uncontrolled_joints: Mapping[str, str] = {}


def same_joints(one: Robot, other: Robot) -> bool:
    """Return whether two robots have the same joints, so that motions continue."""
    old, new = one.model, other.model
    return (old.joint_names, old.coordinate_types) == (new.joint_names, new.coordinate_types)


class ParametersChanged(NamedTuple):
    """Changed parameters, which have been checked."""

    values: Any


class Clear(NamedTuple):
    """Drop the motion, or what a stop has left."""

    reason: str = '~/clear was called'


class ClockJumped(NamedTuple):
    """Drop what was received: earlier stamps are not valid any more."""

    reason: str


class Stop(NamedTuple):
    """Follow nothing more: the node is not active, or ends."""

    reason: str = 'the node ends'


class StreamMessage(NamedTuple):
    """A sample of a stream: a JointReference, or a JointState for positions."""

    message: Any
    stream: Stream


class WrenchMessage(NamedTuple):
    """A WrenchStamped on a link."""

    message: Any


class Speed(NamedTuple):
    """Factor of the speed, 0 (pause) to 2."""

    factor: float


class CommandsHeard(NamedTuple):
    """What drive_commands says of itself, None where there are several of it."""

    condition: Condition | None
    positions: bool  # are sent


class TaskDone(NamedTuple):
    """Answer to the task of a number."""

    number: int
    answer: Answer


class GoalAccepted(NamedTuple):
    """A goal of a client, with its trajectory; `ready` is the action of the controller."""

    goal: int
    message: TrajectoryMessage
    ready: bool


class GoalCanceled(NamedTuple):
    """A client cancels a goal."""

    goal: int


class GoalBuilt(NamedTuple):
    """The message of a goal is made, and can be sent if the controller is `ready`."""

    goal: int
    ready: bool


class GoalAnswered(NamedTuple):
    """Answer of the controller to a goal that it was sent."""

    goal: int
    accepted: bool


class GoalEnded(NamedTuple):
    """A goal has ended at the controller: succeed, abort, canceled or unknown."""

    goal: int
    event: str
    violated: bool  # a tolerance


class ControllerSeen(NamedTuple):
    """Whether the action of the controller is there; comes 10 times a second while goals run."""

    ready: bool


GoalInput: TypeAlias = (
    GoalAccepted
    | GoalCanceled
    | GoalBuilt
    | GoalAnswered
    | GoalEnded
    | ControllerSeen
    | ControllerState
)
FeedforwardInput: TypeAlias = (
    Tick
    | JointStates
    | StreamMessage
    | WrenchMessage
    | Speed
    | CommandsHeard
    | TrajectoryMessage
    | TaskDone
    | RobotChanged
    | ParametersChanged
    | Clear
    | ClockJumped
    | Stop
    | GoalInput
)


class Steady(NamedTuple):
    """A time [ns] that no correction of the clock changes, where `now` is another one."""

    time: int


class Enable(NamedTuple):
    """Let commands begin, or lead them out for a reason and let none begin."""

    wanted: bool
    reason: str = ''


DriveCommandsInput: TypeAlias = (
    AnySample
    | JointStates
    | Steady
    | Enable
    | ClockJumped
    | Stop
    | ParametersChanged
    | RobotChanged
)
