# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Join of an incoming JointTrajectory with the running motion, and validity of its fit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.nodes.conversions import SECOND
from screw_dynamics.nodes.fitting.tasks import Fit, Fitting, Outline, Robot
from screw_dynamics.nodes.inputs.arrival import Arrival
from screw_dynamics.nodes.parameters.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.reference.motion import Join, Motion, continuable
from screw_dynamics.nodes.reference.reference import Reference
from screw_dynamics.nodes.reference.streamed_reference import StreamedReference
from screw_dynamics.nodes.services.error_codes import LimitError
from screw_dynamics.nodes.services.feasibility import check_curve
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial, scale_speed

_MOST_CHANGES = 3  # of the state at the join or the speed; then the first segment follows it
# Part of the first segment by which a fit may come late: the rest of it is bent to where the
# joints are by then.
_LATEST = 0.25


@dataclass(frozen=True)
class Plan:
    """
    A fit that is asked for, and what it rests on.

    Parameters
    ----------
    task : Fitting
    floating : bool
        Whether the trajectory starts when its fit is there: at stamp 0, from rest.
    state : (5, n) ndarray or None
        What is followed, at the join.
    soonest : int
        Instant at which it could be followed, were it to start at once [ns].

    """

    task: Fitting
    floating: bool
    state: Array | None
    soonest: int


def plan(
    arrival: Arrival,
    outline: Outline,
    joint_names: tuple[str, ...],
    reference: Reference,
    streamed: StreamedReference,
    parameters: FeedforwardParameters,
    now: int,
    delay: int,
) -> Plan:
    """
    Choose where a trajectory joins in.

    Where something moves, that is an instant at which the fit will be there: the state that is
    followed then is known already, and both agree to the last digit. What rests, rests at any
    instant: a trajectory with stamp 0 starts when its fit is there, so that nothing of its path
    is skipped. A controller's spline does not continue what it replaces: it joins at reception.

    Parameters
    ----------
    arrival : Arrival
    outline : Outline
        Of its message.
    joint_names : tuple of str
        Of the model.
    reference : Reference
    streamed : StreamedReference
    parameters : FeedforwardParameters
    now : int
        Time of the node [ns].
    delay : int
        How long the fit will take [ns].

    Returns
    -------
    Plan

    Raises
    ------
    TrajectoryError
        If no state is known that is needed.

    """
    if streamed.takeovers != arrival.takeovers:
        stream = streamed.followed.value if streamed.followed else 'a stream'
        raise TrajectoryError(f'{stream} began before its fit was there: it is the newer command')
    lead = round(1e9 * parameters.lead_time)
    start = outline.stamp or arrival.received
    follow = parameters.start_state == 'reference'
    floating = (
        not outline.stamp
        and not reference.leaves_at_reception
        and streamed.followed is None
        and (not follow or reference.rests(now + lead))
    )
    if floating:
        start = at = now + lead
    else:
        at = arrival.received + lead if reference.leaves_at_reception else now + lead + delay
    begin = reference.interpolation.leaves(start, arrival.received, at)
    state = reference.state(begin)
    stream_state = None
    if state is None:
        stream_state = _stream_state(streamed, begin, now, at)
    known = state if state is not None else stream_state
    if known is None and parameters.allow_partial_joints:
        _require_fresh(outline.joint_names, joint_names, arrival.positions, parameters)
    start_jet = _start_jet(parameters, arrival, outline, len(joint_names), stream_state, now)
    join = reference.join(start, at, start_jet, follow, arrival.received)
    if arrival.speeds and not floating and not reference.leaves_at_reception:
        instant, passed = arrival.clock(start, 0.0)
        elapsed = passed + 1e-9 * (join.begin - instant) * reference.speed
        join = replace(join, elapsed=elapsed)
    task = Fitting(
        join,
        parameters.start_state == 'first_point',
        arrival.positions if known is None else known[0],
        parameters,
        reference.speed,
        arrival.received,
    )
    return Plan(task, floating, known, at)


def joined(
    plan: Plan,
    fit: Fit,
    arrival: Arrival,
    robot: Robot,
    reference: Reference,
    streamed: StreamedReference,
    now: int,
) -> str:
    """
    Follow a fit, if it still joins what is followed.

    Parameters
    ----------
    plan : Plan
    fit : Fit
    arrival : Arrival
        Counts why it does not.
    robot : Robot
        Whose limits a first segment that is bent has to keep in mode 'reject'.
    reference : Reference
    streamed : StreamedReference
        A stream that is followed ends where the trajectory takes over.
    now : int
        Time of the node [ns].

    Returns
    -------
    str
        Why another fit is needed, nothing has changed then; empty where this one is followed.

    """
    parameters, join, curve, begin = plan.task.parameters, plan.task.join, fit.curve, fit.joined
    anchor = join.begin, join.elapsed
    if streamed.takeovers != arrival.takeovers:
        return 'a stream has begun'
    if reference.leaves_at_reception:
        reference.follow(join, fit.waypoints, begin, curve, arrival.clock(*anchor))
        streamed.supersede()
        return ''
    changed = plan.task.speed != reference.speed
    if changed:
        arrival.changes += 1
        if arrival.changes <= _MOST_CHANGES:
            return 'the speed has changed'
    earliest = now + round(1e9 * parameters.lead_time)
    if plan.floating:
        join = replace(join, start=earliest, begin=earliest)
    elif changed:
        join = _at_speed(join, arrival, reference.speed)
    earlier, jet = plan.task.join.elapsed - join.elapsed, None
    if parameters.start_state == 'reference':
        late = (join.begin < earliest or earlier < 0.0) and plan.state is not None
        bent = changed
        if late or streamed.followed is not None:
            # a stream ends now, where it is by now: no tick is left out
            passed = 1e-9 * (join.begin - earliest) * reference.speed
            earlier, bent = earlier + passed, True
            join = replace(join, begin=earliest, elapsed=join.elapsed - passed)
            arrival.late += late
        elif not changed and not _same(reference.state(join.begin), plan.state):
            arrival.changes, bent = arrival.changes + 1, True
            if arrival.changes <= _MOST_CHANGES:
                return 'the state at the join has changed'
        if bent:
            jet = _followed(join.begin, reference, streamed, now)
    elif parameters.start_state == 'joint_states' and join.begin <= max(earliest, plan.soonest):
        # the joints have moved on during the fit
        passed = 1e-9 * (join.begin - earliest) * reference.speed
        earlier += passed
        arrival.late += join.begin < earliest
        join = replace(join, begin=earliest, elapsed=join.elapsed - passed)
        jet = arrival.state_at(now)
        jet = join.jet if jet is None else jet
    if parameters.start_state != 'first_point' and -earlier > _LATEST * curve.breaks[:2][-1]:
        return 'it came later than it was to be followed'
    rejoined = None if jet is None else reference.rejoined(curve, fit.waypoints, jet, earlier)
    if rejoined is not None:
        if parameters.check_limits == 'reject':
            problem = _beyond_limits(robot, rejoined, begin - earlier, reference.speed)
            if problem:
                return problem
        curve, begin = rejoined, begin - earlier
    reference.follow(join, fit.waypoints, begin, curve)
    streamed.supersede()
    return ''


def _beyond_limits(robot: Robot, curve: PiecewisePolynomial, begin: float, speed: float) -> str:
    """Return which limit the first segment of a curve exceeds; empty where it keeps all."""
    first = PiecewisePolynomial(
        curve.breaks[:2], curve.coefficients[:1], curve.end, curve.continuity
    )
    try:
        return check_curve(robot.model, robot.elastic, first, begin, 'reject', speed)
    except LimitError as error:
        return str(error)


def _at_speed(join: Join, arrival: Arrival, speed: float) -> Join:
    """Return the join at the time from start that was planned; no later than that instant."""
    instant, passed = arrival.clock(join.start, 0.0)
    elapsed = passed + 1e-9 * (join.begin - instant) * speed
    if elapsed <= join.elapsed or speed == 0.0:
        return replace(join, elapsed=elapsed)
    return replace(join, begin=join.begin - round(1e9 * (elapsed - join.elapsed) / speed))


def _followed(
    time: int, reference: Reference, streamed: StreamedReference, now: int
) -> Array | None:
    """Return the state that is followed at an instant, of a trajectory or a stream."""
    state = reference.state(time)
    if state is not None:
        return state
    state = streamed.state(now, time)
    return None if state is None else _unscaled(state, reference.speed)


def outgoing_stamp(motion: Motion, outline: Outline) -> int:
    """
    Return the instant [ns] at which a controller has to start a motion to be in step with it.

    A stamp that the trajectory came with is kept. Else it is the one that lies as far before the
    takeover as the time from start at it, which the controller counts at nominal speed.
    """
    if outline.stamp:
        return outline.stamp
    return motion.anchor - round(SECOND * motion.anchor_time)


def _same(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is other
    return bool((one == other).all())


def _require_fresh(
    named: Collection[str],
    joint_names: tuple[str, ...],
    positions: Array,
    parameters: FeedforwardParameters,
) -> None:
    """Say for which joint that is left out nothing tells where it is."""
    for name, position in zip(joint_names, positions, strict=True):
        if name not in named and not np.isfinite(position):
            raise TrajectoryError(
                f'the trajectory leaves out {name}: expected a reference that it holds, or its '
                f'position on joint_states within the last {parameters.max_joint_state_age:g} s, '
                'got neither'
            )


def _stream_state(streamed: StreamedReference, begin: int, now: int, at: int) -> Array | None:
    """Return the state of a stream that is followed where the trajectory takes over from it."""
    state = streamed.state(now, begin)
    if state is not None and begin > at:
        assert streamed.followed is not None
        raise TrajectoryError(
            f'{streamed.followed.value} is followed and where it will be at header.stamp, '
            f'{(begin - now) / SECOND:.3f} s from now, is not known: expected stamp 0 or a start '
            'that has passed'
        )
    return state


def _unscaled(state: Array, speed: float) -> Array:
    """Return the state of a stream for trajectory time, which runs at a speed of its own."""
    # slower: its derivatives are larger by powers of the speed
    with np.errstate(over='ignore', invalid='ignore'):
        scaled = scale_speed(state.copy(), 1.0 / speed if speed > 0.0 else 1.0)
    return scaled if continuable(scaled) else state


def _start_jet(
    parameters: FeedforwardParameters,
    arrival: Arrival,
    outline: Outline,
    n: int,
    stream_state: Array | None,
    now: int,
) -> Array | None:
    """Return the state to start from where no reference is continued; None if there is none."""
    if parameters.start_state == 'reference' and stream_state is not None:
        return _unscaled(stream_state, arrival.speed)
    if parameters.start_state == 'first_point':
        # its positions are read where the points are
        return np.zeros((JET_ROWS, n)) if outline.first_time > 0.0 else None
    # the controller leaves the state at reception
    leaves = parameters.interpolation == 'jtc'
    state = arrival.state if leaves else arrival.state_at(now)
    if state is None and parameters.start_state == 'joint_states':
        raise TrajectoryError(
            "start_state is 'joint_states': expected a position of every joint on joint_states "
            f'within the last {parameters.max_joint_state_age:g} s, got none'
        )
    return arrival.state if state is None else state
