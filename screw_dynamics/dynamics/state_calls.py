# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checked calls of quantities of a state: conversion of arguments, output arrays, errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import (
    Array,
    as_float_array,
    as_samples,
    as_stack,
    raise_not_finite,
    require_out,
)
from screw_dynamics.common.sample_threads import over_samples, require_threads
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.quantities import number
from screw_dynamics.kernels.bodies.state_kernel import JetKernel, StateKernel
from screw_dynamics.model.screw_model import ScrewModel, require_model

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


def as_jets(joint_jet: ArrayLike, n: int, least: int) -> Array:
    """Return joint jets (..., r, n) of at least so many rows."""
    jet = as_float_array('joint_jet', joint_jet)
    if jet.ndim < 2 or jet.shape[-1] != n or jet.shape[-2] < least:
        rows, bound = ('k + 3', 'k >= 0') if least == 3 else ('r', f'r >= {least}')
        expected = (
            f"({rows}, {n}) or (..., {rows}, {n}) with {bound}: rows q, q', q'', ..., as of "
            'sd.jet(q, qd, qdd)'
        )
        raise ShapeError('joint_jet', expected, jet.shape)
    return jet


def run_states(
    kernel: StateKernel,
    inputs: tuple[Array, ...],
    result: Array,
    parameters: Array,
    threads: int = 1,
) -> int:
    """Fill the results (..., *shape) of inputs (..., n), one or more; return the worst status."""
    if inputs[0].ndim == 1:
        return kernel.run(inputs, result, parameters)
    samples = [as_stack(x, 1) for x in inputs]
    results = as_stack(result, result.ndim - inputs[0].ndim + 1)

    def run(part: slice) -> int:
        return kernel.run(tuple(x[part] for x in samples), results[part], parameters)

    numbers = len(samples) * samples[0].shape[1] + results[0].size
    return over_samples(run, len(results), _TIME * numbers, threads)


def run_jets(
    kernel: JetKernel, order: int, jets: Array, result: Array, parameters: Array, threads: int = 1
) -> int:
    """Fill the results (..., *shape) of jets (..., rows, n), one or more; return the status."""
    if jets.ndim == 2:
        return kernel.run(order, jets, result, parameters)
    samples, results = as_stack(jets, 2), as_stack(result, result.ndim - jets.ndim + 2)

    def run(part: slice) -> int:
        return kernel.run(order, samples[part], results[part], parameters)

    work = (order + 3) * (samples[0].size + results[0].size)  # [ns], roughly
    return over_samples(run, len(results), work, threads)


def checked_quantity(
    kernel: StateKernel,
    model: object,
    out: Array | None,
    inputs: dict[str, ArrayLike],
    threads: int = 1,
    parameters: Array | None = None,
) -> Array:
    """
    Return a quantity for inputs (n,) or (..., n) of any type; one `number` is a float or (...).

    `parameters` are by default those of the bodies. Raises ShapeError, InputError and
    NotFiniteError.
    """
    tree = require_model(model)
    n, tables = tree.n, tree.kernel_tables.parameters if parameters is None else parameters
    threads = require_threads(threads)
    samples = as_samples(n, **inputs)
    shape = (*samples[0].shape[:-1], *kernel.shape(0, n, 0))
    result = output(out, shape, **dict(zip(inputs, samples, strict=True)))
    status = OK
    if samples[0].size == 0:
        result[...] = 0.0
    else:
        status = run_states(kernel, samples, result, tables, threads)
    value: Array = result[..., 0][()] if kernel.shape is number else result
    if status != OK:
        raise_not_finite(value, **inputs)
    return value


def checked_motion(
    kernel: JetKernel,
    model: ScrewModel,
    parameters: Array,
    out: Array | None,
    joint_jet: ArrayLike,
) -> Array:
    """
    Return a quantity for joint jets (..., k + 3, n) of any type.

    Raises ShapeError, InputError and NotFiniteError.
    """
    jet = as_jets(joint_jet, model.n, 3)
    order = jet.shape[-2] - 3
    shape = (*jet.shape[:-2], *kernel.shape(order, model.n, model.body_count))
    result = output(out, shape, joint_jet=jet)
    if result.size and run_jets(kernel, order, jet, result, parameters) != OK:
        raise_not_finite(result, joint_jet=joint_jet)
    return result
