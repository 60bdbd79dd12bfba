# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Accepted trajectories sampled with efforts, for a controller that joins them in motion."""

import math
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.motor_positions import motor_states
from screw_dynamics.control.tasks import MOST_FORWARDED, Fit, Header, Rejection, Samples
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.reference.interpolation import ActiveTrajectory
from screw_dynamics.trajectory.reference.reference import Reference

_ROWS = 3  # of a point: position, velocity, acceleration
_TURN = 2.0 * math.pi


def sampled(task: Fit, header: Header, reference: Reference) -> Samples | Rejection:
    """
    Return samples of the newest motion of a reference, with efforts, or why there are none.

    A controller leaves its motion when it receives a message, and leads to the first point from a
    state of its own. So the points before the newest motion are those of the motions before it:
    not if the speed is scaled, because then the times of a controller depend on its reception,
    and not if the newest motion is held back, because its time is not known yet.
    """
    motion, parameters, robot = reference.newest, task.running.parameters, task.running.robot
    model, rows = robot.model, JET_ROWS if parameters.of_motors else _ROWS
    step = math.ceil(SECOND * forwarding_period(motion, parameters.resample_period))
    start = _instants(motion, np.zeros(1)).item()
    times = sample_times(motion, step)
    jets = _jets(motion, times / SECOND, rows)
    stamp, lead = header.stamp or start, 0
    earlier, before = _lead_in(reference, task.running.now, step, rows)
    if 0 < len(earlier) <= MOST_FORWARDED - len(times):
        stamp = min(start, earlier[0].item())
        lead = start - stamp
        times = np.concatenate((earlier - stamp, times + lead))
        jets = np.concatenate((before, jets))
    states = jets[:, :_ROWS].copy()
    try:
        efforts = inverse_dynamics(model, states)
        efforts = parameters.effort_format.convert(model, states, efforts)[:, 0]
        if parameters.of_motors:
            states = motor_states(robot, jets, times / SECOND)
    except ScrewDynamicsError as error:
        return Rejection(str(error))
    return Samples(stamp, header.frame_id, model.joint_names, times, states, efforts, lead)


def forwarding_period(motion: ActiveTrajectory, period: float) -> float:
    """Return the time between points [s]: `period`, or more for a motion with too many."""
    breaks = motion.curve.breaks
    return max(period, float(breaks[-1] - breaks[0]) / (MOST_FORWARDED - len(breaks) - 2))


def sample_times(motion: ActiveTrajectory, step: int) -> NDArray[np.int64]:
    """Return times from start (T,) [ns]: breaks of the curve and a grid of `step`, increasing."""
    breaks = np.round(SECOND * (motion.joined + motion.curve.breaks)).astype(np.int64)
    begin, end = max(0, int(breaks[0])), int(breaks[-1])
    # the grid starts at the first break, which may be between two multiples of the step
    grid = np.arange(begin, end, step, dtype=np.int64)
    return np.union1d(grid, breaks[breaks >= begin])


def _lead_in(
    reference: Reference, since: int, step: int, rows: int
) -> tuple[NDArray[np.int64], Array]:
    """
    Return instants (T,) since one [ns] and jets (T, rows, n) of what leads to the newest motion.

    Positions are in the turn of the newest motion, which may differ for continuous joints.
    """
    newest = reference.newest
    alone = reference.speed != 1.0 or reference.holds_back(newest)
    before = () if alone else reference.leading_to_newest(since)
    instants = [np.empty(0, dtype=np.int64)]
    states = [np.empty((0, rows, newest.curve.coefficients.shape[2]))]
    for motion, later in pairwise((*before, newest)):
        knots = _instants(motion, motion.joined + motion.curve.breaks)
        begin, end = max(since, motion.begin), min(later.begin, knots[-1].item())
        count = min(max(0, math.ceil((end - begin) / step)), MOST_FORWARDED)
        grid = begin + np.linspace(0, end - begin, count, endpoint=False).astype(np.int64)
        instants.append(np.union1d(grid, knots[(knots > begin) & (knots < later.begin)]))
        states.append(_jets(motion, _times(motion, instants[-1]), rows))
        ends, begins = (_jets(m, _times(m, later.begin))[0, 0] for m in (motion, later))
        for state in states:
            state[:, 0] += _TURN * np.round((begins - ends) / _TURN)
    return np.concatenate(instants), np.concatenate(states)


def _instants(motion: ActiveTrajectory, times: Array) -> NDArray[np.int64]:
    """Return the instants [ns] of times from start [s] at nominal speed."""
    instants: NDArray[np.int64] = motion.anchor + np.round(
        SECOND * (times - motion.anchor_time)
    ).astype(np.int64)
    return instants


def _times(motion: ActiveTrajectory, instants: ArrayLike) -> Array:
    """Return the times from start (T,) [s] of instants [ns] at nominal speed."""
    return motion.anchor_time + (np.atleast_1d(instants) - motion.anchor) / SECOND


def _jets(motion: ActiveTrajectory, times: Array, rows: int = _ROWS) -> Array:
    """Return the jets (T, rows, n) of a motion at times from start (T,) [s]."""
    # rounding may put the first time slightly before the curve, where it is at rest
    since = np.maximum(times - motion.joined, motion.curve.breaks[0])
    return motion.curve.jets(since, rows)
