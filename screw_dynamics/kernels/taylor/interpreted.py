# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches of the Taylor recursion in Python: rows of the workspace are NumPy rows over samples."""

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.taylor.backward import backward_sweep, subtract_wrenches
from screw_dynamics.kernels.taylor.forward import forward_sweep
from screw_dynamics.kernels.taylor.layout import (
    BODY_COUNT,
    INPUT_NOT_FINITE,
    OK,
    RESULT_NOT_FINITE,
)
from screw_dynamics.kernels.taylor.rows import gather, scatter, workspace_rows

# Samples per run: the workspace fits into the processor's cache.
_CHUNK = 1024


def run(
    jets: Array,
    taus: Array,
    parameters: Array,
    wrenches: Array,
    bodies: NDArray[np.int64],
    poses: Array,
) -> int:
    """
    Fill `taus` (T, k + 1, n) from `jets` (T, k + 3, n), like the batch kernel in C.

    `wrenches` (T, m, k + 1, 6) act on `bodies` (m,); `poses` (m, 4, 4) are their frames in the
    joint frames of the bodies. Returns OK, INPUT_NOT_FINITE or RESULT_NOT_FINITE.
    """
    order = taus.shape[1] - 1
    count = int(parameters[BODY_COUNT])
    status = OK
    for start in range(0, len(jets), _CHUNK):
        part = slice(start, start + _CHUNK)
        if not np.isfinite(jets[part]).all():
            return INPUT_NOT_FINITE
        ws = np.empty((workspace_rows(order, count), len(jets[part])))
        tau = np.empty((taus[0].size, len(jets[part])))
        gather(order, ws, _rows(jets[part]), parameters)
        forward_sweep(order, ws, parameters)
        subtract_wrenches(order, ws, _rows(wrenches[part]), bodies, poses)
        backward_sweep(order, ws, parameters)
        scatter(order, ws, tau, parameters)
        taus[part] = tau.T.reshape(taus[part].shape)
        if not np.isfinite(tau).all():
            status = RESULT_NOT_FINITE
    return status


def _rows(samples: Array) -> Array:
    return np.ascontiguousarray(samples.reshape(len(samples), -1).T)
