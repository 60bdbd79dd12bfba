# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions in C of one robot: declaration, definition, and the numbers of a test state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.codegen.robot.quantities import Quantity
from screw_dynamics.codegen.translator.functions import Program
from screw_dynamics.codegen.translator.known_numbers import Places, Size
from screw_dynamics.codegen.translator.lines import Lines, Value, known
from screw_dynamics.codegen.translator.types import DOUBLE, Pointer, has_value
from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels import one_state
from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies import tables as tree
from screw_dynamics.kernels.frames import pose_and_jacobian as frames
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import Representation

READ = 'const double *'
WRITTEN = 'double *'

_ROUNDING = 1e-15
# sizes of vectors in a row
_BODY_KINDS = (
    slice(layout.COS_ALPHA, layout.ORIGIN),
    slice(layout.ORIGIN, layout.ORIGIN + 3),
    slice(layout.FIRST_MOMENT, layout.FIRST_MOMENT + 3),
    slice(layout.SECOND_MOMENT, layout.SECOND_MOMENT + 6),
)
_FRAME_KINDS = (
    slice(tree.HOME_ROTATION, tree.HOME_ROTATION + 9),
    slice(tree.HOME_POSITION, tree.HOME_POSITION + 3),
)


class Example(NamedTuple):
    """Inputs of a function, and its results by the library."""

    inputs: tuple[Array | float | int, ...]
    results: tuple[Array, ...]


@dataclass(frozen=True)
class CFunction:
    """A function in C whose last parameters are its results; `body` is its source in Python."""

    name: str
    parameters: tuple[str, ...]
    """Declarations in C, with doubles."""
    text: tuple[str, ...]
    body: Callable[..., Any]
    arguments: Callable[[Lines], Sequence[Value]]
    """Arguments of the source; lines before the call may belong to them."""
    tables: dict[str, NDArray[Any]]
    example: Callable[[Array], Example | None]
    """The numbers of a joint jet; None if there are none."""

    @property
    def results(self) -> list[str]:
        """The names of the results."""
        return [p.removeprefix(WRITTEN) for p in self.parameters if p.startswith(WRITTEN)]

    def define(self, program: Program) -> tuple[str, str]:
        """Return the type of the result and the definition; `program` has what it calls."""
        out = Lines(program.unroll)
        arguments = self.arguments(out)
        called, kind = program.need(cast(FunctionType, self.body), [one.kind for one in arguments])
        texts = ', '.join(one.text for one in arguments if has_value(one.kind))
        result = 'int' if has_value(kind) else 'void'
        call = f'{"return " * has_value(kind)}{called}({texts});'
        head = f'{result} {self.name}({", ".join(self.parameters)})'
        return result, '\n'.join([head, '{', *out.lines, call, '}', ''])


def read_rows(name: str) -> Value:
    """Return a parameter that is an array of inputs."""
    return Value(name, Pointer(DOUBLE, constant=True))


def written_rows(name: str) -> Value:
    """Return a parameter that is an array of results."""
    return Value(name, Pointer(DOUBLE))


def table_rows(name: str, numbers: Array) -> Value:
    """Return a table whose first two numbers are those of bodies and coordinates."""
    counts = [Size(count) for count in numbers[:2]]
    places = Places((*counts, *numbers[2:].tolist()), frozenset([0]))
    return Value(name, Pointer(DOUBLE, True, places))


def rounded(numbers: Array, header: int, row: int, kinds: Sequence[slice]) -> Array:
    """
    Return a table with zeros in place of numbers that are below rounding.

    Those are less than 1e-15 of the largest number in a slice of columns of their row.
    """
    result: Array = numbers.copy()
    rows = result[header:].reshape(-1, row)
    for kind in kinds:
        part = rows[:, kind]
        part[np.abs(part) < _ROUNDING * np.abs(part).max(axis=1, keepdims=True)] = 0.0
    return result


def body_table(model: ScrewModel) -> Array:
    """Return the parameters of the bodies."""
    parameters = model.kernel_tables.parameters
    return rounded(parameters, layout.HEADER, layout.ROW, _BODY_KINDS)


def body_function(model: ScrewModel, prefix: str, order: int, quantity: Quantity) -> CFunction:
    """Return the function of a quantity of the bodies; that of a joint jet has an order."""
    of = model.without_gravity() if quantity.weightless else model
    return _function(
        f'{prefix}_{quantity.name}',
        quantity,
        quantity.text,
        order if quantity.inputs == ('jet',) else 0,
        model.body_count,
        ('weightless_bodies' if quantity.weightless else 'bodies', body_table(of)),
        lambda *inputs: np.asarray(quantity.compute(of, *inputs)),
    )


def frame_function(
    model: ScrewModel, prefix: str, quantity: Quantity, frame: str, name: str, form: Representation
) -> CFunction:
    """Return the function of a quantity of a frame; `name` is the frame's in C."""
    parameters = model.kernel_tables.frames[frame, form]
    jacobian = quantity.name == 'frame_jacobian'

    def expected(q: Array) -> Array:
        more = (form,) if jacobian else ()
        return np.asarray(quantity.compute(model, q, frame, *more))

    detail = f'Frame: {frame}' + (f'; representation of twists: {form}.' if jacobian else '.')
    return _function(
        f'{prefix}_{quantity.name}_{name}',
        quantity,
        (*quantity.text, detail),
        0,
        int(parameters[layout.BODY_COUNT]),
        (f'frame_{name}', rounded(parameters, frames.HEADER, frames.ROW, _FRAME_KINDS)),
        expected,
    )


def _function(
    name: str,
    quantity: Quantity,
    text: tuple[str, ...],
    order: int,
    count: int,
    table: tuple[str, Array],
    expected: Callable[..., Array],
) -> CFunction:
    kernel, inputs = quantity.kernel, quantity.inputs

    def example(jet: Array) -> Example:
        given = (jet,) if inputs == ('jet',) else tuple(jet[: len(inputs)])
        return Example(given, (expected(*given),))

    return CFunction(
        name,
        (*(f'{READ}{part}' for part in inputs), f'{WRITTEN}{quantity.out}'),
        text,
        one_state.quantity,
        lambda out: (
            known(kernel.sweep),
            known(order),
            known(kernel.rows(order, count)),
            read_rows(inputs[0]),
            read_rows(inputs[-1]),
            written_rows(quantity.out),
            table_rows(*table),
        ),
        dict([table]),
        example,
    )
