# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the terms."""

from functools import cache

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.terms import efforts, frames, mass_matrix, samples
from screw_dynamics.kernels.terms.recursion import Recursion

NUMBA = 'screw_dynamics.kernels.terms.numba_functions'

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
    return Kernel(function, signature, numba_module=NUMBA, releases_gil=not single)


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
    return Kernel(
        samples.control(sweeps, sizes), signature, numba_module=NUMBA, releases_gil=False
    )
