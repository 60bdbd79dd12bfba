# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions in C of one robot: declaration, definition, and the numbers of a test state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.codegen.quantities import INVERSE_DYNAMICS, Quantity
from screw_dynamics.codegen.translator import Library, write_function
from screw_dynamics.codegen.values import View
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.kernels import one_state
from screw_dynamics.kernels.taylor import layout
from screw_dynamics.kernels.terms import frames
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import Representation

READ = 'const double *'
WRITTEN = 'double *'


class Example(NamedTuple):
    """Inputs of a function, and its results by the library."""

    inputs: tuple[Array | float | int, ...]
    results: tuple[Array, ...]


@dataclass(frozen=True)
class CFunction:
    """A function in C whose last parameters are its results; `body` is its source in Python."""

    name: str
    parameters: tuple[str, ...]
    """Declarations in C."""
    text: tuple[str, ...]
    body: Callable[..., Any]
    values: dict[str, Any]
    """Arguments of the source."""
    tables: dict[str, NDArray[Any]]
    example: Callable[[Array], Example | None]
    """The numbers of a joint jet; None if there are none."""
    storage: str = ''

    @property
    def results(self) -> list[str]:
        """The names of the results."""
        return [p.removeprefix(WRITTEN) for p in self.parameters if p.startswith(WRITTEN)]

    def define(self, library: Library) -> str:
        """Add the definition to a library; return the type of the result."""
        library.tables |= self.tables.keys()
        body = cast(FunctionType, self.body)
        constant = {p.removeprefix(READ) for p in self.parameters if p.startswith(READ)}
        result = write_function(
            library, self.name, body, self.values, self.parameters, constant, self.storage
        )
        if body is one_state.inverse_dynamics:
            library.public[body] = self.name
        return result


def body_table(name: str, parameters: Array) -> View:
    """Return the parameters of the bodies as a table."""
    return View(name, data=parameters, header=layout.HEADER, row=layout.ROW, counts=(0, 1))


def inverse_dynamics_function(
    model: ScrewModel, prefix: str, order: int, storage: str = ''
) -> CFunction:
    """Return the function of the efforts and their derivatives up to an order."""
    parameters = model.joint_frame_parameters.parameters
    return CFunction(
        f'{prefix}_{INVERSE_DYNAMICS}',
        (f'{READ}jet', f'{WRITTEN}tau'),
        (
            "Efforts tau = M q'' + C q' + g and their time derivatives, (ORDER + 1, N) by rows:",
            'row d is the d-th derivative. jet, (ORDER + 3, N) by rows: row d is the d-th',
            'derivative of the joint position.',
        ),
        one_state.inverse_dynamics,
        {
            'order': order,
            'jet': View('jet'),
            'out': View('tau'),
            'parameters': body_table('bodies', parameters),
        },
        {'bodies': parameters},
        lambda jet: Example((jet,), (inverse_dynamics(model, jet),)),
        storage,
    )


def term_function(model: ScrewModel, prefix: str, quantity: Quantity) -> CFunction:
    """Return the function of a term of the equation of motion."""
    of = model.weightless if quantity.weightless else model
    parameters = of.joint_frame_parameters.parameters
    name = 'weightless_bodies' if quantity.weightless else 'bodies'
    count = len(quantity.inputs)
    return _term(
        f'{prefix}_{quantity.name}',
        quantity,
        (quantity.text,),
        model.body_count,
        body_table(name, parameters),
        lambda jet: np.asarray(quantity.compute(of, *jet[:count])),
    )


def frame_function(
    model: ScrewModel, prefix: str, quantity: Quantity, frame: str, name: str, form: Representation
) -> CFunction:
    """Return the function of a quantity of a frame; `name` is the frame's in C."""
    parameters = model.frame_parameters[frame, form]
    jacobian = quantity.name == 'frame_jacobian'

    def expected(jet: Array) -> Array:
        more = (form,) if jacobian else ()
        return np.asarray(quantity.compute(model, jet[0], frame, *more))

    detail = f'Frame: {frame}' + (f'; representation of twists: {form}.' if jacobian else '.')
    header, row = frames.HEADER, frames.ROW
    return _term(
        f'{prefix}_{quantity.name}_{name}',
        quantity,
        (quantity.text, detail),
        int(parameters[layout.BODY_COUNT]),
        View(f'frame_{name}', data=parameters, header=header, row=row, counts=(0, 1)),
        expected,
    )


def _term(
    name: str,
    quantity: Quantity,
    text: tuple[str, ...],
    count: int,
    table: View,
    expected: Callable[[Array], Array],
) -> CFunction:
    recursion = quantity.term.recursion
    inputs = quantity.inputs
    assert table.data is not None
    return CFunction(
        name,
        (*(f'{READ}{part}' for part in inputs), f'{WRITTEN}{quantity.out}'),
        text,
        one_state.term,
        {
            'sweep': recursion.sweep,
            'rows': recursion.rows(count),
            'q': View('q'),
            'qd': View(inputs[-1]),
            'out': View(quantity.out),
            'parameters': table,
        },
        {table.root: table.data},
        lambda jet: Example(tuple(jet[: len(inputs)]), (expected(jet),)),
    )
