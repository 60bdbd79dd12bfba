# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Joint accelerations by factors of the mass matrix.

Joints may share a coordinate, and motors have an inertia, which `articulated` does not have; that
takes half of this time for thirty joints, a third for sixty.
"""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.bodies.backward import backward_sweep
from screw_dynamics.kernels.bodies.factors import SINGULAR, factorise, set_scale, solve
from screw_dynamics.kernels.bodies.forward import forward_sweep
from screw_dynamics.kernels.bodies.layout import BODY_COUNT
from screw_dynamics.kernels.bodies.mass_matrix import mass_matrix, mass_matrix_rows
from screw_dynamics.kernels.bodies.rows import (
    at,
    block_rows,
    efforts_rows,
    gather,
    get,
    integer,
    put,
    scatter,
)
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.pointers import all_finite, row_pointer

SOLVED, NOT_FINITE = -1, -2


class AccelerationArrays(NamedTuple):
    """Workspace of `set_accelerations`."""

    rows: Array
    scale: Array
    inverses: Array
    matrix: Array


def acceleration_arrays(count, n):
    """Return uninitialised arrays for N bodies and n coordinates."""
    size = max(mass_matrix_rows(0, count), efforts_rows(0, count))
    return AccelerationArrays(np.empty(size), np.empty(n), np.empty(n), np.empty((n, n)))


def set_accelerations(q, qd, tau, armature, external, model, work, accelerations):
    """
    Set q'' = (M + diag(armature))^-1 (tau + J^T W - C q' - Q_grav).

    `armature` (n,) is added to the inertia of the bodies; `external` (N, 6) are the wrenches W on
    the bodies in their joint frames, or (0, 6). Returns SOLVED, NOT_FINITE, or a coordinate
    without inertia, whose acceleration is then set to its pivot relative to the required inertia.
    """
    n, parameters = q.shape[0], row_pointer(model, 0)
    ws, rows = row_pointer(work.rows, 0), row_pointer(q, 0)
    scale, inverses = row_pointer(work.scale, 0), row_pointer(work.inverses, 0)
    matrix, x = row_pointer(work.matrix, 0), row_pointer(accelerations, 0)
    if not (all_finite(q) and all_finite(qd) and all_finite(tau)):
        return NOT_FINITE
    gather(0, ws, rows, row_pointer(qd, 0), 1, parameters)
    forward_sweep(0, ws, parameters)
    for i in range(external.shape[0]):
        force = at(ws, i * block_rows(0) + 24)
        for a in range(3):
            put(force, a, get(force, a) - external[i, 3 + a])
            put(force, 3 + a, get(force, 3 + a) - external[i, a])
    backward_sweep(0, ws, parameters)
    scatter(0, ws, x, parameters)
    for k in range(n):
        accelerations[k] = tau[k] - accelerations[k]
    mass_matrix(0, ws, rows, rows, rows, matrix, parameters)
    set_scale(ws, scale, n, parameters)
    for k in range(n):
        work.matrix[k, k] += armature[k]
        work.scale[k] += abs(armature[k])
    if not (all_finite(work.scale) and all_finite(work.matrix.ravel())):
        accelerations[:] = np.nan  # pivots cannot distinguish overflow from a singular matrix
        return NOT_FINITE
    factorise(n, matrix, scale, inverses)
    for k in range(n - 1, -1, -1):
        pivot = work.matrix[k, k]
        if not SINGULAR * work.scale[k] < abs(pivot) < np.inf:
            accelerations[k] = pivot / work.scale[k] if work.scale[k] > 0.0 else pivot
            return k if all_finite(accelerations) else NOT_FINITE
    solve(n, matrix, inverses, x, 1)
    return SOLVED if all_finite(accelerations) else NOT_FINITE


def _joint_accelerations(q, qd, tau, model, accelerations):
    """Set all accelerations; return SOLVED, NOT_FINITE or sample * n + singular coordinate."""
    n = q.shape[1]
    work = acceleration_arrays(integer(row_pointer(model, 0), BODY_COUNT), n)
    armature, external = np.zeros(n), np.empty((0, 6))
    for t in range(q.shape[0]):
        status = set_accelerations(
            q[t], qd[t], tau[t], armature, external, model, work, accelerations[t]
        )
        if status == NOT_FINITE:
            return NOT_FINITE
        if status >= 0:
            return t * n + status
    return SOLVED


joint_accelerations = Kernel(
    _joint_accelerations,
    f'int64({read_only(2)}, {read_only(2)}, {read_only(2)}, float64[::1], float64[:, ::1])',
)
