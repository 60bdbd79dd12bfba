# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses near a pose of a robot, as waypoints and as Path messages."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='messages need ROS 2')

from geometry_msgs.msg import PoseStamped
from scipy.spatial.transform import Rotation

from screw_dynamics.common.times import SECOND, set_stamp
from screw_dynamics.trajectory.cartesian import PoseWaypoints

FRAME, BASE = 'flange', 'base_link'  # of iiwa14.urdf
START = np.array([0.3, 0.5, 0.1, -1.5, 0.2, 1.0, 0.4])


def near(pose: np.ndarray, times: list[float], seed: int = 0) -> PoseWaypoints:
    """Return poses up to 0.1 m and 20 degrees from a pose (4, 4)."""
    rng = np.random.default_rng(seed)
    positions = pose[:3, 3] + rng.uniform(-0.06, 0.06, (len(times), 3))
    turns = Rotation.from_rotvec(rng.uniform(-0.2, 0.2, (len(times), 3)))
    orientations = (turns * Rotation.from_matrix(pose[:3, :3])).as_quat()
    return PoseWaypoints(FRAME, np.array(times), positions, orientations)


def path_message(waypoints: PoseWaypoints, frame_id: str = BASE, start: int = 0) -> Any:
    """Return a Path whose stamps are `start` [ns] and the times of the poses after it."""
    message = import_module('nav_msgs.msg').Path()
    message.header.frame_id = frame_id
    set_stamp(message.header.stamp, start)
    for time, position, orientation in zip(
        waypoints.times, waypoints.positions, waypoints.orientations, strict=True
    ):
        pose = PoseStamped()
        set_stamp(pose.header.stamp, start + round(SECOND * time))
        for target, fields, values in (
            (pose.pose.position, 'xyz', position),
            (pose.pose.orientation, 'xyzw', orientation),
        ):
            for field, value in zip(fields, values, strict=True):
                setattr(target, field, float(value))
        message.poses.append(pose)
    return message
