# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Exact screws, poses and inertias of a checked model; its zero configuration q = 0.

The checks accept numbers rounded to nine digits. The kernels and the published recursion use
different entries of a matrix, so their results would differ if it were only nearly a rotation (or
nearly symmetric). Rounded values are therefore corrected once, here; exact values are not changed.
"""

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie import adjoint, exp_screw, inertia_parameters, screw_pitch, skew
from screw_dynamics.model.records import ModelRecord

_EPSILON = float(np.finfo(np.float64).eps)

# Products of many rotations drift by about one rounding error each; these are not corrected.
_DRIFT = 64.0 * _EPSILON


def exact_geometry(model: ModelRecord) -> dict[str, Array]:
    """Return the exact screws, home poses and inertias of a checked model by field name."""
    return {
        'screws': unit_screws(model.screws),
        'home_poses': orthonormal_poses(model.home_poses),
        'inertias': np.array([inertia_form(m) for m in model.inertias]).reshape(-1, 6, 6),
    }


def unit_screws(screws: Array) -> Array:
    """
    Return screws with axes of unit length, exact to rounding.

    `screws` (N, 6) have unit length to nine digits.
    """
    units: Array = screws.copy()
    for unit in units:
        norm = float(np.linalg.norm(unit[:3] if unit[:3].any() else unit[3:]))
        if abs(norm - 1.0) > 4.0 * _EPSILON:
            unit /= norm
    return units


def orthonormal_poses(poses: Array) -> Array:
    """
    Return poses (N, 4, 4) with orthonormal rotations.

    One Newton step towards the nearest orthonormal matrix squares the defect, which is at most
    1e-9 before the step.
    """
    exact: Array = poses.copy()
    for pose in exact:
        rotation = pose[:3, :3]
        gram = rotation.T @ rotation
        if np.abs(gram - np.eye(3)).max() > _DRIFT:
            pose[:3, :3] = 0.5 * rotation @ (3.0 * np.eye(3) - gram)
    return exact


def inertia_form(inertia: Array) -> Array:
    """
    Return [[Theta, m c~], [-m c~, m I]], Theta symmetric, with the parameters of an inertia.

    Returns the argument (6, 6) itself if it already has this form.
    """
    mass, first_moment, rotational = inertia_parameters(inertia)
    form = np.block(
        [
            [0.5 * (rotational + rotational.T), skew(first_moment)],
            [-skew(first_moment), mass * np.eye(3)],
        ]
    )
    return inertia if np.array_equal(form, inertia) else form


def reference_poses(model: ModelRecord) -> Array:
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


def spatial_screws(model: ModelRecord) -> Array:
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
