# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""C99 functions of terms, with common subexpressions computed once, and their header."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import sympy
from sympy.printing.c import C99CodePrinter
from sympy.printing.precedence import PRECEDENCE

from screw_dynamics.errors import InputError, shown
from screw_dynamics.symbolic.symbolic_model import SymbolicModel
from screw_dynamics.symbolic.terms import Term, as_matrix

_DIGITS = 25  # of numbers before they are rounded to doubles


def c_source(model: SymbolicModel, terms: Iterable[Term], name: str) -> tuple[str, str]:
    """
    Return header and source of C99 functions, without dependencies but `math.h`.

    Each term is a function ``NAME_TERM``: ``void`` with a last argument `out` for matrices, row by
    row, and vectors; ``double`` for energies. Its arguments are the joint motion, `q`, `qd`, ..,
    of n numbers each, and the parameters `p` if the model has symbols; ``NAME_parameters`` are
    the numbers of the robot. C++ can include the header.

    Parameters
    ----------
    model : SymbolicModel
    terms : iterable of Term
        See `screw_dynamics.symbolic.terms`.
    name : str
        Begins all names, and is that of the header, ``NAME.h``: letters, digits, underscores.

    Returns
    -------
    header, source : str

    Raises
    ------
    InputError
        If the name is not one in C.
    """
    if not re.fullmatch(r'[A-Za-z]\w*', name, re.ASCII):
        raise InputError(
            f'name: expected letters, digits and underscores behind a letter, got {shown(name)}'
        )
    parameters = list(model.values)
    declarations, functions = [], []
    for term in terms:
        declaration = _declaration(model, term, name)
        declarations.append(f'/* {term.text} */\n{declaration};')
        functions.append(f'{declaration}\n{{\n{_body(model, term)}}}')
    guard = f'{name.upper()}_H'
    about = f'/* Expressions of {_comment(model.name)}, of {model.n} joints: '
    about += f'{_comment(", ".join(model.joint_names))} */'
    header = [about, f'#ifndef {guard}\n#define {guard}']
    header.append('#ifdef __cplusplus\nextern "C" {\n#endif')
    source = [about, f'#include "{name}.h"\n\n#include <math.h>']
    if parameters:
        places = ''.join(f'    {name}_p_{symbol},\n' for symbol in parameters)
        count = f'    {name}_parameter_count\n'
        header.append(f'/* places of the parameters in p */\nenum {{\n{places}{count}}};')
        array = f'const double {name}_parameters[{len(parameters)}]'
        numbers = ', '.join(_number(value) for value in model.values.values())
        header.append(f'/* those of the robot */\nextern {array};')
        source.append(f'{array} = {{{numbers}}};')
    header += [*declarations, '#ifdef __cplusplus\n}\n#endif', '#endif']
    return '\n\n'.join(header) + '\n', '\n\n'.join([*source, *functions]) + '\n'


def _declaration(model: SymbolicModel, term: Term, name: str) -> str:
    arguments = [f'const double {row}[{model.n}]' for row in _rows(model, term)]
    if model.values:
        arguments.append(f'const double p[{len(model.values)}]')
    kind = 'double'
    if isinstance(term.value, sympy.MatrixBase):
        kind = 'void'
        rows, columns = term.value.shape
        arguments.append(f'double out[{rows}]' + (f'[{columns}]' if columns > 1 else ''))
    return f'{kind} {name}_{term.name}({", ".join(arguments)})'


def _rows(model: SymbolicModel, term: Term) -> list[str]:
    """Return the names of the rows of the joint motion."""
    return [str(symbol).rpartition('_')[0] for symbol in model.joint_jet(term.rows)[:, 0]]


def _body(model: SymbolicModel, term: Term) -> str:
    """Return the statements of a function."""
    motion = model.joint_jet(term.rows)
    names: dict[sympy.Symbol, sympy.Symbol] = {}
    for row, symbols in zip(_rows(model, term), motion, strict=True):
        names |= {symbol: sympy.Symbol(f'{row}[{j}]') for j, symbol in enumerate(symbols)}
    names |= {symbol: sympy.Symbol(f'p[{k}]') for k, symbol in enumerate(model.values)}
    matrix = as_matrix(term.value)
    entries = [_rounded(entry).xreplace(names) for entry in matrix]
    steps, results = sympy.cse(entries, symbols=sympy.numbered_symbols('x'))
    printer = _Printer()
    lines = [f'const double {symbol} = {printer.doprint(value)};' for symbol, value in steps]
    used = {symbol.name.partition('[')[0] for entry in entries for symbol in entry.free_symbols}
    arguments = [*_rows(model, term), *(['p'] if model.values else [])]
    unused = [f'(void){argument};' for argument in arguments if argument not in used]
    lines += unused
    for k, value in enumerate(results):
        lines.append(f'{_place(term, matrix, k)} {printer.doprint(value)};')
    return ''.join(f'    {line}\n' for line in lines)


def _place(term: Term, matrix: sympy.Matrix, k: int) -> str:
    if term.value is not matrix:
        return 'return'
    i, j = divmod(k, matrix.cols)
    return f'out[{i}] =' if matrix.cols == 1 else f'out[{i}][{j}] ='


def _rounded(expression: sympy.Expr) -> sympy.Expr:
    """Return an expression whose square roots and fractions are decimals."""
    numbers = {
        number: number.evalf(_DIGITS)
        for number in expression.atoms(sympy.Pow, sympy.Rational, sympy.NumberSymbol)
        if number.is_number and not number.is_Integer
    }
    return expression.xreplace(numbers)


def _number(value: Any) -> str:
    return repr(float(value))


def _comment(text: str) -> str:
    """Return a text that neither ends nor begins a comment of C, in ASCII."""
    apart = text.replace('*/', '* /').replace('/*', '/ *').replace('??/', '?? /')
    return apart.encode('ascii', 'backslashreplace').decode()


class _Printer(C99CodePrinter):
    """Powers as products."""

    def _print_Pow(self, power: Any) -> str:  # noqa: N802
        base, exponent = power.as_base_exp()
        if exponent.is_Integer and exponent > 1:
            factor = self.parenthesize(base, PRECEDENCE['Pow'])
            return f'({"*".join([factor] * int(exponent))})'
        return str(super()._print_Pow(power))
