# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan of the join of a received trajectory with the running motion."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.tasks import MOST_FORWARDED, Fit, Plan, RemainingJoints, Summary
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.reference.interpolation import Join, is_bounded

_LATEST_START = 86_400 * SECOND  # from now [ns]
_MOST_OF_MOTION = 0.5  # fraction of a motion that may pass during a fit
_DELIVERY, _DELIVERY_OF_A_POINT = SECOND // 64, 30_000  # until a controller has a goal [ns]
_MOST_AHEAD = SECOND // 5  # of that time


def delivery_time(task: Fit, summary: Summary) -> int:
    """
    Return how long it takes until a controller has the trajectory [ns]; 0 if none gets it.

    If it takes longer, the points that lead to the join are those of the motion before.
    """
    if task.arrival.goal is None:
        return 0
    between = max(0, round(summary.last_time / task.running.parameters.resample_period))
    points = min(summary.points + between, MOST_FORWARDED)
    return min(_DELIVERY + _DELIVERY_OF_A_POINT * points, _MOST_AHEAD)


def fit_delay(task: Fit, summary: Summary, ahead: int) -> int:
    """
    Return the time until a fit is to be followed [ns], if it joins a motion.

    It is the expected duration, doubled for every fit that was late, up to half of what is left
    of the motion.
    """
    arrival, delay = task.arrival, task.expected << task.late
    if arrival.goal is not None and not summary.stamp:
        return delay  # the motion starts at the join
    speed, usual = task.running.reference.speed, float(task.expected)
    if arrival.message.poses:
        usual = min(usual, _MOST_OF_MOTION * 1e9 * summary.last_time / (speed or 1.0))
    if speed == 0.0:
        return round(usual)  # a fit that is late is followed at once
    instant, passed = arrival.clock(summary.stamp or arrival.received, 0.0)
    remaining = 1e9 * (summary.last_time - passed) / speed
    left = max(0.0, instant - task.running.sampled - ahead + remaining)
    return round(min(delay, max(_MOST_OF_MOTION * left, usual if usual < left else 0.0)))


def plan(task: Fit, summary: Summary, ahead: int, delay: int) -> Plan:
    """
    Choose the join of a trajectory with the running motion, or raise TrajectoryError.

    If the reference moves, it is an instant `delay` [ns] ahead, whose state is known already. If
    it rests, a trajectory with stamp 0 starts when its fit is ready, and no part is skipped.
    `ahead` is the time until a controller has the trajectory [ns].
    """
    arrival, sampled = task.arrival, task.running.sampled
    reference, streamed, _, parameters, _, _, now = task.running
    if streamed.takeovers != arrival.takeovers:
        stream = streamed.followed.value if streamed.followed else 'a stream'
        raise TrajectoryError(f'{stream} began before it was fitted: it is the newer command')
    if summary.stamp - now > _LATEST_START:
        raise TrajectoryError(
            f'header.stamp: expected a start within {_LATEST_START / SECOND:g} s from now '
            f'({now / SECOND:.3f}), got {summary.stamp / SECOND:.3f}: of another clock'
        )
    start, stamped = summary.stamp or arrival.received, bool(summary.stamp)
    follow = parameters.start_state == 'reference'
    joins = not reference.leaves_at_reception  # when its fit is ready
    rests = not (stamped or streamed.flows(now)) and (not follow or reference.rests(sampled))
    floating = joins and rests
    if floating:
        start = at = sampled + ahead
    elif not joins:
        at = arrival.received + sampled - now
    else:
        at = sampled + delay + ahead
        if arrival.goal is not None and not stamped:
            start = at
    begin = reference.interpolation.leaves(start, arrival.received, at)
    stream_state = None
    known = reference.state(begin)
    if known is None:
        known = stream_state = _stream_state(task, begin, at)
    if known is None and parameters.allow_partial_joints and not arrival.message.poses:
        _require_fresh(task, summary.joint_names)
    start_jet = _start_jet(task, summary, stream_state)
    join = reference.join(start, at, start_jet, follow, arrival.received)
    if arrival.speeds and joins and not floating:
        instant, passed = arrival.clock(start, 0.0)
        elapsed = passed + 1e-9 * (join.begin - instant) * reference.speed
        join = replace(join, elapsed=elapsed)
    return Plan(
        join,
        ahead,
        floating,
        arrival.positions if known is None else known[0],
        None if arrival.message.poses else _remaining(task, summary.joint_names, join),
        known,
        at,
    )


def _remaining(task: Fit, named: Collection[str], join: Join) -> RemainingJoints | None:
    """Return the running motion if it moves on in joints that a trajectory leaves out."""
    reference = task.running.reference
    if set(task.running.robot.joint_names) <= set(named) or not join.continues:
        return None
    motion = reference.motion_at(join.begin)
    if motion is None or reference.rests(join.begin):
        return None
    time = motion.time_at(join.begin, reference.speed) - motion.joined
    return RemainingJoints(motion.curve, time)


def _require_fresh(task: Fit, named: Collection[str]) -> None:
    """Raise TrajectoryError if an omitted joint has no reference and no fresh measurement."""
    names, timeout = task.running.robot.joint_names, task.running.parameters.input_timeout
    if not set(named) <= set(names):
        return  # another error, which names what is unknown, comes first
    for name, position in zip(names, task.arrival.positions, strict=True):
        if name not in named and not np.isfinite(position):
            raise TrajectoryError(
                f'the trajectory leaves out {name}: expected a reference that it holds, or its '
                f'position on joint_states within the last {timeout:g} s, got neither'
            )


def _stream_state(task: Fit, begin: int, at: int) -> Array | None:
    """Return the state of the followed stream, if any, at the takeover, not later than `at`."""
    streamed, now = task.running.streamed, task.running.now
    state = streamed.state(now, begin)
    if state is not None and begin > at:
        assert streamed.followed is not None
        raise TrajectoryError(
            f'{streamed.followed.value} is followed and where it will be at header.stamp, '
            f'{(begin - now) / SECOND:.3f} s from now, is not known: expected stamp 0 or a start '
            'that has passed'
        )
    return state


def _start_jet(task: Fit, summary: Summary, stream_state: Array | None) -> Array | None:
    """Return the start state if no reference is continued; None if it is not known."""
    running, arrival = task.running, task.arrival
    parameters = running.parameters
    if parameters.start_state == 'reference' and stream_state is not None:
        return unscaled(stream_state, arrival.speed)
    if parameters.start_state == 'first_point':
        # `fit` reads the positions from the points
        return np.zeros((JET_ROWS, running.robot.n)) if summary.first_time > 0.0 else None
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
