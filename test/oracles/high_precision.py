# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inverse dynamics of any order from d'Alembert's principle, in 60-digit arithmetic.

A body is a cloud of mass points at r = C (rho; 1), and the effort of joint j is the virtual power

    Q_j = sum over the bodies it moves of the integral of (dr/dq_j) . (r'' - g) dm
        = tr(Z_j F_j),   F_j = sum C_i P_i (C_i'' - G)^T,   dC_i/dq_j = Z_j C_i,

with the pseudo-inertia P_i = integral of (rho; 1) (rho; 1)^T dm, linear in mass, first moment and
inertia, hence defined for non-physical inertias too. There are no twists, no adjoints, no moving
frames and no Newton-Euler recursion in it: time derivatives are Taylor coefficients of the poses
in the inertial frame.
"""

from __future__ import annotations

from collections.abc import Mapping

import gmpy2
import numpy as np
from numpy.typing import ArrayLike

from oracles.exact_model import (
    body_poses,
    cross_matrix,
    generator,
    inverse,
    orthonormal_pose,
    pseudo_inertia,
    tree_joint_series,
)
from oracles.load_scale import LoadScale, Reference
from oracles.taylor import (
    Series,
    constant,
    derivatives_of,
    exact,
    high_precision,
    product,
    second_derivative,
    series_of,
)
from screw_dynamics.model import ScrewModel


@high_precision
def reference_efforts(
    model: ScrewModel, joint_jet: ArrayLike, wrench_jets: Mapping[str, ArrayLike] | None = None
) -> Reference:
    """
    Return the joint efforts and their time derivatives of a jet (k + 3, n).

    `wrench_jets` (k + 1, 6) are [torque; force] ON the bodies in axes and origin of named frames.
    """
    poses = body_poses(model, tree_joint_series(model, joint_jet))
    scale = LoadScale(model, poses, len(poses[0]) - 2)
    efforts = _efforts(model, poses, wrench_jets or {}, scale)
    return Reference(derivatives_of(efforts).astype(np.float64), scale.per_order())


def exact_efforts(model: ScrewModel, joint_jet: ArrayLike) -> Series:
    """
    Return the joint efforts and their time derivatives (k + 1, n) in 60 digits.

    The model may be an object with the fields of one, of 60-digit numbers.
    """
    poses = body_poses(model, tree_joint_series(model, joint_jet))
    return derivatives_of(_efforts(model, poses, {}, None))


def _efforts(
    model: ScrewModel,
    poses: list[Series],
    wrench_jets: Mapping[str, ArrayLike],
    scale: LoadScale | None,
) -> Series:
    """Return the series of the efforts, and add the loads on the joints to their scale."""
    rows = len(poses[0]) - 2
    gravity = exact(np.zeros((4, 4)))
    gravity[:3, 3] = exact(model.gravity)
    loads = []  # F_i, of the body alone at first
    for inertia, pose in zip(model.inertias, poses, strict=True):
        p = constant(pseudo_inertia(inertia), rows)
        relative = second_derivative(pose) - constant(gravity, rows)
        loads.append(product(product(pose, p), relative.transpose(0, 2, 1)))
    for name, wrench in wrench_jets.items():
        body = model.frames[name].body
        if body >= 0:
            loads[body] -= _wrench_matrix(model, name, exact(wrench), poses[body][:rows])
    efforts = np.full((rows, model.n), gmpy2.mpfr(0), dtype=object)
    for i in reversed(range(model.body_count)):
        seen = product(product(inverse(poses[i][:rows]), loads[i]), poses[i][:rows])
        effort = (generator(model.screws[i]).T * seen).sum(axis=(1, 2))
        efforts[:, model.coordinates[i]] += exact(model.multipliers[i])[()] * effort
        if scale:
            scale.add_load(seen)
        if model.parents[i] >= 0:
            loads[model.parents[i]] += loads[i]
    return efforts


def _wrench_matrix(model: ScrewModel, name: str, jet: Series, pose: Series) -> Series:
    """Return the matrix A(t) such that a motion Z C of the body has the virtual power tr(Z A)."""
    wrench = series_of(jet)
    frame_pose = product(pose, constant(orthonormal_pose(model.frames[name].pose), len(pose)))
    rotation, position = frame_pose[:, :3, :3], frame_pose[:, :, 3:]
    force = product(rotation, wrench[:, 3:, None]).transpose(0, 2, 1)
    torque = product(rotation, wrench[:, :3, None])[:, :, 0]
    matrix = np.full(pose.shape, gmpy2.mpfr(0), dtype=object)
    # the force acts at a point; a torque is the couple with omega . t = tr(omega~ (-t~ / 2))
    matrix[:, :, :3] = product(position, force)
    matrix[:, :3, :3] -= np.array([cross_matrix(t) / 2 for t in torque], dtype=object)
    return matrix
