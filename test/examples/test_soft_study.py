# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The simulations of P2025: toy example, chains of arcs, soft and hybrid arms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import screw_dynamics as sd
from soft_study import arcs, toy


@pytest.mark.parametrize('q', [0.0, 1e-8, 0.03, 0.7, 0.999, 1.001, 2.5, -3.0])
def test_the_toy_example_has_the_efforts_of_the_kernel(q):
    length, radius, mass = 0.3, 0.05, 800.0 * math.pi * 0.05**2 * 0.3
    arc = sd.soft.PlanarConstantCurvature(length, radius, mass)
    robot = sd.soft.SoftRobot([arc], gravity=(0.0, 0.0, 0.0))
    expected = sd.inverse_dynamics(robot, [[q], [-1.3], [2.1]])[0, 0]
    # at 1 the recurrence of E_n loses two digits
    assert toy.effort(q, -1.3, 2.1, length, radius, mass) == pytest.approx(expected, rel=1e-11)
    assert toy.inertia(q, length, radius, mass) == pytest.approx(
        sd.mass_matrix(robot, [q])[0, 0], rel=1e-11
    )


def test_the_toy_example_has_the_corrected_values():
    """The unit body at q = 0.7, by quadrature in 40 digits."""
    found = toy.terms(0.7, -1.3, 2.1, 1.0, 1.0, math.pi)
    assert found == pytest.approx([1.141318711, 0.04863781709, 1.084962215, 0.218904295], rel=1e-9)
    assert toy.effort(0.7, -1.3, 2.1, 1.0, 1.0, math.pi) == pytest.approx(0.866057920197)


@pytest.mark.parametrize('count', arcs.CHECKED)
def test_the_recursion_agrees_with_lagrange_at_the_samples_of_the_paper(count):
    gaps = arcs.differences(count, 20)
    # P2025 has 1e-14; the largest effort of a sample may cancel
    assert gaps.mean() < 3e-14 and gaps.max() < 3e-13


def test_lagranges_equations_in_symbols_agree():
    pytest.importorskip('sympy', reason='symbolic equations need SymPy')
    jet = np.array([0.7, -1.3, 2.1])
    robot = arcs.chain(1)
    found = arcs.symbolic_efforts(1)(*jet)
    assert found == pytest.approx(sd.inverse_dynamics(robot, jet[:, np.newaxis])[0], rel=1e-10)


def test_costs_are_measured_for_every_number_of_bodies():
    found = arcs.costs((1, 3), ())
    assert set(found.evaluation['recursive']) == {1, 3} == set(found.build['automatic'])
    assert min(found.evaluation['automatic'].values()) > 0.0
