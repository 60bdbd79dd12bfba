# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits of expressions, arguments that are refused, and Python without SymPy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.symbolic import Expressions, Options, SymbolicModel, terms


@pytest.fixture(scope='module')
def robot() -> sd.ScrewModel:
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


def test_large_robots_are_refused_with_their_size():
    panda = sd.read_urdf(sd.share_path('urdf/panda.urdf'))
    text = r"^robot 'panda': expected at most 6 moving joints, got 9, .* 1048576 operations"
    with pytest.raises(InputError, match=text):
        Expressions(panda)
    assert Expressions(panda, most_joints=9).frame_pose('panda_link0').shape == (4, 4)


def test_robots_without_moving_joints_are_refused():
    fixed = sd.read_urdf('<robot name="stone"><link name="a"/></robot>')
    with pytest.raises(InputError, match="^robot 'stone': expected at least one moving joint"):
        Expressions(fixed)


def test_long_expressions_are_refused(rng):
    with pytest.raises(InputError, match='^expressions: expected at most 40 terms in one, got up'):
        Expressions(random_model(rng, 3), most_terms=40).inverse_dynamics()


def test_long_work_ends(rng):
    with pytest.raises(InputError, match='^expressions: expected to be done in 0.001 s, they'):
        Expressions(random_model(rng, 6), seconds=0.001).inverse_dynamics(4)


@pytest.mark.parametrize(
    ('limits', 'text'),
    [
        ({'most_joints': -1}, 'most_joints: expected a whole number'),
        ({'most_terms': 0}, 'most_terms: expected a whole number of 1'),
        ({'seconds': 0.0}, 'seconds: expected a finite number above 0'),
    ],
)
def test_limits_are_checked(robot, limits, text):
    with pytest.raises(InputError, match=f'^{text}'):
        Expressions(robot, **limits)


def test_arguments_are_checked(robot):
    of = Expressions(robot)
    for form in ('c', ['C'], None):
        with pytest.raises(InputError, match='^form: expected one of christoffel, C, Cbar, got'):
            of.coriolis_matrix(form)
    for order in (-1, 0.5, True):
        with pytest.raises(InputError, match='^order: expected a whole number'):
            of.inverse_dynamics(order)
    with pytest.raises(UnknownNameError, match="^unknown frame 'nowhere'"):
        of.frame_pose('nowhere')
    with pytest.raises(InputError, match='^representation: expected one of body, spatial'):
        of.frame_jacobian('tool', 'other')
    with pytest.raises(UnknownNameError, match="^unknown term 'inertia': expected one of mass_ma"):
        list(terms(of, ['inertia']))
    with pytest.raises(InputError, match='^frame: expected the name of a frame'):
        list(terms(of, ['frame_pose'], Options()))


@pytest.mark.parametrize(
    ('symbols', 'names', 'text'),
    [
        (['weights'], {}, r'symbols: expected some of masses, centres'),
        (['masses'], {'m_3': 'M'}, r"names: unknown symbol 'm_3': expected one of m_1, m_2"),
        (['masses'], {'m_1': 'q_1'}, r"names\['m_1'\]: expected a name that expressions do not"),
        (['masses'], {'m_1': 'q12d_3'}, r"names\['m_1'\]: expected a name that expressions do"),
        (['masses'], {'m_1': 'lambda'}, r"names\['m_1'\]: expected a name that expressions do"),
        (['masses'], {'m_1': 'sin'}, r"names\['m_1'\]: expected a name that expressions do not"),
        (['masses'], {'m_1': 'a b'}, r"names\['m_1'\]: expected letters, digits and underscores"),
        (['masses'], {'m_1': 3}, r"names\['m_1'\]: expected letters, digits and underscores"),
        (['masses'], {'m_1': 'm', 'm_2': 'm'}, r"names\['m_2'\]: .* got 'm' for 2 and 1"),
        (['masses'], {'m_1': 'm_2'}, r"names\['m_2'\]: .* got 'm_2' for 2 and 1"),
    ],
)
def test_symbols_and_their_names_are_checked(robot, symbols, names, text):
    with pytest.raises(InputError, match=f'^{text}'):
        SymbolicModel.from_model(robot, symbols, names)


def test_symbols_of_one_number_are_one(robot):
    names = {'l_2x': 'L', 'c_1x': 'L'}
    exact = SymbolicModel.from_model(robot, ['lengths', 'centres'], names)
    assert sorted(map(str, exact.values)) == ['L', 'c_2x', 'p_tool_x']


def test_symbols_can_exchange_their_names(robot):
    exact = SymbolicModel.from_model(robot, ['masses'], {'m_1': 'm_2', 'm_2': 'm_1'})
    assert {str(symbol): value for symbol, value in exact.values.items()} == {'m_2': 2, 'm_1': 1}


def test_unknown_symbols_are_named_beside_those_of_the_robot(robot):
    with pytest.raises(UnknownNameError, match='expected one of m_1, m_2; did you mean m_2.$'):
        SymbolicModel.from_model(robot, ['masses'], {'m_1': 'M', 'm_3': 'N'})


def test_compiled_functions_refuse_exact_models(robot):
    exact = SymbolicModel.from_model(robot)
    for function in (sd.mass_matrix, sd.gravity_forces, sd.inverse_dynamics):
        with pytest.raises(InputError, match='^model: expected a ScrewModel, got SymbolicModel$'):
            function(exact, np.zeros((3, 2)))
    with pytest.raises(InputError, match='^model: expected a ScrewModel, got int$'):
        sd.recursive_body_fixed(3, np.zeros((3, 2)))


def test_exact_models_are_read_only(robot):
    exact = SymbolicModel.from_model(robot, ['masses'])
    with pytest.raises(ValueError, match='read-only'):
        exact.screws[0, 0] = 1
    assert repr(exact) == "SymbolicModel('planar_2r', n=2, bodies=2)"
    assert exact == SymbolicModel.from_model(robot, ['masses'])
    assert hash(exact) == hash(SymbolicModel.from_model(robot, ['masses']))
    assert exact != SymbolicModel.from_model(robot)


def test_without_sympy_the_error_says_how_to_install_it():
    script = (
        'import sys; sys.modules["sympy"] = None\n'
        'import screw_dynamics as sd\n'
        'try:\n    sd.symbolic\n'
        'except ModuleNotFoundError as error:\n    print(error)\n'
    )
    done = subprocess.run(
        [sys.executable, '-c', script], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        "screw_dynamics.symbolic needs the package 'sympy': pip install sympy\n"
    )
