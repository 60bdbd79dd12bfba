# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The reference configuration q = 0: poses of the bodies and joint screws seen from the base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie import adjoint, exp_screw, screw_pitch

if TYPE_CHECKING:
    from screw_dynamics.model.screw_model import ScrewModel


def reference_poses(model: ScrewModel) -> Array:
    """
    Return A_i = C_i(0): the pose of every body at q = 0 (mimic offsets included).

    Returns (N, 4, 4).
    """
    poses = np.empty((model.body_count, 4, 4))
    for i in range(model.body_count):
        pose = model.home_poses[i]
        if model.offsets[i] != 0.0:
            pose = pose @ exp_screw(model.screws[i], float(model.offsets[i]))
        poses[i] = pose if model.parents[i] < 0 else poses[model.parents[i]] @ pose
    return poses


def spatial_screws(model: ScrewModel) -> Array:
    """
    Return Y_i = Ad_{A_i} X_i: the joint screws at q = 0 seen from the base (MK2021 sect. 2.1).

    Returns (N, 6).
    """
    poses = reference_poses(model)
    screws = [adjoint(pose) @ screw for pose, screw in zip(poses, model.screws, strict=True)]
    return np.array(screws).reshape(-1, 6)


def pitch_and_point(screw: Array) -> tuple[float, Array | None]:
    """
    Return the pitch of a unit screw and the point of its axis that is nearest to the origin.

    `screw` (6,); returns `pitch` [m/rad], `point` (3,) [m].
    """
    pitch = screw_pitch(screw)
    return pitch, np.cross(screw[:3], screw[3:]) if np.isfinite(pitch) else None
