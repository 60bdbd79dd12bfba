# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of the frames of a model, straight from the product of exponentials."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import exp_screw
from screw_dynamics.model import ScrewModel


def body_poses(model: ScrewModel, q: Array) -> list[Array]:
    """Return C_i = C_p B_i exp(X_i s_i) for every body."""
    poses: list[Array] = []
    for i in range(model.body_count):
        s = model.multipliers[i] * q[model.coordinates[i]] + model.offsets[i]
        step = model.home_poses[i] @ exp_screw(model.screws[i], s)
        poses.append(step if model.parents[i] < 0 else poses[model.parents[i]] @ step)
    return poses


def frame_poses(model: ScrewModel, q: Array) -> dict[str, Array]:
    """Return the pose of every frame in base-link axes."""
    poses = [*body_poses(model, q), np.eye(4)]  # index -1 is the base
    return {name: poses[frame.body] @ frame.pose for name, frame in model.frames.items()}
