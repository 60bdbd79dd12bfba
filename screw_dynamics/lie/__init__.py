# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""SO(3), SE(3) and rigid-body inertia; twists are [angular; linear], wrenches [torque; force]."""

from screw_dynamics.lie.adjoint import adjoint, adjoint_inverse, twist_cross
from screw_dynamics.lie.inertia import (
    inertia_matrix,
    inertia_parameters,
    second_moment,
    transform_inertia,
)
from screw_dynamics.lie.screw import (
    exp_screw,
    pose_on_axis,
    screw_pitch,
    screw_type,
    turn_and_travel,
)
from screw_dynamics.lie.se3 import inverse_pose, is_pose, pose
from screw_dynamics.lie.so3 import (
    axis_angle_rotation,
    is_rotation,
    quaternion_rotation,
    rotation_onto_z,
    rpy_rotation,
    skew,
    vee,
)

__all__ = [
    'adjoint',
    'adjoint_inverse',
    'axis_angle_rotation',
    'exp_screw',
    'inertia_matrix',
    'inertia_parameters',
    'inverse_pose',
    'is_pose',
    'is_rotation',
    'pose',
    'pose_on_axis',
    'quaternion_rotation',
    'rotation_onto_z',
    'rpy_rotation',
    'screw_pitch',
    'screw_type',
    'second_moment',
    'skew',
    'transform_inertia',
    'turn_and_travel',
    'twist_cross',
    'vee',
]
