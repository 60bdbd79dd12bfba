# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Taylor recursion compiled by numba, for single samples and batches, one variant per low order.

Imported at the first call, never at package import. With a constant order, the compiler unrolls
every loop over derivatives; orders from `CONSTANT_ORDERS` on share one variant with the order as
a variable.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.jit.kernel import source_bytes
from screw_dynamics.kernels.taylor import recursion
from screw_dynamics.kernels.taylor import rows as taylor_rows
from screw_dynamics.kernels.taylor import simd as lanes
from screw_dynamics.kernels.taylor import sines as sine_rows
from screw_dynamics.kernels.taylor.recursion import (
    BAD_SHAPE,
    INPUT_NOT_FINITE,
    OK,
    RESULT_NOT_FINITE,
    backward_sweep,
    forward_sweep,
    gather,
    integer,
    scatter,
    subtract_wrenches,
    workspace_rows,
)
from screw_dynamics.model import joint_aligned
from screw_dynamics.model.joint_aligned import BODY_COUNT, COORDINATE_COUNT

CONSTANT_ORDERS = 5  # orders 0 .. 4 have their own variants
ANY_ORDER = -1

LANES = lanes.LANES


@overload(taylor_rows.at, jit_options={'forceinline': True})
def _at(ws, row):
    return lambda ws, row: lanes.row_pointer(ws, row)


@overload(taylor_rows.get, jit_options={'forceinline': True})
def _get(rows, row):
    return lambda rows, row: lanes.load_row(rows, row)


@overload(taylor_rows.put, jit_options={'forceinline': True})
def _put(rows, row, value):
    return lambda rows, row, value: lanes.store_row(rows, row, value)


@overload(taylor_rows.sines, jit_options={'forceinline': True})
def _sines(ws, start, count):
    width = LANES if ws.row == lanes.lanes_type else 1

    def implementation(ws, start, count):
        sine_rows.sine_run(lanes.as_floats(ws), width * start, width * count)

    return implementation


register_jitable(sine_rows.sine_run)
for _function in recursion.ROW_FUNCTIONS:
    register_jitable(forceinline=True)(_function)


# numba's cache checks the time stamp of one file only. The variants close over this number, which
# is part of the cache key, so that a change in any of these files causes a new compilation.
_FINGERPRINT = zlib.crc32(
    b''.join(
        source_bytes(str(module.__file__))
        for module in (*recursion.SOURCES, lanes, sine_rows, joint_aligned)
    )
)


_LARGEST = np.finfo(np.float64).max


@register_jitable(forceinline=True)
def _finite(pointer, count):
    """Return whether `count` doubles are finite; with an integer sum, the loop vectorises."""
    bad = 0
    for i in range(count):
        bad += not (abs(lanes.load_row(pointer, i)) <= _LARGEST)
    return bad == 0


@register_jitable(forceinline=True)
def _to_lanes(rows, pointer, count):
    """Transpose `LANES` consecutive samples of `count` doubles each into rows."""
    for i in range(count):
        lanes.store_row(rows, i, lanes.load_strided(pointer, i, count))


@register_jitable(forceinline=True)
def _from_lanes(pointer, rows, count):
    """Transpose rows into `LANES` consecutive samples of `count` doubles each."""
    for i in range(count):
        lanes.store_strided(pointer, i, count, lanes.load_row(rows, i))


@register_jitable
def _last_tile(tile, samples, start):
    """Copy the samples from `start` on; repeat the last one until the tile is full."""
    for lane in range(LANES):
        tile[lane] = samples[min(start + lane, len(samples) - 1)]


def _single(constant: int, fingerprint: int) -> Callable[..., Any]:
    def single(jet, tau, model):
        _ = fingerprint
        parameters = lanes.row_pointer(model, 0)
        order = constant if constant >= 0 else tau.shape[0] - 1
        n = integer(parameters, COORDINATE_COUNT)
        if jet.shape[0] != order + 3 or jet.shape[1] != n:
            return BAD_SHAPE
        if tau.shape[0] != order + 1 or tau.shape[1] != n:
            return BAD_SHAPE
        jet_rows = lanes.row_pointer(jet, 0)
        if not _finite(jet_rows, (order + 3) * n):
            return INPUT_NOT_FINITE
        memory = np.empty(workspace_rows(order, integer(parameters, BODY_COUNT)))
        ws = lanes.row_pointer(memory, 0)
        gather(order, ws, jet_rows, parameters)
        forward_sweep(order, ws, parameters)
        backward_sweep(order, ws, parameters)
        tau_rows = lanes.row_pointer(tau, 0)
        scatter(order, ws, tau_rows, parameters)
        memory[0] = 0.0  # keeps the workspace alive until here; a pointer does not
        return OK if _finite(tau_rows, (order + 1) * n) else RESULT_NOT_FINITE

    return single


def _batch(constant: int, fingerprint: int) -> Callable[..., Any]:
    def batch(jets, taus, model, wrenches, bodies, poses):
        _ = fingerprint
        parameters = lanes.row_pointer(model, 0)
        order = constant if constant >= 0 else taus.shape[1] - 1
        samples, n = len(jets), integer(parameters, COORDINATE_COUNT)
        jet_size, tau_size = (order + 3) * n, (order + 1) * n
        wrench_size = len(bodies) * (order + 1) * 6
        rows = workspace_rows(order, integer(parameters, BODY_COUNT))
        memory = np.empty((rows + jet_size + tau_size + wrench_size, LANES))
        ws = lanes.lane_pointer(memory, 0)
        jet_rows = lanes.row_pointer(ws, rows)
        tau_rows = lanes.row_pointer(jet_rows, jet_size)
        wrench_rows = lanes.row_pointer(tau_rows, tau_size)
        jet_tile = np.empty((LANES, order + 3, n))
        tau_tile = np.empty((LANES, order + 1, n))
        wrench_tile = np.empty((LANES, len(bodies), order + 1, 6))
        status = OK
        for start in range(0, samples, LANES):
            whole = start + LANES <= samples
            jet = lanes.row_pointer(jets, start * jet_size)
            tau = lanes.row_pointer(taus, start * tau_size)
            wrench = lanes.row_pointer(wrenches, start * wrench_size)
            if not whole:
                _last_tile(jet_tile, jets, start)
                _last_tile(wrench_tile, wrenches, start)
                jet = lanes.row_pointer(jet_tile, 0)
                tau = lanes.row_pointer(tau_tile, 0)
                wrench = lanes.row_pointer(wrench_tile, 0)
            if not _finite(jet, LANES * jet_size):
                return INPUT_NOT_FINITE
            _to_lanes(jet_rows, jet, jet_size)
            gather(order, ws, jet_rows, parameters)
            forward_sweep(order, ws, parameters)
            if wrench_size > 0:
                _to_lanes(wrench_rows, wrench, wrench_size)
                subtract_wrenches(order, ws, wrench_rows, bodies, poses)
            backward_sweep(order, ws, parameters)
            scatter(order, ws, tau_rows, parameters)
            _from_lanes(tau, tau_rows, tau_size)
            if not _finite(tau, LANES * tau_size):
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
    """
    Return the kernel of one sample, ``kernel(jet, tau, parameters) -> status``.

    It works only compiled, and writes tau (k + 1, n) from jet (k + 3, n); `order` is k.
    """
    if order >= CONSTANT_ORDERS:
        return single_kernel(ANY_ORDER)
    signature = f'int64({read_only(2)}, float64[:, ::1], float64[::1])'
    return Kernel(_single(order, _FINGERPRINT), signature)


@cache
def batch_kernel(order: int) -> Kernel:
    """
    Return the kernel of a batch with wrenches on the bodies; it works only compiled.

    ``kernel(jets, taus, parameters, wrenches, bodies, poses) -> status``, see `taylor_numpy.run`.
    """
    if order >= CONSTANT_ORDERS:
        return batch_kernel(ANY_ORDER)
    signature = (
        f'int64({read_only(3)}, float64[:, :, ::1], float64[::1], {read_only(4)}, int64[::1], '
        'float64[:, :, ::1])'
    )
    return Kernel(_batch(order, _FINGERPRINT), signature)
