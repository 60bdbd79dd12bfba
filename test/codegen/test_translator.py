# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Translated functions return what Python returns: loops, conditions, arrays, tables."""

from __future__ import annotations

import ctypes
import math
import subprocess

import numpy as np
import pytest
from c_compiler import COMPILER, STRICT, needs_gcc

from screw_dynamics.codegen.translator import Library, write_function
from screw_dynamics.codegen.values import Size, TranslationError, View
from screw_dynamics.kernels.taylor.rows import get, integer

N = 5
PARENTS = np.array([[-1.0, 2.5], [0.0, -1.5], [0.0, 0.5], [2.0, 4.0], [1.0, 3.0]])
CHAIN = np.array([[i - 1.0, 0.5 * i * i] for i in range(N)])


def helper(x, y):
    if x > y:
        return x * x, y
    return y, x + 1.0


def first_above(values, bound):
    for k in range(len(values)):
        if values[k] > bound:
            return k
    return -1


def conditions(n, x, table, out):
    for i in range(n):
        if x[i] > 1.0:
            a, b = helper(x[i], 2.0)
        elif x[i] > 0.0:
            a = b = math.cos(x[i])
        else:
            a, b = 0.0, -x[i]
        out[i] = a - 2.0 * b


def early_ends(n, x, table, out):
    out[:] = 0.0
    total = 1.0
    for i in range(n):
        if x[i] < -1.0:
            continue
        total *= 2.0
        if total > 9.0:
            break
        out[i] = total
    k = first_above(x, 0.5)
    while k >= 0 and total > 1.0:
        total = 0.5 * total
        out[k] += 1.0
    out[n - 1] = total


def along_parents(n, x, table, out):
    work = np.zeros(2 * n + 1)
    for i in range(n):
        parent = integer(table, 2 * i)
        if parent < 0:
            work[2 * i] = 0.0
            work[2 * i + 1] = x[i]
        else:
            work[2 * n] = work[2 * parent] + get(table, 2 * i + 1)
            work[2 * i] = work[2 * n] * x[i]
            work[2 * i + 1] = work[2 * parent + 1] - work[2 * i]
        work[2 * i] += 0.25
    for i in range(n - 1, -1, -1):
        parent = integer(table, 2 * i)
        if parent >= 0:
            work[2 * parent] += work[2 * i]
    for i in range(n):
        out[i] = work[2 * i] - work[2 * i + 1]


def elements_held(n, x, table, out):
    work = np.empty(4)
    work[0] = 0.0
    work[1] = 1.0
    if x[0] > 0.0:
        work[0] = x[1]
    else:
        work[2] = 7.0
    work[3] = work[0] + 2.0
    for _ in range(3):
        work[1] = work[1] * 0.5 + work[0]
    k = 0 if x[2] > 0.0 else 1
    work[k] = -3.0
    out[0], out[1] = work[0], work[1]
    out[2] = work[3]
    work[1] = 0.0
    out[3] = work[1] * x[0] + work[3]
    out[4] = max(x[0], min(x[1], 0.5)) + abs(x[2]) ** 2


class Translated:
    """A function of (n, x, table, out), in C."""

    def __init__(self, function, numbers, folder):
        library = Library('t', 4)
        library.tables.add('numbers')
        values = {
            'n': Size(N),
            'x': View('x', dims=((Size(N), 1),)),
            'out': View('out', dims=((Size(N), 1),)),
            'table': View('numbers', data=numbers.ravel(), row=numbers.shape[1]),
        }
        declared = ['const double *x', 'double *out']
        write_function(library, 'run', function, values, declared, {'x'}, '')
        self.text = '\n'.join(library.functions)
        table = f'static const double numbers[] = {{{", ".join(map(str, numbers.ravel()))}}};\n'
        head = '#include <math.h>\nvoid run(const double *x, double *out);\n'
        used = table if 'numbers[' in self.text else ''
        (folder / 't.c').write_text(f'{head}{used}{self.text}', encoding='ascii')
        build = [COMPILER, *STRICT, '-O1', '-fPIC', '-shared', '-o', 't.so', 't.c', '-lm']
        subprocess.run(build, check=True, cwd=folder)
        self._run = ctypes.CDLL(str(folder / 't.so')).run

    def __call__(self, x):
        out = np.full(N, np.nan)
        self._run(*(a.ctypes.data_as(ctypes.c_void_p) for a in (x, out)))
        return out


@needs_gcc
@pytest.mark.parametrize('numbers', [PARENTS, CHAIN], ids=['tree', 'chain'])
@pytest.mark.parametrize('function', [conditions, early_ends, along_parents, elements_held])
def test_translated_functions_return_what_python_returns(function, numbers, tmp_path):
    translated = Translated(function, numbers, tmp_path)
    rng = np.random.default_rng(3)
    for _ in range(50):
        x, expected = rng.normal(scale=1.5, size=N), np.full(N, np.nan)
        function(N, x, numbers.ravel(), expected)
        # the same operations, but for products with known numbers
        np.testing.assert_allclose(translated(x), expected, rtol=1e-15, atol=1e-15)


@needs_gcc
def test_parents_in_a_row_need_no_condition(tmp_path):
    text = Translated(along_parents, CHAIN, tmp_path).text
    assert 'if (' not in text and '(int)' not in text
    (tmp_path / 'tree').mkdir()
    assert '(int)numbers[' in Translated(along_parents, PARENTS, tmp_path / 'tree').text


def with_a_list(n, x, table, out):
    out[0] = sum([x[0], x[1]])


def with_a_power(n, x, table, out):
    out[0] = x[0] ** 3


def with_another_array(n, x, table, out):
    for i in range(n):
        out[i] = x[0]
        x = out


@pytest.mark.parametrize('function', [with_a_list, with_a_power, with_another_array])
def test_what_is_not_known_is_refused(function, tmp_path):
    with pytest.raises(TranslationError):
        Translated(function, CHAIN, tmp_path)
