# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Text in C99 of doubles or floats: numbers, tables, lines of translated functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

Real: TypeAlias = Literal['double', 'float']
REALS = get_args(Real)

_DOUBLE, _FLOAT = np.finfo(np.float64), np.finfo(np.float32)
# bounds of kernels that are those of the format
_LIMITS = {float(_DOUBLE.max): _FLOAT.max, float(_DOUBLE.eps): _FLOAT.eps}
_TOKEN = re.compile(
    r'(?<![\w.])(?P<number>\d+(?:\.\d*(?:e[+-]?\d+)?|e[+-]?\d+))'
    r'|\b(?P<function>cos|sin|tanh|sinh|cosh|asinh|exp|expm1|log|sqrt|cbrt|hypot|pow|floor|fabs)\('
    r'|\b(?P<word>double|int64_t|NAN|INFINITY)\b'
)


def literal(value: Any, real: Real = 'double') -> str:
    """Return a number in C."""
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if np.isnan(value):
        return f'({real})NAN'
    if np.isinf(value):
        return ('' if value > 0.0 else '-') + ('HUGE_VAL' if real == 'double' else 'HUGE_VALF')
    if real == 'double':
        return repr(float(value))
    with np.errstate(over='ignore', under='ignore'):
        number = np.float32(_LIMITS.get(float(value), value))
    return f'{number!s}f'


def in_c99(text: str, real: Real) -> str:
    """Return a text of the translator in C99, with int and double or float."""

    def replaced(token: re.Match[str]) -> str:
        if token['number']:
            return token['number'] if real == 'double' else literal(float(token['number']), real)
        if token['function']:
            return token['function'] + ('(' if real == 'double' else 'f(')
        words = {'double': real, 'int64_t': 'int', 'NAN': f'({real})NAN'}
        return words.get(token['word'], f'({real})INFINITY')

    return _TOKEN.sub(replaced, text)


def table(declaration: str, numbers: NDArray[Any], real: Real) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f'{declaration}[{numbers.size}] = {{'
    for start in range(0, numbers.size, 4):
        yield f'    {", ".join(literal(x, real) for x in numbers.flat[start : start + 4])},'
    yield '};'


def indented(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, those between braces further to the right."""
    depth = 0
    for line in map(str.strip, lines):
        depth -= line.startswith('}')
        yield '    ' * depth + line if line else line
        depth += line.endswith('{')
