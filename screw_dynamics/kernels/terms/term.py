# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Term`: a term of the equations of motion, of one sample and of batches."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.terms import compiled
from screw_dynamics.kernels.terms.recursion import N, Recursion


def not_compiled(*arguments: Any) -> NoReturn:
    """Raise TypeError, in place of a kernel in C that was not built."""
    raise TypeError


class Term:
    """One term of one sample and of batches; with `of_jets`, one sample is rows of an array."""

    def __init__(self, recursion: Recursion, of_jets: bool = False) -> None:
        self.recursion, self._of_jets = recursion, of_jets

    @cached_property
    def single(self) -> Callable[..., int]:
        """
        The kernel of one sample in C, ``single(*inputs, out, parameters)``.

        It raises TypeError for arguments of wrong types, and without the extension for all.
        """
        return compiled.kernel(self.recursion, self.variant(True)).compiled or not_compiled

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
        kernel = compiled.kernel(self.recursion, self.variant(one))
        if one:
            arguments = (np.stack(inputs),) if self._of_jets else inputs
            return int(kernel(*arguments, out, parameters))
        q, qd, tau = (*inputs, inputs[0], inputs[0])[:3]
        return int(kernel(q, qd, tau, out.reshape(len(out), -1), parameters))
