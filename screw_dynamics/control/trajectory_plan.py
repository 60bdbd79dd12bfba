# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A received trajectory, and the plan of its join with the running motion."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.fit_requests import Fitting, Others, Outline, Reading
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.control.motor_positions import links_at_rest
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.reference.interpolation import Join, is_bounded
from screw_dynamics.trajectory.reference.reference import Reference
from screw_dynamics.trajectory.reference.streamed_reference import StreamedReference

_MOST_DOUBLED = 8  # how often the time for a fit is doubled if fits are late
_LATEST_START = 86_400 * SECOND  # from now [ns]
_MOVED = 1e-3  # rad or m
_MOST_OF_MOTION = 0.5  # fraction of a motion that may pass during a fit


@dataclass(eq=False)
class Arrival:
    """A received message with the measured state and the speed at its reception."""

    data: bytes
    received: int  # [ns]
    positions: Array  # (n,), NaN if not fresh
    state: Array | None  # (5, n), where a trajectory starts that continues no motion
    takeovers: int  # how often following a stream had begun
    speed: float
    goal: int | None  # number of the goal that it belongs to
    poses: bool  # of a frame, not points of the joints
    # instants of later speed changes [ns], each with the speed before it
    speeds: list[tuple[int, float]] = field(default_factory=list)
    late: int = 0  # fits that finished after their join
    changes: int = 0  # fits whose speed or state at the join had changed
    refits: int = 0
    ahead: int = 0  # time that forwarding it to a controller takes [ns]
    until: int = 0  # instant at which retiming it is given up [ns]; 0: not begun
    slowed: Callable[[int], None] | None = None  # follows it, if that comes

    def follow_speed(self, speed: float, since: int) -> None:
        """Record that the time from start runs at `speed` from the instant `since` [ns]."""
        if speed != self.speed:
            self.speeds.append((since, self.speed))
            self.speed = speed

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


def arrival(data: bytes, running: Running, goal: int | None, *, poses: bool) -> Arrival:
    """Return the record of a message received now."""
    return Arrival(
        data,
        running.now,
        running.measured_positions,
        running.measured_state,
        running.streamed.takeovers,
        running.reference.speed,
        goal,
        poses,
    )


def fit_delay(arrival: Arrival, outline: Outline, running: Running, expected: int) -> int:
    """
    Return the time until the fit of a trajectory is to be followed [ns], if it joins a motion.

    It is the expected duration [ns], doubled for every fit that was late, up to half of what is
    left of the motion.
    """
    delay = expected << min(arrival.late, _MOST_DOUBLED)
    if arrival.goal is not None and not outline.stamp:
        return delay  # the motion starts at the join
    speed, usual = running.reference.speed, float(expected)
    if arrival.poses:
        usual = min(usual, _MOST_OF_MOTION * 1e9 * outline.last_time / (speed or 1.0))
    if speed == 0.0:
        return round(usual)  # a fit that is late is followed at once
    instant, passed = arrival.clock(outline.stamp or arrival.received, 0.0)
    last = instant + 1e9 * (outline.last_time - passed) / speed
    lead = 1e9 * running.parameters.lead + arrival.ahead
    left = max(0.0, last - running.now - lead)
    return round(min(delay, max(_MOST_OF_MOTION * left, usual if usual < left else 0.0)))


@dataclass(frozen=True)
class Plan:
    """A requested fit and its assumptions."""

    task: Fitting
    stamped: bool  # the time of its start is given
    floating: bool  # starts when its fit is ready: with stamp 0, from rest
    state: Array | None  # (5, n), followed at the join
    soonest: int  # instant from which a start at once could be followed [ns]

    def waits(self, until: int) -> bool:
        """Return whether the motion begins from rest, and may begin at an instant [ns]."""
        join, parameters = self.task.join, self.task.parameters
        rests = join.jet is None or not join.jet[1:].any()
        # the measured state may be another one then
        kept = parameters.start_state != 'joint_states'
        return rests and kept and (self.floating or join.begin > until)

    def moved(self, running: Running) -> bool:
        """Return whether joints have left the measured state from which the motion starts."""
        jet = self.task.join.jet
        if self.state is not None or jet is None:
            return False
        return bool((np.abs(running.measured_positions - jet[0]) > _MOVED).any())


def plan(arrival: Arrival, outline: Outline, running: Running, delay: int) -> Plan:
    """
    Choose the join of a trajectory with the running motion, or raise TrajectoryError.

    If the reference moves, it is an instant `delay` [ns] ahead, whose state is known already. If
    it rests, a trajectory with stamp 0 starts when its fit is ready, and no part is skipped.
    """
    reference, streamed, _, parameters, robot, others, now = running
    joint_names = robot.joint_names
    if streamed.takeovers != arrival.takeovers:
        stream = streamed.followed.value if streamed.followed else 'a stream'
        raise TrajectoryError(f'{stream} began before it was fitted: it is the newer command')
    if outline.stamp - now > _LATEST_START:
        raise TrajectoryError(
            f'header.stamp: expected a start within {_LATEST_START / SECOND:g} s from now '
            f'({now / SECOND:.3f}), got {outline.stamp / SECOND:.3f}: of another clock'
        )
    sampled, start = running.sampled, outline.stamp or arrival.received
    follow = parameters.start_state == 'reference'
    floating = (
        not outline.stamp
        and not reference.leaves_at_reception
        and not streamed.flows(now)
        and (not follow or reference.rests(sampled))
    )
    if floating:
        start = at = sampled + arrival.ahead
    elif reference.leaves_at_reception:
        at = arrival.received + sampled - now
    else:
        at = sampled + delay + arrival.ahead
        if arrival.goal is not None and not outline.stamp:
            start = at
    begin = reference.interpolation.leaves(start, arrival.received, at)
    state = reference.state(begin)
    stream_state = None
    if state is None:
        stream_state = _stream_state(streamed, begin, now, at)
    known = state if state is not None else stream_state
    if known is None and parameters.allow_partial_joints and not arrival.poses:
        _require_fresh(outline.joint_names, joint_names, arrival.positions, parameters)
    start_jet = _start_jet(running, arrival, outline, len(joint_names), stream_state)
    join = reference.join(start, at, start_jet, follow, arrival.received)
    if arrival.speeds and not floating and not reference.leaves_at_reception:
        instant, passed = arrival.clock(start, 0.0)
        elapsed = passed + 1e-9 * (join.begin - instant) * reference.speed
        join = replace(join, elapsed=elapsed)
    task = Fitting(
        Reading(arrival.data, arrival.poses),
        robot,
        others,
        reference.continuous,
        join,
        parameters.start_state == 'first_point',
        arrival.positions if known is None else known[0],
        None if arrival.poses else _others(outline.joint_names, joint_names, reference, join),
        parameters,
        reference.speed,
        arrival.received,
    )
    return Plan(task, bool(outline.stamp), floating, known, at)


def _others(
    named: Collection[str], joint_names: Collection[str], reference: Reference, join: Join
) -> Others | None:
    """Return the running motion if it moves on in joints that a trajectory leaves out."""
    if set(joint_names) <= set(named) or not join.continues or reference.rests(join.begin):
        return None
    motion = reference.motion_at(join.begin)
    if motion is None:
        return None
    return Others(motion.curve, motion.time_at(join.begin, reference.speed) - motion.joined)


def _require_fresh(
    named: Collection[str],
    joint_names: tuple[str, ...],
    positions: Array,
    parameters: FeedforwardParameters,
) -> None:
    """Raise TrajectoryError if an omitted joint has no reference and no fresh measurement."""
    if not set(named) <= set(joint_names):
        return  # another error, which names what is unknown, comes first
    for name, position in zip(joint_names, positions, strict=True):
        if name not in named and not np.isfinite(position):
            raise TrajectoryError(
                f'the trajectory leaves out {name}: expected a reference that it holds, or its '
                f'position on joint_states within the last {parameters.input_timeout:g} s, '
                'got neither'
            )


def _stream_state(streamed: StreamedReference, begin: int, now: int, at: int) -> Array | None:
    """Return the state of the followed stream, if any, at the takeover, not later than `at`."""
    state = streamed.state(now, begin)
    if state is not None and begin > at:
        assert streamed.followed is not None
        raise TrajectoryError(
            f'{streamed.followed.value} is followed and where it will be at header.stamp, '
            f'{(begin - now) / SECOND:.3f} s from now, is not known: expected stamp 0 or a start '
            'that has passed'
        )
    return state


def _start_jet(
    running: Running, arrival: Arrival, outline: Outline, n: int, stream_state: Array | None
) -> Array | None:
    """Return the start state if no reference is continued; None if it is not known."""
    parameters = running.parameters
    if parameters.start_state == 'reference' and stream_state is not None:
        return unscaled(stream_state, arrival.speed)
    if parameters.start_state == 'first_point':
        # `fit` reads the positions from the points
        return np.zeros((JET_ROWS, n)) if outline.first_time > 0.0 else None
    # the controller starts from the state at reception
    leaves = parameters.interpolation == 'jtc'
    state = arrival.state if leaves else running.measured_state
    if state is None and parameters.start_state == 'joint_states':
        raise TrajectoryError(
            "start_state is 'joint_states': expected a position of every joint on joint_states "
            f'within the last {parameters.input_timeout:g} s, got none'
        )
    return arrival.state if state is None else state


def unscaled(state: Array, speed: float) -> Array:
    """Return the state of a stream with derivatives by trajectory time, which runs at `speed`."""
    # if the time runs slower, the derivatives are larger by powers of the speed
    with np.errstate(over='ignore', invalid='ignore'):
        scaled = scale_speed(state.copy(), 1.0 / speed if speed > 0.0 else 1.0)
    return scaled if is_bounded(scaled) else state
