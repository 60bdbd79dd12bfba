# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The Taylor recursion compiled by numba: single calls and batches, one variant per low order.

Imported at the first call, never at package import. A constant order lets the compiler unroll
every loop over derivatives; orders above `CONSTANT_ORDERS` share one variant with the order as
a variable.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from screw_dynamics.dynamics import lanes, sine_rows
from screw_dynamics.dynamics import taylor_recursion as recursion
from screw_dynamics.dynamics.taylor_recursion import (
    BAD_SHAPE,
    INPUT_NOT_FINITE,
    OK,
    RESULT_NOT_FINITE,
    backward_sweep,
    forward_sweep,
    gather,
    scatter,
    subtract_wrenches,
    workspace_rows,
)
from screw_dynamics.jit import compile_kernel
from screw_dynamics.model import joint_aligned

CONSTANT_ORDERS = 5  # orders 0 .. 4 have a variant of their own
ANY_ORDER = -1

LANES = lanes.LANES


@overload(recursion.index, jit_options={'forceinline': True})
def _index(i):  # type: ignore[no-untyped-def]
    return lambda i: np.uint64(i)


@overload(recursion.get, jit_options={'forceinline': True})
def _get(ws, row):  # type: ignore[no-untyped-def]
    if ws.ndim == 1:
        return lambda ws, row: ws[np.uint64(row)]
    return lambda ws, row: lanes.load_row(ws, row)


@overload(recursion.put, jit_options={'forceinline': True})
def _put(ws, row, value):  # type: ignore[no-untyped-def]
    def put_float(ws, row, value):  # type: ignore[no-untyped-def]
        ws[np.uint64(row)] = value

    def put_lanes(ws, row, value):  # type: ignore[no-untyped-def]
        lanes.store_row(ws, row, value)

    return put_float if ws.ndim == 1 else put_lanes


@overload(recursion.sines, jit_options={'forceinline': True})
def _sines(ws, start, count):  # type: ignore[no-untyped-def]
    def sines_lanes(ws, start, count):  # type: ignore[no-untyped-def]
        sine_rows.sine_run(ws.reshape(-1), LANES * start, LANES * count)

    return sine_rows.sine_run if ws.ndim == 1 else sines_lanes


register_jitable(sine_rows.sine_run)
for _function in recursion.ROW_FUNCTIONS:
    register_jitable(forceinline=True)(_function)


# numba's cache looks at the time stamp of one file; the variants close over this number, which
# is part of the cache's key, so that a change in any of these files compiles anew.
_FINGERPRINT = zlib.crc32(
    b''.join(
        Path(str(module.__file__)).read_bytes()
        for module in (recursion, lanes, sine_rows, joint_aligned)
    )
)


def _array(dimensions: int, dtype: Any = types.float64, *, readonly: bool = False) -> Any:
    return types.Array(dtype, dimensions, 'C', readonly=readonly)


_MODEL = (_array(1, types.int64), _array(1))


def _single(constant: int, fingerprint: int) -> Callable[..., Any]:
    def single(jet, tau, ints, reals):  # type: ignore[no-untyped-def]
        _ = fingerprint
        order = constant if constant >= 0 else tau.shape[0] - 1
        n = ints[1]
        if jet.shape[0] != order + 3 or jet.shape[1] != n:
            return BAD_SHAPE
        if tau.shape[0] != order + 1 or tau.shape[1] != n:
            return BAD_SHAPE
        ws = np.empty(workspace_rows(order, ints[0]))
        view = ws.reshape((-1, 1))
        if gather(order, jet, view, 0, ints, reals) != 0.0:
            return INPUT_NOT_FINITE
        forward_sweep(order, ws, ints, reals)
        backward_sweep(order, ws, ints, reals)
        if scatter(order, view, 0, tau, ints, reals) != 0.0:
            return RESULT_NOT_FINITE
        return OK

    return single


def _batch(constant: int, fingerprint: int) -> Callable[..., Any]:
    def batch(jets, taus, ints, reals, wrenches, bodies, poses):  # type: ignore[no-untyped-def]
        _ = fingerprint
        order = constant if constant >= 0 else taus.shape[1] - 1
        samples = len(jets)
        ws = np.empty((workspace_rows(order, ints[0]), LANES))
        status = OK
        for start in range(0, samples, LANES):
            # a short last tile repeats the last sample
            for lane in range(LANES):
                t = min(start + lane, samples - 1)
                if gather(order, jets[t], ws, lane, ints, reals) != 0.0:
                    return INPUT_NOT_FINITE
            forward_sweep(order, ws, ints, reals)
            if len(bodies) > 0:
                for lane in range(LANES):
                    t = min(start + lane, samples - 1)
                    subtract_wrenches(order, ws, lane, wrenches[t], bodies, poses)
            backward_sweep(order, ws, ints, reals)
            for lane in range(min(LANES, samples - start)):
                if scatter(order, ws, lane, taus[start + lane], ints, reals) != 0.0:
                    status = RESULT_NOT_FINITE
        return status

    return batch


@lru_cache(maxsize=None)
def single_kernel(order: int) -> Callable[..., int]:
    """
    Return the compiled kernel of one sample.

    Parameters
    ----------
    order : int
        0 .. CONSTANT_ORDERS - 1, or ANY_ORDER.

    Returns
    -------
    callable
        ``kernel(jet, tau, ints, reals) -> status``; fills tau (k+1, n) from jet (k+3, n).

    """
    signature = types.int64(_array(2, readonly=True), _array(2), *_MODEL)
    return compile_kernel(_single(order, _FINGERPRINT), signature)


@lru_cache(maxsize=None)
def batch_kernel(order: int) -> Callable[..., int]:
    """
    Return the compiled kernel of a batch, with wrenches on the bodies.

    Parameters
    ----------
    order : int
        0 .. CONSTANT_ORDERS - 1, or ANY_ORDER.

    Returns
    -------
    callable
        ``kernel(jets, taus, ints, reals, wrenches, bodies, poses) -> status``.

    """
    signature = types.int64(
        _array(3, readonly=True),
        _array(3),
        *_MODEL,
        _array(4, readonly=True),
        _array(1, types.int64),
        _array(3),
    )
    return compile_kernel(_batch(order, _FINGERPRINT), signature)
