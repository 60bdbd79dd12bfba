# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Arrival`: a received trajectory and the state at its reception."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from screw_dynamics.arrays import Array
from screw_dynamics.nodes.feedforward.inputs.joint_state_buffer import JointStateBuffer
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.reference.reference import Reference
from screw_dynamics.reference.streamed_reference import StreamedReference


@dataclass
class Arrival:
    """
    A received message with the measured state and the speed at its reception.

    `received` is in ns. `positions` (n,) are NaN if not fresh. `state` (5, n) is the measured
    start state if no motion is continued; `state_at` returns it at a later time [ns].
    `takeovers` counts how often following a stream had begun.
    """

    data: bytes
    received: int
    positions: Array
    state: Array | None
    state_at: Callable[[int], Array | None]
    takeovers: int
    speed: float
    # instants of later speed changes [ns], each with the speed before it
    speeds: list[tuple[int, float]] = field(default_factory=list)
    late: int = 0  # fits that finished after their join
    changes: int = 0  # fits whose speed or state at the join had changed
    refits: int = 0

    def follow_speed(self, speed: float, since: int) -> None:
        """Record that the time from start runs at `speed` from the instant `since` [ns]."""
        if speed != self.speed:
            self.speeds.append((since, self.speed))
            self.speed = speed

    def clock(self, instant: int, passed: float) -> tuple[int, float]:
        """
        Return the last speed change after an instant [ns] and the time from start then [s].

        `passed` is the time from start at `instant`; without a change both are returned unchanged.
        """
        for changed, speed in self.speeds:
            if changed > instant:
                instant, passed = changed, passed + 1e-9 * (changed - instant) * speed
        return instant, passed


def arrival(
    data: bytes,
    reference: Reference,
    streamed: StreamedReference,
    measured: JointStateBuffer,
    parameters: FeedforwardParameters,
    now: int,
) -> Arrival:
    """Return the record of a message received at `now` [ns]."""
    age = parameters.max_joint_state_age
    # the controller starts from its measured state, including the velocity
    moving = parameters.interpolation == 'jtc'

    def state_at(now: int) -> Array | None:
        return measured.state(now, age, moving)

    return Arrival(
        data,
        now,
        measured.positions(now, age),
        state_at(now),
        state_at,
        streamed.takeovers,
        reference.speed,
    )
