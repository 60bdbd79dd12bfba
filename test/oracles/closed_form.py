# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Terms of the equations of motion in system matrices (MK2021), on real or complex coordinates.

Complex coordinates give exact derivatives: f'(q) = Im f(q + i h) / h without cancellation, so h
may be 1e-30 and the derivative is as accurate as f.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from screw_dynamics.common.arrays import Array
from screw_dynamics.model import ScrewModel

STEP = 1e-30

# 2.2e-16 over the tightest bound that goes with `mass_matrix_scale`, 1e-13, with a factor of two.
SMALLEST_LEVER = 4e-3

Numbers = NDArray[np.float64] | NDArray[np.complex128]


def body_poses(model: ScrewModel, q: Numbers) -> Numbers:
    """Return C_i = C_p B_i exp(X_i s_i) of every body, (N, 4, 4), by matrix exponentials."""
    poses = []
    for i in range(model.body_count):
        before = model.home_poses[i]
        if model.parents[i] >= 0:
            before = poses[model.parents[i]] @ before
        s = model.multipliers[i] * q[model.coordinates[i]] + model.offsets[i]
        poses.append(before @ expm(_hat(model.screws[i]) * s))
    return np.array(poses).reshape(model.body_count, 4, 4)


def frame_pose(model: ScrewModel, q: Numbers, name: str) -> Numbers:
    """Return the pose (4, 4) of a named frame."""
    frame = model.frames[name]
    return frame.pose if frame.body < 0 else body_poses(model, q)[frame.body] @ frame.pose


def system_jacobian(model: ScrewModel, q: Numbers) -> Numbers:
    """Return J = A X G (6 N, n), MK2021 (9)-(17): body-fixed twists of all, mimics reduced."""
    poses = body_poses(model, q)
    jacobian = np.zeros((6 * model.body_count, model.n), dtype=poses.dtype)
    for i in range(model.body_count):
        j = i
        while j >= 0:
            step = np.linalg.inv(poses[i]) @ poses[j]
            column = model.multipliers[j] * (_adjoint(step) @ model.screws[j])
            jacobian[6 * i : 6 * i + 6, model.coordinates[j]] += column
            j = int(model.parents[j])
    return jacobian


def mass_matrix(model: ScrewModel, q: Numbers) -> Numbers:
    """Return M = J^T blkdiag(M_i) J, MK2021 (20)."""
    jacobian = system_jacobian(model, q).reshape(model.body_count, 6, model.n)
    return np.einsum('iaj,iab,ibk->jk', jacobian, model.inertias, jacobian)


def mass_matrix_scale(model: ScrewModel, q: Array) -> float:
    """
    Return the largest sum of the sizes of what the entries of M are summed from.

    Rounding is relative to it where an entry is the small rest of large terms. A lever between an
    axis and a body is such a rest itself: of positions of the size of the robot. No lever counts
    as smaller than `SMALLEST_LEVER` of that size, or rounding would exceed any bound for a point
    mass on its own axis.
    """
    jacobian = np.abs(system_jacobian(model, q)).reshape(model.body_count, 6, model.n)
    reach = np.abs(model.home_poses[:, :3, 3]).sum() + np.abs(model.screws[:, 3:]).sum()
    jacobian[:, 3:] += SMALLEST_LEVER * reach
    sizes = np.einsum('iaj,iab,ibk->jk', jacobian, np.abs(model.inertias), jacobian)
    return float(sizes.max(initial=0.0))


def mass_matrix_gradient(model: ScrewModel, q: Array) -> Array:
    """Return dM/dq_k (n, n, n), index k first, exact, by complex steps."""
    steps = 1j * STEP * np.eye(model.n)
    slices = [np.imag(mass_matrix(model, q + step)) / STEP for step in steps]
    return np.array(slices).reshape(model.n, model.n, model.n)


def christoffel_coriolis_matrix(model: ScrewModel, q: Array, qd: Array) -> Array:
    """Return C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) q'_k / 2, M2018 (86)."""
    gradient = mass_matrix_gradient(model, q)
    along = np.einsum('kij,k->ij', gradient, qd)
    across = np.einsum('jik,k->ij', gradient, qd)
    return 0.5 * (along + across - across.T)


def gravity_forces(model: ScrewModel, q: Array) -> Array:
    """Return the gradient of the potential energy -sum_i m_i g . r_ci, exact, by complex steps."""
    steps = 1j * STEP * np.eye(model.n)
    return np.array([np.imag(_potential(model, q + step)) / STEP for step in steps])


def _potential(model: ScrewModel, q: Numbers) -> complex:
    total = 0.0
    for pose, inertia in zip(body_poses(model, q), model.inertias, strict=True):
        # m c from the upper right block m c~
        moment = np.array([inertia[2, 4], inertia[0, 5], inertia[1, 3]])
        total -= model.gravity @ (pose[:3, :3] @ moment + inertia[3, 3] * pose[:3, 3])
    return total


def _hat(screw: Array) -> Array:
    x, y, z, u, v, w = screw
    return np.array([[0, -z, y, u], [z, 0, -x, v], [-y, x, 0, w], [0, 0, 0, 0]])


def _adjoint(pose: Numbers) -> Numbers:
    matrix = np.zeros((6, 6), dtype=pose.dtype)
    rotation, (x, y, z) = pose[:3, :3], pose[:3, 3]
    matrix[:3, :3] = matrix[3:, 3:] = rotation
    matrix[3:, :3] = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ rotation
    return matrix
