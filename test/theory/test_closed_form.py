# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The closed form: matrices, explicit and n-th derivatives, and what its structure implies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.errors import ShapeError
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.closed_form.first_derivatives import FirstDerivatives
from screw_dynamics.theory.closed_form.second_derivatives import SecondDerivatives
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.tree import Tree


@st.composite
def motions(draw):
    model = draw(models(scales=False, max_bodies=5))
    return model, draw(joint_jets(model.n, 3))


def assert_close(got, expected, model, jet, order):
    """Compare twelve digits of the terms behind the entries: inertias times powers of rates."""
    tree = Tree(model, jet)
    reach = 1.0 + max(np.abs(pose[:3, 3]).max() for pose in tree.poses)
    pace = 1.0 + np.abs(tree.joints[1:]).max()
    inertia = np.abs(model.inertias).max() * np.abs(model.screws).max() ** 2
    gains = 1.0 + np.abs(model.multipliers).max() ** 2
    size = tree.count * gains * inertia * reach**2 * pace ** (order + 1)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * size)


@given(motions())
def test_matrices_of_the_kernels(motion):
    model, jet = motion
    mass = nth_derivatives.mass_matrix(model, jet)
    assert_close(mass[0], sd.mass_matrix(model, jet[0]), model, jet, 0)
    coriolis = nth_derivatives.coriolis_matrix(model, jet)[0] @ jet[1]
    expected = sd.bias_forces(model, jet[0], jet[1]) - sd.gravity_forces(model, jet[0])
    assert_close(coriolis, expected, model, jet, 2)
    gravity = nth_derivatives.gravity_forces(model, jet)
    weight = 1.0 + np.abs(model.gravity).max()
    assert_close(gravity[0] / weight, sd.gravity_forces(model, jet[0]) / weight, model, jet, 0)


@given(motions())
def test_explicit_derivatives_are_those_of_any_order(motion):
    model, jet = motion
    explicit = SecondDerivatives(model, jet)
    mass = nth_derivatives.mass_matrix(model, jet)
    coriolis = nth_derivatives.coriolis_matrix(model, jet)
    gravity = nth_derivatives.gravity_forces(model, jet)
    assert_close(explicit.mass_matrix_rate, mass[1], model, jet, 1)
    assert_close(explicit.mass_matrix_second_rate, mass[2], model, jet, 2)
    assert_close(explicit.coriolis_matrix_rate, coriolis[1], model, jet, 2)
    assert_close(explicit.coriolis_matrix_second_rate, coriolis[2], model, jet, 3)
    weight = 1.0 + np.abs(model.gravity).max()
    assert_close(explicit.gravity_force_rates / weight, gravity[1] / weight, model, jet, 1)
    assert_close(explicit.gravity_force_second_rates / weight, gravity[2] / weight, model, jet, 2)


@given(motions())
def test_explicit_efforts_and_their_two_derivatives(motion):
    model, jet = motion
    explicit = SecondDerivatives(model, jet)
    expected = sd.inverse_dynamics(model, jet)
    weight = 1.0 + np.abs(model.gravity).max()
    rates = explicit.effort_rates, explicit.effort_second_rates
    for order, row in enumerate(rates, start=1):
        assert_close(row / weight, expected[order] / weight, model, jet, order + 2)


@given(motions())
def test_structure(motion):
    """M is symmetric, M' - 2 Cbar skew, and both are so with all their derivatives."""
    model, jet = motion
    mass = nth_derivatives.mass_matrix(model, jet)
    skew = nth_derivatives.coriolis_matrix(model, jet, skew=True)
    plain = nth_derivatives.coriolis_matrix(model, jet)
    for k, row in enumerate(mass):
        assert_close(row, row.T, model, jet, k)
    for k in range(len(mass) - 1):
        difference = mass[k + 1] - 2 * skew[k]
        assert_close(difference, -difference.T, model, jet, k + 1)
        assert_close(skew[k] + skew[k].T, mass[k + 1], model, jet, k + 1)
    assert_close(skew[0] @ jet[1], plain[0] @ jet[1], model, jet, 2)


@given(motions())
def test_other_forms_of_the_coefficient_matrices(motion):
    """The same matrices from what is at hand, and from A, a, b and Mm alone."""
    model, jet = motion
    s = SecondDerivatives(model, jet)
    for form in (s.C1_reusing_Cm, s.C1_explicit):
        assert_close(form, s.C1, model, jet, 2)
    assert_close(s.M2_reusing_M1, s.M2, model, jet, 2)
    assert_close(s.C1_rate - s.C1 @ s.Aa - s.Aa.T @ s.C1, s.C2, model, jet, 3)
    assert_close(s.C2_explicit, s.C2, model, jet, 3)


def test_rates_of_the_path_matrices(rng):
    """Derivatives along the motion by a complex step."""
    model = random_model(rng, [BodyRecipe('helical'), BodyRecipe(), BodyRecipe(mimics=0)])
    jet = random_joint_jet(rng, model.n, 1)
    moved = SecondDerivatives(model, jet + 1e-30j * np.roll(jet, -1, axis=0))
    s = SecondDerivatives(model, jet)
    path = np.linalg.inv(np.eye(len(s.D)) - s.D)
    np.testing.assert_allclose(s.A, path, rtol=0, atol=1e-12 * np.abs(path).max())
    for name, rate in (('A', s.A_rate), ('J', s.J_rate), ('U', s.U_rate), ('V', s.twist_rates)):
        slope = getattr(moved, name).imag / 1e-30
        np.testing.assert_allclose(rate, slope, rtol=0, atol=1e-12 * np.abs(slope).max())


def test_external_forces_and_their_rates(rng):
    """J^T W by Leibniz' rule of the Jacobians of any order."""
    model = random_model(rng, [BodyRecipe('helical'), BodyRecipe(), BodyRecipe(mimics=0)])
    jet, wrenches = random_joint_jet(rng, model.n, 2), rng.normal(size=(3, 18))
    s = SecondDerivatives(model, jet)
    transposed = nth_derivatives.ClosedForm(model, jet).jacobians.transpose(0, 2, 1)
    found = (
        s.external_forces(wrenches[0]),
        s.external_force_rates(*wrenches[:2]),
        s.external_force_second_rates(*wrenches),
    )
    for k, forces in enumerate(found):
        expected = sum(leibniz_terms(k, transposed, wrenches))
        np.testing.assert_allclose(forces, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    skew = nth_derivatives.coriolis_matrix(model, jet, skew=True)[0]
    bound = 1e-12 * np.abs(skew).max()
    np.testing.assert_allclose(s.skew_coriolis_matrix, skew, rtol=0, atol=bound)


def test_jets_with_too_few_rows_are_named(rng):
    model = random_model(rng, 2)
    cases = [(SystemMatrices, 'mass_matrix', 2), (FirstDerivatives, 'effort_rates', 4)]
    for matrices, name, least in [*cases, (SecondDerivatives, 'effort_second_rates', 5)]:
        getattr(matrices(model, np.ones((least, 2))), name)
        with pytest.raises(ShapeError, match=rf'joint_jet: expected shape .*r >= {least}, got'):
            getattr(matrices(model, np.ones((least - 1, 2))), name)
    with pytest.raises(ShapeError, match=r'joint_jet: expected shape \(k \+ 3, 2\), got \(2, 2\)'):
        nth_derivatives.mass_matrix(model, np.ones((2, 2)))
