# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Join of a fitted trajectory with the running motion, which continued during the fit."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.fit_requests import Fit
from screw_dynamics.control.limit_checks import LimitError, check_curve
from screw_dynamics.control.trajectory_plan import Arrival, Plan, Running, unscaled
from screw_dynamics.trajectory import PiecewisePolynomial
from screw_dynamics.trajectory.reference.interpolation import Join

# Changes of speed or state at the join that cause a new fit; then the first segment is bent
_MOST_CHANGES = 3
# Fraction of the first segment by which a fit may be late: the rest of the segment is bent to the
# state reached by then.
_LATEST = 0.25
_SAME = 1e-6  # rad or m


def joined(plan: Plan, fit: Fit, arrival: Arrival, running: Running) -> str:
    """Follow a fit if it still joins the running motion; else return why another is needed."""
    found = _candidate(plan, fit, arrival, running)
    if isinstance(found, str):
        return found
    reference, limits = running.reference, plan.task.parameters.limits
    if found.bent and fit.partial:
        return 'joints that the trajectory leaves out have moved on'
    if found.bent and limits != 'off':
        problem = _beyond_limits(plan, found, reference.speed)
        if problem:
            return problem
    waits = arrival.goal is not None and _can_wait(plan, found, running)
    reference.follow(found.join, fit.waypoints, found.begin, found.curve, found.anchor)
    if waits:
        reference.hold_back()  # it begins when it is sent
    running.streamed.supersede()
    return ''


class _Candidate(NamedTuple):
    """A curve that joins the running motion; for the fields see `Reference.follow`."""

    join: Join
    begin: float
    curve: PiecewisePolynomial
    anchor: tuple[int, float] | None = None
    bent: bool = False  # at its first segment: only the limits of the fit have been checked


def _can_wait(plan: Plan, found: _Candidate, running: Running) -> bool:
    """Return whether a curve may begin later than it joins: from rest, at no given time."""
    reference, parameters = running.reference, plan.task.parameters
    if plan.stamped or running.streamed.flows(running.now) or reference.leaves_at_reception:
        return False
    if parameters.start_state != 'reference':
        return plan.floating
    return reference.rests(running.sampled) and reference.rests(found.join.begin)


def _candidate(plan: Plan, fit: Fit, arrival: Arrival, running: Running) -> _Candidate | str:
    """Return a fit adapted to the running motion, or the reason why another fit is needed."""
    reference, streamed, parameters = running.reference, running.streamed, plan.task.parameters
    join, curve, begin = plan.task.join, fit.curve, fit.joined
    if streamed.takeovers != arrival.takeovers:
        return 'a stream has begun'
    if reference.leaves_at_reception:
        anchor = arrival.clock(join.begin, join.elapsed)
        sampled = running.sampled
        time = anchor[1] + 1e-9 * (sampled - anchor[0]) * reference.speed
        if join.continues and _jumps(reference.state(sampled), curve, time - begin):
            join = replace(join, continues=False)
        return _Candidate(join, begin, curve, anchor)
    changed = plan.task.speed != reference.speed
    if changed:
        arrival.changes += 1
        if arrival.changes <= _MOST_CHANGES:
            return 'the speed has changed'
    earliest = running.sampled
    if not running.streamed.flows(running.now):  # a stream ends at once
        earliest += arrival.ahead
    if plan.floating:
        join = replace(join, start=earliest, begin=earliest)
    elif changed:
        join = _at_speed(join, arrival, reference.speed)
    earlier, jet = plan.task.join.elapsed - join.elapsed, None
    if parameters.start_state == 'reference':
        late = (join.begin < earliest or earlier < 0.0) and plan.state is not None
        bent = changed
        if late or running.streamed.flows(running.now):
            # a stream ends now, in its present state: no tick is skipped
            passed = 1e-9 * (join.begin - earliest) * reference.speed
            earlier, bent = earlier + passed, True
            join = replace(join, begin=earliest, elapsed=join.elapsed - passed)
            arrival.late += late
        elif not changed and not _same(reference.state(join.begin), plan.state):
            arrival.changes, bent = arrival.changes + 1, True
            if arrival.changes <= _MOST_CHANGES:
                return 'the state at the join has changed'
        if bent:
            jet = _followed(join.begin, running)
            if jet is None and plan.state is not None:
                return 'what it continued has ended'
    elif parameters.start_state == 'joint_states' and join.begin <= max(earliest, plan.soonest):
        # the joints moved during the fit
        passed = 1e-9 * (join.begin - earliest) * reference.speed
        earlier += passed
        arrival.late += join.begin < earliest
        join = replace(join, begin=earliest, elapsed=join.elapsed - passed)
        jet = running.measured_state
        jet = join.jet if jet is None else jet
    if parameters.start_state != 'first_point' and -earlier > _LATEST * curve.breaks[:2][-1]:
        return 'its fit was ready too late'
    rejoined = None if jet is None else reference.rejoined(curve, fit.waypoints, jet, earlier)
    if rejoined is None:
        return _Candidate(join, begin, curve)
    return _Candidate(join, begin - earlier, rejoined, bent=True)


def _beyond_limits(plan: Plan, found: _Candidate, speed: float) -> str:
    """Return the limit that the first segment of a curve exceeds; empty if there is none."""
    curve = found.curve
    first = PiecewisePolynomial(
        curve.breaks[:2], curve.coefficients[:1], curve.end, curve.continuity
    )
    try:
        check_curve(plan.task.robot, first, found.begin, 'reject', max(speed, 1.0))
    except LimitError as error:
        return str(error)
    return ''


def _jumps(state: Array | None, curve: PiecewisePolynomial, time: float) -> bool:
    """Return whether the positions of a curve are not those of the running motion."""
    if state is None:
        return True
    (there,) = curve.jets([max(time, float(curve.breaks[0]))], 1)
    return bool(np.abs(there[0] - state[0]).max() > _SAME)


def _at_speed(join: Join, arrival: Arrival, speed: float) -> Join:
    """Return the join at the planned time from start, but not after the planned instant."""
    instant, passed = arrival.clock(join.start, 0.0)
    elapsed = passed + 1e-9 * (join.begin - instant) * speed
    if elapsed <= join.elapsed or speed == 0.0:
        return replace(join, elapsed=elapsed)
    return replace(join, begin=join.begin - round(1e9 * (elapsed - join.elapsed) / speed))


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
