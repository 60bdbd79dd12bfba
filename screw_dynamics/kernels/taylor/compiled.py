# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Taylor recursion compiled by numba, for single samples and batches, one variant per low order.

Imported at the first call, never at package import. With a constant order, the compiler unrolls
every loop over derivatives; orders from `CONSTANT_ORDERS` on share one variant with the order as
a variable.
"""

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.taylor import backward, forward, layout, rows, simd, sines
from screw_dynamics.kernels.taylor.backward import backward_sweep, subtract_wrenches
from screw_dynamics.kernels.taylor.forward import forward_sweep
from screw_dynamics.kernels.taylor.layout import (
    BAD_SHAPE,
    BODY_COUNT,
    COORDINATE_COUNT,
    INPUT_NOT_FINITE,
    OK,
    RESULT_NOT_FINITE,
    UNALIGNED,
)
from screw_dynamics.kernels.taylor.rows import gather, integer, scatter, workspace_rows
from screw_dynamics.kernels.taylor.simd import (
    SIMD_WIDTH,
    load_row,
    load_strided,
    row_pointer,
    simd_pointer,
    store_row,
    store_strided,
)
from screw_dynamics.kernels.tree import layout as shared_layout

CONSTANT_ORDERS = 5  # orders 0 .. 4 have their own variants
ANY_ORDER = -1

# all that the kernels are compiled from
_SOURCES = (backward, forward, layout, rows, shared_layout, simd, sines)


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


def _register_row_functions():
    """Register all functions on rows but the access to rows, which has overloads above."""
    for module in (rows, forward, backward):
        for name, function in vars(module).items():
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                if name not in ('at', 'get', 'put', 'sines'):
                    register_jitable(forceinline=True)(function)
    register_jitable(sines.sine_run)


_register_row_functions()

_LARGEST = np.finfo(np.float64).max


@register_jitable(forceinline=True)
def _finite(pointer, count):
    """Return whether `count` doubles are finite; with an integer sum, the loop vectorises."""
    bad = 0
    for i in range(count):
        bad += not (abs(load_row(pointer, i)) <= _LARGEST)
    return bad == 0


@register_jitable(forceinline=True)
def _transpose_in(rows, pointer, count):
    """Transpose `SIMD_WIDTH` consecutive samples of `count` doubles each into rows."""
    for i in range(count):
        store_row(rows, i, load_strided(pointer, i, count))


@register_jitable(forceinline=True)
def _transpose_out(pointer, rows, count):
    """Transpose rows into `SIMD_WIDTH` consecutive samples of `count` doubles each."""
    for i in range(count):
        store_strided(pointer, i, count, load_row(rows, i))


@register_jitable
def _last_tile(tile, samples, start):
    """Copy the samples from `start` on; repeat the last one until the tile is full."""
    for k in range(SIMD_WIDTH):
        tile[k] = samples[min(start + k, len(samples) - 1)]


def _single(constant: int) -> Callable[..., Any]:
    def single(jet, tau, model):
        parameters = row_pointer(model, 0)
        order = constant if constant >= 0 else tau.shape[0] - 1
        n = integer(parameters, COORDINATE_COUNT)
        if jet.shape[0] != order + 3 or jet.shape[1] != n:
            return BAD_SHAPE
        if tau.shape[0] != order + 1 or tau.shape[1] != n:
            return BAD_SHAPE
        if tau.ctypes.data & 7:
            return UNALIGNED
        jet_rows = row_pointer(jet, 0)
        if not _finite(jet_rows, (order + 3) * n):
            return INPUT_NOT_FINITE
        memory = np.empty(workspace_rows(order, integer(parameters, BODY_COUNT)))
        ws = row_pointer(memory, 0)
        gather(order, ws, jet_rows, parameters)
        forward_sweep(order, ws, parameters)
        backward_sweep(order, ws, parameters)
        tau_rows = row_pointer(tau, 0)
        scatter(order, ws, tau_rows, parameters)
        memory[0] = 0.0  # keeps the workspace alive until here; a pointer does not
        return OK if _finite(tau_rows, (order + 1) * n) else RESULT_NOT_FINITE

    return single


def _batch(constant: int) -> Callable[..., Any]:
    def batch(jets, taus, model, wrenches, bodies, poses):
        parameters = row_pointer(model, 0)
        order = constant if constant >= 0 else taus.shape[1] - 1
        samples, n = len(jets), integer(parameters, COORDINATE_COUNT)
        jet_size, tau_size = (order + 3) * n, (order + 1) * n
        wrench_size = len(bodies) * (order + 1) * 6
        size = workspace_rows(order, integer(parameters, BODY_COUNT))
        memory = np.empty((size + jet_size + tau_size + wrench_size, SIMD_WIDTH))
        ws = simd_pointer(memory, 0)
        jet_rows = row_pointer(ws, size)
        tau_rows = row_pointer(jet_rows, jet_size)
        wrench_rows = row_pointer(tau_rows, tau_size)
        jet_tile = np.empty((SIMD_WIDTH, order + 3, n))
        tau_tile = np.empty((SIMD_WIDTH, order + 1, n))
        wrench_tile = np.empty((SIMD_WIDTH, len(bodies), order + 1, 6))
        status = OK
        for start in range(0, samples, SIMD_WIDTH):
            whole = start + SIMD_WIDTH <= samples
            jet = row_pointer(jets, start * jet_size)
            tau = row_pointer(taus, start * tau_size)
            wrench = row_pointer(wrenches, start * wrench_size)
            if not whole:
                _last_tile(jet_tile, jets, start)
                _last_tile(wrench_tile, wrenches, start)
                jet = row_pointer(jet_tile, 0)
                tau = row_pointer(tau_tile, 0)
                wrench = row_pointer(wrench_tile, 0)
            if not _finite(jet, SIMD_WIDTH * jet_size):
                return INPUT_NOT_FINITE
            _transpose_in(jet_rows, jet, jet_size)
            gather(order, ws, jet_rows, parameters)
            forward_sweep(order, ws, parameters)
            if wrench_size > 0:
                _transpose_in(wrench_rows, wrench, wrench_size)
                subtract_wrenches(order, ws, wrench_rows, bodies, poses)
            backward_sweep(order, ws, parameters)
            scatter(order, ws, tau_rows, parameters)
            _transpose_out(tau, tau_rows, tau_size)
            if not _finite(tau, SIMD_WIDTH * tau_size):
                status = RESULT_NOT_FINITE
            if not whole:
                taus[start:] = tau_tile[: samples - start]
        # keeps the arrays alive until here; a pointer does not
        memory[0, 0] = jet_tile[0, 0, 0]
        wrench_tile[...] = 0.0
        return status

    return batch


@cache
def single_kernel(order: int) -> Kernel:
    """Return the kernel of one sample, ``kernel(jet, tau, parameters) -> int``; only compiled."""
    if order >= CONSTANT_ORDERS:
        return single_kernel(ANY_ORDER)
    signature = f'int64({read_only(2)}, float64[:, ::1], float64[::1])'
    return Kernel(_single(order), signature, sources=_SOURCES)


@cache
def batch_kernel(order: int) -> Kernel:
    """Return the kernel with the arguments and results of `interpreted.run`; only compiled."""
    if order >= CONSTANT_ORDERS:
        return batch_kernel(ANY_ORDER)
    signature = (
        f'int64({read_only(3)}, float64[:, :, ::1], float64[::1], {read_only(4)}, int64[::1], '
        'float64[:, :, ::1])'
    )
    return Kernel(_batch(order), signature, sources=_SOURCES)
