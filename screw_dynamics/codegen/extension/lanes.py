# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of short vectors of samples and of NumPy in the C of the extension module."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from screw_dynamics.codegen.translator.calls import CALLS, row_kind
from screw_dynamics.codegen.translator.lines import Value, converted, length
from screw_dynamics.codegen.translator.types import DOUBLE, LANES, NONE, Pointer
from screw_dynamics.kernels import pointers
from screw_dynamics.kernels.bodies import rows, sines

if TYPE_CHECKING:
    from screw_dynamics.codegen.translator.statements import Statements


def _lanes_pointer(body: Statements, array: Value, row: Value) -> Value:
    array = body.out.bound(array)
    return Value(f'((stored_lanes *){array.text}.p + {row.text})', Pointer(LANES))


def _as_floats(body: Statements, start: Value) -> Value:
    return Value(f'((double *){start.text})', Pointer(DOUBLE))


def _load_strided(body: Statements, start: Value, offset: Value, stride: Value) -> Value:
    return Value(f'strided({start.text} + {offset.text}, {stride.text})', LANES)


def _store_strided(
    body: Statements, start: Value, offset: Value, stride: Value, vector: Value
) -> Value:
    body.out.emit(f'set_strided({start.text} + {offset.text}, {stride.text}, {vector.text});')
    return Value('', NONE)


def _unless_small(body: Statements, one: Value, bound: Value) -> Value:
    name = 'lanes_unless_small' if one.kind == LANES else 'unless_small'
    return Value(f'{name}({one.text}, {converted(bound, one.kind)})', one.kind)


def _sines(body: Statements, ws: Value, start: Value, count: Value) -> Value:
    width = 'LANE_COUNT' if row_kind(ws) == LANES else '1'
    arguments = [
        _as_floats(body, ws),
        length(f'({start.text} * {width})'),
        length(f'({count.text} * {width})'),
    ]
    return body.call(sines.sine_run, arguments)


LANE_CALLS: dict[Any, Callable[..., Value]] = {
    **CALLS,
    rows.sines: _sines, rows.absolute: CALLS[abs], rows.unless_small: _unless_small,
    pointers.lane_count: lambda body: length('LANE_COUNT'),
    pointers.simd_pointer: _lanes_pointer, pointers.as_floats: _as_floats,
    pointers.load_strided: _load_strided, pointers.store_strided: _store_strided,
}  # fmt: skip
"""`CALLS` and those that C for one robot has no need of."""
