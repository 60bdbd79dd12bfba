# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Source of the extension module: the kernels in C, with functions that Python calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import FunctionType

from screw_dynamics.codegen.extension.lanes import LANE_CALLS
from screw_dynamics.codegen.translator.functions import NUMBERS, Program, name_of, needed
from screw_dynamics.codegen.translator.types import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    ArrayType,
    TranslationError,
    Type,
    c_name,
    declarations,
    has_value,
)
from screw_dynamics.kernels.kernel import Kernel

_ITEMS = {'float64': (DOUBLE, 'NPY_DOUBLE'), 'int64': (INTEGER, 'NPY_INT64'),
          'bool': (BOOLEAN, 'NPY_BOOL')}  # fmt: skip
_ARGUMENT = re.compile(
    r'(?P<const>const )?(?P<item>\w+)\[(?P<axes>(:, )*)::1\]|(?P<scalar>float64|int64|boolean)'
)
_SCALARS = {
    'float64': (DOUBLE, 'PyFloat_AsDouble'),
    'int64': (INTEGER, 'PyLong_AsLongLong'),
    'boolean': (BOOLEAN, 'PyObject_IsTrue'),
}
_RESULTS = {
    'void': 'Py_NewRef(Py_None)',
    'int64': 'PyLong_FromLongLong(result)',
    'boolean': 'PyBool_FromLong(result)',
    'float64': 'PyFloat_FromDouble(result)',
}


def write_kernels(kernels: Mapping[str, Kernel]) -> str:
    """Return the kernels in C and their table of methods, to be included in the module."""
    program = Program(LANE_CALLS)
    wrappers, methods = [], []
    called: set[str] = set()
    for number, (name, kernel) in enumerate(kernels.items()):
        wrappers.append(_wrapper(program, f'call_{number}', kernel, called))
        methods.append(
            f'    {{"{name}", (PyCFunction)(void (*)(void))call_{number}, METH_FASTCALL, NULL}},'
        )
    prelude = Path(__file__).with_name('prelude.h').read_text(encoding='utf-8')
    table = ['PyMethodDef METHODS[] = {', *methods, '    {NULL, NULL, 0, NULL},', '};', '']
    calls = '\n'.join([*wrappers, *table])
    # in a function with setjmp, variables are not kept in registers
    functions = [
        one.replace('static inline', 'static NOT_INLINE', 1) if name_of(one) in called else one
        for one in needed(calls, program.functions)
    ]
    text = '\n'.join([*functions, calls])
    return '\n'.join([prelude, NUMBERS, *declarations(text), '', text])


def _wrapper(program: Program, name: str, kernel: Kernel, callees: set[str]) -> str:
    """Return the function of a kernel that Python calls; add what it calls to `callees`."""
    result, _, text = kernel.signature.partition('(')
    lines, kinds, given = [], [], []
    for k, match in enumerate(_ARGUMENT.finditer(text)):
        kind, argument = _argument(k, match)
        kinds.append(kind)
        lines += argument
        given.append(f'x{k}')
    assert isinstance(kernel.function, FunctionType)
    called, returned = program.need(kernel.function, kinds)
    callees.add(called)
    call = f'{called}({", ".join(given)});'
    if has_value(returned):
        call = f'result = {call}'
        lines.append(f'volatile {c_name(returned)} result = 0;')
    guarded = [
        'jmp_buf start;',
        'int failed = setjmp(start);',
        'out_of_memory = &start;',
        f'if (!failed) {call}',
        'end_call();',
    ]
    if kernel.releases_gil:
        guarded = ['Py_BEGIN_ALLOW_THREADS', *guarded, 'lost = failed;', 'Py_END_ALLOW_THREADS']
        lines.append('volatile int lost = 0;')
        guarded.append('if (lost) return PyErr_NoMemory();')
    else:
        guarded.append('if (failed) return PyErr_NoMemory();')
    value = _RESULTS[result]
    if has_value(returned) and result == 'void' or not has_value(returned) and result != 'void':
        raise TranslationError(f'{kernel.name}: its result is {returned}, expected {result}')
    body = '\n    '.join([
        f'if (count != {len(kinds)}) {{',
        f'    PyErr_Format(PyExc_TypeError, "expected {len(kinds)} arguments, got %zd", count);',
        '    return NULL;',
        '}',
        *lines, *guarded, f'return {value};',
    ])  # fmt: skip
    head = f'static PyObject *{name}(PyObject *self, PyObject *const *args, Py_ssize_t count)'
    return f'{head}\n{{\n    (void)self;\n    {body}\n}}\n'


def _argument(k: int, match: re.Match[str]) -> tuple[Type, list[str]]:
    """Return the type of an argument and the lines that read it."""
    if match['scalar']:
        kind: Type
        kind, read = _SCALARS[match['scalar']]
        lines = [f'{c_name(kind)} x{k} = {read}(args[{k}]);',
                 'if (PyErr_Occurred()) return NULL;']  # fmt: skip
        return kind, lines
    item, code = _ITEMS[match['item']]
    ndim = 1 + match['axes'].count(':')
    kind = ArrayType(item, ndim)
    sizes = ', '.join(f'n{k}[{i}]' for i in range(ndim))
    strides = ', '.join(
        '*'.join(f'n{k}[{j}]' for j in range(i + 1, ndim)) or '1' for i in range(ndim)
    )
    return kind, [
        f'PyArrayObject *a{k} = checked_array(args[{k}], {code}, {ndim}, '
        f'{int(not match["const"])});',
        f'if (!a{k}) return NULL;',
        f'const npy_intp *n{k} = PyArray_DIMS(a{k});',
        f'{c_name(kind)} x{k} = {{({item.name} *)PyArray_DATA(a{k}),'
        f' {{{sizes}}}, {{{strides}}}}};',
    ]
