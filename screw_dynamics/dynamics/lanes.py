# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Short vectors of samples for numba: one batch element per lane, one instruction for all.

numba's loops over small arrays are not vectorised usefully; this type lowers straight to an LLVM
vector of doubles, so that the recursion's source runs on `LANES` samples at once. Imported by
the compiled recursion only.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, overload, register_model

LANES = 4  # 256-bit registers; wider vectors run out of registers in this recursion

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_CONTRACT = ('contract',)


class LanesType(types.Type):
    """numba type of `LANES` doubles held in one register."""

    def __init__(self) -> None:
        super().__init__(name=f'Lanes{LANES}')


lanes_type = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, _VECTOR)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, row: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    start = builder.gep(data, [builder.mul(row, row.type(LANES))])
    return builder.bitcast(start, _VECTOR.as_pointer())


@intrinsic
def load_row(typing_context, ws, row):  # type: ignore[no-untyped-def]
    """Load row `row` of a C-contiguous (rows, LANES) array."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        array, index = args
        return builder.load(_pointer(context, builder, signature.args[0], array, index), align=8)

    return lanes_type(ws, types.intp), generate


@intrinsic
def store_row(typing_context, ws, row, value):  # type: ignore[no-untyped-def]
    """Store row `row` of a C-contiguous (rows, LANES) array."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        array, index, vector = args
        target = _pointer(context, builder, signature.args[0], array, index)
        builder.store(vector, target, align=8)
        return context.get_dummy_value()

    return types.void(ws, types.intp, lanes_type), generate


@intrinsic
def splat(typing_context, value):  # type: ignore[no-untyped-def]
    """Return a vector with the same double in every lane."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        single = builder.insert_element(
            ir.Constant(_VECTOR, ir.Undefined), args[0], ir.IntType(32)(0)
        )
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), mask)

    return lanes_type(types.float64), generate


def _binary(instruction: str) -> Any:
    @intrinsic
    def operation(typing_context, a, b):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return getattr(builder, instruction)(args[0], args[1], flags=_CONTRACT)

        return lanes_type(lanes_type, lanes_type), generate

    return operation


@intrinsic
def _negative(typing_context, a):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.fneg(args[0])

    return lanes_type(lanes_type), generate


def _overload_binary(function: Any, operation: Any) -> None:
    @overload(function, jit_options={'forceinline': True})
    def implementation(a, b):  # type: ignore[no-untyped-def]
        if isinstance(a, LanesType) and isinstance(b, LanesType):
            return lambda a, b: operation(a, b)
        if isinstance(a, LanesType) and isinstance(b, types.Float):
            return lambda a, b: operation(a, splat(b))
        if isinstance(a, types.Float) and isinstance(b, LanesType):
            return lambda a, b: operation(splat(a), b)
        return None


_overload_binary(operator.add, _binary('fadd'))
_overload_binary(operator.sub, _binary('fsub'))
_overload_binary(operator.mul, _binary('fmul'))


@overload(operator.neg, jit_options={'forceinline': True})
def _overload_negative(a):  # type: ignore[no-untyped-def]
    return (lambda a: _negative(a)) if isinstance(a, LanesType) else None
