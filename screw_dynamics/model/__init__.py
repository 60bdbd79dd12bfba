# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot model: an immutable tree of joint screws, home poses and inertias."""

from screw_dynamics.model.records import Frame, JointLimits
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import ScrewModel

__all__ = ['Frame', 'JointLimits', 'RobotModel', 'ScrewModel']
