# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions in C of one robot: declaration, definition, and the numbers of a test state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, cast

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.codegen.quantities import INVERSE_DYNAMICS, Quantity
from screw_dynamics.codegen.translator import Library, write_function
from screw_dynamics.codegen.values import View
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.kernels import one_state
from screw_dynamics.kernels.taylor import layout
from screw_dynamics.kernels.terms import frames
from screw_dynamics.model import ScrewModel


@dataclass(frozen=True)
class CFunction:
    """A function in C whose last parameter is its result; `body` is its source in Python."""

    name: str
    inputs: tuple[str, ...]
    out: str
    text: tuple[str, ...]
    body: Callable[..., None]
    known: dict[str, Any]
    """Arguments of the source that the translation knows."""
    table: str
    parameters: Array
    expected: Callable[[Array], Array]
    """The result for a joint jet, by the library."""

    @property
    def parameter_list(self) -> list[str]:
        """The declarations of the parameters."""
        return [*(f'const double *{name}' for name in self.inputs), f'double *{self.out}']

    def define(self, library: Library) -> None:
        """Add the definition to a library."""
        of_frame = self.table.startswith('frame')
        header, row = (frames.HEADER, frames.ROW) if of_frame else (layout.HEADER, layout.ROW)
        table = View(self.table, data=self.parameters, header=header, row=row, counts=(0, 1))
        names = self.body.__code__.co_varnames
        values = {name: View(name) for name in self.inputs if name in names}
        values |= {'out': View(self.out), 'parameters': table, **self.known}
        if 'qd' in names and 'qd' not in values:
            values['qd'] = values['q']
        write_function(
            library,
            self.name,
            cast(FunctionType, self.body),
            values,
            self.parameter_list,
            set(self.inputs),
            '',
        )


def inverse_dynamics_function(model: ScrewModel, prefix: str, order: int) -> CFunction:
    """Return the function of the efforts and their derivatives up to an order."""
    return CFunction(
        f'{prefix}_{INVERSE_DYNAMICS}',
        ('jet',),
        'tau',
        (
            "Efforts tau = M q'' + C q' + g and their time derivatives, (ORDER + 1, N) by rows:",
            'row d is the d-th derivative. jet, (ORDER + 3, N) by rows: row d is the d-th',
            'derivative of the joint position.',
        ),
        one_state.inverse_dynamics,
        {'order': order},
        'bodies',
        model.joint_frame_parameters.parameters,
        lambda jet: inverse_dynamics(model, jet),
    )


def term_function(model: ScrewModel, prefix: str, quantity: Quantity) -> CFunction:
    """Return the function of a term of the equation of motion."""
    of = model.weightless if quantity.weightless else model
    recursion = quantity.term.recursion
    count = len(quantity.inputs)
    return CFunction(
        f'{prefix}_{quantity.name}',
        quantity.inputs,
        quantity.out,
        (quantity.text,),
        one_state.term,
        {'sweep': recursion.sweep, 'rows': recursion.rows(model.body_count)},
        'weightless_bodies' if quantity.weightless else 'bodies',
        of.joint_frame_parameters.parameters,
        lambda jet: quantity.compute(of, *jet[:count]),
    )


def frame_function(
    model: ScrewModel, prefix: str, quantity: Quantity, frame: str, name: str, form: str
) -> CFunction:
    """Return the function of a quantity of a frame; `name` is the frame's in C."""
    parameters = model.frame_parameters[frame, form]
    recursion = quantity.term.recursion
    count = int(parameters[layout.BODY_COUNT])
    jacobian = quantity.name == 'frame_jacobian'

    def expected(jet: Array) -> Array:
        more = (form,) if jacobian else ()
        return np.asarray(quantity.compute(model, jet[0], frame, *more))

    detail = f'Frame: {frame}' + (f'; representation of twists: {form}.' if jacobian else '.')
    return CFunction(
        f'{prefix}_{quantity.name}_{name}',
        quantity.inputs,
        quantity.out,
        (quantity.text, detail),
        one_state.term,
        {'sweep': recursion.sweep, 'rows': recursion.rows(count)},
        f'frame_{name}',
        parameters,
        expected,
    )
