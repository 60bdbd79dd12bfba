# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The theory with any scalars and in any representation."""

from __future__ import annotations

import re
from math import perm
from pathlib import Path

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_joint_jet, random_model, random_wrench_jets

import screw_dynamics as sd
from benchmarks.representations import run as measured
from benchmarks.representations.counted import Counted, operations_of
from screw_dynamics.errors import InputError
from screw_dynamics.series import Series, jet_of_series, series_of_jet
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.forward_dynamics import any_order, articulated_body
from screw_dynamics.theory.inverse_dynamics import (
    body_fixed,
    euler_jourdain,
    hybrid,
    momentum,
    spatial,
)


@pytest.fixture
def model(rng: np.random.Generator) -> sd.ScrewModel:
    return random_model(rng, 3)


def scale(efforts: np.ndarray) -> float:
    return 1e-12 * float(np.abs(efforts).max())  # twelve digits of the largest effort


def test_complex_steps_in_the_accelerations_yield_the_mass_matrix(model, rng):
    jet = random_joint_jet(rng, model.n, 0)
    step = 1e-100
    columns = []
    for unit in np.eye(model.n):
        moved = jet.astype(complex)
        moved[2] += 1j * step * unit
        columns.append(sd.recursive_body_fixed(model, moved)[0].imag / step)
    mass = sd.mass_matrix(model, jet[0])
    np.testing.assert_allclose(np.array(columns).T, mass, rtol=0, atol=scale(mass))


@pytest.mark.parametrize(
    'form', [body_fixed, spatial, hybrid, momentum, euler_jourdain, nth_derivatives]
)
def test_complex_steps_in_wrenches(form, rng):
    """Efforts are affine in a wrench: its derivative is the difference that it makes."""
    model = random_model(rng, [BodyRecipe('helical'), BodyRecipe(), BodyRecipe(mimics=0)])
    jet, wrenches = random_joint_jet(rng, model.n, 2), random_wrench_jets(rng, model, 2)
    steps = {name: 1e-100j * wrench for name, wrench in wrenches.items()}
    for representation in ('body', 'spatial', 'hybrid', 'mixed', 'tool_2'):
        choice = {'wrench_representation': representation}
        slope = form.inverse_dynamics(model, jet, steps, **choice).imag / 1e-100
        efforts = form.inverse_dynamics(model, jet, wrenches, **choice)
        difference = efforts - form.inverse_dynamics(model, jet)
        np.testing.assert_allclose(slope, difference, rtol=0, atol=scale(efforts))


def test_complex_steps_in_efforts_and_wrenches_of_forward_dynamics(model, rng):
    q, qd, qdd = random_joint_jet(rng, model.n, 0)
    inverse = np.linalg.inv(sd.mass_matrix(model, q))
    step = 1e-100j * rng.normal(size=model.n)
    slopes = [
        articulated_body.forward_dynamics(model, q, qd, step).imag,
        any_order.forward_dynamics(model, q, qd, step[None]).imag[2],
    ]
    for slope in slopes:
        np.testing.assert_allclose(
            slope / 1e-100, inverse @ step.imag / 1e-100, rtol=0, atol=scale(inverse)
        )
    load = {'tool_3': rng.normal(size=(1, 6))}
    lifted = {'tool_3': 1e-100j * load['tool_3']}
    slope = any_order.forward_dynamics(model, q, qd, qdd[None], lifted).imag[2] / 1e-100
    held = sd.inverse_dynamics(model, np.stack([q, 0 * q, 0 * q]), load)[0]
    share = sd.gravity_forces(model, q) - held  # J^T W
    np.testing.assert_allclose(slope, inverse @ share, rtol=0, atol=scale(inverse @ share) * 1e2)


def test_series_of_the_motion_yield_the_derivatives_of_the_efforts(model, rng):
    """The Leibniz rule of the recursion agrees with the arithmetic of series."""
    order = 3
    jet = random_joint_jet(rng, model.n, order)
    expected = sd.recursive_body_fixed(model, jet)
    rows = [series_of_jet(jet)]
    for d in (1, 2):  # series of the derivatives
        rows.append(
            np.array(
                [
                    Series(perm(k + d, d) * a for k, a in enumerate(entry.coefficients[d:]))
                    for entry in rows[0]
                ]
            )
        )
    efforts = sd.recursive_body_fixed(model, np.array(rows))
    found = jet_of_series(efforts[0], order).astype(float)
    np.testing.assert_allclose(found, expected, rtol=0, atol=10.0 * scale(expected))


def test_a_symbolic_pendulum():
    sympy = pytest.importorskip('sympy')
    link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0.0, 0.0]), np.zeros((3, 3)))
    pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    q, dq, ddq = sympy.symbols('q dq ddq', real=True)
    (effort,) = sd.recursive_body_fixed(pendulum, np.array([[q], [dq], [ddq]], object))[0]
    # m l^2 q'' + m g l cos(q)
    difference = sympy.simplify(effort - (0.5 * ddq + 9.81 * sympy.cos(q)))
    for point in (0.3, 1.7, -2.0):
        assert abs(float(difference.subs({q: point, dq: 0.7, ddq: -1.1}))) < 1e-14


def test_entries_without_arithmetic_are_refused(model):
    jet = np.full((3, model.n), 'one', object)
    with pytest.raises(InputError, match='^joint_jet: expected real numbers, got dtype object$'):
        sd.recursive_body_fixed(model, jet)


def test_lists_of_general_scalars_are_arrays(model, rng):
    jet = random_joint_jet(rng, model.n, 1) + 1e-30j
    expected = sd.recursive_body_fixed(model, jet)
    np.testing.assert_array_equal(sd.recursive_body_fixed(model, jet.tolist()), expected)
    with pytest.raises(InputError, match='^joint_jet: expected an array of real numbers, got '):
        sd.recursive_body_fixed(model, [[1.0], [1.0, 2.0]])


PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'theory' / 'representations.md'
FORMS = measured.RECURSIONS


def published(name: str) -> dict[str, list[float]]:
    """Return the columns of a table of the page."""
    text = PAGE.read_text(encoding='utf-8')
    (table,) = re.findall(rf'<!-- measured: {name} -->\n\n(.*?)\n\n<!--', text, re.DOTALL)
    return measured.numbers(table.splitlines())


def test_counting_scalars_count_what_is_computed():
    vector = np.array([2.0, 0.0, 1.0, -1.0])

    def product(model: object, x: np.ndarray) -> object:
        return x @ vector  # one product, two sums: 0, 1 and -1 are free

    assert operations_of(product, None, [1.0, 2.0, 3.0, 4.0]) == 3
    assert (Counted(2.0) * Counted(3.0)).number == 6.0
    assert (1.0 - Counted(3.0) / 2.0).number == -0.5


def test_published_operations_are_counted_again():
    table = published('orders')
    for name, form in FORMS.items():
        assert measured.operations(form, 28, 1) / 28 == pytest.approx(table[name][1], abs=0.5)
