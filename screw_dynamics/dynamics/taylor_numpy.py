# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The Taylor recursion without numba: rows of the workspace are NumPy rows over the samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics.taylor_recursion import (
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
from screw_dynamics.model.joint_aligned import JointAligned

# Samples per run: the workspace stays in a processor's cache.
_CHUNK = 1024


def run(
    jets: Array,
    taus: Array,
    aligned: JointAligned,
    wrenches: Array,
    bodies: NDArray[np.int64],
    poses: Array,
) -> int:
    """
    Fill `taus` from `jets`, with the arguments and status of the compiled batch kernel.

    Parameters
    ----------
    jets : (T, k + 3, n) ndarray
    taus : (T, k + 1, n) ndarray
    aligned : JointAligned
    wrenches : (T, m, k + 1, 6) ndarray
    bodies : (m,) int64 ndarray
    poses : (m, 4, 4) ndarray
        Pose of the wrench's frame in the aligned frame of its body.

    Returns
    -------
    int
        OK, INPUT_NOT_FINITE or RESULT_NOT_FINITE.

    """
    order = taus.shape[1] - 1
    ints = [int(i) for i in aligned.ints]
    reals = [float(x) for x in aligned.reals]
    status = OK
    samples = slice(None)
    for start in range(0, len(jets), _CHUNK):
        part = slice(start, start + _CHUNK)
        jet = np.moveaxis(jets[part], 0, -1)
        tau = np.empty((order + 1, jet.shape[1], jet.shape[2]))
        ws = np.empty((workspace_rows(order, ints[0]), jet.shape[2]))
        with np.errstate(all='ignore'):  # non-finite numbers are reported by the status
            if np.any(gather(order, jet, ws, samples, ints, reals) != 0.0):
                return INPUT_NOT_FINITE
            forward_sweep(order, ws, ints, reals)
            wrench = np.moveaxis(wrenches[part], 0, -1)
            subtract_wrenches(order, ws, samples, wrench, [int(b) for b in bodies], poses)
            backward_sweep(order, ws, ints, reals)
            if np.any(scatter(order, ws, samples, tau, ints, reals) != 0.0):
                status = RESULT_NOT_FINITE
        taus[part] = np.moveaxis(tau, -1, 0)
    return status
