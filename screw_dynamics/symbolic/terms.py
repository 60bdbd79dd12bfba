# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Terms of a robot by name, as the command and the writers of sources take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import sympy

from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.model.records import CORIOLIS_FORMS, CoriolisForm, Representation
from screw_dynamics.symbolic.expressions import Expressions


class Term(NamedTuple):
    """
    A term of the equations of motion, or of a frame.

    Parameters
    ----------
    name : str
        As that of the method of `Expressions`, with the derivative behind it: 'mass_matrix',
        'inverse_dynamics', 'inverse_dynamics_1', ..
    symbol : str
        In LaTeX.
    text : str
        What it is, with units.
    rows : int
        How many derivatives of the joint motion it may depend on, from the positions on.
    value : sympy.Matrix or sympy.Expr
    """

    name: str
    symbol: str
    text: str
    rows: int
    value: Any


class Options(NamedTuple):
    """Choices for some of the terms, see the methods of `Expressions`."""

    order: int = 0
    form: CoriolisForm = CORIOLIS_FORMS[0]
    frame: str | None = None
    representation: Representation = 'body'


_Maker = Callable[[Expressions, Options], Iterable[Any]]


class _Kind(NamedTuple):
    symbol: str
    text: str
    rows: int
    make: _Maker


_KINDS = {
    'mass_matrix': _Kind(
        'M', 'mass matrix [kg m^2, kg m, kg]', 1, lambda of, _: [of.mass_matrix()]
    ),
    'coriolis_matrix': _Kind(
        'C',
        'Coriolis matrix [kg m^2/s, kg m/s, kg/s]',
        2,
        lambda of, options: [of.coriolis_matrix(options.form)],
    ),
    'gravity_forces': _Kind(
        r'Q_{\mathrm{grav}}',
        'efforts against gravity [N m, N]',
        1,
        lambda of, _: [of.gravity_forces()],
    ),
    'inverse_dynamics': _Kind(
        r'\tau',
        'efforts [N m, N, per s^d]',
        3,
        lambda of, options: of.inverse_dynamics(options.order),
    ),
    'regressor': _Kind(
        'Y',
        'regressor of m, m c, Theta about the origin (xx, xy, yy, xz, yz, zz) of each body',
        3,
        lambda of, options: of.regressor(options.order),
    ),
    'kinetic_energy': _Kind('T', 'kinetic energy [J]', 2, lambda of, _: [of.kinetic_energy()]),
    'potential_energy': _Kind(
        'U', 'potential energy [J]', 1, lambda of, _: [of.potential_energy()]
    ),
    'frame_pose': _Kind(
        'F', 'pose of the frame [m]', 1, lambda of, options: [of.frame_pose(_frame(options))]
    ),
    'frame_jacobian': _Kind(
        'J',
        'Jacobian of the frame, [angular; linear]',
        1,
        lambda of, options: [of.frame_jacobian(_frame(options), options.representation)],
    ),
}
#: Names of the terms that `screw_dynamics.symbolic.terms` yields.
TERMS = tuple(_KINDS)


def terms(of: Expressions, names: Iterable[str], options: Options | None = None) -> Iterator[Term]:
    """
    Yield the terms of a robot.

    Parameters
    ----------
    of : Expressions
    names : iterable of str
        Some of `TERMS`.
    options : Options, optional
        Order, form and frame.

    Yields
    ------
    Term
        With 'inverse_dynamics' and 'regressor' one for each derivative up to the order.

    Raises
    ------
    InputError, UnknownNameError
        If an argument is not usable, or the work exceeds the limits of `of`.
    """
    for name in names:
        if name not in _KINDS:
            raise UnknownNameError('term', name, TERMS)
        kind = _KINDS[name]
        for d, value in enumerate(kind.make(of, options or Options())):
            if not d:
                yield Term(name, kind.symbol, kind.text, kind.rows, value)
                continue
            text = f'{kind.text}, time derivative {d}'
            symbol = rf'{kind.symbol}^{{({d})}}'
            yield Term(f'{name}_{d}', symbol, text, kind.rows + d, value)


def as_matrix(value: Any) -> sympy.Matrix:
    """Return the value of a term as a matrix, (1, 1) of an energy."""
    return value if isinstance(value, sympy.MatrixBase) else sympy.Matrix([[value]])


def _frame(options: Options) -> str:
    if options.frame is None:
        raise InputError('frame: expected the name of a frame for its pose and Jacobian, got none')
    return options.frame
