# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics symbolic`: expressions of a small robot, as SymPy, LaTeX and C."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screw_dynamics.command_line.argument_types import named_word
from screw_dynamics.command_line.outputs import writing
from screw_dynamics.command_line.records import Options, option, optional, several
from screw_dynamics.command_line.robots import RobotSource
from screw_dynamics.common.progress import progress
from screw_dynamics.common.scalars import require_count
from screw_dynamics.errors import InputError
from screw_dynamics.model.records import CoriolisForm, Representation

if TYPE_CHECKING:  # imported when the command runs: the help does not need SymPy
    from screw_dynamics.symbolic import SymbolicModel, Term

DESCRIPTION = (
    'Write the equations of motion of a small robot as exact expressions of the joint motion, '
    'and, on request, of its parameters. Joint motion is q_1, qd_1, qdd_1, q3d_1, ..., with the '
    'numbers of the coordinates. Without an output file the expressions are printed.'
)
EXAMPLES = (
    'screw_dynamics symbolic my_robot.urdf --terms mass_matrix gravity_forces',
    'screw_dynamics symbolic my_robot.urdf --symbols masses lengths --latex my_robot.tex',
    'screw_dynamics symbolic my_robot.urdf --terms inverse_dynamics --order 2 --c my_robot.c',
)
_DEFAULT = ('mass_matrix', 'coriolis_matrix', 'gravity_forces')
_TERMS = (
    *_DEFAULT,
    'inverse_dynamics',
    'regressor',
    'kinetic_energy',
    'potential_energy',
    'frame_pose',
    'frame_jacobian',
)
_WITH_DERIVATIVES = ('inverse_dynamics', 'regressor')
_SYMBOLS = ('masses', 'centres', 'inertias', 'lengths', 'gravity')


@dataclass(frozen=True)
class Chosen(Options, heading='terms'):
    """Which terms are written."""

    terms: tuple[str, ...] = several(
        f'some of {", ".join(_TERMS)} (default: {" ".join(_DEFAULT)}, and those of --frame)',
        choices=_TERMS,
        metavar='NAME',
    )
    order: int = option(0, 'highest time derivative of inverse_dynamics and regressor')
    coriolis: CoriolisForm = option('christoffel', 'form of the Coriolis matrix')
    frame: str | None = optional('that of frame_pose and frame_jacobian', metavar='LINK')
    representation: Representation = option('body', 'axes and point of the Jacobian')


@dataclass(frozen=True)
class Symbols(Options, heading='symbols'):
    """Which numbers are symbols."""

    symbols: tuple[str, ...] = several(
        f'some of {", ".join(_SYMBOLS)}: they have symbols where they are not 0: m_1, c_1x, '
        'I_1xx, l_1x (p_LINK_x of a frame), g',
        choices=_SYMBOLS,
        metavar='NAME',
    )
    names: tuple[tuple[str, str], ...] = several(
        'other names of these symbols; symbols of equal numbers may have one name',
        metavar='SYMBOL=NAME',
        parse=named_word,
    )


@dataclass(frozen=True)
class Limits(Options, heading='limits'):
    """How much is worked out."""

    most_joints: int | None = optional(
        'most moving joints of the robot (default: 6)', metavar='COUNT'
    )
    most_terms: int | None = optional(
        'most terms of an expression (default: 20000)', metavar='COUNT'
    )
    seconds: float | None = optional(
        'longest time of one term [s] (default: 120)', above=0.0, metavar='S'
    )


@dataclass(frozen=True)
class Files(Options, heading='output'):
    """Where the terms are written."""

    python: Path | None = optional('a module of SymPy expressions; - for standard output')
    latex: Path | None = optional('displayed equations, for amsmath; - for standard output')
    c: Path | None = optional('functions in C99; their header FILE.h is written beside FILE.c')


def run(
    source: RobotSource, chosen: Chosen, symbols: Symbols, limits: Limits, files: Files
) -> int:
    """Run the command; return 0."""
    header = _header(files.c)
    with writing((source.urdf,), files.python, files.latex, files.c, header) as write:
        from screw_dynamics import symbolic
        from screw_dynamics.symbolic.documents import text

        model = symbolic.SymbolicModel.from_model(
            source.model(), symbols.symbols, dict(symbols.names)
        )
        found = _terms(chosen, limits, model)
        write(files.python, lambda file: file.write(symbolic.python_source(model, found)))
        write(files.latex, lambda file: file.write(symbolic.latex_source(model, found)))
        if files.c is not None:
            declared, defined = symbolic.c_source(model, found, files.c.stem)
            write(header, lambda file: file.write(declared))
            write(files.c, lambda file: file.write(defined))
        if files == Files():
            print('\n\n'.join(map(text, found)))
    return 0


def _terms(chosen: Chosen, limits: Limits, model: SymbolicModel) -> list[Term]:
    """Return the terms of the options; a bar shows how many of them are done."""
    from screw_dynamics.symbolic import Expressions, Options, terms

    given: dict[str, Any] = {
        'most_joints': limits.most_joints,
        'most_terms': limits.most_terms,
        'seconds': limits.seconds,
    }
    names = chosen.terms or (*_DEFAULT, *(_TERMS[-2:] if chosen.frame is not None else ()))
    if require_count('--order', chosen.order) and not set(names) & set(_WITH_DERIVATIVES):
        raise InputError(
            f'--order: expected one of {", ".join(_WITH_DERIVATIVES)} among --terms, got '
            f'{", ".join(names)}'
        )
    expressions = Expressions(model, **{k: v for k, v in given.items() if v is not None})
    wanted = Options(chosen.order, chosen.coriolis, chosen.frame, chosen.representation)
    return [
        term
        for name in progress(names, 'expressions', unit='term')
        for term in terms(expressions, [name], wanted)
    ]


def _header(source: Path | None) -> Path | None:
    if source is None:
        return None
    if source.suffix != '.c':
        raise InputError(f'--c: expected a file name that ends in .c, got {str(source)!r}')
    return source.with_suffix('.h')
