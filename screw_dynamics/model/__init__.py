# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot model: an immutable tree of joint screws, home poses and inertias."""

from screw_dynamics.model.frame import Frame
from screw_dynamics.model.joint_limits import JointLimits
from screw_dynamics.model.screw_model import ScrewModel

__all__ = ['Frame', 'JointLimits', 'ScrewModel']
