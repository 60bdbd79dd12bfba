# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Terms as text, as a Python module of SymPy expressions, and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import sympy
from sympy.printing.str import StrPrinter

from screw_dynamics.errors import InputError
from screw_dynamics.symbolic.symbolic_model import SymbolicModel
from screw_dynamics.symbolic.terms import Term, as_matrix

_DIGITS = 6  # of numbers in texts for reading; shorter fractions remain
_LINE = 66  # letters of a line in print
_PIECES = re.compile(r'\\left\(|\\right\)| [+-] |[{}]')
_UNSEEN = re.compile(r'\\(?:left|right|d?dot|overset|frac|mathrm|begin|end)\b|[{}^_\s]')


def text(term: Term) -> str:
    """Return a term for reading: the heading, then one line per entry that is not 0."""
    lines = [term.text]
    if not isinstance(term.value, sympy.MatrixBase):
        return '\n'.join([*lines, f'{term.name} = {_short(term.value)}'])
    zeros = 0
    for i, j in _places(term.value):
        entry = term.value[i, j]
        zeros += entry == 0
        if entry != 0:
            place = f'[{i + 1}]' if term.value.cols == 1 else f'[{i + 1}, {j + 1}]'
            lines.append(f'{term.name}{place} = {_short(entry)}')
    if zeros:
        lines.append('all other entries are 0' if len(lines) > 1 else 'all entries are 0')
    return '\n'.join(lines)


def python_source(model: SymbolicModel, terms: Iterable[Term]) -> str:
    """
    Return a Python module with the symbols, the numbers of the parameters, and the terms.

    Parameters
    ----------
    model : SymbolicModel
    terms : iterable of Term
        See `screw_dynamics.symbolic.terms`.

    Returns
    -------
    str
        Numbers are exact.
    """
    given = list(terms)
    rows = max((term.rows for term in given), default=1)
    lines = [
        f'"""Expressions of {_words(model.name)}."""',
        '',
        'from sympy import Matrix, S, Symbol, cos, pi, sin, sqrt',
        '',
        f'# joints: {_words(", ".join(model.joint_names))}',
    ]
    for symbol in (*model.joint_jet(rows).ravel(), *model.values):
        assumption = 'positive' if symbol.is_positive else 'real'
        lines.append(f'{symbol} = Symbol({symbol.name!r}, {assumption}=True)')
    values = ', '.join(f'{symbol}: {_exact(value)}' for symbol, value in model.values.items())
    lines += ['', '# numbers of the robot', f'values = {{{values}}}']
    for term in given:
        lines += ['', f'# {term.text}']
        if not isinstance(term.value, sympy.MatrixBase):
            lines.append(f'{term.name} = {_exact(term.value)}')
            continue
        lines.append(f'{term.name} = Matrix([')
        for i in range(term.value.rows):
            row = ', '.join(_exact(entry) for entry in term.value.row(i))
            lines.append(f'    [{row}],')
        lines.append('])')
    return '\n'.join([*lines, ''])


def latex_source(model: SymbolicModel, terms: Iterable[Term]) -> str:
    """
    Return displayed equations for a document that uses amsmath.

    Parameters
    ----------
    model : SymbolicModel
    terms : iterable of Term
        See `screw_dynamics.symbolic.terms`.

    Returns
    -------
    str
        Matrices that fit on a line are written as a whole, entries of others one by one, broken
        into lines, within parentheses too. Numbers have six digits.

    Raises
    ------
    InputError
        If two symbols of a term look the same, as L1 and L_1 do.
    """
    parts = [f'% Expressions of {_words(model.name)}, for amsmath']
    for term in terms:
        names = _latex_names(model, term.rows)
        _require_different(term, names)
        value = as_matrix(term.value).applyfunc(_shortened).xreplace(names)
        # long numerators stand before their fraction
        entries = [
            [sympy.latex(entry, long_frac_ratio=2) for entry in row] for row in value.tolist()
        ]
        is_matrix = isinstance(term.value, sympy.MatrixBase)
        parts.append(f'% {term.text}')
        columns = [max(map(_width, column)) + 2 for column in zip(*entries, strict=True)]
        if _width(f'{term.symbol} + ') + sum(columns) <= _LINE:
            rows = r' \\ '.join(' & '.join(row) for row in entries)
            whole = rf'\begin{{bmatrix}}{rows}\end{{bmatrix}}' if is_matrix else rows
            parts.append(f'\\begin{{equation*}}\n{term.symbol} = {whole}\n\\end{{equation*}}')
            continue
        for i, j in _places(value):
            place = f'{i + 1}' if value.cols == 1 else f'{i + 1},{j + 1}'
            name = f'{{{term.symbol}}}_{{{place}}}' if is_matrix else term.symbol
            if value[i, j] != 0:
                parts += [r'\begin{align*}', _in_lines(name, entries[i][j]), r'\end{align*}']
    return '\n'.join([*parts, ''])


def _width(latex: str) -> int:
    """Return about how many letters wide a formula is in print."""
    spaced = re.sub(' [+-] ', '+++', latex)
    return len(re.sub(r'\\(?!cos|sin)[a-z]+', 'x', _UNSEEN.sub('', spaced)).replace('\\', ''))


def _in_lines(name: str, latex: str) -> str:
    """Return an equation broken before signs, also within parentheses, but not within braces."""
    pieces, start, depth = [''], 0, 0
    for found in _PIECES.finditer(latex):
        pieces[-1] += latex[start : found.start()]
        start, mark = found.end(), found[0]
        depth += (mark == '{') - (mark == '}')
        if depth == 0 and mark in (' + ', ' - '):
            pieces.append('')
        # \left and \right must be on one line
        pieces[-1] += (
            {r'\left(': r'\bigl(', r'\right)': r'\bigr)'}.get(mark, mark) if depth == 0 else mark
        )
    pieces[-1] += latex[start:]
    lines, width = [f'{name} ={{}}& '], _width(f'{name} + ')
    room = _LINE - width
    for i, piece in enumerate(pieces):
        if i and width + _width(piece) > _LINE:
            lines.append(r'& {}')
            width = _LINE - room
        lines[-1] += piece
        width += _width(piece)
    return ' \\\\\n'.join(lines)


def _places(matrix: sympy.Matrix) -> Iterable[tuple[int, int]]:
    return ((i, j) for i in range(matrix.rows) for j in range(matrix.cols))


def _short(expression: sympy.Expr) -> str:
    return str(_shortened(expression))


def _shortened(expression: sympy.Expr) -> sympy.Expr:
    """Return an expression whose long fractions have six digits."""
    return expression.xreplace(
        {
            number: sympy.Float(number, _DIGITS)
            for number in expression.atoms(sympy.Rational)
            if len(f'{abs(number.p)}{number.q}') > _DIGITS + 1
        }
    )


class _ExactPrinter(StrPrinter):
    """Numbers that Python would divide are of SymPy."""

    def _print_Rational(self, number: Any) -> str:  # noqa: N802
        return f'S({number.p})/{number.q}'

    def _print_Integer(self, number: Any) -> str:  # noqa: N802
        return str(number.p)


def _exact(expression: sympy.Expr) -> str:
    text = _ExactPrinter().doprint(expression)
    return f'S({text})' if expression.is_Integer else text


def _latex_names(model: SymbolicModel, rows: int) -> dict[sympy.Symbol, Any]:
    names = {}
    for d, row in enumerate(model.joint_jet(rows)):
        # accents: an exponent could not stand behind a superscript
        letter = ('q', r'\dot{q}', r'\ddot{q}')[d] if d < 3 else rf'\overset{{({d})}}{{q}}'
        for j, symbol in enumerate(row):
            names[symbol] = sympy.Symbol(f'{letter}_{{{j + 1}}}', real=True)
    return names


def _require_different(term: Term, motion: dict[sympy.Symbol, Any]) -> None:
    """Raise InputError if two symbols of a term, or one and the term, look the same."""
    value = as_matrix(term.value)
    seen = {_look(term.symbol): term.name}
    if value.cols == 1:
        seen |= {
            _look(f'{term.symbol}_{i + 1}'): f'{term.name}[{i + 1}]' for i in range(value.rows)
        }
    for symbol in sorted(value.free_symbols, key=str):
        look = _look(sympy.latex(motion.get(symbol, symbol)))
        if look in seen:
            raise InputError(
                f'names: expected symbols that differ in LaTeX, got {seen[look]!r} and '
                f'{str(symbol)!r}, both {sympy.latex(symbol)}'
            )
        seen[look] = str(symbol)


def _look(latex: str) -> str:
    return re.sub('[{}]', '', latex)


def _words(line: str) -> str:
    """Return a text in one line that can stand in comments and docstrings."""
    return re.sub(r'[^ \w,.:;()+-]', '?', line, flags=re.ASCII)
