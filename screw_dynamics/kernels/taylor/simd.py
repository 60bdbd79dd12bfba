# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Short vectors of samples for numba: one sample per lane, one instruction for all lanes.

LLVM does not vectorise numba's loops over small arrays well; this type is lowered directly to an
LLVM vector of doubles, so that the source of the recursion runs on `SIMD_WIDTH` samples at once.
Only the compiled recursion imports this module.
"""

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, overload, register_model

from screw_dynamics.kernels.taylor import pointers
from screw_dynamics.kernels.taylor.pointers import SIMD_WIDTH

_VECTOR = ir.VectorType(ir.DoubleType(), SIMD_WIDTH)
_CONTRACT = ('contract',)


class SimdType(types.Type):
    """numba type of `SIMD_WIDTH` doubles in one register."""

    def __init__(self) -> None:
        super().__init__(name=f'Simd{SIMD_WIDTH}')


simd_type = SimdType()


@register_model(SimdType)
class _SimdModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, _VECTOR)


class RowPointerType(types.Type):
    """
    numba type of a pointer to workspace rows, of float64 or `simd_type`.

    Relative to a pointer, constant offsets are part of the load instruction; with array indices,
    the compiler needs twice as many instructions.
    """

    def __init__(self, row: Any) -> None:
        self.row = row
        super().__init__(name=f'RowPointer({row})')


@register_model(RowPointerType)
class _RowPointerModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Any) -> None:
        row = _VECTOR if fe_type.row == simd_type else ir.DoubleType()
        super().__init__(manager, fe_type, row.as_pointer())


def _pointer(pointer_type: Any, rows: Any) -> Any:
    def generate(context, builder, signature, args):
        start, index = args
        if isinstance(signature.args[0], types.Array):
            start = context.make_array(signature.args[0])(context, builder, start).data
            start = builder.bitcast(start, context.get_value_type(pointer_type))
        return builder.gep(start, [index])

    return pointer_type(rows, types.intp), generate


@intrinsic
def _row_pointer(typing_context, rows, row):
    """Return a pointer to row `row` of a pointer, or to double `row` of a C-contiguous array."""
    row_type = rows.row if isinstance(rows, RowPointerType) else types.float64
    return _pointer(RowPointerType(row_type), rows)


@intrinsic
def _simd_pointer(typing_context, array, row):
    """Return a pointer to row `row` of a C-contiguous (rows, SIMD_WIDTH) array."""
    return _pointer(RowPointerType(simd_type), array)


@intrinsic
def _as_floats(typing_context, rows):
    """Return a pointer to the doubles of the rows."""
    pointer_type = RowPointerType(types.float64)

    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(pointer_type))

    return pointer_type(rows), generate


@intrinsic
def _load_row(typing_context, rows, row):
    """Load a row relative to a pointer."""

    def generate(context, builder, signature, args):
        return builder.load(builder.gep(args[0], [args[1]]), align=8)

    return rows.row(rows, types.intp), generate


@intrinsic
def _store_row(typing_context, rows, row, value):
    """Store a row relative to a pointer."""

    def generate(context, builder, signature, args):
        builder.store(args[2], builder.gep(args[0], [args[1]]), align=8)
        return context.get_dummy_value()

    return types.void(rows, types.intp, rows.row), generate


@intrinsic
def _load_strided(typing_context, start, offset, stride):
    """Load a vector from `SIMD_WIDTH` doubles, `stride` apart, relative to a pointer."""

    def generate(context, builder, signature, args):
        pointer, index, step = args
        vector = ir.Constant(_VECTOR, ir.Undefined)
        for lane in range(SIMD_WIDTH):
            value = builder.load(builder.gep(pointer, [index]), align=8)
            vector = builder.insert_element(vector, value, ir.IntType(32)(lane))
            index = builder.add(index, step)
        return vector

    return simd_type(start, types.intp, types.intp), generate


@intrinsic
def _store_strided(typing_context, start, offset, stride, vector):
    """Store a vector to `SIMD_WIDTH` doubles, `stride` apart, relative to a pointer."""

    def generate(context, builder, signature, args):
        pointer, index, step, value = args
        for lane in range(SIMD_WIDTH):
            element = builder.extract_element(value, ir.IntType(32)(lane))
            builder.store(element, builder.gep(pointer, [index]), align=8)
            index = builder.add(index, step)
        return context.get_dummy_value()

    return types.void(start, types.intp, types.intp, simd_type), generate


@intrinsic
def splat(typing_context, value):
    """Return a vector with the same double in every lane."""

    def generate(context, builder, signature, args):
        single = builder.insert_element(
            ir.Constant(_VECTOR, ir.Undefined), args[0], ir.IntType(32)(0)
        )
        mask = ir.Constant(ir.VectorType(ir.IntType(32), SIMD_WIDTH), [0] * SIMD_WIDTH)
        return builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), mask)

    return simd_type(types.float64), generate


def _binary(instruction: str) -> Any:
    @intrinsic
    def operation(typing_context, a, b):
        def generate(context, builder, signature, args):
            return getattr(builder, instruction)(args[0], args[1], flags=_CONTRACT)

        return simd_type(simd_type, simd_type), generate

    return operation


@intrinsic
def _negative(typing_context, a):
    def generate(context, builder, signature, args):
        return builder.fneg(args[0])

    return simd_type(simd_type), generate


@intrinsic
def magnitude(typing_context, a):
    """Return the absolute value of every lane."""

    def generate(context, builder, signature, args):
        negative = builder.fcmp_ordered('<', args[0], ir.Constant(_VECTOR, [0.0] * SIMD_WIDTH))
        return builder.select(negative, builder.fneg(args[0]), args[0])

    return simd_type(simd_type), generate


@intrinsic
def nan_unless_above(typing_context, a, magnitudes, bound):
    """Return the lanes of `a` whose magnitude exceeds the bound, NaN in the others."""

    def generate(context, builder, signature, args):
        nan = ir.Constant(_VECTOR, [float('nan')] * SIMD_WIDTH)
        return builder.select(builder.fcmp_ordered('>', args[1], args[2]), args[0], nan)

    return simd_type(simd_type, simd_type, simd_type), generate


def _overload_binary(function: Any, operation: Any) -> None:
    @overload(function, jit_options={'forceinline': True})
    def implementation(a, b):
        if isinstance(a, SimdType) and isinstance(b, SimdType):
            return lambda a, b: operation(a, b)
        if isinstance(a, SimdType) and isinstance(b, types.Float):
            return lambda a, b: operation(a, splat(b))
        if isinstance(a, types.Float) and isinstance(b, SimdType):
            return lambda a, b: operation(splat(a), b)
        return None


_overload_binary(operator.add, _binary('fadd'))
_overload_binary(operator.sub, _binary('fsub'))
_overload_binary(operator.mul, _binary('fmul'))
_overload_binary(operator.truediv, _binary('fdiv'))


@overload(operator.neg, jit_options={'forceinline': True})
def _overload_negative(a):
    return (lambda a: _negative(a)) if isinstance(a, SimdType) else None


@overload(pointers.row_pointer, jit_options={'forceinline': True})
def _overload_row_pointer(rows, row):
    return lambda rows, row: _row_pointer(rows, row)


@overload(pointers.simd_pointer, jit_options={'forceinline': True})
def _overload_simd_pointer(array, row):
    return lambda array, row: _simd_pointer(array, row)


@overload(pointers.as_floats, jit_options={'forceinline': True})
def _overload_as_floats(rows):
    return lambda rows: _as_floats(rows)


@overload(pointers.load_row, jit_options={'forceinline': True})
def _overload_load_row(rows, row):
    return lambda rows, row: _load_row(rows, row)


@overload(pointers.store_row, jit_options={'forceinline': True})
def _overload_store_row(rows, row, value):
    return lambda rows, row, value: _store_row(rows, row, value)


@overload(pointers.load_strided, jit_options={'forceinline': True})
def _overload_load_strided(doubles, offset, stride):
    return lambda doubles, offset, stride: _load_strided(doubles, offset, stride)


@overload(pointers.store_strided, jit_options={'forceinline': True})
def _overload_store_strided(doubles, offset, stride, vector):
    return lambda doubles, offset, stride, vector: _store_strided(doubles, offset, stride, vector)
