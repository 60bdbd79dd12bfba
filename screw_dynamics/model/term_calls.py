# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checked calls of terms: conversion of arguments, output arrays, errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import (
    Array,
    as_samples,
    as_stack,
    raise_not_finite,
    require_out,
)
from screw_dynamics.common.sample_threads import over_samples, require_threads
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.taylor.layout import OK
from screw_dynamics.kernels.terms.term import Term

_TIME = 4  # per number of a sample that a kernel reads or writes [ns], roughly


def output(out: Array | None, shape: tuple[int, ...], **inputs: Array) -> Array:
    """Return an array of a shape to fill: `out` if given, which is then checked."""
    if out is None:
        return np.empty(shape)
    if require_out(out).shape != shape:
        raise ShapeError('out', str(shape), out.shape)
    for name, array in inputs.items():
        if np.may_share_memory(array, out):  # exact, as all are contiguous
            raise InputError(f'out: expected memory of its own, got memory of {name}')
    return out


def run_term(
    term: Term, inputs: tuple[Array, ...], result: Array, parameters: Array, threads: int = 1
) -> int:
    """Fill the results (..., *shape) of inputs (..., n), one or more; return the worst status."""
    if inputs[0].ndim == 1:
        return term.run(inputs, result, parameters)
    samples = [as_stack(x, 1) for x in inputs]
    results = as_stack(result, result.ndim - inputs[0].ndim + 1)

    def run(part: slice) -> int:
        return term.run(tuple(x[part] for x in samples), results[part], parameters)

    numbers = len(samples) * samples[0].shape[1] + results[0].size
    return over_samples(run, len(results), _TIME * numbers, threads)


def checked_term(
    term: Term,
    n: int,
    parameters: Array,
    out: Array | None,
    inputs: dict[str, ArrayLike],
    threads: int = 1,
) -> Array:
    """
    Return the result of a term for inputs (n,) or (..., n) of any type.

    Raises ShapeError, InputError and NotFiniteError.
    """
    threads = require_threads(threads)
    samples = as_samples(n, **inputs)
    shape = (*samples[0].shape[:-1], *term.shape(n))
    result = output(out, shape, **dict(zip(inputs, samples, strict=True)))
    if samples[0].size == 0:
        result[...] = 0.0
        return result
    if run_term(term, samples, result, parameters, threads) != OK:
        raise_not_finite(result, **inputs)
    return result
