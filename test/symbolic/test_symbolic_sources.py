# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Sources of expressions: C against the library, modules of Python, LaTeX."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import sympy
from exact_values import values
from oracles.random_models import BodyRecipe, random_joint_jet, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.symbolic import (
    TERMS,
    Expressions,
    Options,
    SymbolicModel,
    Term,
    c_source,
    latex_source,
    python_source,
    terms,
)

FLAGS = ['-Wall', '-Wextra', '-pedantic', '-Werror']
OPTIONS = Options(order=1, frame='tool_3', representation='hybrid')
RECIPES = [
    BodyRecipe(coordinate_axis=True, parallel_home=True),
    BodyRecipe('helical', coordinate_axis=True),
    BodyRecipe('prismatic', parent_back=2, coordinate_axis=True),
]


@pytest.fixture(scope='module')
def robot() -> sd.ScrewModel:
    return random_model(np.random.default_rng(11), RECIPES)


@pytest.fixture(scope='module', params=[(), ('masses', 'gravity')], ids=['numbers', 'symbols'])
def model(request: pytest.FixtureRequest, robot: sd.ScrewModel) -> SymbolicModel:
    return SymbolicModel.from_model(robot, request.param)


@pytest.fixture(scope='module')
def found(model: SymbolicModel) -> list[Term]:
    return list(terms(Expressions(model), TERMS, OPTIONS))


@pytest.fixture(scope='module')
def sources(model: SymbolicModel, found: list[Term]) -> tuple[str, str]:
    return c_source(model, found, 'arm')


def compiled(folder: Path, sources: tuple[str, str], compiler: str) -> Path:
    """Write header and source, and return the shared library of them."""
    command = shutil.which(compiler)
    if command is None:
        pytest.skip(f'needs {compiler}')
    (folder / 'arm.h').write_text(sources[0])
    (folder / 'arm.c').write_text(sources[1])
    library = folder / 'arm.so'
    subprocess.run(
        [command, '-std=c99', *FLAGS, '-O1', '-shared', '-fPIC', 'arm.c', '-o', library, '-lm'],
        cwd=folder,
        check=True,
    )
    return library


def test_functions_in_c_have_the_numbers_of_the_expressions(model, found, sources, tmp_path):
    library = ctypes.CDLL(str(compiled(tmp_path, sources, 'gcc')))
    given = []
    if count := len(model.values):
        given = [
            np.ctypeslib.as_array((ctypes.c_double * count).in_dll(library, 'arm_parameters'))
        ]
        assert given[0].tolist() == [float(value) for value in model.values.values()]
    rng = np.random.default_rng(4)
    for _ in range(3):
        jet = random_joint_jet(rng, 3, 1)
        for term in found:
            function = getattr(library, f'arm_{term.name}')
            rows = [np.ascontiguousarray(row) for row in jet[: term.rows]]
            rows += given
            arguments = [row.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for row in rows]
            exact = values(model, jet[: term.rows], term.value)
            if isinstance(term.value, sympy.Expr):
                function.restype = ctypes.c_double
                result = np.array([[function(*arguments)]]).reshape(exact.shape)
            else:
                result = np.full(exact.shape, np.nan)
                function(*arguments, result.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
            # some 100 summands of the size of the largest result, each right to a few eps
            bound = 1e-13 * max(1.0, np.abs(exact).max())
            np.testing.assert_allclose(result, exact, rtol=0, atol=bound, err_msg=term.name)


@pytest.mark.skipif(shutil.which('g++') is None, reason='needs g++')
def test_cpp_can_include_the_header_twice(model, sources, tmp_path):
    header, _ = sources
    (tmp_path / 'arm.h').write_text(header)
    source = '#include "arm.h"\n#include "arm.h"\nvoid (*f)(const double *, double (*)[3])'
    source = (
        source.replace('double *, double', 'double *, const double *, double')
        if model.values
        else source
    )
    (tmp_path / 'main.cpp').write_text(f'{source} = arm_mass_matrix;\n')
    subprocess.run(['g++', *FLAGS, '-c', 'main.cpp'], cwd=tmp_path, check=True)


def test_c_computes_common_subexpressions_once(sources):
    _, source = sources
    for body in re.findall(r'\n\{\n(.*?)\n\}', source, re.DOTALL):
        for function in ('sin', 'cos'):
            angles = re.findall(rf'{function}\(([^()]*)\)', body)
            assert len(angles) == len(set(angles))
    assert 'pow(' not in source


def test_c_needs_no_function_for_high_powers():
    robot = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    of = Expressions(robot)
    [*_, last] = terms(of, ['inverse_dynamics'], Options(order=8))
    assert any(power.exp == 10 for power in last.value.atoms(sympy.Pow))
    assert 'pow(' not in c_source(of.model, [last], 'arm')[1]


@pytest.mark.parametrize('name', ['', '2r', 'a-b', 'a b', 'é', '_x'])
def test_names_of_c_are_checked(model, name):
    with pytest.raises(InputError, match='^name: expected letters, digits and underscores behind'):
        c_source(model, [], name)


def test_names_of_robots_do_not_end_comments(robot):
    from dataclasses import replace

    odd = SymbolicModel.from_model(replace(robot, name='a */ int x; \n """ ü /*/ ??/'))
    header, source = c_source(odd, [], 'arm')
    assert header.isascii() and source.isascii()
    assert header.count('/*') == header.count('*/') == 1
    assert '??/' not in header + source
    names: dict[str, object] = {}
    exec(python_source(odd, []), names)
    assert names['values'] == {}


def test_modules_of_python_have_the_same_expressions(model, found):
    module: dict[str, object] = {}
    exec(python_source(model, found), module)
    for term in found:
        assert module[term.name] == term.value
    assert module['values'] == dict(model.values)


def test_latex_is_balanced_and_has_an_equation_for_each_term(model, found):
    text = latex_source(model, found)
    for environment in ('equation*', 'align*', 'bmatrix'):
        begun, ended = (text.count(rf'\{word}{{{environment}}}') for word in ('begin', 'end'))
        assert begun == ended
    assert text.count('{') == text.count('}')
    assert text.count(r'\left') == text.count(r'\right')
    for term in found:
        assert f'% {term.text}\n' in text
    assert not re.search(r'\d{14}', text)  # long numbers are rounded
    assert r'\ddot{q}_{1}' in text and r'\overset{(3)}{q}_{1}' in text


def test_lines_of_latex_are_short(model, found):
    """A page of the class article has room for about 80 letters, indices among them."""
    for line in [*latex_source(model, found).splitlines(), *planar_efforts()[0].splitlines()]:
        if line.startswith(('%', r'\begin', r'\end')):
            continue
        assert line.count('{') == line.count('}') and line.count(r'\left') == line.count(r'\right')
        words = re.sub(r'\\(?:left|right|bigl|bigr|d?dot|overset|frac|mathrm|begin|end)', '', line)
        assert len(re.sub(r'\\(?!cos|sin)[a-z]+|[\\{}^_&\s]', '', words)) <= 80, line


def planar_efforts() -> tuple[str, list[sympy.Expr]]:
    """Return the efforts of an arm with derivatives, in LaTeX and as expressions."""
    robot = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    arm = SymbolicModel.from_model(robot, ['masses', 'centres', 'lengths', 'gravity'])
    efforts = list(terms(Expressions(arm), ['inverse_dynamics'], Options(order=2)))
    letters = ('q', r'\dot{q}', r'\ddot{q}', r'\overset{(3)}{q}', r'\overset{(4)}{q}')
    motion = {
        symbol: sympy.Symbol(f'{letter}_{{{j + 1}}}', real=True)
        for letter, row in zip(letters, arm.joint_jet(5), strict=True)
        for j, symbol in enumerate(row)
    }
    return latex_source(arm, efforts), [
        entry.xreplace(motion) for term in efforts for entry in term.value
    ]


def test_lines_of_latex_are_the_whole_expression():
    text, expressions = planar_efforts()
    joined = (
        text.replace(' \\\\\n& {}', '').replace(r'\bigl', r'\left').replace(r'\bigr', r'\right')
    )
    equations = re.findall(r'=\{\}& (.*)\n\\end', joined)
    assert equations == [sympy.latex(expression) for expression in expressions]
    letters = sympy.Add(*sympy.symbols(' '.join('abcdefghijklmnopqrstuvwxyz')))
    arm = SymbolicModel.from_model(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')))
    assert latex_source(arm, [Term('all', 'A', 'letters', 1, letters)]).count(' z\n') == 1


def planar_latex(term: str, symbols: list[str], **names: str) -> str:
    robot = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    arm = SymbolicModel.from_model(robot, symbols, names)
    return latex_source(arm, terms(Expressions(arm), [term]))


@pytest.mark.parametrize(
    ('names', 'text'),
    [
        ({'c_1x': 'L1', 'c_2x': 'L_1'}, "got 'L1' and 'L_1', both L_{1}"),
        ({'c_1x': 'q2'}, "got 'q2' and 'q_2', both q_{2}"),
        ({'c_1x': 'M'}, "got 'mass_matrix' and 'M', both M"),
    ],
)
def test_symbols_that_look_the_same_in_latex_are_refused(names, text):
    with pytest.raises(InputError, match=f'^names: .* {re.escape(text)}$'):
        planar_latex('mass_matrix', ['centres'], **names)


def test_rates_and_efforts_are_not_mistaken_for_parameters_in_latex():
    with pytest.raises(InputError, match=r"got 'qd_1' and 'qdot_1', both \\dot\{q\}_\{1\}$"):
        planar_latex('inverse_dynamics', ['masses'], m_1='qdot_1')
    with pytest.raises(InputError, match=r"got 'inverse_dynamics\[2\]' and 'tau_2'"):
        planar_latex('inverse_dynamics', ['masses'], m_1='tau_2')
    assert r'\alpha' in planar_latex('inverse_dynamics', ['masses'], m_1='alpha')


def test_gravity_and_its_forces_differ_in_latex():
    text = planar_latex('gravity_forces', ['gravity'])
    assert r'Q_{\mathrm{grav}} = \begin{bmatrix}g \left(' in text
