# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs of a trajectory in a bag: when it was followed, and where the links were."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.errors import BagError, RecordingWarning, TrajectoryError
from screw_dynamics.estimation.identification import Recording
from screw_dynamics.limits.degrees import require_radians
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.messages.joints import places
from screw_dynamics.recordings.motions.joint_states import state_rows
from screw_dynamics.recordings.motions.trajectories import (
    curve_through,
    message_waypoints,
    origin_of,
)
from screw_dynamics.recordings.results.results_from_bag import (
    FEEDFORWARD,
    JOINT_STATE,
    TRAJECTORY,
    one_topic,
    read_efforts,
)
from screw_dynamics.trajectory import PiecewisePolynomial
from screw_dynamics.trajectory.reference.reference import Source

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import Bag

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
    topic: str | None = None,
    reference: str | None = None,
) -> list[Recording]:
    """
    Return the motion of the links in each run of a curve that a bag has recorded.

    Parameters
    ----------
    bag : Bag
    curve : PiecewisePolynomial
        That was sent.
    model : ScrewModel
    tolerance : float
        Largest distance of a reference from the curve by which it is a run of it [rad or m].
    topic : str, optional
        JointState messages of the links; by default the only ones.
    reference : str, optional
        FeedforwardTorque or JointTrajectory messages that tell when the curve was followed; by
        default the only ones, of the first type before the other.

    Returns
    -------
    list of Recording
        For `learn_motion`; time 0 is that of the curve.

    Raises
    ------
    BagError
        If there is no run, or a topic is not there.
    """
    states = one_topic(bag, (JOINT_STATE,), topic, '--joint-states')
    where = f'{bag.path}: topic {states!r}'
    samples = state_rows(bag.messages([states]), model.joint_names, ('position',), where)
    measured = samples.values[:, 0]
    require_radians(where, model, measured)
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
        positions = measured[part]
        recordings.append(
            Recording(model.joint_names, times[part], positions, np.zeros_like(positions))
        )
    return recordings


def _followed(
    bag: Bag, curve: PiecewisePolynomial, model: ScrewModel, topic: str | None
) -> tuple[str, list[_Run]]:
    """Return the topic of references, and the motions on it."""
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
            waypoints = message_waypoints(found, model)
            sent = curve_through(waypoints, 'smooth')
        except TrajectoryError:
            continue
        stamp = nanoseconds(found.message.header.stamp)
        if not stamp:
            warnings.warn(
                f'{origin_of(found)}: it has no stamp: the motion is taken to begin at its '
                'reception, and the delay until it began counts as an error',
                RecordingWarning,
                stacklevel=4,
            )
        off = np.abs(sent.jets(times, 1) - curve.jets(times, 1)).max()
        yield _Run(stamp or found.log_time, float(off))
