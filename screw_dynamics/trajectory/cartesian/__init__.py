# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories of frames: poses at times to C4 motions of frames, and of the joints."""

from screw_dynamics.trajectory.cartesian.inverse_kinematics import inverse_kinematics
from screw_dynamics.trajectory.cartesian.joint_motion import (
    CartesianTrajectory,
    cartesian_trajectory,
)
from screw_dynamics.trajectory.cartesian.pose_curve import PoseCurve
from screw_dynamics.trajectory.cartesian.pose_files import PoseFile, parse_poses, read_poses
from screw_dynamics.trajectory.cartesian.poses import PoseWaypoints

__all__ = [
    'CartesianTrajectory',
    'PoseCurve',
    'PoseFile',
    'PoseWaypoints',
    'cartesian_trajectory',
    'inverse_kinematics',
    'parse_poses',
    'read_poses',
]
