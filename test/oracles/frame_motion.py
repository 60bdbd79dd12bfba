# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Twists of frames, and the joint motions that they require, in 60-digit arithmetic.

Twists are the derivatives of the series of the pose, as they are defined: with Z = C' C^-1,

    spatial: vee(Z)                 hybrid: (vee(Z)_w; (Z C)_r)
    body:    vee(C^-1 Z C)          mixed:  (vee(C^-1 Z C)_w; (Z C)_r)

and columns of Jacobians the same with Z = C_i X_i C_i^-1. The joint motion is the fixed point of

    q(t) = q_0 + integral of z + W^-1 J^T (J W^-1 J^T + lambda^2 I)^-1 (V - J z),

with J along the last iterate: each iteration makes one more coefficient exact.
"""

from __future__ import annotations

from typing import NamedTuple

import gmpy2
import numpy as np
from numpy.typing import ArrayLike

from oracles.exact_model import body_poses, generator, inverse, orthonormal_pose, tree_joint_series
from oracles.taylor import (
    Series,
    constant,
    derivatives_of,
    exact,
    high_precision,
    product,
    series_of,
)
from screw_dynamics.common.arrays import Array
from screw_dynamics.model import ScrewModel


class ReferenceTwist(NamedTuple):
    """Twist jet (r - 1, 6), and the sum of the sizes of its Leibniz terms over the joints."""

    jet: Array
    scale: Array


@high_precision
def reference_twists(
    model: ScrewModel, joint_jet: ArrayLike, name: str
) -> dict[str, ReferenceTwist]:
    """Return the twist of a frame and its derivatives by representation."""
    joints = tree_joint_series(model, joint_jet)
    poses = body_poses(model, joints)
    pose = _frame_pose(model, name, poses)
    twists = _represent(product(_rate(pose), inverse(pose)), pose)
    columns = _columns(model, name, poses)
    rates = _rate(joints)
    result = {}
    for form, series in twists.items():
        scale = np.zeros(series.shape)
        for i, column in columns.items():
            for k in range(len(scale)):
                terms = [column[form][s] * rates[k - s, i] for s in range(k + 1)]
                scale[k] += np.abs(np.array(terms, dtype=np.float64)).sum(axis=0)
        size = derivatives_of(scale).astype(np.float64)
        result[form] = ReferenceTwist(derivatives_of(series).astype(np.float64), size)
    return result


@high_precision
def reference_jacobians(model: ScrewModel, joint_jet: ArrayLike, name: str) -> dict[str, Array]:
    """Return the Jacobian of a frame and its derivatives (r, 6, n) by representation."""
    series = _jacobians(model, name, tree_joint_series(model, joint_jet))
    return {form: derivatives_of(value).astype(np.float64) for form, value in series.items()}


@high_precision
def reference_columns(
    model: ScrewModel, poses: list[Series], name: str
) -> dict[int, dict[str, Series]]:
    """
    Return the columns (r, 6) of the Jacobian of a frame, by tree joint and representation.

    `poses` are the series of the poses of the bodies.
    """
    return {
        joint: {form: derivatives_of(series) for form, series in column.items()}
        for joint, column in _columns(model, name, poses).items()
    }


@high_precision
def reference_joint_jet(
    model: ScrewModel,
    q: ArrayLike,
    twist_jet: ArrayLike,
    name: str,
    representation: str,
    components: list[int],
    weights: ArrayLike,
    damping: float = 0.0,
    nullspace_rates: ArrayLike | None = None,
    least_squares: bool = False,
) -> Array:
    """
    Return the joint jet (m + 1, n) of a task: rows `components` of the twist have the jet (m, c).

    With `least_squares`, q' = (J^T J)^-1 J^T V of the coordinates that move the frame.
    """
    task = series_of(exact(twist_jet))[..., None]
    rows = len(task)
    start = series_of(exact(np.vstack([q, np.zeros((rows, model.n))])))
    wished = np.zeros((rows, model.n)) if nullspace_rates is None else nullspace_rates
    wishes = series_of(exact(wished))[..., None]
    inverse_weights = constant(np.diag(1 / exact(weights)), rows)
    coordinates = start
    for _ in range(rows):
        joints = coordinates[:, model.coordinates] * exact(model.multipliers)
        joints[0] += exact(model.offsets)
        jacobian = _jacobians(model, name, joints)[representation][:rows, components]
        transpose = jacobian.transpose(0, 2, 1)
        if least_squares:
            moving = np.array([row.any() for row in jacobian[0].T])
            square = product(transpose, jacobian)[:, moving][:, :, moving]
            rates = np.zeros_like(wishes)
            rates[:, moving] = _solved(square, product(transpose, task)[:, moving])
        else:
            back = product(inverse_weights, transpose)
            square = product(jacobian, back)
            square[0] += exact(np.eye(len(components))) * gmpy2.mpfr(damping) ** 2
            missing = task - product(jacobian, wishes)
            rates = wishes + product(back, _solved(square, missing))
        coordinates = start.copy()
        for k in range(rows):
            coordinates[k + 1] += rates[k, :, 0] / (k + 1)
    return np.asarray(derivatives_of(coordinates).astype(np.float64))


def _frame_pose(model: ScrewModel, name: str, poses: list[Series]) -> Series:
    """Return the pose series of a frame."""
    frame = model.frames[name]
    local = constant(orthonormal_pose(frame.pose), len(poses[0]))
    return local if frame.body < 0 else product(poses[frame.body], local)


def _rate(series: Series) -> Series:
    """Return the series of the time derivative, one term shorter."""
    return np.array([(k + 1) * series[k + 1] for k in range(len(series) - 1)], dtype=object)


def _represent(z: Series, pose: Series) -> dict[str, Series]:
    """Return the twists (terms, 6) of Z in each representation."""
    spatial = _vee(z)
    moved = product(z, pose)
    body = _vee(product(inverse(pose), moved))
    velocity = moved[:, :3, 3]
    return {
        'body': body,
        'spatial': spatial,
        'hybrid': np.concatenate([spatial[:, :3], velocity], axis=1),
        'mixed': np.concatenate([body[:, :3], velocity], axis=1),
    }


def _vee(z: Series) -> Series:
    """Return [angular; linear] of matrices (terms, 4, 4)."""
    return np.stack([z[:, 2, 1], z[:, 0, 2], z[:, 1, 0], *z[:, :3, 3].T], axis=1)


def _columns(model: ScrewModel, name: str, poses: list[Series]) -> dict[int, dict[str, Series]]:
    """Return the columns of the tree joints that move a frame."""
    pose, columns = _frame_pose(model, name, poses), {}
    i = model.frames[name].body
    while i >= 0:
        screw = constant(generator(model.screws[i]), len(pose))
        z = product(product(poses[i], screw), inverse(poses[i]))
        columns[i] = _represent(z, pose)
        i = int(model.parents[i])
    return columns


def _jacobians(model: ScrewModel, name: str, joints: Series) -> dict[str, Series]:
    """Return the Jacobian series (terms, 6, n) of a frame."""
    shape = (len(joints), 6, model.n)
    forms = ('body', 'spatial', 'hybrid', 'mixed')
    result = {form: np.full(shape, gmpy2.mpfr(0), dtype=object) for form in forms}
    for i, column in _columns(model, name, body_poses(model, joints)).items():
        for form, jacobian in result.items():
            multiplier = exact(model.multipliers[i])[()]
            jacobian[:, :, model.coordinates[i]] += multiplier * column[form]
    return result


def _solved(matrix: Series, right: Series) -> Series:
    """Return the series x (terms, n, 1) with A x = b."""
    first = _inverse(matrix[0])
    result: list[Series] = []
    for k in range(len(right)):
        known = sum((matrix[s] @ result[k - s] for s in range(1, k + 1)), 0 * right[k])
        result.append(first @ (right[k] - known))
    return np.array(result, dtype=object)


def _inverse(matrix: Series) -> Series:
    """Return the inverse of a positive definite matrix, by Gauss and Jordan."""
    n = len(matrix)
    rows = np.concatenate([matrix, exact(np.eye(n))], axis=1)
    for k in range(n):
        rows[k] = rows[k] / rows[k, k]
        for i in range(n):
            if i != k:
                rows[i] = rows[i] - rows[i, k] * rows[k]
    return rows[:, n:]
