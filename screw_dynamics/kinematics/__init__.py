# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses, twists and Jacobians of named frames; joint motions for tasks."""

from screw_dynamics.kinematics.frame_jets import frame_jacobian_jet, frame_twist
from screw_dynamics.kinematics.frames import frame_jacobian, frame_pose
from screw_dynamics.kinematics.task_space import task_to_joint_jet

__all__ = [
    'frame_jacobian',
    'frame_jacobian_jet',
    'frame_pose',
    'frame_twist',
    'task_to_joint_jet',
]
