# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the terms."""

from collections.abc import Callable
from functools import cache

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.taylor.layout import (
    BODY_COUNT,
    INPUT_NOT_FINITE,
    OK,
    RESULT_NOT_FINITE,
)
from screw_dynamics.kernels.terms import efforts, frames, mass_matrix, samples
from screw_dynamics.kernels.terms.recursion import Recursion

_VARIANTS = {'single': samples.single, 'jet': samples.rows_of_jet, 'batch': samples.batch}


@cache
def kernel(recursion: Recursion, variant: str) -> Kernel:
    """
    Return the kernel of a term.

    The variants are 'single' for one sample, 'jet' for one sample whose inputs are the rows of an
    array, and 'batch' for inputs (T, n) and results (T, size).
    """
    single = variant != 'batch'
    function = _VARIANTS[variant](recursion)
    function.__name__ = f'{variant}_{recursion.name}'
    function.__qualname__ = function.__name__
    if single:
        inputs = [read_only(2)] if variant == 'jet' else recursion.inputs * [read_only(1)]
        out = f'float64[{":, " * (len(recursion.shape) - 1)}::1]'
    else:
        inputs, out = 3 * [read_only(2)], 'float64[:, ::1]'
    signature = f'int64({", ".join(inputs)}, {out}, float64[::1])'
    python = None if single else interpreted_batch(recursion)
    return Kernel(function, signature, python, releases_gil=not single)


@cache
def control_kernel() -> Kernel:
    """Return the kernel of `dynamics.control_terms` of one state."""
    sweeps = (
        mass_matrix.mass_matrix,
        efforts.bias_efforts,
        efforts.gravity_efforts,
        frames.frame_pose,
        frames.frame_jacobian,
    )
    sizes = (
        mass_matrix.mass_matrix_rows,
        efforts.bias_rows,
        efforts.gravity_rows,
        frames.frame_rows,
    )
    vector, matrix = 'float64[::1]', 'float64[:, ::1]'
    arguments = [
        read_only(1),
        read_only(1),
        matrix,
        vector,
        vector,
        matrix,
        matrix,
        vector,
        vector,
    ]
    signature = f'int64({", ".join(arguments)})'
    return Kernel(samples.control(sweeps, sizes), signature, releases_gil=False)


_CHUNK = 1024  # samples per run in Python: the workspace fits into the processor's cache


def interpreted_batch(recursion: Recursion) -> Callable[..., int]:
    """Return the batch in Python, whose rows are NumPy rows over the samples."""

    def samples_at_once(q: Array, qd: Array, tau: Array, out: Array, parameters: Array) -> int:
        size = recursion.rows(int(parameters[BODY_COUNT]))
        status = OK
        for start in range(0, len(out), _CHUNK):
            part = slice(start, start + _CHUNK)
            inputs = [np.ascontiguousarray(x[part].T) for x in (q, qd, tau)]
            if not all(np.isfinite(x).all() for x in inputs):
                return INPUT_NOT_FINITE
            result = np.empty(out[part].T.shape)
            workspace = np.empty((size, result.shape[1]))
            recursion.sweep(workspace, *inputs, result, parameters)
            out[part] = result.T
            if not np.isfinite(result).all():
                status = RESULT_NOT_FINITE
        return status

    return samples_at_once
