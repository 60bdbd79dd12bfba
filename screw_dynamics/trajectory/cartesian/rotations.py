# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotations of many samples at once: exponential, logarithm, angular velocity."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import log_so3, skew

_SKEW = np.array([skew(axis) for axis in np.eye(3)])
_LARGE_ANGLE = 3.0  # above it the skew-symmetric part of a rotation loses digits


def rotation_matrices(vectors: Array) -> Array:
    """Return the rotations (T, 3, 3) of rotation vectors (T, 3)."""
    angles = np.linalg.norm(vectors, axis=1)[:, None, None]
    hat = np.tensordot(vectors, _SKEW, 1)
    half = np.sinc(0.5 * angles / np.pi)
    rotations: Array = np.eye(3) + np.sinc(angles / np.pi) * hat + 0.5 * half**2 * (hat @ hat)
    return rotations


def rotation_vectors(rotations: Array) -> Array:
    """Return the rotation vectors (T, 3), up to pi long, of rotations (T, 3, 3)."""
    sines = 0.5 * (rotations - rotations.swapaxes(1, 2))[:, [2, 0, 1], [1, 2, 0]]
    cosines = 0.5 * (np.trace(rotations, axis1=1, axis2=2) - 1.0)
    angles = np.arctan2(np.linalg.norm(sines, axis=1), cosines)
    large = angles > _LARGE_ANGLE
    vectors: Array = sines / np.sinc(np.where(large, 0.0, angles) / np.pi)[:, None]
    for i in np.flatnonzero(large):
        vectors[i] = log_so3(rotations[i])
    return vectors


def angular_velocities(vectors: Array) -> Array:
    """
    Return Taylor coefficients (K, T, 3) of dexp_x x' from those of x (K + 1, T, 3).

    dexp_x is the sum of x~^m / (m + 1)!, of which 30 terms leave less than rounding up to pi.
    """
    count = len(vectors) - 1
    # the matrices (T, 3 K, 3 K) of the products x y, coefficients below each other
    products = np.zeros((vectors.shape[1], count, 3, count, 3))
    for k in range(count):
        matrices = np.tensordot(vectors[k], _SKEW, 1)
        for s in range(count - k):
            products[:, s + k, :, s] = matrices
    matrix = products.reshape(-1, 3 * count, 3 * count)
    rates = vectors[1:] * np.arange(1, count + 1)[:, None, None]
    term = rates.swapaxes(0, 1).reshape(-1, 3 * count, 1)
    total: Array = term.copy()
    for m in range(1, 31):
        term = np.matmul(matrix, term) / (m + 1)
        total += term
    found: Array = total.reshape(-1, count, 3).swapaxes(0, 1)
    return found
