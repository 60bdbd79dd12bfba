# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Functions of the Taylor recursion for numba, whose rows are floats or short vectors of samples.

Imported before numba compiles one of them, never at package import.
"""

from types import FunctionType

import numpy as np
from numba.extending import overload, register_jitable

from screw_dynamics.kernels.taylor import (
    backward,
    forward,
    layout,
    pointers,
    rows,
    samples,
    simd,
    sines,
)
from screw_dynamics.kernels.taylor.pointers import (
    SIMD_WIDTH,
    as_floats,
    load_row,
    row_pointer,
    store_row,
)
from screw_dynamics.kernels.tree import layout as shared_layout


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
        sines.sine_run(as_floats(ws), width * start, width * count)

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


# all that the kernels are compiled from
SOURCES = (backward, forward, layout, pointers, rows, samples, shared_layout, simd, sines)

# the access to rows has overloads above
register([rows], but=('at', 'get', 'put', 'absolute', 'unless_small', 'sines'))
register_jitable(sines.sine_run)
register([forward, backward])
register([samples], but=('single', 'batch'))
