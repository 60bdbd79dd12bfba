# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Mass matrix of a chain by composite inertias, from the tip to the base; Jacobians of its frames.

A module contributes its pose, the columns X of its distal frame, and its own integrals: mass
matrix, columns of momentum about its proximal frame, and mass moments. What lies behind it is one
rigid body with respect to its coordinates.
"""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.soft import layout
from screw_dynamics.kernels.soft.rod_columns import rod_columns


class Composite(NamedTuple):
    """Workspace of a chain of n coordinates."""

    pose: Array
    """(12,) relative pose of the module: rotation by rows, position."""
    tip: Array
    """(n, 6) columns of its distal frame, for its own coordinates from 0 on."""
    own: Array
    """(n, 6) torque and force by its own mass, for unit accelerations."""
    moments: Array
    """(10,) its mass, first moment, second moment xx, yy, zz, xy, xz, yz."""
    behind: Array
    """(10,) the same of all bodies behind it, in its distal frame."""
    columns: Array
    """(n, 6) torque and force of all bodies behind it, for all coordinates."""
    step: Array
    """(n, 6) columns of one step of a rod."""
    matrix: Array
    """(n, n) mass matrix that is not wanted."""


def composite(n):
    """Return an uninitialised workspace."""
    return Composite(
        np.empty(12), np.empty((n, 6)), np.empty((n, 6)), np.empty(10), np.empty(10),
        np.empty((n, 6)), np.empty((n, 6)), np.empty((n, n)),
    )  # fmt: skip


def set_pose(ws, block, count, work):
    """Set the relative pose of a module that has one in its block."""
    for i in range(9):
        work.pose[i] = ws[block + layout.POSE * count + i]
    for i in range(3):
        work.pose[9 + i] = ws[block + layout.ORIGIN * count + i]


def integrals_columns(ws, n, mass, block, count, work, matrix, first):
    """Set pose, columns and moments of a module known by integrals; add its mass matrix."""
    set_pose(ws, block, count, work)
    work.moments[0] = mass
    for i in range(3):
        work.moments[1 + i] = ws[block + layout.FIRST_MOMENT * count + i]
    for i in range(6):
        work.moments[4 + i] = ws[block + layout.SECOND_MOMENT * count + i]
    for j in range(n):
        coordinate = block + (layout.COORDINATES + j * layout.coordinate_width(n)) * count
        for i in range(3):
            work.tip[j, i] = ws[coordinate + layout.TURN_J * count + i]
            work.tip[j, 3 + i] = ws[coordinate + layout.SHIFT_J * count + i]
            work.own[j, i] = ws[coordinate + layout.CROSS_J * count + i]
            work.own[j, 3 + i] = ws[coordinate + layout.FIRST_J * count + i]
        for i in range(n):
            matrix[first + j, first + i] = ws[coordinate + (layout.MASS_J + i) * count]


def joint_columns(ws, kind, n, reals, row, block, count, work, matrix, first):
    """Set pose, columns and moments of a joint or rigid body."""
    set_pose(ws, block, count, work)
    work.moments[:] = 0.0
    if kind == layout.RIGID:
        for i in range(10):
            work.moments[i] = reals[row + layout.RIGID_MASS + i]
    elif n == 1:
        work.own[0] = 0.0
        matrix[first, first] = 0.0
        for i in range(3):
            work.tip[0, i] = reals[row + layout.TURN_AXIS + i]
            work.tip[0, 3 + i] = reals[row + layout.SHIFT_AXIS + i]


def momentum(moments, column, out):
    """Set torque and force of a rigid body that is accelerated by a column."""
    wx, wy, wz, vx, vy, vz = column[0], column[1], column[2], column[3], column[4], column[5]
    mass, hx, hy, hz = moments[0], moments[1], moments[2], moments[3]
    xx, yy, zz = moments[4], moments[5], moments[6]
    xy, xz, yz = moments[7], moments[8], moments[9]
    out[0] = hy * vz - hz * vy + (yy + zz) * wx - xy * wy - xz * wz
    out[1] = hz * vx - hx * vz - xy * wx + (xx + zz) * wy - yz * wz
    out[2] = hx * vy - hy * vx - xz * wx - yz * wy + (xx + yy) * wz
    out[3] = mass * vx + wy * hz - wz * hy
    out[4] = mass * vy + wz * hx - wx * hz
    out[5] = mass * vz + wx * hy - wy * hx


def scalar_product(a, b):
    """Return the scalar product of two vectors (6,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


def refer_back(pose, wrench):
    """Refer a wrench (torque, force) to the frame before a pose."""
    x, y, z = wrench[3], wrench[4], wrench[5]
    u, v, w = wrench[0], wrench[1], wrench[2]
    fx = pose[0] * x + pose[1] * y + pose[2] * z
    fy = pose[3] * x + pose[4] * y + pose[5] * z
    fz = pose[6] * x + pose[7] * y + pose[8] * z
    px, py, pz = pose[9], pose[10], pose[11]
    wrench[0] = pose[0] * u + pose[1] * v + pose[2] * w + py * fz - pz * fy
    wrench[1] = pose[3] * u + pose[4] * v + pose[5] * w + pz * fx - px * fz
    wrench[2] = pose[6] * u + pose[7] * v + pose[8] * w + px * fy - py * fx
    wrench[3], wrench[4], wrench[5] = fx, fy, fz


def refer_moments_back(pose, moments):
    """Refer mass moments to the frame before a pose."""
    mass, x, y, z = moments[0], moments[1], moments[2], moments[3]
    xx, yy, zz = moments[4], moments[5], moments[6]
    xy, xz, yz = moments[7], moments[8], moments[9]
    hx = pose[0] * x + pose[1] * y + pose[2] * z
    hy = pose[3] * x + pose[4] * y + pose[5] * z
    hz = pose[6] * x + pose[7] * y + pose[8] * z
    px, py, pz = pose[9], pose[10], pose[11]
    e = 4
    for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        r, s = 3 * a, 3 * b
        total = xx * pose[r] * pose[s] + yy * pose[r + 1] * pose[s + 1]
        total += zz * pose[r + 2] * pose[s + 2]
        total += xy * (pose[r] * pose[s + 1] + pose[r + 1] * pose[s])
        total += xz * (pose[r] * pose[s + 2] + pose[r + 2] * pose[s])
        total += yz * (pose[r + 1] * pose[s + 2] + pose[r + 2] * pose[s + 1])
        moments[e] = total
        e += 1
    moments[4] += (2.0 * hx + mass * px) * px
    moments[5] += (2.0 * hy + mass * py) * py
    moments[6] += (2.0 * hz + mass * pz) * pz
    moments[7] += hx * py + hy * px + mass * px * py
    moments[8] += hx * pz + hz * px + mass * px * pz
    moments[9] += hy * pz + hz * py + mass * py * pz
    moments[1], moments[2], moments[3] = hx + mass * px, hy + mass * py, hz + mass * pz


def join(work, n, first, matrix):
    """Add the bodies behind a module to the rows of its coordinates; then join it to them."""
    total = matrix.shape[0]
    for j in range(n):
        column = work.columns[first + j]
        momentum(work.behind, work.tip[j], column)
        for i in range(j + 1):
            entry = matrix[first + i, first + j] + scalar_product(work.tip[i], column)
            matrix[first + i, first + j] = matrix[first + j, first + i] = entry
        for i in range(first + n, total):
            entry = scalar_product(work.tip[j], work.columns[i])
            matrix[first + j, i] = matrix[i, first + j] = entry
    for i in range(first, total):
        refer_back(work.pose, work.columns[i])
    for j in range(n):
        for c in range(6):
            work.columns[first + j, c] += work.own[j, c]
    refer_moments_back(work.pose, work.behind)
    for c in range(10):
        work.behind[c] += work.moments[c]


def module_columns(i, ws, place, modules, reals, count, work, matrix):
    """Set pose, columns and moments of a module, and its own mass matrix (upper half)."""
    kind, n, row = modules[i, layout.KIND], modules[i, layout.SIZE], modules[i, layout.REALS]
    first, block = modules[i, layout.FIRST], place.blocks + modules[i, layout.BLOCK] * count
    if kind == layout.ROD:
        matrix[first : first + n, first : first + n] = 0.0
        steps, row = modules[i, layout.STEPS], row + 2 * n * n
        rod_columns(n, steps, ws, reals, row, block, count, work, matrix, first)
    elif kind == layout.PLANAR or kind == layout.SERIES:
        last = block + (layout.integrals_width(n) - 1) * count
        mass = reals[row + layout.MASS] if kind == layout.PLANAR else ws[last]
        integrals_columns(ws, n, mass, block, count, work, matrix, first)
    else:
        joint_columns(ws, kind, n, reals, row, block, count, work, matrix, first)


def set_mass_matrix(ws, place, modules, reals, count, work, matrix):
    """Set the mass matrix from the blocks of a forward sweep with `count` coefficients."""
    work.behind[:] = 0.0
    for i in range(modules.shape[0] - 2, -1, -1):
        module_columns(i, ws, place, modules, reals, count, work, matrix)
        join(work, modules[i, layout.SIZE], modules[i, layout.FIRST], matrix)


def set_jacobian(ws, place, modules, reals, count, frames, work, jacobian):
    """Set the body-fixed Jacobian (6, n) of the distal frame of the last of some modules."""
    n = jacobian.shape[1]
    work.columns[:] = 0.0
    for i in range(frames):
        module_columns(i, ws, place, modules, reals, count, work, work.matrix)
        first = modules[i, layout.FIRST]
        for j in range(first):
            refer_forward(work.pose, work.columns[j])
        for j in range(modules[i, layout.SIZE]):
            work.columns[first + j] = work.tip[j]
    for j in range(n):
        for c in range(6):
            jacobian[c, j] = work.columns[j, c]


def refer_forward(pose, twist):
    """Refer a twist (angular, linear) to the frame behind a pose."""
    x, y, z = twist[0], twist[1], twist[2]
    px, py, pz = pose[9], pose[10], pose[11]
    u = twist[3] - py * z + pz * y
    v = twist[4] - pz * x + px * z
    w = twist[5] - px * y + py * x
    for i in range(3):
        twist[i] = pose[i] * x + pose[3 + i] * y + pose[6 + i] * z
        twist[3 + i] = pose[i] * u + pose[3 + i] * v + pose[6 + i] * w
