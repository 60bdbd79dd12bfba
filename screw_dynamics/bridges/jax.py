# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Functions of a robot for JAX, with gradients.

Arrays have the shapes of `inverse_dynamics`, `forward_dynamics` and `frame_pose`; leading axes are
batches. They work in `jit`, `vmap`, `grad`, `jvp`, `vjp`, `jacfwd`, `jacrev`, as calls back to the
host (`jax.pure_callback`); derivatives are exact and cost a few calls, second ones raise an error.
Numbers are computed in float64 and returned in the type of the arguments, which is float32 unless
``jax.config.update('jax_enable_x64', True)``.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from screw_dynamics.bridges.derivatives import Operation, public_functions
from screw_dynamics.common.results import optional_library


@cache
def _primitive() -> Any:
    """Return the primitive of a method of an operation: its value, a change, or covectors."""
    jax = optional_library('jax', 'jax')
    ad, batching, mlir = (
        optional_library(f'jax.interpreters.{name}', 'jax') for name in ('ad', 'batching', 'mlir')
    )
    primitive = optional_library('jax.extend', 'jax').core.Primitive('screw_dynamics')
    primitive.multiple_results = True

    def shapes(*given: Any, operation: Operation, name: str) -> list[Any]:
        if name == 'covectors':
            return [jax.core.ShapedArray(x.shape, x.dtype) for x in given[:-1]]
        first = given[0]
        lead = first.shape[: first.ndim - operation.dimensions[0]]
        count = len(given) // (2 if name == 'change' else 1)
        value = operation.shape(*(x.shape for x in given[:count]))
        return [jax.core.ShapedArray((*lead, *value), first.dtype)]

    def called(*arrays: Any, operation: Operation, name: str) -> Any:
        def host(*given: Any) -> list[Any]:
            results = operation.flat(name, *map(np.asarray, given))
            return [x.astype(given[0].dtype, copy=False) for x in results]

        kinds = [
            jax.ShapeDtypeStruct(x.shape, x.dtype)
            for x in shapes(*arrays, operation=operation, name=name)
        ]
        return jax.pure_callback(host, kinds, *arrays)

    def jvp(primals: Any, tangents: Any, *, operation: Operation, name: str) -> Any:
        if name != 'value':
            raise NotImplementedError(
                'screw_dynamics: first derivatives only: there are no second ones'
            )
        moved = map(ad.instantiate_zeros, tangents)
        bind = partial(primitive.bind, *primals, operation=operation)
        return bind(name='value'), primitive.bind(
            *primals, *moved, operation=operation, name='change'
        )

    def transpose(covectors: Any, *arrays: Any, operation: Operation, name: str) -> Any:
        (covector,) = covectors
        given = arrays[: len(arrays) // 2]
        results = primitive.bind(
            *given, ad.instantiate_zeros(covector), operation=operation, name='covectors'
        )
        return [*[None] * len(given), *results]

    def batch(arrays: Any, dims: Any, *, operation: Operation, name: str) -> Any:
        size = next(x.shape[dim] for x, dim in zip(arrays, dims, strict=True) if dim is not None)
        moved = (batching.bdim_at_front(x, dim, size) for x, dim in zip(arrays, dims, strict=True))
        results = primitive.bind(*moved, operation=operation, name=name)
        return results, [0] * len(results)

    primitive.def_impl(called)
    primitive.def_abstract_eval(shapes)
    ad.primitive_jvps[primitive] = jvp
    ad.primitive_transposes[primitive] = transpose
    batching.primitive_batchers[primitive] = batch
    mlir.register_lowering(primitive, mlir.lower_fun(called, multiple_results=True))
    return primitive


def _call(operation: Operation, *values: Any) -> Any:
    primitive = _primitive()
    numpy = optional_library('jax.numpy', 'jax')
    arrays = operation.arguments(numpy.asarray, values)
    kind = numpy.result_type(*arrays, float)  # of whole numbers: float64 where that is enabled
    shapes = operation.batch_shapes(*(x.shape for x in arrays))
    batches = (
        numpy.broadcast_to(x.astype(kind), shape) for x, shape in zip(arrays, shapes, strict=True)
    )
    (result,) = primitive.bind(*batches, operation=operation, name='value')
    return result


inverse_dynamics, forward_dynamics, frame_pose = public_functions(_call, __name__)

__all__ = ['forward_dynamics', 'frame_pose', 'inverse_dynamics']
