# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""SO(3), SE(3), inertia; twists are [angular; linear], wrenches [torque; force]."""

from screw_dynamics.lie.adjoint import (
    adjoint,
    adjoint_inverse,
    coadjoint,
    twist_cross,
    wrench_cross,
)
from screw_dynamics.lie.exponential import (
    dexp_inverse_se3,
    dexp_inverse_so3,
    dexp_se3,
    dexp_so3,
    exp_se3,
    exp_so3,
    log_se3,
    log_so3,
)
from screw_dynamics.lie.inertia import (
    inertia_matrix,
    inertia_parameters,
    pseudo_inertia,
    second_moment,
    transform_inertia,
)
from screw_dynamics.lie.screw import (
    exp_screw,
    pose_on_axis,
    rotation_and_translation_rate,
    screw_pitch,
    screw_type,
    turn_and_travel,
)
from screw_dynamics.lie.se3 import hat, inverse_pose, is_pose, pose
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
    'coadjoint',
    'dexp_inverse_se3',
    'dexp_inverse_so3',
    'dexp_se3',
    'dexp_so3',
    'exp_screw',
    'exp_se3',
    'exp_so3',
    'hat',
    'inertia_matrix',
    'inertia_parameters',
    'inverse_pose',
    'is_pose',
    'is_rotation',
    'log_se3',
    'log_so3',
    'pose',
    'pose_on_axis',
    'pseudo_inertia',
    'quaternion_rotation',
    'rotation_and_translation_rate',
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
    'wrench_cross',
]
