# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checked calls of quantities of a state: conversion of arguments, output arrays, errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import (
    Array,
    as_samples,
    as_samples_like,
    raise_not_finite,
    require_out,
)
from screw_dynamics.common.sample_threads import over_samples, require_threads
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.state_kernel import JetKernel, StateKernel

_TIME = 4  # per number of a sample that a kernel reads or writes [ns], roughly


def samples_of(n: int, inputs: dict[str, ArrayLike]) -> tuple[tuple[Array, ...], bool]:
    """Return the inputs of one shape, (T, n) each, and True if they were one sample."""
    (first, value), *others = inputs.items()
    samples, single = as_samples(first, value, n)
    rest = (as_samples_like(name, x, first, samples, single) for name, x in others)
    return (samples, *rest), single


def output(out: Array | None, shape: tuple[int, ...], inputs: tuple[Array, ...]) -> Array:
    """Return an array of a shape to fill: `out` if given, which is then checked."""
    if out is None:
        return np.empty(shape)
    if require_out(out).shape != shape:
        raise ShapeError('out', str(shape), out.shape)
    if any(np.may_share_memory(x, out) for x in inputs):  # exact, as all are contiguous
        raise InputError('out: expected memory of its own, got memory of an argument')
    return out


def run_batch(
    kernel: StateKernel,
    samples: tuple[Array, ...],
    result: Array,
    parameters: Array,
    threads: int = 1,
) -> int:
    """Fill the results (T, ...) of inputs (T, n); return the worst status."""

    def run(part: slice) -> int:
        return kernel.run(tuple(x[part] for x in samples), result[part], parameters)

    numbers = len(samples) * samples[0].shape[1] + result[0].size
    return over_samples(run, len(result), _TIME * numbers, threads)


def run_jets(
    kernel: JetKernel, order: int, jets: Array, result: Array, parameters: Array, threads: int = 1
) -> int:
    """Fill the results (T, ...) of jets (T, rows, n), or that of one jet; return the status."""
    if jets.ndim == 2:
        return kernel.run(order, jets, result, parameters)

    def run(part: slice) -> int:
        return kernel.run(order, jets[part], result[part], parameters)

    work = (order + 3) * (jets[0].size + result[0].size)  # [ns], roughly
    return over_samples(run, len(result), work, threads)


def checked_quantity(
    kernel: StateKernel,
    n: int,
    parameters: Array,
    out: Array | None,
    inputs: dict[str, ArrayLike],
    threads: int = 1,
) -> Array:
    """
    Return a quantity for inputs (n,) or (T, n) of any type.

    Raises ShapeError, InputError and NotFiniteError.
    """
    threads = require_threads(threads)
    samples, single = samples_of(n, inputs)
    shape = kernel.shape(0, n, 0)
    result = output(out, shape if single else (len(samples[0]), *shape), samples)
    if samples[0].size == 0:
        result[...] = 0.0
        return result
    if single:
        status = kernel.run(tuple(x[0] for x in samples), result, parameters)
    else:
        status = run_batch(kernel, samples, result, parameters, threads)
    if status != OK:
        raise_not_finite(result[np.newaxis] if single else result, single, **inputs)
    return result
