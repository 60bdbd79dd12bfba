# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Regressors of the inertia parameters along a motion, with derivatives of any order.

The wrench that moves a body is linear in its ten parameters; its matrix and the columns of the
Jacobian are Taylor series in the axes of the body, tau = J^T Y pi.
"""

import numpy as np

from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.tree.forward_kinematics import all_finite
from screw_dynamics.kernels.tree.jacobian_series import column_series, set_body_columns
from screw_dynamics.kernels.tree.layout import COORDINATE, PARENT

PARAMETERS = 10  # per body: m, m c, Theta about the origin as xx, xy, yy, xz, yz, zz


def _path_to(body, tree):
    """Return the bodies from the base to a body."""
    count, i = 0, body
    while i >= 0:
        count += 1
        i = tree[i, PARENT]
    path = np.empty(count, dtype=np.int64)
    i = body
    for k in range(count - 1, -1, -1):
        path[k] = i
        i = tree[i, PARENT]
    return path


def _set_weight(rotation, local, gravity, twist, weight):
    """Set the series (k, 3) of the acceleration that stands for gravity: u' = u × w."""
    for a in range(3):
        weight[0, a] = 0.0
        for b in range(3):
            axis = 0.0
            for c in range(3):
                axis += rotation[b, c] * local[c, a]
            weight[0, a] -= axis * gravity[b]
    for k in range(1, weight.shape[0]):
        x, y, z = 0.0, 0.0, 0.0
        for s in range(k):
            u, w = weight[s], twist[k - 1 - s]
            x += u[1] * w[2] - u[2] * w[1]
            y += u[2] * w[0] - u[0] * w[2]
            z += u[0] * w[1] - u[1] * w[0]
        weight[k, 0], weight[k, 1], weight[k, 2] = x / k, y / k, z / k


def _set_body_regressor(k, twist, weight, matrix):
    """Set coefficient k, (6, 10), of the matrix of the wrench on a body."""
    rise = k + 1.0
    ax, ay, az = rise * twist[k + 1, 0], rise * twist[k + 1, 1], rise * twist[k + 1, 2]
    lx, ly, lz = weight[k, 0], weight[k, 1], weight[k, 2]
    lx += rise * twist[k + 1, 3]
    ly += rise * twist[k + 1, 4]
    lz += rise * twist[k + 1, 5]
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # of w w^T
    for s in range(k + 1):
        w, v = twist[s], twist[k - s]
        lx += w[1] * v[5] - w[2] * v[4]
        ly += w[2] * v[3] - w[0] * v[5]
        lz += w[0] * v[4] - w[1] * v[3]
        xx += w[0] * v[0]
        yy += w[1] * v[1]
        zz += w[2] * v[2]
        xy += w[0] * v[1]
        xz += w[0] * v[2]
        yz += w[1] * v[2]
    matrix[:] = 0.0
    matrix[3, 0], matrix[4, 0], matrix[5, 0] = lx, ly, lz
    matrix[0, 2], matrix[0, 3], matrix[1, 3] = lz, -ly, lx
    matrix[1, 1], matrix[2, 1], matrix[2, 2] = -lz, ly, -lx
    matrix[3, 1], matrix[3, 2], matrix[3, 3] = -yy - zz, xy - az, xz + ay
    matrix[4, 1], matrix[4, 2], matrix[4, 3] = xy + az, -xx - zz, yz - ax
    matrix[5, 1], matrix[5, 2], matrix[5, 3] = xz - ay, yz + ax, -xx - yy
    # w' and w × (Theta w), linear in xx, xy, yy, xz, yz, zz
    matrix[0, 4], matrix[0, 5], matrix[0, 6] = ax, ay - xz, -yz
    matrix[0, 7], matrix[0, 8], matrix[0, 9] = az + xy, yy - zz, yz
    matrix[1, 4], matrix[1, 5], matrix[1, 6] = xz, ax + yz, ay
    matrix[1, 7], matrix[1, 8], matrix[1, 9] = zz - xx, az - xy, -xz
    matrix[2, 4], matrix[2, 5], matrix[2, 6] = -xy, xx - yy, xy
    matrix[2, 7], matrix[2, 8], matrix[2, 9] = ax - yz, ay + xz, az


def _add_rows(k, columns, wrenches, factor, row):
    """Add coefficient k of a column's power over a body's wrenches to a row (10,)."""
    for s in range(k + 1):
        for a in range(6):
            weight = factor * columns[s, a]
            for p in range(PARAMETERS):
                row[p] += weight * wrenches[k - s, a, p]


def _regressors(jets, tree, bodies, gravity, poses, results):
    """Set (T, k + 1, n, 10 N) from joint jets (T, k + 3, n); return False if not finite."""
    count, rows, n = bodies.shape[0], results.shape[1], jets.shape[2]
    weight, wrenches = np.empty((rows, 3)), np.empty((rows, 6, PARAMETERS))
    for t in range(jets.shape[0]):
        if not all_finite(jets[t].ravel()):
            return False
        results[t] = 0.0
        for body in range(count):
            path, local = _path_to(body, tree), poses[body]
            work = column_series(path.size, count, rows + 2, n)
            factor = 1.0
            for k in range(rows + 2):
                if k > 0:
                    work.path.rates[k - 1] = jets[t, k] / factor
                    factor *= k
                set_body_columns(k, jets[t, 0], tree, bodies, path, local, work)
            _set_weight(work.path.rotations[body], local[:3, :3], gravity, work.twist, weight)
            first, factor = PARAMETERS * body, 1.0
            for k in range(rows):
                _set_body_regressor(k, work.twist, weight, wrenches[k])
                for j in range(path.size):
                    row = results[t, k, tree[path[j], COORDINATE], first : first + PARAMETERS]
                    _add_rows(k, work.body[j], wrenches, factor, row)
                factor *= k + 1.0
        if not all_finite(results[t].ravel()):
            return False
    return True


regressors = Kernel(
    _regressors,
    f'boolean({read_only(3)}, {read_only(2, "int64")}, {read_only(2)}, {read_only(1)}, '
    f'{read_only(3)}, float64[:, :, :, ::1])',
)
