# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Taylor series of the Jacobian of a frame, one coefficient after the other; kernel of its jets.

Body-fixed columns have the derivatives J_j' = [J_j, S_j] with S_j the sum of J_l q_l' over the
joints l behind j (KM2021, (14)-(18) by columns): coefficient k needs the rates up to k - 1 only,
so that an equation for the rates can be solved order by order.
"""

from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.tree.forward_kinematics import all_finite, forward_kinematics_step
from screw_dynamics.kernels.tree.frame_motion import (
    BODY,
    PoseSeries,
    advance_pose,
    pose_series,
    represent,
    start_pose,
)
from screw_dynamics.kernels.tree.frames import add_column, set_axes_and_lever
from screw_dynamics.kernels.tree.layout import COORDINATE


class ColumnSeries(NamedTuple):
    """Workspace of a path of p joints, m coefficients; all twists are body-fixed."""

    columns: Array
    """(p, m, 6), times the multipliers."""
    behind: Array
    """(p, m, 6) twists S of the frame by the joints behind a joint."""
    twist: Array
    """(m, 6) of the frame."""
    pose: PoseSeries
    rotations: Array
    """(N, 3, 3) of the joint frames."""
    from_parent: Array
    """(N, 3) from the origin of the parent [m]."""


def column_series(joints, bodies, count):
    """Return uninitialised arrays."""
    return ColumnSeries(
        np.empty((joints, count, 6)), np.empty((joints, count, 6)), np.empty((count, 6)),
        pose_series(count), np.empty((bodies, 3, 3)), np.empty((bodies, 3)),
    )  # fmt: skip


def start_jacobian(q, tree, bodies, path, local, representation, work, jacobian):
    """Set coefficient 0 of the Jacobian series (m, 6, n), at the coordinates q."""
    for i in path:
        forward_kinematics_step(i, q, tree, bodies, work.rotations, work.from_parent)
    start_pose(path, local, work.rotations, work.from_parent, work.pose)
    lever, axes = np.empty(3), np.empty((2, 3, 3))
    work.columns[:, 0] = 0.0
    if path.size:
        last = work.rotations[path[-1]]
        set_axes_and_lever(last, path, local, work.from_parent, BODY, axes, lever)
    for j in range(path.size - 1, -1, -1):
        i = path[j]
        add_column(i, bodies, work.rotations, axes, lever, work.columns[j, 0])
        for a in range(3):
            lever[a] += work.from_parent[i, a]
    _collect(0, tree, path, representation, work.columns, work.pose, jacobian[0])


def advance_jacobian(k, rates, tree, path, representation, work, jacobian):
    """Set coefficient k > 0 of the Jacobian series, with the series of the rates (>= k, n)."""
    columns, behind = work.columns, work.behind
    moving = np.zeros(6)
    for j in range(path.size - 1, -1, -1):
        c = tree[path[j], COORDINATE]
        behind[j, k - 1] = moving
        columns[j, k] = 0.0
        for s in range(k):
            _add_bracket(columns[j, s], behind[j, k - 1 - s], 1.0 / k, columns[j, k])
            for a in range(6):
                moving[a] += columns[j, s, a] * rates[k - 1 - s, c]
    work.twist[k - 1] = moving
    advance_pose(k, work.twist, work.pose)
    _collect(k, tree, path, representation, columns, work.pose, jacobian[k])


def _add_bracket(a, b, factor, result):
    """Add the Lie bracket [a, b] of two screws, times a factor."""
    for x, y, z in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[x] += factor * (a[y] * b[z] - a[z] * b[y])
        result[3 + x] += factor * (
            a[3 + y] * b[z] - a[3 + z] * b[y] + a[y] * b[3 + z] - a[z] * b[3 + y]
        )


def _collect(k, tree, path, representation, columns, pose, jacobian):
    """Set `jacobian` (6, n) to coefficient k of the columns in a representation."""
    jacobian[:] = 0.0
    column = np.empty(6)
    for j in range(path.size):
        represent(k, columns[j], pose, representation, column)
        c = tree[path[j], COORDINATE]
        for a in range(6):
            jacobian[a, c] += column[a]


def _frame_jacobian_jets(jets, tree, bodies, path, local, representation, jacobians):
    """Set the derivatives (T, r, 6, n) of all Jacobians; return False if any is not finite."""
    rows, n = jets.shape[1], jets.shape[2]
    work, rates = column_series(path.size, bodies.shape[0], rows), np.empty((rows, n))
    for t in range(jets.shape[0]):
        if not all_finite(jets[t].ravel()):
            return False
        start_jacobian(jets[t, 0], tree, bodies, path, local, representation, work, jacobians[t])
        factor = 1.0  # (k - 1)!
        for k in range(1, rows):
            rates[k - 1] = jets[t, k] / factor
            advance_jacobian(k, rates, tree, path, representation, work, jacobians[t])
            factor *= k
        factor = 1.0
        for k in range(1, rows):
            factor *= k
            jacobians[t, k] *= factor
        if not all_finite(jacobians[t].ravel()):
            return False
    return True


frame_jacobian_jets = Kernel(
    _frame_jacobian_jets,
    f'boolean({read_only(3)}, {read_only(2, "int64")}, {read_only(2)}, {read_only(1, "int64")}, '
    f'{read_only(2)}, int64, float64[:, :, :, ::1])',
)
