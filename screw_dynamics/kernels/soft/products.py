# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Products of truncated Taylor series of scalars, vectors and matrices in a workspace.

Arguments are places in the workspace; `count` coefficients are computed.
"""

from screw_dynamics.kernels import series


def clear(ws, place, size):
    """Set a run of the workspace to zero."""
    for i in range(place, place + size):
        ws[i] = 0.0


def copy(ws, source, target, size):
    """Copy a run of the workspace."""
    for i in range(size):
        ws[target + i] = ws[source + i]


def product(ws, a, b, out, count):
    """Set the product of two scalars."""
    series.product(ws[a : a + count], ws[b : b + count], ws[out : out + count])


def dot(ws, a, b, out, count):
    """Set the scalar product of two vectors."""
    for k in range(count):
        total = 0.0
        for m in range(k + 1):
            i, j = a + 3 * m, b + 3 * (k - m)
            total += ws[i] * ws[j] + ws[i + 1] * ws[j + 1] + ws[i + 2] * ws[j + 2]
        ws[out + k] = total


def cross(ws, a, b, out, count):
    """Set the vector product."""
    for k in range(count):
        x = y = z = 0.0
        for m in range(k + 1):
            i, j = a + 3 * m, b + 3 * (k - m)
            x += ws[i + 1] * ws[j + 2] - ws[i + 2] * ws[j + 1]
            y += ws[i + 2] * ws[j] - ws[i] * ws[j + 2]
            z += ws[i] * ws[j + 1] - ws[i + 1] * ws[j]
        i = out + 3 * k
        ws[i], ws[i + 1], ws[i + 2] = x, y, z


def add_cross(ws, factor, a, rows, b, out, count):
    """Add a factor times the vector product of a vector of `rows` coefficients and another."""
    for k in range(count):
        x = y = z = 0.0
        for m in range(min(k + 1, rows)):
            i, j = a + 3 * m, b + 3 * (k - m)
            x += ws[i + 1] * ws[j + 2] - ws[i + 2] * ws[j + 1]
            y += ws[i + 2] * ws[j] - ws[i] * ws[j + 2]
            z += ws[i] * ws[j + 1] - ws[i + 1] * ws[j]
        i = out + 3 * k
        ws[i] += factor * x
        ws[i + 1] += factor * y
        ws[i + 2] += factor * z


def add_scaled(ws, factor, scalar, vector, out, count):
    """Add the product of a scalar and a vector, times a factor."""
    for k in range(count):
        x = y = z = 0.0
        for m in range(k + 1):
            s, j = ws[scalar + m], vector + 3 * (k - m)
            x += s * ws[j]
            y += s * ws[j + 1]
            z += s * ws[j + 2]
        i = out + 3 * k
        ws[i] += factor * x
        ws[i + 1] += factor * y
        ws[i + 2] += factor * z


def rotate(ws, matrix, rows, a, out, count):
    """Set the product of a matrix with `rows` coefficients that are not zero and a vector."""
    for k in range(count):
        x = y = z = 0.0
        for m in range(min(k + 1, rows)):
            r, i = matrix + 9 * m, a + 3 * (k - m)
            u, v, w = ws[i], ws[i + 1], ws[i + 2]
            x += ws[r] * u + ws[r + 1] * v + ws[r + 2] * w
            y += ws[r + 3] * u + ws[r + 4] * v + ws[r + 5] * w
            z += ws[r + 6] * u + ws[r + 7] * v + ws[r + 8] * w
        i = out + 3 * k
        ws[i], ws[i + 1], ws[i + 2] = x, y, z


def rotate_back(ws, matrix, rows, a, out, count):
    """Set the product of a transposed matrix and a vector, as `rotate` does."""
    for k in range(count):
        x = y = z = 0.0
        for m in range(min(k + 1, rows)):
            r, i = matrix + 9 * m, a + 3 * (k - m)
            u, v, w = ws[i], ws[i + 1], ws[i + 2]
            x += ws[r] * u + ws[r + 3] * v + ws[r + 6] * w
            y += ws[r + 1] * u + ws[r + 4] * v + ws[r + 7] * w
            z += ws[r + 2] * u + ws[r + 5] * v + ws[r + 8] * w
        i = out + 3 * k
        ws[i], ws[i + 1], ws[i + 2] = x, y, z
