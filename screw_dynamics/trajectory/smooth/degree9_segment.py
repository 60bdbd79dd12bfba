# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Polynomials of degree 9 between two knots, each with position and four derivatives.

A segment of length h is written in the normalised time u in [0, 1]. Its ten data are
y = (q0, h v0, h^2 a0, h^3 j0, h^4 s0, q1, h v1, h^2 a1, h^3 j1, h^4 s1); every matrix below is
applied to y, so none depends on the length of a segment.
"""

from math import comb, factorial, perm

import numpy as np

from screw_dynamics.common.arrays import Array

DEGREE = 9
DERIVATIVES = [1, 2, 3, 4, 6, 7, 8, 9]  # their indices among the ten data


def _hermite_matrix() -> Array:
    """Return the (10, 10) matrix from the data y to the coefficients of powers of u."""
    matrix = np.zeros((10, 10))
    np.fill_diagonal(matrix[:5], [1.0 / factorial(d) for d in range(5)])
    # Remainder after the left Taylor polynomial at u = 1, for q and each derivative, times 4!:
    # whole numbers, so that every entry of the result is rounded once.
    lacking = np.zeros((5, 10))
    lacking[:, 5:] = 24.0 * np.eye(5)
    for r in range(5):
        for k in range(r, 5):
            lacking[r, k] = -24.0 / factorial(k - r)
    # u^5 to u^9 supply the remainder: 4! times the inverse of [perm(k, r)], r < 5 <= k < 10.
    supply = np.array(
        [
            [3024, -1344, 252, -24, 1],
            [-10080, 4704, -924, 92, -4],
            [12960, -6240, 1272, -132, 6],
            [-7560, 3720, -780, 84, -4],
            [1680, -840, 180, -20, 1],
        ]
    )
    matrix[5:] = supply @ lacking / 576.0
    return matrix


def bernstein_matrix(degree: int) -> Array:
    """Return the square matrix from power to Bernstein coefficients on [0, 1]."""
    return np.array(
        [
            [comb(i, k) / comb(degree, k) if k <= i else 0.0 for k in range(degree + 1)]
            for i in range(degree + 1)
        ]
    )


HERMITE = _hermite_matrix()


def _position_hull() -> Array:
    """Return the (10, 10) matrix from the data y to the Bernstein coefficients of the position."""
    left = [[comb(k, d) / perm(DEGREE, d) for d in range(5)] for k in range(5)]
    hull = np.zeros((10, 10))
    # five coefficients depend on each end alone: their entries for the other end are exactly 0
    hull[:5, :5] = left
    hull[5:, 5:] = (np.array(left) * (-1.0) ** np.arange(5))[::-1]
    return hull


# Bernstein coefficients of the position: the curve stays within their convex hull.
POSITION_HULL = _position_hull()

# Bernstein coefficients of dq/du: the segment is monotone if they have the same sign.
VELOCITY_HULL = DEGREE * np.diff(POSITION_HULL, axis=0)


def _energy(order: int) -> Array:
    """Return E, with y^T E y the integral over u of the squared derivative of an order."""
    k = np.arange(order, DEGREE + 1)
    factors = np.array([perm(int(i), order) for i in k], dtype=float)
    gram = np.outer(factors, factors) / (k[:, None] + k[None, :] - 2 * order + 1)
    rows = HERMITE[order:]
    energy: Array = rows.T @ gram @ rows
    return energy


# Roughness of a segment: its squared snap, its squared jerk times (17 / h)^2 and its squared
# crackle (the fifth derivative) times (h / 7)^2. Snap alone would wind up before and after stops,
# at the cost of needless slowing at points in between: the jerk determines the curve over several
# segments. The crackle reduces peaks of the snap within one.
ROUGHNESS = _energy(4) + 300.0 * _energy(3) + 0.02 * _energy(5)


def time_powers(h: Array) -> Array:
    """Return h, h^2, h^3, h^4, (S, 4): the factors between derivatives in t and in u."""
    powers: Array = h[:, None] ** np.arange(1, 5)
    return powers


def segment_coefficients(h: Array, jets: Array) -> Array:
    """Return the coefficients (S, 10, n) in u of segments `h` (S,) between jets (S + 1, 5, n)."""
    return hermite_coefficients(h, jets[:-1], jets[1:])


def hermite_coefficients(h: Array, left: Array, right: Array) -> Array:
    """Return the coefficients (S, 10, n) in u of segments `h` (S,) with jets (S, 5, n) at ends."""
    powers = np.concatenate((np.ones((len(h), 1)), time_powers(h)), axis=1)[:, :, None]
    data = np.concatenate((left * powers, right * powers), axis=1)
    # relative to the left position, so that a large common offset costs no digits
    data[:, 5] -= data[:, 0]
    data[:, 0] = 0.0
    coefficients: Array = np.matmul(HERMITE, data)
    coefficients[:, 0] = left[:, 0]
    return coefficients
