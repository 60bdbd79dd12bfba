# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses and Jacobians of named frames."""

from screw_dynamics.kinematics.frames import frame_jacobian, frame_pose

__all__ = ['frame_jacobian', 'frame_pose']
