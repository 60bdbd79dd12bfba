# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Arrival`: a trajectory as it came, and what was known at its reception."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from screw_dynamics.arrays import Array
from screw_dynamics.nodes.measured.joint_state_buffer import JointStateBuffer
from screw_dynamics.nodes.parameters.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.reference.reference import Reference
from screw_dynamics.nodes.reference.streamed_reference import StreamedReference


@dataclass
class Arrival:
    """
    A message as it came, and what was known then.

    `received`, `state_at` [ns]; `positions` (n,); `state` (5, n).
    """

    data: bytes
    received: int
    positions: Array
    state: Array | None
    state_at: Callable[[int], Array | None]
    takeovers: int
    speed: float
    # instants at which the speed has changed since [ns], and the speed before
    speeds: list[tuple[int, float]] = field(default_factory=list)
    late: int = 0  # fits that came after their join
    changes: int = 0  # fits whose state at the join had changed
    refits: int = 0

    def follow_speed(self, speed: float, since: int) -> None:
        """Note that the time from start runs at another speed from an instant on [ns]."""
        if speed != self.speed:
            self.speeds.append((since, self.speed))
            self.speed = speed

    def clock(self, instant: int, passed: float) -> tuple[int, float]:
        """Return the last change of speed after an instant, and the time from start then [s]."""
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
    """Note what is known when a message comes in."""
    age = parameters.max_joint_state_age
    # the controller leaves its measured state with the measured velocity
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
