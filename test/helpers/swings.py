# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motions of the planar robot to and fro."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from helpers.node_processes import NodeProcess, trajectory
from helpers.planar_sea import NAMES
from helpers.ros_fixture import RosFixture
from screw_dynamics.messages.times import nanoseconds

POINTS = ([-1.4, 0.5], [-1.0, 0.2], [-0.6, -0.4])
TIMES = (0.0, 0.6, 1.0)  # s


def swing(
    ros: RosFixture, process: NodeProcess, name: str, samples: Sequence[Any], count: int
) -> None:
    """Move until more than `count` samples in motion are heard: a busy node skips many."""
    points, first = list(POINTS), 0
    while sum(sample.source != 0 for sample in samples) <= count:
        message = trajectory(NAMES, *points[first:], times=TIMES[first:])
        _follow(ros, process, f'/{name}/joint_trajectory', message, samples)
        points.reverse()
        first = 1  # the robot is at the other end


def _follow(
    ros: RosFixture, process: NodeProcess, topic: str, message: Any, samples: Sequence[Any]
) -> None:
    """Publish a trajectory and wait for its end."""
    text = 'Following a trajectory'
    known = process.log.count(text)
    ros.publish(message, topic)
    ros.wait_for('the trajectory', lambda: process.log.count(text) > known, process)
    begun = ros.node.get_clock().now().nanoseconds

    def ended() -> bool:
        if not samples or nanoseconds(samples[-1].header.stamp) <= begun:
            return False
        return samples[-1].source == 0

    ros.wait_for('the end', ended, process)
