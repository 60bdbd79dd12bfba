# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantities of one sample and of batches, with pointers to rows (see `StateKernel`)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from screw_dynamics.kernels.bodies.layout import (
    BAD_SHAPE,
    BODY_COUNT,
    COORDINATE_COUNT,
    INPUT_NOT_FINITE,
    OK,
    RESULT_NOT_FINITE,
    UNALIGNED,
)
from screw_dynamics.kernels.bodies.rows import at, integer
from screw_dynamics.kernels.pointers import (
    all_finite,
    finite,
    lane_count,
    load_row,
    load_strided,
    row_pointer,
    simd_pointer,
    store_row,
    store_strided,
)


def transpose_in(rows, pointer, count):
    """Transpose consecutive samples of `count` doubles each into rows, one in each lane."""
    for i in range(count):
        store_row(rows, i, load_strided(pointer, i, count))


def transpose_out(pointer, rows, count):
    """Transpose rows into consecutive samples of `count` doubles each."""
    for i in range(count):
        store_strided(pointer, i, count, load_row(rows, i))


def last_tile(tile, samples, start):
    """Copy the samples from `start` on; repeat the last one until the tile is full."""
    for k in range(lane_count()):
        tile[k] = samples[min(start + k, len(samples) - 1)]


def run_one(sweep, rows, shape, order, q, qd, tau, out, model):
    """Check the shape of a result, and write it; the inputs have been checked."""
    parameters = row_pointer(model, 0)
    count = integer(parameters, BODY_COUNT)
    sizes = shape(order, integer(parameters, COORDINATE_COUNT), count)
    for k in range(out.ndim):
        if out.shape[k] != sizes[k]:
            return BAD_SHAPE
    if out.ctypes.data & 7:
        return UNALIGNED
    memory = np.empty(rows(order, count))
    q_rows, qd_rows, tau_rows = row_pointer(q, 0), row_pointer(qd, 0), row_pointer(tau, 0)
    out_rows = row_pointer(out, 0)
    sweep(order, row_pointer(memory, 0), q_rows, qd_rows, tau_rows, out_rows, parameters)
    return OK if finite(out_rows, out.size) else RESULT_NOT_FINITE


def run_state(sweep, rows, shape, q, qd, tau, out, model):
    """Check the shapes of one state, whose numbers are finite, and write its result."""
    n = integer(row_pointer(model, 0), COORDINATE_COUNT)
    if n == 0 or q.size != n or qd.size != n or tau.size != n:
        return BAD_SHAPE
    return run_one(sweep, rows, shape, 0, q, qd, tau, out, model)


def of_state(
    sweep: Callable[..., Any], rows: Callable[..., Any], shape: Callable[..., Any], inputs: int
) -> Callable[..., Any]:
    """Return the function of one state."""

    def of_q(q, out, model):
        if not all_finite(q):
            return INPUT_NOT_FINITE
        return run_state(sweep, rows, shape, q, q, q, out, model)

    def of_q_qd(q, qd, out, model):
        if not (all_finite(q) and all_finite(qd)):
            return INPUT_NOT_FINITE
        return run_state(sweep, rows, shape, q, qd, q, out, model)

    def of_q_qd_tau(q, qd, tau, out, model):
        if not (all_finite(q) and all_finite(qd) and all_finite(tau)):
            return INPUT_NOT_FINITE
        return run_state(sweep, rows, shape, q, qd, tau, out, model)

    return (of_q, of_q_qd, of_q_qd_tau)[inputs - 1]


def of_jet(
    sweep: Callable[..., Any],
    rows: Callable[..., Any],
    shape: Callable[..., Any],
    lowest: int,
    constant: int,
) -> Callable[..., Any]:
    """Return the function of one jet, of a constant order, or of any if it is negative."""

    def of_one_jet(jet, out, model):
        order = constant if constant >= 0 else jet.shape[0] - lowest
        if jet.shape[0] != order + lowest or jet.shape[1] == 0:
            return BAD_SHAPE
        if jet.shape[1] != integer(row_pointer(model, 0), COORDINATE_COUNT):
            return BAD_SHAPE
        if not all_finite(jet):
            return INPUT_NOT_FINITE
        return run_one(sweep, rows, shape, order, jet, jet, jet, out, model)

    return of_one_jet


def of_batch(
    sweep: Callable[..., Any], rows: Callable[..., Any], inputs: int, constant: int
) -> Callable[..., Any]:
    """Return the function of a batch, of a constant order, or of the given one if negative."""

    def samples_at_once(given, q, qd, tau, out, model):
        order, parameters = constant if constant >= 0 else given, row_pointer(model, 0)
        samples, n, width, lanes = len(q), q.shape[1], out.shape[1], lane_count()
        length = rows(order, integer(parameters, BODY_COUNT))
        memory = np.empty((length + inputs * n + width, lanes))
        ws = simd_pointer(memory, 0)
        q_rows, out_rows = at(ws, length), at(ws, length + inputs * n)
        tile, out_tile = np.empty((inputs, lanes, n)), np.empty((lanes, width))
        status = OK
        for part in range((samples + lanes - 1) // lanes):
            start = part * lanes
            whole = start + lanes <= samples
            for k in range(inputs):
                values = q if k == 0 else (qd if k == 1 else tau)
                source = row_pointer(values, start * n)
                if not whole:
                    last_tile(tile[k], values, start)
                    source = row_pointer(tile, k * lanes * n)
                if not finite(source, lanes * n):
                    return INPUT_NOT_FINITE
                transpose_in(at(q_rows, k * n), source, n)
            qd_rows = at(q_rows, n if inputs > 1 else 0)
            tau_rows = at(q_rows, 2 * n if inputs > 2 else 0)
            sweep(order, ws, q_rows, qd_rows, tau_rows, out_rows, parameters)
            target = row_pointer(out, start * width) if whole else row_pointer(out_tile, 0)
            transpose_out(target, out_rows, width)
            if not finite(target, lanes * width):
                status = RESULT_NOT_FINITE
            if not whole:
                out[start:] = out_tile[: samples - start]
        return status

    return samples_at_once


def of_control(sweeps, rows, shapes):
    """Return a function of the terms of `dynamics.control_terms`."""
    mass, bias, gravity, pose, jacobian = sweeps
    mass_rows, bias_rows, gravity_rows, frame_rows = rows
    square, vector, homogeneous, six_rows = shapes

    def control_terms(q, qd, m, b, g, c, j, model, path):
        if not (all_finite(q) and all_finite(qd)):
            return INPUT_NOT_FINITE
        status = run_state(mass, mass_rows, square, q, qd, q, m, model)
        if status == OK:
            status = run_state(bias, bias_rows, vector, q, qd, q, b, model)
        if status == OK:
            status = run_state(gravity, gravity_rows, vector, q, qd, q, g, model)
        if status == OK:
            status = run_state(pose, frame_rows, homogeneous, q, qd, q, c, path)
        if status == OK:
            status = run_state(jacobian, frame_rows, six_rows, q, qd, q, j, path)
        return status

    return control_terms
