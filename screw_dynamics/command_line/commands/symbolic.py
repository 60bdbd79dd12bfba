# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics symbolic`: expressions of a small robot, as SymPy, LaTeX and C."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from screw_dynamics.command_line import outputs, robots
from screw_dynamics.command_line.command_parser import EachOnce
from screw_dynamics.common.paths import is_standard_output, new_file, reports_beside
from screw_dynamics.common.progress import progress
from screw_dynamics.common.scalars import positive, refuse, require_count
from screw_dynamics.errors import InputError
from screw_dynamics.model.records import CORIOLIS_FORMS, REPRESENTATIONS

if TYPE_CHECKING:  # imported when the command runs: the help does not need SymPy
    from screw_dynamics.symbolic import SymbolicModel, Term

FILES = 'URDF'
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    robots.add_urdf(parser)
    robots.add_options(parser)
    group = parser.add_argument_group('terms')
    group.add_argument(
        '--terms',
        nargs='+',
        choices=_TERMS,
        action=EachOnce,
        help=f'what is written (default: {" ".join(_DEFAULT)}, and those of --frame)',
    )
    group.add_argument(
        '--order',
        type=int,
        default=0,
        help='highest time derivative of inverse_dynamics and regressor (default: 0)',
    )
    group.add_argument(
        '--coriolis',
        choices=CORIOLIS_FORMS,
        default=CORIOLIS_FORMS[0],
        help=f'form of the Coriolis matrix (default: {CORIOLIS_FORMS[0]})',
    )
    group.add_argument('--frame', metavar='LINK', help='that of frame_pose and frame_jacobian')
    group.add_argument(
        '--representation',
        choices=REPRESENTATIONS,
        default=REPRESENTATIONS[0],
        help=f'axes and point of the Jacobian (default: {REPRESENTATIONS[0]})',
    )
    group = parser.add_argument_group('symbols')
    group.add_argument(
        '--symbols',
        nargs='+',
        choices=_SYMBOLS,
        action=EachOnce,
        default=[],
        help='parameters that have symbols instead of numbers, where they are not 0: m_1, c_1x, '
        'I_1xx, l_1x (p_LINK_x of a frame), g',
    )
    group.add_argument(
        '--names',
        nargs='+',
        action=EachOnce,
        metavar='SYMBOL=NAME',
        type=_renamed,
        default=[],
        help='other names of these symbols; symbols of equal numbers may have one name',
    )
    group = parser.add_argument_group('limits')
    for name, kind, text in (
        ('joints', int, 'moving joints of the robot (default: 6)'),
        ('terms', int, 'terms of an expression (default: 20000)'),
    ):
        group.add_argument(f'--most-{name}', metavar='COUNT', type=kind, help=f'most {text}')
    group.add_argument(
        '--seconds', type=positive, help='longest time of one term [s] (default: 120)'
    )
    group = parser.add_argument_group('output')
    for option, text in (
        ('python', 'a module of SymPy expressions; - for standard output'),
        ('latex', 'displayed equations, for amsmath; - for standard output'),
        ('c', 'functions in C99; their header FILE.h is written beside FILE.c'),
    ):
        group.add_argument(f'--{option}', metavar='FILE', type=Path, help=text)


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    texts = (options.python, options.latex)
    header = _header(options.c)
    standard = next((path for path in texts if is_standard_output(path)), None)
    with reports_beside(standard) as output:
        outputs.check((options.urdf,), (*texts, options.c, header))
        from screw_dynamics import symbolic
        from screw_dynamics.symbolic.documents import text

        model = symbolic.SymbolicModel.from_model(
            robots.read_robot(options).tree, options.symbols, dict(options.names)
        )
        found = _terms(options, model)
        if options.python is not None:
            _write(options.python, output, lambda: symbolic.python_source(model, found))
        if options.latex is not None:
            _write(options.latex, output, lambda: symbolic.latex_source(model, found))
        if header is not None:
            sources = symbolic.c_source(model, found, options.c.stem)
            for path, source in zip((header, options.c), sources, strict=True):
                _write(path, output, source.__str__)
        if not any((*texts, options.c)):
            print('\n\n'.join(map(text, found)))
    return 0


def _terms(options: argparse.Namespace, model: SymbolicModel) -> list[Term]:
    """Return the terms of the options; a bar shows how many of them are done."""
    from screw_dynamics.symbolic import Expressions, Options, terms

    limits = {
        name: getattr(options, name)
        for name in ('most_joints', 'most_terms', 'seconds')
        if getattr(options, name) is not None
    }
    names = options.terms
    if names is None:
        names = [*_DEFAULT, *(_TERMS[-2:] if options.frame is not None else ())]
    if require_count('--order', options.order) and not set(names) & set(_WITH_DERIVATIVES):
        raise InputError(
            f'--order: expected one of {", ".join(_WITH_DERIVATIVES)} among --terms, got '
            f'{", ".join(names)}'
        )
    expressions = Expressions(model, **limits)
    chosen = Options(options.order, options.coriolis, options.frame, options.representation)
    return [
        term
        for name in progress(names, 'expressions', unit='term')
        for term in terms(expressions, [name], chosen)
    ]


def _header(source: Path | None) -> Path | None:
    if source is None:
        return None
    if source.suffix != '.c':
        raise InputError(f'--c: expected a file name that ends in .c, got {str(source)!r}')
    return source.with_suffix('.h')


def _write(path: Path, output: TextIO, source: Callable[[], str]) -> None:
    text = source()
    if is_standard_output(path):
        output.write(text)
        return
    with new_file(path) as place:
        place.write_text(text, encoding='utf-8')
    print(f'written: {path}')


def _renamed(text: str) -> tuple[str, str]:
    """Parse the name of a symbol and its new one, as in ``c_1x=L1``."""
    name, equals, other = text.partition('=')
    if not (name and equals and other):
        refuse('SYMBOL=NAME', text)
    return name, other
