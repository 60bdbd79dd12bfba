# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Springs between a link and its parent, parallel to the drive, with time derivatives.

The squared distance of a point on the link from a point on its parent is, for any screw,

    s(q) = a + b cos(w q) + g sin(w q) + d q + e q^2,

and a spring that pulls with the force ``k sqrt(s) + c`` acts with the effort
``-(k + c / sqrt(s)) s'(q) / 2`` on the joint. With c = 0 this has no singularity: an ideal
balancing spring or, with s = (q - q0)^2, a torsion spring.
"""

import numpy as np

from screw_dynamics.kernels.series import (
    add_product_to_jet,
    product,
    quotient,
    root,
    sine_and_cosine,
    to_series,
)

# columns: k, c, range of the length sqrt(s), a, b, g, w, d, e
STIFFNESS, FORCE, SHORTEST, LONGEST, CONSTANT, COSINE, SINE, FREQUENCY, LINEAR, SQUARE = range(10)
COLUMNS = 10

WORK = 7  # rows of the workspace of `subtract_parallel_spring`


def has_length(row):
    """Return True if the length of a spring is needed: beside its square."""
    return row[FORCE] != 0.0 or row[LONGEST] < np.inf


def within_range(row, length):
    """Return True if a spring can have this length; one whose force has no direction is not."""
    return row[SHORTEST] <= length <= row[LONGEST] and length > 0.0


def subtract_parallel_spring(row, jet, effort, work):
    """
    Subtract the effort of a spring from the jet `effort` (p,); return its length.

    `jet` (p or more,) is that of the joint, `work` (WORK, p). The length is 0 if it is not needed.
    """
    count = len(effort)
    q, sine, cosine, slope, factor = work[0], work[1], work[2], work[3], work[4]
    to_series(jet, q)
    for k in range(count):
        work[5, k] = row[FREQUENCY] * q[k]
    sine_and_cosine(work[5], sine, cosine)
    for k in range(count):
        slope[k] = row[FREQUENCY] * (row[SINE] * cosine[k] - row[COSINE] * sine[k])
        slope[k] += 2.0 * row[SQUARE] * q[k]
        factor[k] = 0.0
    slope[0] += row[LINEAR]
    length = 0.0
    if has_length(row):
        product(q, q, work[5])
        for k in range(count):
            work[5, k] *= row[SQUARE]
            work[5, k] += row[COSINE] * cosine[k] + row[SINE] * sine[k] + row[LINEAR] * q[k]
        work[5, 0] += row[CONSTANT]
        root(work[5], work[6])
        length = work[6, 0]
        work[5] = 0.0
        work[5, 0] = row[FORCE]
        quotient(work[5], work[6], factor)
    factor[0] += row[STIFFNESS]
    add_product_to_jet(0.5, slope, factor, effort)
    return length


def parallel_spring_effort(row, q):
    """Return the effort of a spring on its joint; NaN outside of its range of lengths."""
    sine, cosine = np.sin(row[FREQUENCY] * q), np.cos(row[FREQUENCY] * q)
    slope = row[FREQUENCY] * (row[SINE] * cosine - row[COSINE] * sine)
    slope += row[LINEAR] + 2.0 * row[SQUARE] * q
    factor = row[STIFFNESS]
    if has_length(row):
        square = row[CONSTANT] + row[COSINE] * cosine + row[SINE] * sine
        length = np.sqrt(square + (row[LINEAR] + row[SQUARE] * q) * q)
        if not within_range(row, length):
            return np.nan
        factor += row[FORCE] / length
    return -0.5 * factor * slope
