# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Code of one robot: its table, its arguments."""

import ctypes
import math
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from c_compiler import COMPILER, STRICT, needs_gcc, write

import screw_dynamics as sd
from screw_dynamics.codegen.robot import c_files
from screw_dynamics.codegen.robot.functions import CFunction, read_rows, written_rows
from screw_dynamics.codegen.robot.robot_table import robot_table
from screw_dynamics.codegen.translator.functions import Program
from screw_dynamics.codegen.translator.known_numbers import Places, Size
from screw_dynamics.codegen.translator.lines import Value, known
from screw_dynamics.codegen.translator.types import DOUBLE, Pointer, TranslationError
from screw_dynamics.drives.robot import Robot
from screw_dynamics.kernels.bodies.rows import at, get, integer, put

N = 5
TREE = np.array([[-1.0, 2.5, 1.0], [0.0, -1.5, 1.0], [0.0, 0.5, 1.0], [2.0, 4.0, 1.0],
                 [1.0, 3.0, 1.0]])  # fmt: skip
CHAIN = np.array([[i - 1.0, 0.5 * i * i, 0.0] for i in range(N)])


def helper(x, y):
    if x > y:
        return x * x, y
    return y, x + 1.0


def first_above(values, bound):
    for k in range(N):
        if get(values, k) > bound:
            return k
    return -1


def conditions(n, x, table, out):
    for i in range(n):
        if get(x, i) > 1.0:
            a, b = helper(get(x, i), 2.0)
        elif get(x, i) > 0.0:
            a = b = math.cos(get(x, i))
        else:
            a, b = 0.0, -get(x, i)
        put(out, i, a - 2.0 * b)


def early_ends(n, x, table, out):
    for i in range(n):
        put(out, i, 0.0)
    total = 1.0
    for i in range(n):
        if get(x, i) < -1.0:
            continue
        total *= 2.0
        if total > 9.0:
            break
        put(out, i, total)
    k = first_above(x, 0.5)
    while k >= 0 and total > 1.0:
        total = 0.5 * total
        put(out, k, get(out, k) + 1.0)
    put(out, n - 1, total)


def along_parents(n, x, table, out):
    work = np.zeros((n, 2))
    for i in range(n):
        row = at(table, 3 * i)
        parent = integer(row, 0)
        if parent < 0:
            work[i, 1] = get(x, i)
        else:
            step = work[parent, 0] + get(row, 1)
            work[i, 0] = step * get(x, i)
            work[i, 1] = work[parent, 1] - get(row, 2) * work[i, 0]
        work[i, 0] += 0.25
    for i in range(n - 1, -1, -1):
        parent = integer(at(table, 3 * i), 0)
        if parent >= 0:
            work[parent, 0] += work[i, 0]
    for i in range(n):
        put(out, i, work[i, 0] - work[i, 1])
    put(out, 0, get(out, 0) + work.ravel()[-1])


def known_until_changed(n, x, table, out):
    a, b, c, d, e = 0.0, 1.0, 2.0, 3.0, 4.0
    for k in range(3):
        b = b * (k + 1.0)
    if get(x, 0) > 0.0:
        a = get(x, 1)
    else:
        c = 3.0
    for i in range(n):
        put(out, i, a + b + c)
        a = 0.0 * a + 1.0
        c = -c
        d = d + get(x, i)
    for i in range(n - 1, -1, -1):
        e = e - get(x, i) if integer(table, 3 * i) >= 0 else 2.0 * e
    put(out, 0, get(out, 0) + a * 1.0 - c / 1.0 + (0.0 - get(x, 2)))
    put(out, 2, d * e)
    for column in (1, 3):
        put(out, column, get(out, column) ** 2 + abs(min(-1.0, 2.0)))


def define(function, numbers):
    """Return a program and the function of (x, out) in C."""

    def arguments(out):
        places = Places((*numbers.ravel().tolist(),), frozenset([0]))
        table = Value('numbers', Pointer(DOUBLE, True, places))
        return known(Size(N)), read_rows('x'), table, written_rows('out')

    program = Program(unroll=3)
    one = CFunction(
        't_run', ('const double *x', 'double *out'), (), function, arguments,
        {'numbers': numbers}, lambda jet: None,
    )  # fmt: skip
    _, text = one.define(program)
    return c_files.source('t', [one], [text], program, 'double')


@needs_gcc
@pytest.mark.parametrize('numbers', [TREE, CHAIN], ids=['tree', 'chain'])
@pytest.mark.parametrize('function', [conditions, early_ends, along_parents, known_until_changed])
def test_translated_functions_return_what_python_returns(function, numbers, tmp_path):
    (tmp_path / 't.h').write_text('void t_run(const double *x, double *out);\n')
    (tmp_path / 't.c').write_text(define(function, numbers), encoding='ascii')
    build = [COMPILER, *STRICT, '-O1', '-fPIC', '-shared', '-o', 't.so', 't.c', '-lm']
    subprocess.run(build, check=True, cwd=tmp_path)
    run = ctypes.CDLL(str(tmp_path / 't.so')).t_run
    rng = np.random.default_rng(3)
    for _ in range(50):
        x = rng.normal(scale=1.5, size=N)
        got, expected = np.full(N, np.nan), np.full(N, np.nan)
        run(*(a.ctypes.data_as(ctypes.c_void_p) for a in (x, got)))
        function(N, x, numbers.ravel(), expected)
        # the same operations, but for products with known numbers
        np.testing.assert_allclose(got, expected, rtol=1e-15, atol=1e-15)


def test_what_is_known_of_all_bodies_is_in_the_code():
    for numbers in (CHAIN, TREE):
        text = define(along_parents, numbers)
        # the root is apart, and column 2 has one number
        assert 'if (' not in text and 'v_row[2]' not in text


def array_of_any_size(n, x, table, out):
    np.empty(integer(x, 0))


def returned(n):
    return np.empty(n)


def returns_an_array(n, x, table, out):
    put(out, 0, returned(n)[0])


def kept_array(n, x, table, out):
    for i in range(n):
        work = np.zeros(2)
        if get(x, i) > 0.0:
            break
    put(out, 0, work[0])


@pytest.mark.parametrize(
    'function, text',
    [
        (array_of_any_size, 'array_of_any_size: an array whose size is not known'),
        (returns_an_array, 'returned: returns an array of its own'),
        (kept_array, 'kept_array: an array of a pass is used outside of the loop'),
    ],
)
def test_arrays_that_the_stack_cannot_have(function, text):
    with pytest.raises(TranslationError, match=text):
        define(function, CHAIN)


INCLUDE = Path(__file__).resolve().parents[3] / 'screw_dynamics_controllers' / 'include'


@needs_gcc
def test_names_of_joints_are_read_as_they_are_written(tmp_path):
    """With quotes, backslashes, umlauts and trigraphs, which C99 replaces: ??/ is a backslash."""
    names = ('a??/" \\n', 'Gelenk \u00e9 ??(7')
    planar = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    model = replace(planar, joint_names=names)
    quantities = ['inverse_dynamics', 'gravity_forces', 'mass_matrix', 'coriolis_forces']
    write(sd.generate_c(model, 'arm', quantities=quantities), tmp_path)
    table = robot_table(Robot(model), 'arm', 2, quantities, '')
    reader = 'const char *name_of(int j) { return screw_dynamics_robot()->joint_names[j]; }\n'
    (tmp_path / 'table.c').write_text(f'{table}const char *name_of(int j);\n{reader}')
    files = [tmp_path / 'arm.c', tmp_path / 'table.c', '-o', tmp_path / 'arm.so']
    options = [*STRICT, f'-I{INCLUDE}', '-fPIC', '-shared']
    subprocess.run([COMPILER, *options, *files, '-lm'], check=True)
    name_of = ctypes.CDLL(str(tmp_path / 'arm.so')).name_of
    name_of.restype = ctypes.c_char_p
    assert tuple(name_of(j).decode() for j in range(2)) == names


@pytest.fixture(scope='module')
def model():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'prefix': '2arm'}, "prefix: expected a name in C, got '2arm'"),
        ({'prefix': 'double'}, "prefix: expected a name in C, got 'double'"),
        ({'order': -1}, 'order: expected a whole number of 0 or more, got -1'),
        ({'quantities': ['mass']}, "each once, got 'mass'"),
        ({'quantities': ['mass_matrix'] * 2}, "each once, got 'mass_matrix' twice"),
        ({'quantities': []}, 'quantities: expected at least one, got none'),
        ({'frames': ['tool']}, 'frames: expected together with frame_pose or frame_jacobian'),
        ({'quantities': ['frame_pose']}, 'frames: expected together with frame_pose'),
        ({'representation': 'none'}, 'representation: expected one of '),
    ],
)
def test_wrong_arguments_are_refused(model, arguments, text):
    with pytest.raises(sd.errors.InputError, match='^(?!.*\n)') as caught:
        sd.generate_c(model, **arguments)
    assert text in str(caught.value)


@pytest.mark.parametrize('wrong', [None, 'my_robot.urdf', 'soft'])
def test_other_models_are_refused(model, wrong):
    if wrong == 'soft':
        wrong = sd.soft.append_segments(model, sd.share_path('config/soft_finger.yaml'))
    with pytest.raises(sd.errors.InputError, match='^model: expected a ScrewModel, got '):
        sd.generate_c(wrong)


def test_unknown_frames_are_refused(model):
    with pytest.raises(sd.errors.UnknownNameError, match='frames: '):
        sd.generate_c(model, quantities=['frame_pose'], frames=['nothing'])


def test_frames_must_differ_in_c(model):
    tool = model.frames['tool']
    other = replace(model, frames={**model.frames, 'a/b': tool, 'a b': tool})
    with pytest.raises(sd.errors.InputError, match='frames: .* got a_b twice'):
        sd.generate_c(other, quantities=['frame_pose'], frames=['a/b', 'a b'])


def test_names_of_joints_cannot_end_a_comment(model):
    other = replace(model, joint_names=('a*/ int b;', 'größe\n'))
    header = sd.generate_c(other).header
    assert '0 a* / int b; [rad]' in header and '1 gr??e? [rad]' in header
