# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Screws, poses and inertias of a checked model, exact to rounding.

The checks accept numbers rounded to nine digits. The kernels and the published recursion use
different entries of a matrix, so their results would differ if it were only nearly a rotation (or
nearly symmetric). Rounded values are therefore corrected once, here; exact values are not changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie import inertia_parameters, skew

if TYPE_CHECKING:
    from screw_dynamics.model.screw_model import ScrewModel

_EPSILON = float(np.finfo(np.float64).eps)

# Products of many rotations drift by about one rounding error each; these are not corrected.
_DRIFT = 64.0 * _EPSILON


def exact_geometry(model: ScrewModel) -> dict[str, Array]:
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
