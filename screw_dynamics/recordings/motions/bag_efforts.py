# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of the motions in a bag, and a new bag with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.common.paths import new_folder
from screw_dynamics.common.progress import progress
from screw_dynamics.common.times import SECOND
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import BagError
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.motions.followed_trajectories import (
    FollowedTrajectory,
    evaluate_trajectories,
    origin,
    trajectory_with_efforts,
    until_replaced,
)
from screw_dynamics.recordings.motions.joint_states import messages_between
from screw_dynamics.recordings.motions.measured_efforts import measured_efforts
from screw_dynamics.recordings.results.evaluation import Wanted
from screw_dynamics.recordings.results.results import Origin, Results, joined, part_of
from screw_dynamics.recordings.results.results_from_bag import JOINT_STATE, TRAJECTORY, one_topic

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import Bag
    from screw_dynamics.recordings.bags.writer import BagWriter


@dataclass(frozen=True, eq=False)
class BagEfforts:
    """
    Efforts of the motions on one topic of a bag.

    Parameters
    ----------
    results : Results
        Times count from the first sample.
    report : str
        Of joint states, how many messages were used, and what noise they have.
    parts : tuple of Results and Origin
        The results, with their stamps, one by one.
    followed : tuple of FollowedTrajectory
        The trajectories, whole.
    """

    results: Results
    report: str
    parts: tuple[tuple[Results, Origin], ...]
    followed: tuple[FollowedTrajectory, ...]

    def write(
        self, path: Path, urdf: str, namespace: str = '/offline', copied: Bag | None = None
    ) -> None:
        """
        Write a new bag of FeedforwardTorque messages, and of the trajectories with efforts.

        Parameters
        ----------
        path : Path
            Of a folder that does not exist.
        urdf : str
            Text of the robot description.
        namespace : str
            Of the new topics.
        copied : Bag, optional
            Whose messages are written, too.

        Raises
        ------
        BagError
            If the bag that is copied has these topics.
        """
        from screw_dynamics.recordings.bags.writer import BagWriter
        from screw_dynamics.recordings.results.results_bag import DESCRIPTION_TOPIC, ResultsWriter

        endings = ('feedforward', 'motor_feedforward', 'joint_trajectory_effort')
        names = [f'{namespace}/{ending}' for ending in endings]
        topics = {} if copied is None else copied.topics
        for name in names:
            if copied is not None and name in topics:
                raise BagError(
                    f'{copied.path}: it has a topic {name} already: choose another --namespace'
                )
        with new_folder(path) as place, BagWriter(place) as writer:
            if copied is not None:
                _copy(copied, writer)
            output = ResultsWriter(writer, names[0], names[1])
            if DESCRIPTION_TOPIC not in topics:
                output.write_description(urdf, int(self.parts[0][1].stamps[0]))
            several = len(self.parts) > 1  # one progress bar for all parts
            for results, source in (
                progress(self.parts, 'writing', unit='part') if several else self.parts
            ):
                output.write(results, source)
            _write_trajectories(self.followed, writer, names[2])


def bag_efforts(  # noqa: PLR0913  (options are keywords)
    bag: Bag,
    robot: Robot | ScrewModel,
    *,
    topic: str | None = None,
    start: float = -np.inf,
    end: float = np.inf,
    interpolation: str = 'smooth',
    rate: float | None = None,
    order: int = 2,
    effort_format: EffortFormat | None = None,
    smoothing_time: float | None = None,
) -> BagEfforts:
    """
    Compute the efforts of recorded trajectories, or of measured joint states.

    Trajectories are followed as a controller would: one that begins while another is active goes
    on from its state, and one that is invalid is left out with a warning. Measured positions are
    smoothed as far as their noise asks for.

    Parameters
    ----------
    bag : Bag
    robot : Robot or ScrewModel
        With drives, motor commands are computed too.
    topic : str, optional
        JointTrajectory or JointState messages; by default the only ones, of the first type before
        the other.
    start, end : float
        Times of the messages, since the begin of the bag [s].
    interpolation : str
        Of trajectories, 'smooth' or 'jtc'.
    rate : float, optional
        Samples per second [Hz]; by default 250 of trajectories, the recorded instants of states.
    order : int
        Highest derivative of the efforts.
    effort_format : EffortFormat, optional
        Efforts as the robot takes them.
    smoothing_time : float, optional
        Measured motion faster than this is noise [s]; by default the data choose.

    Returns
    -------
    BagEfforts

    Raises
    ------
    BagError
        If there is no such topic, or no trajectory on it can be followed.
    TrajectoryError
        If joint states do not tell a motion.
    InputError
        If positions are in degrees.
    """
    robot = as_robot(robot)
    taken = EffortFormat() if effort_format is None else effort_format
    wanted = Wanted(interpolation, rate, order, taken, smoothing_time)
    topic = one_topic(bag, (TRAJECTORY, JOINT_STATE), topic)
    messages = messages_between(bag, topic, start, end)
    followed: list[FollowedTrajectory] = []
    report = ''
    if bag.topics[topic].type == TRAJECTORY:
        followed = evaluate_trajectories(list(messages), robot, wanted)
        parts = [
            (part_of(this.results, before), _part_of(origin(this), before))
            for this, before in until_replaced(followed)
            if before.any()
        ]
    else:
        where = f'{bag.path}: topic {topic!r}'
        results, source, report = measured_efforts(messages, robot, where, bag.start_time, wanted)
        parts = [(results, source)]
    first = int(parts[0][1].stamps[0])
    whole = joined(
        [replace(results, times=(source.stamps - first) / SECOND) for results, source in parts]
    )
    return BagEfforts(whole, report, tuple(parts), tuple(followed))


def _part_of(source: Origin, chosen: np.typing.NDArray[np.bool_]) -> Origin:
    return source._replace(stamps=source.stamps[chosen], from_start=source.from_start[chosen])


def _copy(bag: Bag, writer: BagWriter) -> None:
    for topic, about in bag.topics.items():
        writer.add_topic(topic, about.type, about.definition, about.qos, about.type_hash)
    total = sum(about.count for about in bag.topics.values())
    for raw in progress(bag.raw_messages(), 'copying', total, 'message'):
        writer.write(raw.topic, raw.log_time, raw.data)


def _write_trajectories(
    followed: Sequence[FollowedTrajectory], writer: BagWriter, topic: str
) -> None:
    if not followed:
        return
    from screw_dynamics.recordings.bags.definitions import MessageTypes

    types = MessageTypes()
    writer.add_topic(topic, TRAJECTORY, types.definition(TRAJECTORY))
    for this in followed:
        message = trajectory_with_efforts(this, types)
        writer.write(topic, this.log_time, types.serialize(message))
