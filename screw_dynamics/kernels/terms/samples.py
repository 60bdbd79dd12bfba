# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Terms of one sample and of batches in C, with pointers to rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from screw_dynamics.kernels.taylor.layout import (
    BAD_SHAPE,
    BODY_COUNT,
    COORDINATE_COUNT,
    INPUT_NOT_FINITE,
    OK,
    RESULT_NOT_FINITE,
    UNALIGNED,
)
from screw_dynamics.kernels.taylor.pointers import SIMD_WIDTH, row_pointer, simd_pointer
from screw_dynamics.kernels.taylor.rows import integer
from screw_dynamics.kernels.taylor.samples import finite, last_tile, transpose_in, transpose_out
from screw_dynamics.kernels.terms.recursion import N, Recursion


def all_finite(array):
    """Return whether all items of a packed array are finite."""
    return finite(row_pointer(array, 0), array.size)


def run_one(sweep, size, sizes, q, qd, tau, out, model):
    """Check the shapes of one sample, whose numbers are finite, and write its result."""
    parameters = row_pointer(model, 0)
    n, count = integer(parameters, COORDINATE_COUNT), integer(parameters, BODY_COUNT)
    if n == 0 or q.size != n or qd.size != n or tau.size != n:
        return BAD_SHAPE
    for k in range(out.ndim):
        if out.shape[k] != (n if sizes[k] == N else sizes[k]):
            return BAD_SHAPE
    if out.ctypes.data & 7:
        return UNALIGNED
    q_rows, qd_rows, tau_rows = row_pointer(q, 0), row_pointer(qd, 0), row_pointer(tau, 0)
    memory = np.empty(size(count))
    out_rows = row_pointer(out, 0)
    sweep(row_pointer(memory, 0), q_rows, qd_rows, tau_rows, out_rows, parameters)
    return OK if finite(out_rows, out.size) else RESULT_NOT_FINITE


def single(recursion: Recursion) -> Callable[..., Any]:
    """Return the function of one sample of a term."""
    sweep, size, sizes = recursion.sweep, recursion.rows, recursion.shape

    def of_q(q, out, model):
        if not all_finite(q):
            return INPUT_NOT_FINITE
        return run_one(sweep, size, sizes, q, q, q, out, model)

    def of_q_qd(q, qd, out, model):
        if not (all_finite(q) and all_finite(qd)):
            return INPUT_NOT_FINITE
        return run_one(sweep, size, sizes, q, qd, q, out, model)

    def of_q_qd_tau(q, qd, tau, out, model):
        if not (all_finite(q) and all_finite(qd) and all_finite(tau)):
            return INPUT_NOT_FINITE
        return run_one(sweep, size, sizes, q, qd, tau, out, model)

    return (of_q, of_q_qd, of_q_qd_tau)[recursion.inputs - 1]


def rows_of_jet(recursion: Recursion) -> Callable[..., Any]:
    """Return the function of one sample of a term whose inputs are the rows of an array."""
    sweep, size, sizes = recursion.sweep, recursion.rows, recursion.shape

    def of_jet(jet, out, model):
        if not all_finite(jet):
            return INPUT_NOT_FINITE
        if jet.shape[0] != 3:
            return BAD_SHAPE
        return run_one(sweep, size, sizes, jet[0], jet[1], jet[2], out, model)

    return of_jet


def batch(recursion: Recursion) -> Callable[..., Any]:
    """Return the function of a batch of a term."""
    sweep, size, inputs = recursion.sweep, recursion.rows, recursion.inputs

    def samples_at_once(q, qd, tau, out, model):
        parameters = row_pointer(model, 0)
        samples, n, width = len(q), integer(parameters, COORDINATE_COUNT), out.shape[1]
        length = size(integer(parameters, BODY_COUNT))
        memory = np.empty((length + inputs * n + width, SIMD_WIDTH))
        ws = simd_pointer(memory, 0)
        q_rows, out_rows = row_pointer(ws, length), row_pointer(ws, length + inputs * n)
        tile, out_tile = np.empty((inputs, SIMD_WIDTH, n)), np.empty((SIMD_WIDTH, width))
        status = OK
        for start in range(0, samples, SIMD_WIDTH):
            whole = start + SIMD_WIDTH <= samples
            for k in range(inputs):
                values = q if k == 0 else (qd if k == 1 else tau)
                source = row_pointer(values, start * n)
                if not whole:
                    last_tile(tile[k], values, start)
                    source = row_pointer(tile, k * SIMD_WIDTH * n)
                if not finite(source, SIMD_WIDTH * n):
                    return INPUT_NOT_FINITE
                transpose_in(row_pointer(q_rows, k * n), source, n)
            qd_rows = row_pointer(q_rows, n if inputs > 1 else 0)
            tau_rows = row_pointer(q_rows, 2 * n if inputs > 2 else 0)
            sweep(ws, q_rows, qd_rows, tau_rows, out_rows, parameters)
            target = row_pointer(out, start * width) if whole else row_pointer(out_tile, 0)
            transpose_out(target, out_rows, width)
            if not finite(target, SIMD_WIDTH * width):
                status = RESULT_NOT_FINITE
            if not whole:
                out[start:] = out_tile[: samples - start]
        return status

    return samples_at_once


def control(sweeps, sizes):
    """Return a function of the terms of `dynamics.control_terms`; one size per sweep."""
    mass, bias, gravity, pose, jacobian = sweeps
    mass_size, bias_size, gravity_size, frame_size = sizes

    def control_terms(q, qd, m, b, g, c, j, model, path):
        if not (all_finite(q) and all_finite(qd)):
            return INPUT_NOT_FINITE
        status = run_one(mass, mass_size, (N, N), q, qd, q, m, model)
        if status == OK:
            status = run_one(bias, bias_size, (N,), q, qd, q, b, model)
        if status == OK:
            status = run_one(gravity, gravity_size, (N,), q, qd, q, g, model)
        if status == OK:
            status = run_one(pose, frame_size, (4, 4), q, qd, q, c, path)
        if status == OK:
            status = run_one(jacobian, frame_size, (6, N), q, qd, q, j, path)
        return status

    return control_terms
