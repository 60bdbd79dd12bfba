# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs of a trajectory in a bag: when it was followed, and where the links were."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from screw_dynamics.command_line import motions
from screw_dynamics.command_line.bag_joint_states import joint_samples
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.errors import BagError, TrajectoryError
from screw_dynamics.estimation.identification import Recording
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.bags import Bag
from screw_dynamics.recordings.messages.joints import places
from screw_dynamics.recordings.results.results_from_bag import (
    DEVIATION_ENDING,
    FEEDFORWARD,
    JOINT_STATE,
    TRAJECTORY,
    one_topic,
    read_efforts,
)
from screw_dynamics.trajectory import PiecewisePolynomial
from screw_dynamics.trajectory.reference.reference import Source

_AROUND = 3.0  # s before and after a motion, in which the robot rests
_SAME_START = 1_000_000  # ns between samples of one motion


class _Run(NamedTuple):
    """A motion that was followed: the instant of time 0 of its curve [ns], and how far off it."""

    start: int
    difference: float


def recorded_runs(
    bag: Bag,
    curve: PiecewisePolynomial,
    model: ScrewModel,
    tolerance: float,
    topic: str | None,
    reference: str | None,
) -> list[Recording]:
    """
    Return the links along each run of a curve, by its times; raise BagError if there is none.

    A run is a reference within `tolerance` [rad or m] of the curve, from `reference`, a topic of
    FeedforwardTorque or JointTrajectory messages. `topic` has the joint states.
    """
    states = one_topic(bag, (JOINT_STATE,), topic, '--joint-states')
    where = f'{bag.path}: topic {states!r}'
    samples = joint_samples(bag.messages([states]), model, where)
    motions.require_radians(where, model, samples.positions)
    source, found = _followed(bag, curve, model, reference)
    runs = [run for run in found if run.difference <= tolerance]
    if not runs:
        nearest = min((run.difference for run in found), default=np.inf)
        raise BagError(
            f'{bag.path}: topic {source!r}: expected a motion that follows the trajectory within '
            f'{tolerance:g} rad or m, got {len(found)}, the nearest {nearest:.3g} off: is it '
            'the trajectory that was sent?'
        )
    recordings = []
    begin, end = curve.breaks[[0, -1]]
    starts = [run.start for run in found]
    for run in runs:
        times = (samples.stamps - run.start) / SECOND
        first = begin - _AROUND
        last = min(
            [end + _AROUND, *((at - run.start) / SECOND for at in starts if at > run.start)]
        )
        part = (times >= first) & (times <= last)
        positions = samples.positions[part]
        recordings.append(
            Recording(model.joint_names, times[part], positions, np.zeros_like(positions))
        )
    return recordings


def _followed(
    bag: Bag, curve: PiecewisePolynomial, model: ScrewModel, topic: str | None
) -> tuple[str, list[_Run]]:
    """Return the topic of references, and the motions on it."""
    if topic is None:
        sent = [
            name
            for name, about in bag.topics.items()
            if about.type == FEEDFORWARD and about.count and not name.endswith(DEVIATION_ENDING)
        ]
        topic = sent[0] if len(sent) == 1 else None
    topic = one_topic(bag, (FEEDFORWARD, TRAJECTORY), topic, '--reference')
    if bag.topics[topic].type == FEEDFORWARD:
        return topic, list(_of_samples(bag, topic, curve, model))
    return topic, list(_of_messages(bag, topic, curve, model))


def _of_samples(
    bag: Bag, topic: str, curve: PiecewisePolynomial, model: ScrewModel
) -> Iterator[_Run]:
    """Yield the motions of FeedforwardTorque messages; each has one instant of time 0."""
    samples = read_efforts(bag, topic)
    followed = samples.sources == Source.TRAJECTORY
    own = places(f'{bag.path}: topic {topic!r}', samples.joint_names, model.joint_names)
    from_start, positions = samples.from_start[followed], samples.joint_jet[followed, 0][:, own]
    starts = samples.stamps[followed] - from_start
    edges = np.flatnonzero(np.abs(np.diff(starts)) > _SAME_START) + 1
    parts = zip(
        *(np.split(array, edges) for array in (starts, from_start, positions)), strict=True
    )
    for instants, since, reference in parts:
        times = since / SECOND
        inside = (times >= curve.breaks[0]) & (times <= curve.breaks[-1])
        if inside.any():
            off = reference[inside] - curve.jets(times[inside], 1)[:, 0]
            yield _Run(int(np.median(instants)), float(np.abs(off).max()))


def _of_messages(
    bag: Bag, topic: str, curve: PiecewisePolynomial, model: ScrewModel
) -> Iterator[_Run]:
    """Yield the motions of JointTrajectory messages, which begin at their stamps or reception."""
    times = np.linspace(float(curve.breaks[0]), float(curve.breaks[-1]), 1000)
    for found in bag.messages([topic]):
        try:
            waypoints = motions.message_waypoints(found, model)
            sent = motions.curve_through(waypoints, 'smooth')
        except TrajectoryError:
            continue
        stamp = nanoseconds(found.message.header.stamp)
        if not stamp:
            print(
                f'warning: {motions.origin_of(found)}: it has no stamp: the motion is taken to '
                'begin at its reception, and the delay until it began counts as an error',
                file=sys.stderr,
            )
        off = np.abs(sent.jets(times, 1) - curve.jets(times, 1)).max()
        yield _Run(stamp or found.log_time, float(off))
