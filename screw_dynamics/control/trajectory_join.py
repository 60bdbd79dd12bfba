# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Join of a fitted trajectory with the running motion, which continued during the fit."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.limit_checks import LimitError, check_curve
from screw_dynamics.control.tasks import Arrival, Fit, Fitted, Running
from screw_dynamics.control.trajectory_plan import unscaled
from screw_dynamics.drives.robot import Robot
from screw_dynamics.trajectory import PiecewisePolynomial
from screw_dynamics.trajectory.reference.interpolation import Join

MOST_REFITS = 3  # per trajectory; the last fit is bent to a speed or state that has changed again
# Fraction of the first segment by which a fit may be late: the rest of the segment is bent to the
# state reached by then.
_LATEST = 0.25
_SAME = 1e-6  # rad or m


@dataclass(eq=False)
class Pending:
    """A trajectory that is not followed yet."""

    arrival: Arrival
    number: int = 0  # of its last task
    refits: int = 0
    late: int = 0  # fits that finished after their join
    until: int = 0  # instant at which retiming it is given up [ns]; 0: not begun
    slowed: tuple[Fit, Fitted] | None = None  # is followed, if that comes


class _Candidate(NamedTuple):
    """A curve that joins the running motion; for the fields see `Reference.follow`."""

    join: Join
    begin: float
    curve: PiecewisePolynomial
    anchor: tuple[int, float] | None = None
    bent: bool = False  # at its first segment: only the limits of the fit have been checked


def joined(task: Fit, fit: Fitted, pending: Pending, running: Running) -> tuple[str, bool]:
    """
    Follow a fit if it still joins the running motion.

    Returns why another fit is needed instead, empty if it is followed, and whether its first
    segment is another one than that of the fit.
    """
    found = _candidate(task, fit, pending, running)
    if isinstance(found, str):
        return found, False
    reference, plan = running.reference, fit.plan
    if found.bent and plan.remaining is not None:
        return 'joints that the trajectory leaves out have moved on', False
    if found.bent and task.running.parameters.limits != 'off':
        problem = _beyond_limits(task.running.robot, found, reference.speed)
        if problem:
            return problem, False
    waits = plan.floating and pending.arrival.goal is not None
    if task.running.parameters.start_state == 'reference':
        waits = waits and all(map(reference.rests, (running.sampled, found.join.begin)))
    reference.follow(found.join, fit.waypoints, found.begin, found.curve, found.anchor)
    if waits:
        reference.hold_back()  # it begins when it is sent
    running.streamed.supersede()
    return '', found.bent


def _candidate(task: Fit, fit: Fitted, pending: Pending, running: Running) -> _Candidate | str:
    """Return a fit adapted to the running motion, or the reason why another fit is needed."""
    reference, streamed, plan = running.reference, running.streamed, fit.plan
    arrival, start_state = pending.arrival, task.running.parameters.start_state
    join, curve, begin, last = plan.join, fit.curve, fit.joined, pending.refits == MOST_REFITS
    if streamed.takeovers != arrival.takeovers:
        return 'a stream has begun'
    if reference.leaves_at_reception:
        anchor = arrival.clock(join.begin, join.elapsed)
        sampled = running.sampled
        time = anchor[1] + 1e-9 * (sampled - anchor[0]) * reference.speed
        if join.continues and _jumps(reference.state(sampled), curve, time - begin):
            join = replace(join, continues=False)
        return _Candidate(join, begin, curve, anchor)
    changed = task.running.reference.speed != reference.speed
    if changed and not last:
        return 'the speed has changed'
    flows = streamed.flows(running.now)  # it ends at once
    earliest, jet = running.sampled + (0 if flows else plan.ahead), None
    join = replace(join, start=earliest) if plan.floating else join
    speed, planned = reference.speed, earliest if plan.floating else join.begin
    join = _joined_at(planned, join, arrival, speed)
    if start_state == 'reference':
        late = planned < earliest or join.elapsed > plan.join.elapsed
        late, moved = late and plan.state is not None, changed or flows
        if late or flows:  # a stream ends in its present state: no tick is skipped
            join = _joined_at(earliest, join, arrival, speed)
            pending.late += late
        elif not changed and not _same(reference.state(planned), plan.state):
            if not last:
                return 'the state at the join has changed'
            moved = True
        if late or moved:
            jet = _followed(join.begin, running)
            if jet is None and plan.state is not None:
                return 'what it continued has ended'
    elif start_state == 'joint_states' and planned <= max(earliest, plan.soonest):
        # the joints moved during the fit
        pending.late += planned < earliest
        join = _joined_at(earliest, join, arrival, speed)
        jet = running.measured_state
        jet = join.jet if jet is None else jet
    earlier = plan.join.elapsed - join.elapsed
    if start_state != 'first_point' and -earlier > _LATEST * curve.breaks[:2][-1]:
        return 'its fit was ready too late'
    rejoined = None if jet is None else reference.rejoined(curve, fit.waypoints, jet, earlier)
    if rejoined is None:
        return _Candidate(join, begin, curve)
    return _Candidate(join, join.elapsed, rejoined, bent=True)


def _beyond_limits(robot: Robot, found: _Candidate, speed: float) -> str:
    """Return the limit that the first segment of a curve exceeds; empty if there is none."""
    curve = found.curve
    first = PiecewisePolynomial(
        curve.breaks[:2], curve.coefficients[:1], curve.end, curve.continuity
    )
    try:
        check_curve(robot, first, found.begin, 'reject', max(speed, 1.0))
    except LimitError as error:
        return str(error)
    return ''


def _jumps(state: Array | None, curve: PiecewisePolynomial, time: float) -> bool:
    """Return whether the positions of a curve are not those of the running motion."""
    if state is None:
        return True
    (there,) = curve.jets([max(time, float(curve.breaks[0]))], 1)
    return bool(np.abs(there[0] - state[0]).max() > _SAME)


def _joined_at(begin: int, join: Join, arrival: Arrival, speed: float) -> Join:
    """Return a join at an instant [ns]."""
    instant, passed = arrival.clock(join.start, 0.0)
    return replace(join, begin=begin, elapsed=passed + 1e-9 * (begin - instant) * speed)


def _followed(time: int, running: Running) -> Array | None:
    """Return the state of the followed trajectory or stream at an instant, or None."""
    state = running.reference.state(time)
    if state is not None:
        return state
    state = running.streamed.state(running.now, time)
    return None if state is None else unscaled(state, running.reference.speed)


def _same(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is other
    return bool((one == other).all())
