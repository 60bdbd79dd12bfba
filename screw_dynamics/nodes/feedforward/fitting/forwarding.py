# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Accepted trajectories as messages with efforts, which a controller joins in motion."""

import math

import numpy as np
from builtin_interfaces.msg import Duration
from numpy.typing import NDArray
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError
from screw_dynamics.messages.joints import effort_points
from screw_dynamics.messages.times import SECOND, set_stamp
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.feedforward.fitting.tasks import Forwarding, Outline
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.reference.interpolation import ActiveTrajectory
from screw_dynamics.reference.reference import Reference

_MOST_POINTS = 20_000  # a few MB
_ROWS = 3  # of a point: position, velocity, acceleration
_TURN = 2.0 * math.pi


def forwarding(
    reference: Reference, outline: Outline, parameters: FeedforwardParameters, now: int
) -> Forwarding:
    """
    Return the task of forwarding the newest motion of a reference at the instant `now` [ns].

    A controller leaves its motion when it receives a message, and leads to the first point from a
    state of its own. So until the newest motion begins, the points are those of the motion before.
    With header.stamp the trajectory time at `now` is that of the reference, at any speed. A stamp
    of the received trajectory is kept, unless earlier points would have negative times; the sync
    with a controller compares times, and goes without those points.
    """
    motion, speed = reference.newest, reference.speed
    before, since = reference.leading_to_newest(now)
    time = round(SECOND * motion.time_at(since, speed))
    if before and time < 0.0 < speed and parameters.sync != 'none':
        since -= round(time / speed)
        before, since = reference.leading_to_newest(since)
        time = round(SECOND * motion.time_at(since, speed))
    if before:
        stamp = since - max(time, 0)
    else:
        stamp = outline.stamp or motion.anchor - round(SECOND * motion.anchor_time)
    return Forwarding(
        motion, before, since, speed, stamp, outline.frame_id, parameters.resample_period
    )


def with_efforts(model: ScrewModel, task: Forwarding) -> JointTrajectory:
    """
    Return the message of a task, with the efforts at its points.

    The newest motion is sampled every `period` and at its own points. Raises InputError if there
    are too many samples and NotFiniteError if an effort is not finite.
    """
    motion, step = task.motion, round(SECOND * task.period)
    times = sample_times(motion, step)
    jets = _jets(motion, times / SECOND)
    if task.before:
        earlier, states = _lead_in(task, int(times[0]), step)
        times, jets = np.concatenate((earlier, times)), np.concatenate((states, jets))
        times -= min(int(times[0]), 0)
    _require_few(len(times), step)
    efforts = inverse_dynamics(model, jets)[:, 0]
    message = JointTrajectory(
        header=Header(frame_id=task.frame_id),
        joint_names=list(model.joint_names),
        points=effort_points(times.tolist(), jets, efforts, JointTrajectoryPoint, Duration),
    )
    set_stamp(message.header.stamp, task.stamp)
    return message


def sample_times(motion: ActiveTrajectory, step: int) -> NDArray[np.int64]:
    """
    Return the T times from start at which a motion is sampled [ns], strictly increasing and >= 0.

    They are the breaks of the curve, the last of which is its end, and a grid of `step` [ns].
    Raises InputError if there are too many.
    """
    breaks = np.round(SECOND * (motion.joined + motion.curve.breaks)).astype(np.int64)
    begin, end = max(0, int(breaks[0])), int(breaks[-1])
    _require_few((end - begin) // step + len(breaks), step)
    # the grid starts at the first break, which may be between two multiples of the step
    grid = np.arange(begin, end, step, dtype=np.int64)
    return np.union1d(grid, breaks[breaks >= begin])


def _lead_in(task: Forwarding, end: int, step: int) -> tuple[NDArray[np.int64], Array]:
    """
    Return times from start (T,) [ns] before `end` and the states (T, 3, n) of earlier motions.

    Positions are in the turn of the newest motion, which may differ for continuous joints.
    """
    begin = round(SECOND * task.motion.time_at(task.since, task.speed))
    count = math.ceil((end - begin) / step)  # 0 if the speed is 0
    _require_few(count, step)
    times = np.linspace(begin, end, count, endpoint=False).astype(np.int64)
    passed = (times - begin) / SECOND
    states = np.empty((count, _ROWS, task.motion.curve.coefficients.shape[-1]))
    first = 0
    for motion, later in zip(task.before, (*task.before[1:], task.motion), strict=True):
        states[first:] = _jets(motion, motion.time_at(task.since, task.speed) + passed[first:])
        before, after = (
            _jets(joined, np.array([joined.time_at(later.begin, task.speed)]))[0, 0]
            for joined in (motion, later)
        )
        states[:, 0] += _TURN * np.round((after - before) / _TURN)
        first = int(np.searchsorted(passed, task.speed * (later.begin - task.since) / SECOND))
    return times, states


def _jets(motion: ActiveTrajectory, times: Array) -> Array:
    """Return the states (T, 3, n) of a motion at times from start (T,) [s]."""
    # rounding may put the first time slightly before the curve, where it is at rest
    since = np.maximum(times - motion.joined, motion.curve.breaks[0])
    return motion.curve.jets(since, rows=_ROWS)


def _require_few(count: int, step: int) -> None:
    if count > _MOST_POINTS:
        raise InputError(
            f"parameter 'resample_period': expected a period that gives at most {_MOST_POINTS} "
            f'points, {step / SECOND:g} s gives {count}'
        )
