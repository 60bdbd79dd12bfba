# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Functions of a robot for PyTorch, with gradients.

Tensors have the shapes of `inverse_dynamics`, `forward_dynamics` and `frame_pose`, with leading
axes as batches. Backward and forward derivatives are exact, also under `torch.func` (grad, vjp,
jvp, vmap, jacrev, jacfwd), and cost a few calls; second derivatives raise an error. Numbers are
computed in float64 on the CPU and returned in the type and on the device of the arguments.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from screw_dynamics.bridges.derivatives import Operation, public_functions
from screw_dynamics.common.results import optional_library


@cache
def _functions() -> tuple[Any, Any]:
    """Return torch and the differentiable function of an operation and tensors."""
    torch = optional_library('torch', 'torch')

    def at_front(size: int, dims: Any, tensors: Any) -> list[Any]:
        return [
            x.expand(size, *x.shape) if dim is None else x.movedim(dim, 0)
            for x, dim in zip(tensors, dims, strict=True)
        ]

    class Product(torch.autograd.Function):  # type: ignore[name-defined]
        """A method of an operation, of which there are no derivatives."""

        @staticmethod
        def forward(operation: Operation, name: str, *tensors: Any) -> Any:
            arrays = [x.detach().cpu().numpy() for x in tensors]
            results = operation.flat(name, *arrays)
            return tuple(torch.from_numpy(x).to(tensors[0]) for x in results)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def vmap(info: Any, dims: Any, operation: Operation, name: str, *tensors: Any) -> Any:
            results = Product.apply(operation, name, *at_front(info.batch_size, dims[2:], tensors))
            return results, (0,) * len(results)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            raise NotImplementedError(
                'screw_dynamics: first derivatives only: there are no second ones'
            )

        jvp = backward

    class Call(torch.autograd.Function):  # type: ignore[name-defined]
        """The value of an operation."""

        @staticmethod
        def forward(operation: Operation, *tensors: Any) -> Any:
            return Product.apply(operation, 'value', *tensors)[0]

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.operation, *tensors = inputs
            ctx.save_for_backward(*tensors)
            ctx.save_for_forward(*tensors)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            given = *ctx.saved_tensors, gradient
            return None, *Product.apply(ctx.operation, 'covectors', *given)

        @staticmethod
        def jvp(ctx: Any, _: None, *directions: Any) -> Any:
            tensors = ctx.saved_tensors
            moved = (
                torch.zeros_like(x) if d is None else d
                for x, d in zip(tensors, directions, strict=True)
            )
            return Product.apply(ctx.operation, 'change', *tensors, *moved)[0]

        @staticmethod
        def vmap(info: Any, dims: Any, operation: Operation, *tensors: Any) -> Any:
            return Call.apply(operation, *at_front(info.batch_size, dims[1:], tensors)), 0

    return torch, Call


def _call(operation: Operation, *values: Any) -> Any:
    torch, call = _functions()
    tensors = operation.arguments(torch.as_tensor, values)
    kind = tensors[0]
    for tensor in tensors[1:]:
        kind = kind.to(torch.promote_types(kind.dtype, tensor.dtype))
    if not kind.is_floating_point():
        kind = kind.double()
    shapes = operation.batch_shapes(*(tuple(x.shape) for x in tensors))
    batches = (x.to(kind).expand(shape) for x, shape in zip(tensors, shapes, strict=True))
    return call.apply(operation, *batches)


inverse_dynamics, forward_dynamics, frame_pose = public_functions(_call, __name__)

__all__ = ['forward_dynamics', 'frame_pose', 'inverse_dynamics']
