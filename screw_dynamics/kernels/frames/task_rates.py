# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kernel of the joint motion that a task motion of a frame requires, order by order.

The rates x (l,) with the smallest |x - F| and B^T x = G fulfil ``x - B y = F, B^T x = G`` with
multipliers y (p,), l >= p. Its Taylor coefficients have the same left side at every order, with
the coefficient B_0, and on the right side lower orders of x and y, which makes the derivatives of
the pseudo-inverse exact. Three problems have this form:

- a redundant task: x are the rates times the roots of their weights, B^T the Jacobian, G the task;
- with damping, x has the residuals of the task divided by the damping below the rates;
- least squares: -y are the rates, B the Jacobian, F the task, and x its residuals.
"""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.frames.jacobian_series import column_series, set_jacobian
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.pointers import all_finite

# smallest singular value of the Jacobian, relative to the largest: half of the digits are lost
SINGULAR = 1e-8
SOLVED, NOT_FINITE = -1, -2
_ROTATED = 1e-15  # columns with a smaller cosine between them are orthogonal
_MOST_SWEEPS = 40  # convergence is quadratic; 6 to 8 are usual


class TaskSystem(NamedTuple):
    """Workspace: series of B, x, y and the singular value decomposition B_0 = U diag(s) V^T."""

    matrices: Array
    """(m, l, p)"""
    x: Array
    """(m, l)"""
    y: Array
    """(m, p)"""
    left: Array
    """(l, p) U."""
    values: Array
    """(p,) s."""
    right: Array
    """(p, p) V."""


def task_system(rows, columns, count):
    """Return uninitialised arrays, zeros for B."""
    return TaskSystem(
        np.zeros((count, rows, columns)), np.empty((count, rows)), np.empty((count, columns)),
        np.empty((rows, columns)), np.empty(columns), np.empty((columns, columns)),
    )  # fmt: skip


def decompose(left, values, right):
    """Replace `left` = B (l, p) by U; set s and V: one-sided Jacobi rotations."""
    columns = values.shape[0]
    for j in range(columns):
        for i in range(columns):
            right[i, j] = 1.0 if i == j else 0.0
    for _ in range(_MOST_SWEEPS):
        turned = False
        for i in range(columns):
            for j in range(i + 1, columns):
                turned |= _make_orthogonal(left, right, i, j)
        if not turned:
            break
    for j in range(columns):
        values[j] = np.sqrt(_product(left, j, j))
        if values[j] > 0.0:
            for i in range(left.shape[0]):
                left[i, j] /= values[j]


def _make_orthogonal(left, right, i, j):
    """Rotate two columns so that they are orthogonal; return False if they already are."""
    a, b, c = _product(left, i, i), _product(left, j, j), _product(left, i, j)
    if not abs(c) > _ROTATED * np.sqrt(a) * np.sqrt(b):
        return False
    slope = (b - a) / (2.0 * c)
    tangent = (1.0 if slope >= 0.0 else -1.0) / (abs(slope) + np.hypot(1.0, slope))
    cosine = 1.0 / np.hypot(1.0, tangent)
    sine = cosine * tangent
    for matrix in (left, right):
        for k in range(matrix.shape[0]):
            x, y = matrix[k, i], matrix[k, j]
            matrix[k, i] = cosine * x - sine * y
            matrix[k, j] = sine * x + cosine * y
    return True


def _product(matrix, i, j):
    """Return the scalar product of two columns."""
    total = 0.0
    for k in range(matrix.shape[0]):
        total += matrix[k, i] * matrix[k, j]
    return total


def set_matrix(k, jacobian, components, active, scales, damping, tall, system):
    """Set coefficient k of B from that of the Jacobian (6, n)."""
    matrix = system.matrices[k]
    for j in range(active.size):
        c = active[j]
        for i in range(components.size):
            value = jacobian[components[i], c] * scales[c]
            if tall:
                matrix[i, j] = value
            else:
                matrix[j, i] = value
    if damping > 0.0 and k == 0:
        for i in range(components.size):
            matrix[active.size + i, i] = damping


def solve_order(k, x, goal, system):
    """Set coefficient k of x and y; `x` (l,) and `goal` (p,) are those of F and G, overwritten."""
    matrices, left, right = system.matrices, system.left, system.right
    for s in range(1, k + 1):
        for i in range(x.size):
            for j in range(goal.size):
                x[i] += matrices[s, i, j] * system.y[k - s, j]
                goal[j] -= matrices[s, i, j] * system.x[k - s, i]
    system.y[k] = 0.0
    for j in range(goal.size):  # along the singular vectors
        along, wanted = 0.0, 0.0
        for i in range(x.size):
            along += left[i, j] * x[i]
        for i in range(goal.size):
            wanted += right[i, j] * goal[i]
        wanted /= system.values[j]
        for i in range(goal.size):
            system.y[k, i] += right[i, j] * ((wanted - along) / system.values[j])
        for i in range(x.size):
            x[i] += left[i, j] * (wanted - along)
    system.x[k] = x


def _task_rates(q, tasks, preferred, parameters, components, active, scales, damping, tall, jets):
    """
    Set rows 1 to m of the joint jets (T, m + 1, n) from the tasks (T, m, c), c components.

    `active` are the coordinates that move the frame; the others have their `preferred` rates
    (T, m, n), as those have in the null space. `scales` (n,) are 1 / sqrt(weight). Returns SOLVED,
    NOT_FINITE or the number of a sample with a singular Jacobian.
    """
    count, n = tasks.shape[1], q.shape[1]
    if tall:
        system = task_system(components.size, active.size, count)
    else:
        virtual = components.size if damping > 0.0 else 0
        system = task_system(active.size + virtual, components.size, count)
    x, goal = np.empty(system.left.shape[0]), np.empty(system.values.shape[0])
    work, jacobian = column_series(int(parameters[0]), count, n), np.empty((6, n))
    rates = work.path.rates
    for t in range(q.shape[0]):
        if not (all_finite(q[t]) and all_finite(tasks[t].ravel())):
            return NOT_FINITE
        factor = 1.0  # k!
        for k in range(count):
            factor *= max(k, 1)
            set_jacobian(k, q[t], parameters, work, jacobian)
            set_matrix(k, jacobian, components, active, scales, damping, tall, system)
            if k == 0:
                system.left[:] = system.matrices[0]
                decompose(system.left, system.values, system.right)
                if not all_finite(system.values):
                    jets[t] = np.nan
                    return NOT_FINITE
                if not np.min(system.values) > SINGULAR * np.max(system.values):
                    return t
            rates[k] = preferred[t, k] / factor
            _set_right_side(tasks[t, k] / factor, rates[k], active, scales, tall, x, goal)
            solve_order(k, x, goal, system)
            for j in range(active.size):
                c = active[j]
                rates[k, c] = scales[c] * (-system.y[k, j] if tall else system.x[k, j])
            jets[t, k + 1] = factor * rates[k]
        if not all_finite(jets[t].ravel()):
            return NOT_FINITE
    return SOLVED


def _set_right_side(task, preferred, active, scales, tall, x, goal):
    """Set `x` and `goal` to a coefficient of F and G, see `solve_order`."""
    x[:], goal[:] = 0.0, 0.0
    if tall:
        x[:] = task
    else:
        goal[:] = task
        for j in range(active.size):
            x[j] = preferred[active[j]] / scales[active[j]]


task_rates = Kernel(
    _task_rates,
    f'int64({read_only(2)}, {read_only(3)}, {read_only(3)}, {read_only(1)}, '
    f'{read_only(1, "int64")}, {read_only(1, "int64")}, {read_only(1)}, float64, boolean, '
    'float64[:, :, ::1])',
)
