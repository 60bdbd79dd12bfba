# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""``~/joint_trajectory_effort``: densely sampled accepted trajectories with their efforts."""

from __future__ import annotations

import numpy as np
from builtin_interfaces.msg import Duration
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import SECOND
from screw_dynamics.messages.trajectories import effort_points
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared.endpoints import make_publisher
from screw_dynamics.reference.active_trajectory import ActiveTrajectory

TOPIC = '~/joint_trajectory_effort'
INPUT = '~/joint_trajectory'
_MOST_POINTS = 20_000  # a few MB


def require_two_topics(node: Node, parameters: FeedforwardParameters) -> None:
    """Raise InputError if the node would receive the trajectories that it publishes."""
    topic = node.resolve_topic_name(TOPIC)
    if parameters.publish_trajectory_effort and topic == node.resolve_topic_name(INPUT):
        raise InputError(
            f"parameter 'publish_trajectory_effort': expected two topics, got {topic} for both "
            f'{INPUT} and {TOPIC}: the node would receive what it publishes'
        )


class TrajectoryEffortOutput:
    """
    Publishes trajectories for a controller that interpolates between close points.

    joint_trajectory_controller uses the efforts if it has the effort command interface, and
    interpolates them linearly: between points h apart the error is at most max|tau''| h^2 / 8.
    Positions are much more accurate, since it interpolates them by quintics.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = make_publisher(node, JointTrajectory, TOPIC)

    def publish(self, data: bytes) -> None:
        """Publish a serialised message of `with_efforts`."""
        self._publisher.publish(data)

    def destroy(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)


def with_efforts(model: ScrewModel, motion: ActiveTrajectory, period: float) -> JointTrajectory:
    """
    Return a trajectory with efforts, from its takeover to its end, as a message without a stamp.

    It is sampled every `period` [s] and at its points. Raises InputError if there are too many
    samples and NotFiniteError if an effort is not finite.
    """
    times = sample_times(motion, round(SECOND * period))
    # rounding to ns may put the first time slightly before the curve, where it is at rest
    since = np.maximum(times / SECOND - motion.joined, motion.curve.breaks[0])
    jets = motion.curve.jets(since, rows=3)
    efforts = inverse_dynamics(model, jets)[:, 0]
    return JointTrajectory(
        joint_names=list(model.joint_names),
        points=effort_points(times.tolist(), jets, efforts, JointTrajectoryPoint, Duration),
    )


def sample_times(motion: ActiveTrajectory, step: int) -> np.typing.NDArray[np.int64]:
    """
    Return the T times from start at which a motion is sampled [ns], strictly increasing and >= 0.

    They are the breaks of the curve, the last of which is its end, and a grid of `step` [ns].
    Raises InputError if there are too many.
    """
    breaks = np.round(SECOND * (motion.joined + motion.curve.breaks)).astype(np.int64)
    begin, end = max(0, int(breaks[0])), int(breaks[-1])
    count = (end - begin) // step + len(breaks)
    if count > _MOST_POINTS:
        raise InputError(
            f"parameter 'resample_period': expected a period that gives at most {_MOST_POINTS} "
            f'points, {step / SECOND:g} s gives {count}'
        )
    # the grid starts at the first break, which may be between two multiples of the step
    grid = np.arange(begin, end, step, dtype=np.int64)
    return np.union1d(grid, breaks[breaks >= begin])
