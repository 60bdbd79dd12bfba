# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of a frame of many samples: the product of exponentials along its path."""

import numpy as np

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.tree.forward_kinematics import all_finite, forward_kinematics_step


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


frame_poses = Kernel(
    _frame_poses,
    f'boolean({read_only(2)}, {read_only(2, "int64")}, {read_only(2)}, {read_only(1, "int64")}, '
    f'{read_only(2)}, float64[:, :, ::1])',
)
