# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots and motions of drawn scenarios, and a cache of their fits."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

import screw_dynamics as sd
from helpers.rig import limited, perform
from screw_dynamics.control.fit import fit, summary, with_samples
from screw_dynamics.control.tasks import Rejection
from screw_dynamics.control.trajectory_plan import delivery_time, fit_delay, plan
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import ScrewDynamicsError

SPEED, EFFORT, POSITION, RATE = 2.5, 60.0, 1.2, 900.0
STIFFNESS, DEFLECTION = (200.0, 900.0), 0.06


def _robots():
    path = sd.share_path('urdf/planar_2r.urdf')
    with open(path, encoding='utf-8') as file:
        turning = file.read().replace('"joint_1" type="revolute"', '"joint_1" type="continuous"')
    arm = limited(sd.read_urdf(path), SPEED, EFFORT, POSITION)
    turning = sd.read_urdf(turning)
    limits = limited(turning, SPEED, EFFORT, POSITION).limits
    lower, upper = limits.lower.copy(), limits.upper.copy()
    lower[0], upper[0] = -np.inf, np.inf
    turning = replace(turning, limits=replace(limits, lower=lower, upper=upper))
    rated = sd.JointDrive(max_effort_rate=RATE)
    spring = sd.JointDrive(
        sd.VariableStiffness(500.0, min_stiffness=STIFFNESS[0], max_stiffness=STIFFNESS[1]),
        sd.Motor(rotor_inertia=1e-4, gear_ratio=50.0, max_effort=1.4, max_velocity=150.0),
        max_deflection=DEFLECTION,
        max_effort_rate=RATE,
    )

    def with_joints(joint):
        return Robot(arm, sd.Drives(dict.fromkeys(arm.joint_names, joint)))

    return Robot(arm), Robot(turning), with_joints(rated), with_joints(spring)


ROBOTS = _robots()
LOADED = tuple(
    tuple(robot.with_model(robot.model.with_payload('tool', mass)) for mass in (0.4, 1.5))
    for robot in ROBOTS
)


def drawn_points(place, random):
    """Return points that lead away from a place."""
    count = 1 + int(3 * random())
    times = (random(count) * (0.2 if random() < 0.2 else 0.6) + 0.05).cumsum()
    reach = 0.2 if random() < 0.4 else 0.7
    positions = place + ((random((count, 2)) - 0.5) * reach).cumsum(0)
    if random() < 0.2:
        times -= times[0]
    points = [[t, list(x)] for t, x in zip(times, positions, strict=True)]
    if random() < 0.25:
        for point in points:
            point.append(list((random(2) - 0.5) * 2.0))
        if random() < 0.8:
            points[-1][2] = [0.0, 0.0]
    return points


def _motions(place, random):
    """Return motions, half of which lead to other places."""
    motions = [[[0.0, list(place)], [0.05, list(place)]]]
    for _ in range(23):
        points = drawn_points(place, random)
        if random() < 0.5:
            points[-1][1] = list(PLACES[int(len(PLACES) * random())])
            points[-1][0] += 0.2
        motions.append(points)
    return motions


_POOL = np.random.default_rng(0).random
PLACES = (_POOL((8, 2)) - 0.5) * np.array([[0.6], [1.0], [2.3], [0.3]] * 2)
MOTIONS = [_motions(place, _POOL) for place in PLACES]
_ANSWERS: dict[tuple[Any, ...], Any] = {}
_MOST = 30_000  # answers


def answered(task, which, counts):
    """
    Return the answer of the worker to a task of a robot; an equal curve is fitted once.

    Most motions begin at rest at one of the places.
    """
    if task.resamples or task.arrival.message.data.header.stamp.sec:
        return perform(task)
    message, found = task.arrival.message.data, None
    try:
        found = summary(message)
        ahead = delivery_time(task, found)
        chosen = plan(task, found, ahead, fit_delay(task, found, ahead))
        fitted = _fitted(message, task, found, chosen, which, counts)
        return with_samples(fitted, task) if task.forwards else fitted
    except ScrewDynamicsError as error:
        return Rejection(str(error), found)


def _fitted(message, task, found, chosen, which, counts):
    if chosen.remaining is not None:
        return fit(message, task, found, chosen)
    join, values = chosen.join, task.running.parameters
    key = (
        tuple(message.joint_names),
        repr(message.points),
        join.elapsed,
        None if join.jet is None else join.jet.tobytes(),
        values.start_state == 'first_point',
        task.retimes,
        chosen.hold_positions.tobytes() if len(message.joint_names) < 2 else None,
        values.interpolation,
        values.limits,
        values.allow_partial_joints,
        values.allow_nonzero_velocity_at_end,
        max(task.running.reference.speed, 1.0),
        id(task.running.robot.model),  # of those above
        which,
    )
    counts['fits'] += 1
    counts['retimed'] += task.retimes
    answer = _ANSWERS.get(key)
    if answer is None:
        counts['fits made'] += 1
        if len(_ANSWERS) > _MOST:
            _ANSWERS.clear()
        try:
            answer = fit(message, task, found, chosen)
        except ScrewDynamicsError as error:
            answer = error
        _ANSWERS[key] = answer
    if isinstance(answer, ScrewDynamicsError):
        raise answer
    # each motion has its own points
    return replace(answer, summary=found, plan=chosen, waypoints=copy(answer.waypoints))
