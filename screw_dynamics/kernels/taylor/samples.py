# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Taylor recursion of one sample and of batches in C, with pointers to rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

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
from screw_dynamics.kernels.taylor.pointers import (
    SIMD_WIDTH,
    load_row,
    load_strided,
    row_pointer,
    simd_pointer,
    store_row,
    store_strided,
)
from screw_dynamics.kernels.taylor.rows import gather, integer, scatter, workspace_rows

_LARGEST = np.finfo(np.float64).max


def finite(pointer, count):
    """Return whether `count` doubles are finite; with an integer sum, the loop vectorises."""
    bad = 0
    for i in range(count):
        bad += not (abs(load_row(pointer, i)) <= _LARGEST)
    return bad == 0


def transpose_in(rows, pointer, count):
    """Transpose `SIMD_WIDTH` consecutive samples of `count` doubles each into rows."""
    for i in range(count):
        store_row(rows, i, load_strided(pointer, i, count))


def transpose_out(pointer, rows, count):
    """Transpose rows into `SIMD_WIDTH` consecutive samples of `count` doubles each."""
    for i in range(count):
        store_strided(pointer, i, count, load_row(rows, i))


def last_tile(tile, samples, start):
    """Copy the samples from `start` on; repeat the last one until the tile is full."""
    for k in range(SIMD_WIDTH):
        tile[k] = samples[min(start + k, len(samples) - 1)]


def single(constant: int) -> Callable[..., Any]:
    """Return the recursion of one sample, for a constant order, or for any if it is negative."""

    def one_sample(jet, tau, model):
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
        return OK if finite(tau_rows, (order + 1) * n) else RESULT_NOT_FINITE

    one_sample.__name__ = f'single_{"any" if constant < 0 else constant}'
    return one_sample


def batch(constant: int) -> Callable[..., Any]:
    """Return the recursion of a batch, for a constant order, or for any if it is negative."""

    def samples_at_once(jets, taus, model, wrenches, bodies, poses):
        parameters = row_pointer(model, 0)
        order = constant if constant >= 0 else taus.shape[1] - 1
        count, n = len(jets), integer(parameters, COORDINATE_COUNT)
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
        for start in range(0, count, SIMD_WIDTH):
            whole = start + SIMD_WIDTH <= count
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
                taus[start:] = tau_tile[: count - start]
        return status

    samples_at_once.__name__ = f'batch_{"any" if constant < 0 else constant}'
    return samples_at_once
