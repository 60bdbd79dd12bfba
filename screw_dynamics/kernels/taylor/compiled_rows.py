# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rows of a workspace for numba: a float, or a short vector of samples, behind one source.

Imported at the first call, never at package import.
"""

from types import FunctionType

import numpy as np
from numba.extending import overload, register_jitable

from screw_dynamics.kernels.taylor import rows, simd, sines
from screw_dynamics.kernels.taylor.simd import (
    SIMD_WIDTH,
    load_row,
    load_strided,
    row_pointer,
    store_row,
    store_strided,
)


@overload(rows.at, jit_options={'forceinline': True})
def _at(ws, row):
    return lambda ws, row: row_pointer(ws, row)


@overload(rows.get, jit_options={'forceinline': True})
def _get(rows, row):
    return lambda rows, row: load_row(rows, row)


@overload(rows.put, jit_options={'forceinline': True})
def _put(rows, row, value):
    return lambda rows, row, value: store_row(rows, row, value)


@overload(rows.sines, jit_options={'forceinline': True})
def _sines(ws, start, count):
    width = SIMD_WIDTH if ws.row == simd.simd_type else 1

    def implementation(ws, start, count):
        sines.sine_run(simd.as_floats(ws), width * start, width * count)

    return implementation


@overload(rows.absolute, jit_options={'forceinline': True})
def _absolute(value):
    if value == simd.simd_type:
        return lambda value: simd.magnitude(value)
    return lambda value: abs(value)


@overload(rows.unless_small, jit_options={'forceinline': True})
def _unless_small(value, bound):
    if value == simd.simd_type:
        return lambda value, bound: simd.nan_unless_above(value, simd.magnitude(value), bound)
    return lambda value, bound: value if abs(value) > bound else np.nan


def register(modules, but=()):
    """Register the functions that modules define, those named in `but` excepted."""
    for module in modules:
        for name, function in vars(module).items():
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                if name not in but:
                    register_jitable(forceinline=True)(function)


# the access to rows has overloads above
register([rows], but=('at', 'get', 'put', 'absolute', 'unless_small', 'sines'))
register_jitable(sines.sine_run)

_LARGEST = np.finfo(np.float64).max


@register_jitable(forceinline=True)
def finite(pointer, count):
    """Return whether `count` doubles are finite; with an integer sum, the loop vectorises."""
    bad = 0
    for i in range(count):
        bad += not (abs(load_row(pointer, i)) <= _LARGEST)
    return bad == 0


@register_jitable(forceinline=True)
def transpose_in(rows, pointer, count):
    """Transpose `SIMD_WIDTH` consecutive samples of `count` doubles each into rows."""
    for i in range(count):
        store_row(rows, i, load_strided(pointer, i, count))


@register_jitable(forceinline=True)
def transpose_out(pointer, rows, count):
    """Transpose rows into `SIMD_WIDTH` consecutive samples of `count` doubles each."""
    for i in range(count):
        store_strided(pointer, i, count, load_row(rows, i))


@register_jitable
def last_tile(tile, samples, start):
    """Copy the samples from `start` on; repeat the last one until the tile is full."""
    for k in range(SIMD_WIDTH):
        tile[k] = samples[min(start + k, len(samples) - 1)]
