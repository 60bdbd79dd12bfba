# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Term`: a term of the equations of motion, compiled for one sample and for batches, or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.jit import Kernel, jit_enabled
from screw_dynamics.kernels.taylor.layout import (
    BODY_COUNT,
    INPUT_NOT_FINITE,
    OK,
    RESULT_NOT_FINITE,
)
from screw_dynamics.kernels.terms import compiled
from screw_dynamics.kernels.terms.recursion import N, Recursion

# Samples per run without numba: the workspace fits into the processor's cache.
_CHUNK = 1024


def not_compiled(*arguments: Any) -> NoReturn:
    """Raise TypeError, in place of a kernel that is not loaded."""
    raise TypeError


def loaded_kernel(name: str, *arguments: Any) -> Callable[..., int] | None:
    """Return a kernel of `compiled`; None without numba, or if it must not be compiled now."""
    if not jit_enabled():
        return None
    kernel: Kernel = getattr(compiled, name)(*arguments)
    return kernel.compiled()


class Term:
    """
    One term; `single(*inputs, out, parameters)` is its compiled kernel of one sample, if loaded.

    With `of_jets`, the inputs of `single` are the rows of one array.
    Until then `single` raises TypeError, as it does for arguments of wrong types; `run` loads it.
    """

    def __init__(self, recursion: Recursion, of_jets: bool = False) -> None:
        self.recursion, self._of_jets = recursion, of_jets
        self.single: Callable[..., int] = not_compiled

    def shape(self, n: int) -> tuple[int, ...]:
        """Return the shape of the result of one sample, for n coordinates."""
        return tuple(n if size == N else size for size in self.recursion.shape)

    def variant(self, one: bool) -> str:
        """Return the variant of the kernel of one sample, or of batches."""
        return ('jet' if self._of_jets else 'single') if one else 'batch'

    def run(self, inputs: tuple[Array, ...], out: Array, parameters: Array) -> int:
        """
        Fill `out`, of one sample or (T, ...), from inputs (n,) or (T, n); return the status.

        OK, INPUT_NOT_FINITE, RESULT_NOT_FINITE.
        """
        one = inputs[0].ndim == 1
        kernel = loaded_kernel('kernel', self.recursion, self.variant(one))
        if kernel is None:
            if one:
                inputs, out = tuple(x[np.newaxis] for x in inputs), out[np.newaxis]
            return _interpreted(self.recursion, inputs, out, parameters)
        if one:
            self.single = kernel
            if self._of_jets:
                return kernel(np.stack(inputs), out, parameters)
            return kernel(*inputs, out, parameters)
        q, qd, tau = (*inputs, inputs[0], inputs[0])[:3]
        return kernel(q, qd, tau, out.reshape(len(out), -1), parameters)


def _interpreted(
    recursion: Recursion, inputs: tuple[Array, ...], out: Array, parameters: Array
) -> int:
    """Run the source on NumPy, whose rows are rows over the samples."""
    size = recursion.rows(int(parameters[BODY_COUNT]))
    status = OK
    for start in range(0, len(out), _CHUNK):
        part = slice(start, start + _CHUNK)
        rows = [np.ascontiguousarray(x[part].T) for x in inputs]
        if not all(np.isfinite(x).all() for x in rows):
            return INPUT_NOT_FINITE
        samples = len(out[part])
        q, qd, tau = (*rows, rows[0], rows[0])[:3]
        result = np.empty((out[0].size, samples))
        with np.errstate(all='ignore'):  # the status reports an overflow
            recursion.sweep(np.empty((size, samples)), q, qd, tau, result, parameters)
        out[part] = result.T.reshape(out[part].shape)
        if not np.isfinite(result).all():
            status = RESULT_NOT_FINITE
    return status
