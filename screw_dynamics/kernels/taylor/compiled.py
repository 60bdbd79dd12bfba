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
from typing import Any

import numpy as np

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.taylor import (
    backward,
    compiled_rows,
    forward,
    layout,
    rows,
    simd,
    sines,
)
from screw_dynamics.kernels.taylor.backward import backward_sweep, subtract_wrenches
from screw_dynamics.kernels.taylor.compiled_rows import (
    finite,
    last_tile,
    register,
    transpose_in,
    transpose_out,
)
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
from screw_dynamics.kernels.taylor.simd import SIMD_WIDTH, row_pointer, simd_pointer
from screw_dynamics.kernels.tree import layout as shared_layout

CONSTANT_ORDERS = 5  # orders 0 .. 4 have their own variants
ANY_ORDER = -1

# all that the kernels are compiled from
_SOURCES = (backward, compiled_rows, forward, layout, rows, shared_layout, simd, sines)

register([forward, backward])


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
        if not finite(jet_rows, (order + 3) * n):
            return INPUT_NOT_FINITE
        memory = np.empty(workspace_rows(order, integer(parameters, BODY_COUNT)))
        ws = row_pointer(memory, 0)
        gather(order, ws, jet_rows, parameters)
        forward_sweep(order, ws, parameters)
        backward_sweep(order, ws, parameters)
        tau_rows = row_pointer(tau, 0)
        scatter(order, ws, tau_rows, parameters)
        memory[0] = 0.0  # keeps the workspace alive until here; a pointer does not
        return OK if finite(tau_rows, (order + 1) * n) else RESULT_NOT_FINITE

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
                last_tile(jet_tile, jets, start)
                last_tile(wrench_tile, wrenches, start)
                jet = row_pointer(jet_tile, 0)
                tau = row_pointer(tau_tile, 0)
                wrench = row_pointer(wrench_tile, 0)
            if not finite(jet, SIMD_WIDTH * jet_size):
                return INPUT_NOT_FINITE
            transpose_in(jet_rows, jet, jet_size)
            gather(order, ws, jet_rows, parameters)
            forward_sweep(order, ws, parameters)
            if wrench_size > 0:
                transpose_in(wrench_rows, wrench, wrench_size)
                subtract_wrenches(order, ws, wrench_rows, bodies, poses)
            backward_sweep(order, ws, parameters)
            scatter(order, ws, tau_rows, parameters)
            transpose_out(tau, tau_rows, tau_size)
            if not finite(tau, SIMD_WIDTH * tau_size):
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
