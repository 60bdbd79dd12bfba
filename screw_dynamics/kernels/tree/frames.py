# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the poses of frames and their Jacobians (MK2021, M2018)."""

import numpy as np

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.tree.forward_kinematics import all_finite, forward_kinematics_step
from screw_dynamics.kernels.tree.layout import COORDINATE, MULTIPLIER, ROTATION, TRANSLATION
from screw_dynamics.kernels.tree.path_series import BODY, MIXED, SPATIAL


def _frame_poses(q, tree, bodies, path, local, poses):
    """Write the pose of every sample; return False if any is not finite."""
    rotations = np.empty((bodies.shape[0], 3, 3))
    from_parent = np.empty((bodies.shape[0], 3))
    for t in range(q.shape[0]):
        if not all_finite(q[t]):
            return False
        for i in path:
            forward_kinematics_step(i, q[t], tree, bodies, rotations, from_parent)
        poses[t] = local
        if path.size:
            last = rotations[path[-1]]
            for a in range(3):
                x, y, z = last[a, 0], last[a, 1], last[a, 2]
                for b in range(4):
                    poses[t, a, b] = x * local[0, b] + y * local[1, b] + z * local[2, b]
                for i in path:
                    poses[t, a, 3] += from_parent[i, a]
        # if a rotation is not finite, the position is not either
        if not all_finite(poses[t, :, 3]):
            return False
    return True


_TABLES = f'{read_only(2, "int64")}, {read_only(2)}, {read_only(1, "int64")}, {read_only(2)}'
frame_poses = Kernel(_frame_poses, f'boolean({read_only(2)}, {_TABLES}, float64[:, :, ::1])')


def _frame_jacobians(q, tree, bodies, path, local, representation, jacobians):
    """Add the columns of every sample to `jacobians`; return False if any is not finite."""
    rotations = np.empty((bodies.shape[0], 3, 3))
    from_parent = np.empty((bodies.shape[0], 3))
    lever, axes = np.empty(3), np.empty((2, 3, 3))
    for t in range(q.shape[0]):
        if not all_finite(q[t]):
            return False
        for i in path:
            forward_kinematics_step(i, q[t], tree, bodies, rotations, from_parent)
        if path.size:
            _set_axes_and_lever(
                rotations[path[-1]], path, local, from_parent, representation, axes, lever
            )
        for k in range(path.size - 1, -1, -1):
            i = path[k]
            _add_column(i, bodies, rotations, axes, lever, jacobians[t, :, tree[i, COORDINATE]])
            for a in range(3):
                lever[a] += from_parent[i, a]
        if not all_finite(jacobians[t].ravel()):
            return False
    return True


def _set_axes_and_lever(last, path, local, from_parent, representation, axes, lever):
    """
    Set the axes (columns) and the lever of the representation, in base-link axes.

    The axes (2, 3, 3) are those of the angular and of the linear part. The lever is the vector
    from the last body's origin to the reference point of the twist.
    """
    for a in range(3):
        for b in range(3):
            of_frame = (
                last[a, 0] * local[0, b] + last[a, 1] * local[1, b] + last[a, 2] * local[2, b]
            )
            of_base = 1.0 if a == b else 0.0
            axes[0, a, b] = of_frame if representation in (BODY, MIXED) else of_base
            axes[1, a, b] = of_frame if representation == BODY else of_base
        if representation == SPATIAL:
            lever[a] = 0.0
            for i in path:
                lever[a] -= from_parent[i, a]
        else:
            lever[a] = (
                last[a, 0] * local[0, 3] + last[a, 1] * local[1, 3] + last[a, 2] * local[2, 3]
            )


def _add_column(i, bodies, rotations, axes, lever, column):
    """Add the screw of joint i, referred to the end point of the lever, to a column."""
    turn, travel = bodies[i, ROTATION], bodies[i, TRANSLATION]
    multiplier = bodies[i, MULTIPLIER]
    x, y, z = rotations[i, 0, 2], rotations[i, 1, 2], rotations[i, 2, 2]
    u = turn * (y * lever[2] - z * lever[1]) + travel * x
    v = turn * (z * lever[0] - x * lever[2]) + travel * y
    w = turn * (x * lever[1] - y * lever[0]) + travel * z
    for a in range(3):
        angular = axes[0, 0, a] * x + axes[0, 1, a] * y + axes[0, 2, a] * z
        linear = axes[1, 0, a] * u + axes[1, 1, a] * v + axes[1, 2, a] * w
        column[a] += multiplier * (turn * angular)
        column[3 + a] += multiplier * linear


frame_jacobians = Kernel(
    _frame_jacobians, f'boolean({read_only(2)}, {_TABLES}, int64, float64[:, :, ::1])'
)
