# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of the distal frames of all modules in the base frame."""

from screw_dynamics.kernels.soft.layout import BLOCK, KIND, ROD, STEP_WIDTH, STEPS
from screw_dynamics.kernels.soft.rod_columns import advance_pose


def set_frame_poses(ws, place, modules, count, pose, poses):
    """Set the poses (m, 4, 4) from the blocks of a forward sweep; `pose` (12,) is workspace."""
    pose[:] = 0.0
    pose[0] = pose[4] = pose[8] = 1.0
    for i in range(modules.shape[0] - 1):
        block = place.blocks + modules[i, BLOCK] * count
        steps = modules[i, STEPS] if modules[i, KIND] == ROD else 1
        for s in range(steps):
            advance_pose(ws, block + s * STEP_WIDTH * count, count, pose)
        for a in range(3):
            for b in range(3):
                poses[i, a, b] = pose[3 * a + b]
            poses[i, a, 3] = pose[9 + a]
            poses[i, 3, a] = 0.0
        poses[i, 3, 3] = 1.0
