# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Taylor series of the Jacobian of a frame, one coefficient after the other; kernel of its jets.

Spatial and hybrid columns are made of the axes and levers of `path_series`. Body-fixed ones have
the derivatives J_j' = [J_j, S_j], with S_j the sum of J_l q_l' over the joints l behind j (KM2021,
(14)-(18) by columns).
"""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.bodies.rows import at
from screw_dynamics.kernels.frames.path_series import (
    PathSeries,
    advance_path,
    path_series,
    set_column,
    set_levers,
    start_path,
)
from screw_dynamics.kernels.frames.pose_and_jacobian import (
    BODY,
    COORDINATE,
    FRAME_BLOCK,
    HEADER,
    MIXED,
    ROW,
    in_axes,
)
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.pointers import all_finite, row_pointer


class ColumnSeries(NamedTuple):
    """Workspace of a path of p joints, m coefficients."""

    path: PathSeries
    body: Array
    """(p, m, 6) body-fixed columns, times the multipliers."""
    behind: Array
    """(p, m, 6) body-fixed twists S of the frame by the joints behind a joint."""
    twist: Array
    """(m, 6) body-fixed twist of the frame."""
    column: Array
    """(6,)"""


def column_series(joints, count, n):
    """Return uninitialised arrays."""
    return ColumnSeries(
        path_series(joints, count, n), np.empty((joints, count, 6)),
        np.empty((joints, count, 6)), np.empty((count, 6)), np.empty(6),
    )  # fmt: skip


def set_jacobian(k, q, parameters, work, jacobian):
    """
    Set coefficient k of the Jacobian, (6, n), from the coordinates and the rates up to k - 1.

    Those below k must have been set before. `parameters` are those of `pose_and_jacobian`.
    """
    bodies, representation = parameters[HEADER:].reshape((-1, ROW)), int(parameters[2])
    series, column = work.path, work.column
    if k == 0:
        start_path(q, parameters, bodies, series)
        set_levers(0, BODY, series)
        _start_brackets(bodies, series, work.body)
    elif representation == BODY or representation == MIXED:
        _advance_brackets(k, bodies, work)
    if k > 0 and representation != BODY:
        advance_path(k, q, bodies, series)
    if representation != BODY:
        set_levers(k, representation, series)
    jacobian[:] = 0.0
    for j in range(len(bodies)):
        if representation != BODY:
            set_column(k, bodies[j], series.axes[j], series.levers[j], column)
        if representation == BODY or representation == MIXED:
            column[:3] = work.body[j, k, :3]
        if representation == BODY:
            column[3:] = work.body[j, k, 3:]
        c = int(bodies[j, COORDINATE])
        for a in range(6):
            jacobian[a, c] += column[a]


def _start_brackets(bodies, series, columns):
    """Set coefficient 0 of the body-fixed columns: the hybrid ones in the axes of the frame."""
    frame = at(row_pointer(series.places, 0), FRAME_BLOCK * len(bodies))
    for j in range(len(bodies)):
        column = columns[j, 0]
        set_column(0, bodies[j], series.axes[j], series.levers[j], column)
        column[0], column[1], column[2] = in_axes(frame, column[0], column[1], column[2])
        column[3], column[4], column[5] = in_axes(frame, column[3], column[4], column[5])


def _advance_brackets(k, bodies, work):
    """Set coefficient k > 0 of the body-fixed columns, and k - 1 of the twist."""
    columns, behind, rates = work.body, work.behind, work.path.rates
    moving = work.twist[k - 1]
    moving[:] = 0.0
    for j in range(len(bodies) - 1, -1, -1):
        c = int(bodies[j, COORDINATE])
        behind[j, k - 1] = moving
        columns[j, k] = 0.0
        for s in range(k):
            _add_bracket(columns[j, s], behind[j, k - 1 - s], 1.0 / k, columns[j, k])
            for a in range(6):
                moving[a] += columns[j, s, a] * rates[k - 1 - s, c]


def _add_bracket(a, b, factor, result):
    """Add the Lie bracket [a, b] of two screws, times a factor."""
    for x, y, z in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[x] += factor * (a[y] * b[z] - a[z] * b[y])
        result[3 + x] += factor * (
            a[3 + y] * b[z] - a[3 + z] * b[y] + a[y] * b[3 + z] - a[z] * b[3 + y]
        )


def _frame_jacobian_jets(jets, parameters, jacobians):
    """Set the derivatives (T, r, 6, n) of all Jacobians; return False if any is not finite."""
    rows = jets.shape[1]
    work = column_series(int(parameters[0]), rows, jets.shape[2])
    for t in range(jets.shape[0]):
        if not all_finite(jets[t].ravel()):
            return False
        factor = 1.0  # (k - 1)!
        for k in range(rows):
            if k > 0:
                work.path.rates[k - 1] = jets[t, k] / factor
                factor *= k
            set_jacobian(k, jets[t, 0], parameters, work, jacobians[t, k])
            jacobians[t, k] *= factor
        if not all_finite(jacobians[t].ravel()):
            return False
    return True


frame_jacobian_jets = Kernel(
    _frame_jacobian_jets,
    f'boolean({read_only(3)}, {read_only(1)}, float64[:, :, :, ::1])',
)
