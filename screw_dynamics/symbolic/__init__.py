# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Exact expressions of small robots, of the algorithms in `theory`, as SymPy, LaTeX and C.

The package `sympy` is optional: only this room needs it.
"""

try:
    import sympy  # noqa: F401
except ModuleNotFoundError as error:
    if (error.name or '').split('.')[0] != 'sympy':
        raise
    raise ModuleNotFoundError(
        "screw_dynamics.symbolic needs the package 'sympy': pip install sympy", name='sympy'
    ) from None

from screw_dynamics.symbolic.c_source import c_source
from screw_dynamics.symbolic.documents import latex_source, python_source
from screw_dynamics.symbolic.expressions import Expressions
from screw_dynamics.symbolic.symbolic_model import SYMBOLS, SymbolicModel
from screw_dynamics.symbolic.terms import TERMS, Options, Term, terms

__all__ = [
    'SYMBOLS',
    'TERMS',
    'Expressions',
    'Options',
    'SymbolicModel',
    'Term',
    'c_source',
    'latex_source',
    'python_source',
    'terms',
]
