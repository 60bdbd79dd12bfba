# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the frames are and how they move with the joints."""

from screw_dynamics.kinematics.frame_jacobian import frame_jacobian
from screw_dynamics.kinematics.frame_pose import frame_pose

__all__ = ['frame_jacobian', 'frame_pose']
