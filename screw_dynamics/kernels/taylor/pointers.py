# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Pointers to the rows of a workspace, and short vectors of samples.

Compiled code has pointers in place of these views; relative to one, a constant offset is part of
the instruction that loads, where an index into an array needs twice as many.
"""

import numpy as np

SIMD_WIDTH = 4  # 256-bit registers; with wider vectors the recursion needs too many registers


def row_pointer(rows, row):
    """Return the rows from `row` on, or the doubles of an array from `row` on."""
    return rows.reshape(-1)[row:] if isinstance(rows, np.ndarray) and rows.ndim > 1 else rows[row:]


def simd_pointer(array, row):
    """Return the rows of a (rows, SIMD_WIDTH) array from `row` on."""
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
    """Return a vector of `SIMD_WIDTH` doubles, `stride` apart."""
    return doubles[offset + stride * np.arange(SIMD_WIDTH)]


def store_strided(doubles, offset, stride, vector):
    """Set `SIMD_WIDTH` doubles, `stride` apart."""
    doubles[offset + stride * np.arange(SIMD_WIDTH)] = vector
