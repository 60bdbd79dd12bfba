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
from dataclasses import dataclass

import gmpy2
import numpy as np
from numpy.typing import ArrayLike
from oracles.exact_model import (
    axis_of,
    body_poses,
    cross_matrix,
    orthonormal_pose,
    pseudo_inertia,
    tree_joint_series,
)
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

from screw_dynamics.arrays import Array
from screw_dynamics.model import ScrewModel


@dataclass(frozen=True)
class Reference:
    """
    An effort jet correct to the last bit, and how large the numbers are that it is the sum of.

    Parameters
    ----------
    efforts : (k + 1, n) ndarray
        Row d is the d-th time derivative of the joint efforts.
    scale : (k + 1,) ndarray
        Per row, the largest load that inertia, gravity or the wrenches put on any joint, in all
        directions and not only along its axis. Where efforts cancel (a vertical axis under
        gravity, free fall), rounding errors are relative to this and not to the efforts.

    """

    efforts: Array
    scale: Array


@high_precision
def reference_efforts(
    model: ScrewModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
) -> Reference:
    """
    Return the joint efforts and their time derivatives up to order k.

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (k + 3, n) array_like
    wrench_jets : mapping of str to (k + 1, 6) array_like, optional
        [torque; force] ON the bodies in the axes and origin of the named frames.

    Returns
    -------
    Reference

    """
    joints = tree_joint_series(model, joint_jet)
    rows = len(joints) - 2
    poses = body_poses(model, joints)
    # what acts on the subtree of each body, by origin: inertia, gravity, wrenches
    loads = [_inertia_and_gravity(model, i, poses[i]) for i in range(model.body_count)]
    for name, wrench in (wrench_jets or {}).items():
        body, matrix = _wrench_matrix(model, name, exact(wrench), poses, rows)
        if body >= 0:
            loads[body][2] -= matrix
    efforts = np.full((rows, model.n), gmpy2.mpfr(0), dtype=object)
    scale = np.zeros(rows)
    for i in reversed(range(model.body_count)):
        coordinate, multiplier = model.coordinates[i], exact(model.multipliers[i])[()]
        effort, size = _joint_effort(model.screws[i], poses[i], loads[i])
        efforts[:, coordinate] += multiplier * effort
        scale = np.maximum(scale, abs(float(multiplier)) * size)
        if model.parents[i] >= 0:
            loads[model.parents[i]] += loads[i]
    return Reference(derivatives_of(efforts).astype(np.float64), scale)


def _inertia_and_gravity(model: ScrewModel, i: int, pose: Series) -> Series:
    """Return C P C''^T, -C P G^T and room for the wrenches, each (k + 1, 4, 4)."""
    spread = product(pose, constant(pseudo_inertia(model.inertias[i]), len(pose)))
    rows = len(pose) - 2
    gravity = np.full((4, 4), gmpy2.mpfr(0), dtype=object)
    gravity[:3, 3] = exact(model.gravity)
    accelerations = second_derivative(pose).transpose(0, 2, 1)
    return np.array(
        [
            product(spread, accelerations),
            -spread[:rows] @ gravity.T,
            np.full((rows, 4, 4), gmpy2.mpfr(0), dtype=object),
        ],
        dtype=object,
    )


def _wrench_matrix(
    model: ScrewModel, name: str, jet: Series, poses: list[Series], rows: int
) -> tuple[int, Series]:
    """Return the body and the matrix A(t) with virtual power tr(Z A) for a motion Z C of it."""
    frame = model.frames[name]
    matrix = np.full((rows, 4, 4), gmpy2.mpfr(0), dtype=object)
    if frame.body < 0:
        return -1, matrix
    wrench = series_of(jet)
    frame_pose = product(poses[frame.body][:rows], constant(orthonormal_pose(frame.pose), rows))
    rotation, position = frame_pose[:, :3, :3], frame_pose[:, :, 3:]
    force = product(rotation, wrench[:, 3:, None]).transpose(0, 2, 1)
    torque = product(rotation, wrench[:, :3, None])[:, :, 0]
    # the force acts at a point; a torque is the couple with omega . t = tr(omega~ (-t~ / 2))
    matrix[:, :, :3] = product(position, force)
    matrix[:, :3, :3] -= np.array([cross_matrix(t) / 2 for t in torque], dtype=object)
    return frame.body, matrix


def _joint_effort(screw: Array, pose: Series, loads: Series) -> tuple[Series, Array]:
    """Return tr(Z F) of one joint as a series, and the size of F seen from the joint's axis."""
    direction, point, slide = axis_of(screw)
    rows = loads.shape[1]
    to_axis = exact(np.eye(4))
    to_axis[:3, 3] = point
    axis_pose = pose[:rows] @ to_axis
    inverse = axis_pose.copy()
    inverse[:, :3, :3] = axis_pose[:, :3, :3].transpose(0, 2, 1)
    inverse[:, :3, 3:] = -product(inverse[:, :3, :3], axis_pose[:, :3, 3:])
    size = np.zeros(rows)
    effort = np.full(rows, gmpy2.mpfr(0), dtype=object)
    generator = np.full((4, 4), gmpy2.mpfr(0), dtype=object)
    generator[:3, :3] = cross_matrix(direction)
    generator[:3, 3] = slide
    angular, linear = float(direction @ direction), float(gmpy2.sqrt(slide @ slide))
    for load in loads:
        seen = product(product(inverse, load), axis_pose)
        effort += (generator.T * seen).sum(axis=(1, 2))
        parts = np.abs(derivatives_of(seen).astype(np.float64)[:, :, :3])
        size += angular * parts[:, :3].max(axis=(1, 2)) + linear * parts[:, 3].max(axis=1)
    return effort, size
