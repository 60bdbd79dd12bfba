# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Exact numbers, rotations and screws: recognised where people meant them, near floats always."""

import math

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_rotation, random_screw
from oracles.strategies import seeds

from screw_dynamics.lie import rpy_rotation, screw_pitch
from screw_dynamics.symbolic.exact_numbers import (
    exact_array,
    exact_direction,
    exact_number,
    exact_rotation,
    exact_screw,
)

EPS = float(np.finfo(float).eps)


@pytest.mark.parametrize(
    ('number', 'exact'),
    [
        (0.0, 0),
        (0.1, '1/10'),
        (0.1 + 0.2, '3/10'),
        (-9.81, '-981/100'),
        (1.0 / 3.0, '1/3'),
        (math.pi, 'pi'),
        (-2.0 * math.pi / 3.0, '-2*pi/3'),
        (math.sqrt(0.5), 'sqrt(2)/2'),
        (-math.sqrt(3.0) / 2.0, '-sqrt(3)/2'),
        (1e-9, '1/1000000000'),
        (1.5e300, 15 * 10**299),
    ],
)
def test_numbers_that_people_write_are_recognised(number, exact):
    assert exact_number(number) == sympy.sympify(exact)


def test_rounding_errors_are_zero_beside_larger_numbers_only():
    assert list(exact_array(np.array([6.1e-17, 1.0]))) == [0, 1]
    assert exact_number(6.1e-17) != 0


@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False))
def test_all_numbers_are_right_to_rounding(number):
    assert abs(float(exact_number(number)) - number) <= 4.0 * EPS * abs(number)


@given(seeds)
def test_rotations_are_exactly_orthonormal_and_near(seed):
    rng = np.random.default_rng(seed)
    nice = math.pi / 12.0 * rng.integers(-12, 13, 3)
    tilted = nice + rng.choice([0.0, 1e-9], 3) * rng.normal(size=3)
    for rotation in (random_rotation(rng), rpy_rotation(*nice), rpy_rotation(*tilted)):
        exact = exact_rotation(rotation)
        square = np.vectorize(sympy.expand, otypes=[object])(exact @ exact.T)
        assert (square == np.eye(3, dtype=int)).all()
        # 16 eps: sums of three products of sines and cosines, each right to about one eps
        assert np.abs(exact.astype(float) - rotation).max() <= 16.0 * EPS


def test_quarter_turns_are_whole_numbers_and_a_sixth_has_square_roots():
    quarter = exact_rotation(rpy_rotation(math.pi / 2.0, 0.0, -math.pi / 2.0))
    assert set(quarter.ravel()) == {-1, 0, 1}
    sixth = exact_rotation(rpy_rotation(math.pi / 3.0, 0.0, 0.0))
    assert sixth[1, 2] == -sympy.sqrt(3) / 2 and sixth[1, 0] == 0


@given(seeds)
def test_directions_and_screws_are_exact_units(seed):
    rng = np.random.default_rng(seed)
    direction = random_rotation(rng)[0]
    exact = exact_direction(direction)
    assert sympy.expand(exact @ exact) == 1
    assert np.abs(exact.astype(float) - direction).max() <= 4.0 * EPS
    for kind in ('revolute', 'helical', 'prismatic'):
        screw = random_screw(rng, BodyRecipe(kind))
        unit = exact_screw(screw, 1.0)
        assert np.abs(unit.astype(float) - screw).max() <= 16.0 * EPS * max(1.0, abs(screw).max())
        if kind == 'revolute':
            assert sympy.expand(screw_pitch(unit)) == 0


def test_diagonals_have_square_roots():
    assert list(exact_direction(np.array([1.0, 0.0, -1.0]) / math.sqrt(2.0))) == [
        sympy.sqrt(2) / 2,
        0,
        -sympy.sqrt(2) / 2,
    ]
