# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint accelerations; the step of one sample is also used by the simulation."""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.tree.bias_forces import BodyMotions, add_bias_forces, body_motions
from screw_dynamics.kernels.tree.composite_inertia import (
    PlacedBodies,
    add_joint_efforts,
    place_bodies,
    placed_bodies,
)
from screw_dynamics.kernels.tree.forward_kinematics import all_finite
from screw_dynamics.kernels.tree.layout import COORDINATE, MULTIPLIER, ROTATION, TRANSLATION
from screw_dynamics.kernels.tree.mass_matrix import add_mass_matrix

# A pivot below this fraction of the inertia that it results from has at most three exact digits.
SINGULAR = 1e-13

SOLVED, NOT_FINITE = -1, -2


class AccelerationArrays(NamedTuple):
    """Workspace of `set_accelerations`."""

    placed: PlacedBodies
    motions: BodyMotions
    wrench: Array
    scale: Array
    matrix: Array


def acceleration_arrays(count, n):
    """Return uninitialised arrays for N bodies and n coordinates."""
    return AccelerationArrays(
        placed_bodies(count), body_motions(count), np.empty(6), np.empty(n), np.empty((n, n))
    )


def set_accelerations(q, qd, tau, armature, external, tree, bodies, gravity, work, accelerations):
    """
    Set q'' = (M + diag(armature))^-1 (tau + J^T W - C q' - Q_grav).

    `armature` (n,) is added to the inertia of the bodies; `external` (N, 6) are the wrenches W on
    the bodies in their joint frames, or (0, 6). Returns SOLVED, NOT_FINITE, or a coordinate
    without inertia, whose acceleration is then set to its pivot relative to the required inertia.
    """
    placed, motions, scale, matrix = work.placed, work.motions, work.scale, work.matrix
    count, n = bodies.shape[0], q.shape[0]
    if not (all_finite(q) and all_finite(qd) and all_finite(tau)):
        return NOT_FINITE
    place_bodies(q, tree, bodies, placed)
    accelerations[:] = 0.0
    add_bias_forces(qd, tree, bodies, gravity, placed, motions, accelerations)
    for k in range(n):
        accelerations[k] = tau[k] - accelerations[k]
    if external.shape[0] > 0:
        _rotate_wrenches(external, placed.rotations, motions.wrenches)
        add_joint_efforts(tree, bodies, placed, motions.wrenches, accelerations)
    matrix[:] = 0.0
    add_mass_matrix(tree, bodies, placed, work.wrench, matrix)
    for k in range(n):
        matrix[k, k] += armature[k]
        scale[k] = abs(armature[k])
    for i in range(count):
        second = placed.second[i]
        spread = abs(second[0, 0]) + abs(second[1, 1]) + abs(second[2, 2])
        inertia = bodies[i, ROTATION] ** 2 * spread + bodies[i, TRANSLATION] ** 2 * placed.mass[i]
        scale[tree[i, COORDINATE]] += bodies[i, MULTIPLIER] ** 2 * inertia
    singular = SOLVED
    if all_finite(scale) and all_finite(matrix.ravel()):
        singular = _solve(matrix, scale, accelerations)
    else:
        accelerations[:] = np.nan  # pivots cannot distinguish overflow from a singular matrix
    return singular if all_finite(accelerations) else NOT_FINITE


def _rotate_wrenches(external, rotations, wrenches):
    """Set `wrenches` (N, 6) to those of `external` in base-link axes."""
    for i in range(external.shape[0]):
        for a in range(3):
            x, y, z = rotations[i, a, 0], rotations[i, a, 1], rotations[i, a, 2]
            for b in (0, 3):
                wrenches[i, b + a] = (
                    x * external[i, b] + y * external[i, b + 1] + z * external[i, b + 2]
                )


def _solve(matrix, scale, x):
    """
    Solve M x = b in place by M = L^T D L; return SOLVED or the coordinate of a vanishing pivot.

    Only the lower triangle of `matrix` is read; it is overwritten. At a vanishing pivot k, x[k]
    is set to the pivot divided by its scale, which is not finite if the pivot overflows.
    """
    n = x.shape[0]
    for k in range(n - 1, -1, -1):
        pivot = matrix[k, k]
        if not SINGULAR * scale[k] < abs(pivot) < np.inf:
            x[k] = pivot / scale[k] if scale[k] > 0.0 else pivot
            return k
        for i in range(k):
            factor = matrix[k, i] / pivot
            for j in range(i + 1):
                matrix[i, j] -= factor * matrix[k, j]
            x[i] -= factor * x[k]
        for i in range(k):
            matrix[k, i] /= pivot
    for k in range(n):
        x[k] /= matrix[k, k]
        for i in range(k):
            x[k] -= matrix[k, i] * x[i]
    return SOLVED


def _joint_accelerations(q, qd, tau, tree, bodies, gravity, accelerations):
    """Set all accelerations; return SOLVED, NOT_FINITE or sample * n + singular coordinate."""
    n = q.shape[1]
    work = acceleration_arrays(bodies.shape[0], n)
    armature, external = np.zeros(n), np.empty((0, 6))
    for t in range(q.shape[0]):
        status = set_accelerations(
            q[t], qd[t], tau[t], armature, external, tree, bodies, gravity, work,
            accelerations[t],
        )  # fmt: skip
        if status == NOT_FINITE:
            return NOT_FINITE
        if status >= 0:
            return t * n + status
    return SOLVED


joint_accelerations = Kernel(
    _joint_accelerations,
    f'int64({read_only(2)}, {read_only(2)}, {read_only(2)}, {read_only(2, "int64")}, '
    f'{read_only(2)}, {read_only(1)}, float64[:, ::1])',
)
