# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Pointers to the rows of a workspace, and short vectors of samples.

Compiled code has pointers in place of these views; relative to one, a constant offset is part of
the instruction that loads, where an index into an array needs twice as many.
"""

import numpy as np

_LARGEST = np.finfo(np.float64).max


def lane_count():
    """Return the number of samples in a short vector: in C, of doubles in a register, 2 or 4."""
    return 64


def row_pointer(rows, row):
    """Return the rows from `row` on, or the doubles of an array from `row` on."""
    return rows.reshape(-1)[row:] if isinstance(rows, np.ndarray) and rows.ndim > 1 else rows[row:]


def simd_pointer(array, row):
    """Return the rows of a (rows, lanes) array from `row` on."""
    return array[row:]


def as_floats(rows):
    """Return the doubles of rows."""
    return rows.reshape(-1)


def load_row(rows, row):
    """Return a row."""
    return rows[row]


def store_row(rows, row, value):
    """Set a row."""
    rows[row] = value


def load_strided(doubles, offset, stride):
    """Return a short vector of doubles that are `stride` apart."""
    return doubles[offset : offset + stride * lane_count() : stride]


def store_strided(doubles, offset, stride, vector):
    """Set doubles that are `stride` apart to a short vector."""
    doubles[offset : offset + stride * lane_count() : stride] = vector


def finite(pointer, count):
    """Return whether `count` doubles are finite; with an integer sum, the loop vectorises."""
    bad = 0
    for i in range(count):
        bad += not (abs(load_row(pointer, i)) <= _LARGEST)
    return bad == 0


def all_finite(array):
    """Return whether all items of a packed array are finite."""
    return finite(row_pointer(array, 0), array.size)
