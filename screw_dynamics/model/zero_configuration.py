# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Zero configuration q = 0: poses of the bodies and joint screws in the base-link frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie import adjoint, exp_screw, screw_pitch

if TYPE_CHECKING:
    from screw_dynamics.model.screw_model import ScrewModel


def reference_poses(model: ScrewModel) -> Array:
    """
    Return A_i = C_i(0) (N, 4, 4): the pose of every body in base-link axes at q = 0.

    Offsets of mimic joints are included.
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
    Return Y_i = Ad_{A_i} X_i (N, 6), the unit joint screws at q = 0 (MK2021 sect. 2.1).

    They are expressed in the base-link frame.
    """
    poses = reference_poses(model)
    screws = [adjoint(pose) @ screw for pose, screw in zip(poses, model.screws, strict=True)]
    return np.array(screws).reshape(-1, 6)


def pitch_and_point(screw: Array) -> tuple[float, Array | None]:
    """
    Return the pitch [m/rad] of a unit screw and the point of its axis nearest to the origin [m].

    For a prismatic joint, which has a direction but no axis, they are infinite and None.
    """
    pitch = screw_pitch(screw)
    return pitch, np.cross(screw[:3], screw[3:]) if np.isfinite(pitch) else None
