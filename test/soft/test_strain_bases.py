# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bases of strains: what they span, their stiffness, and rods of equal strains in two of them."""

import numpy as np
import pytest

import screw_dynamics as sd

LENGTH = 0.3


def agree(got, expected, bound):
    scale = np.abs(expected).max(axis=1, keepdims=True)
    assert (np.abs(got - expected) <= bound * scale).all()


@pytest.mark.parametrize('functions', ['monomial', 'legendre', 'chebyshev', 'fourier', 'hermite'])
def test_bases_of_strains_span_their_functions(functions):
    counts = {'bend_y': 4, 'stretch': 4}
    basis = sd.soft.strain_basis(LENGTH, functions, counts)
    places = np.linspace(0.0, LENGTH, 9)
    values = LENGTH * np.array([basis(s)[1, :4] for s in places])
    u = places / LENGTH
    if functions == 'fourier':
        space = np.stack(
            [u**0, np.cos(2 * np.pi * u), np.sin(2 * np.pi * u), np.cos(4 * np.pi * u)]
        )
    else:
        space = np.stack([u**k for k in range(4)])  # all cubic polynomials
    coefficients = np.linalg.lstsq(space.T, values, rcond=None)[0]
    assert np.abs(space.T @ coefficients - values).max() < 1e-13
    assert np.linalg.matrix_rank(coefficients) == 4
    assert np.abs(values).max() <= 1.0 + 1e-15
    assert np.array_equal(basis(0.1)[5, 4:], basis(0.1)[1, :4])
    assert not basis(0.1)[[0, 2, 3, 4]].any()


def test_coordinates_keep_the_order_of_the_strains_and_are_named_by_them():
    strains = ['stretch', 'twist', 'bend_y']
    rod = sd.soft.ConstantStrain(LENGTH, 0.02, 0.4, strains=strains)
    basis = sd.soft.strain_basis(LENGTH, 'legendre', {'twist': 1, 'bend_x': 2})
    twisted = sd.soft.VariableStrain(LENGTH, 0.02, 0.4, basis, name='tail')
    other = sd.soft.VariableStrain(LENGTH, 0.02, 0.4, lambda s: basis(s))
    robot = sd.soft.SoftRobot([rod, twisted, other])
    assert robot.joint_names == (
        'body_1_stretch', 'body_1_twist', 'body_1_bend_y',
        'tail_twist', 'tail_bend_x_1', 'tail_bend_x_2',
        'body_3_1', 'body_3_2', 'body_3_3',
    )  # fmt: skip
    columns = np.abs(sd.frame_jacobian(robot, np.zeros(9), 'body_1')[:, :3])
    # the rotation axis of a bend is y, its tip moves along x
    np.testing.assert_allclose(columns[:, 0], [0, 0, 0, 0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(columns[:, 1], [0, 0, 1, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(columns[:, 2], [0, 1, 0, 0.5 * LENGTH, 0, 0], atol=1e-15)
    assert basis(0.1)[2, 0] == 1.0 / LENGTH and not basis(0.1)[0, 0]


def test_pieces_of_hermite_meet_with_their_slopes():
    basis = sd.soft.strain_basis(1.0, 'hermite', {'twist': 8})
    for border in (1.0 / 3.0, 2.0 / 3.0):
        h = 1e-6
        left, middle, right = (basis(border + s)[2] for s in (-h, 0.0, h))
        assert np.abs((middle - left) - (right - middle)).max() < 1e-10  # h^2 times curvature
    with pytest.raises(sd.ScrewDynamicsError, match='even'):
        sd.soft.strain_basis(1.0, 'hermite', {'twist': 5})
    with pytest.raises(sd.ScrewDynamicsError, match='functions: expected'):
        sd.soft.strain_basis(1.0, 'splines', {'twist': 5})
    with pytest.raises(sd.ScrewDynamicsError, match='counts: expected'):
        sd.soft.strain_basis(1.0, 'monomial', {'turn': 5})


@pytest.mark.parametrize(
    ('functions', 'count', 'pieces'),
    [('legendre', 20, 1), ('chebyshev', 20, 1), ('fourier', 11, 8), ('hermite', 12, 5)],
)
def test_the_stiffness_of_any_basis_is_its_integral(functions, count, pieces):
    basis = sd.soft.strain_basis(LENGTH, functions, {'bend_y': count})
    rod = sd.soft.VariableStrain(LENGTH, 0.02, 0.4, basis, stiffness=np.full(6, 0.7))
    x, weights = np.polynomial.legendre.leggauss(40)
    places = LENGTH * np.add.outer(np.arange(pieces), 0.5 * (x + 1.0)).ravel() / pieces
    values = np.array([basis(s)[1] for s in places])
    shares = np.tile(0.5 * LENGTH / pieces * weights, pieces)
    expected = 0.7 * values.T @ (shares[:, np.newaxis] * values)
    assert np.abs(rod.stiffness - expected).max() <= 1e-13 * np.abs(expected).max()


def test_the_stiffness_of_a_basis_with_a_step_is_its_integral():
    def basis(s):
        return np.eye(6)[:, :2] * [s < 0.1, s >= 0.1]

    rod = sd.soft.VariableStrain(LENGTH, 0.02, 0.4, basis, stiffness=np.full(6, 2.0))
    assert np.abs(rod.stiffness - np.diag([0.2, 0.4])).max() < 1e-12


def test_the_same_cubic_strain_in_two_bases_is_the_same_rod():
    counts, rng = {'bend_x': 4, 'bend_y': 4, 'stretch': 4}, np.random.default_rng(1)
    stiffness = (1.0, 1.0, 0.8, 20.0, 20.0, 30.0)
    rods, changes = [], []
    for functions in ('monomial', 'legendre'):
        basis = sd.soft.strain_basis(LENGTH, functions, counts)
        rods.append(sd.soft.VariableStrain(LENGTH, 0.02, 0.4, basis, stiffness=stiffness))
        s = np.linspace(0.0, LENGTH, 4)
        changes.append(np.concatenate([basis(x)[[0, 1, 5]] for x in s]))
    change = np.linalg.solve(changes[1], changes[0])
    jet = 0.3 * rng.normal(size=(4, 12))
    tau = sd.inverse_dynamics(sd.soft.SoftRobot([rods[0]]), jet)
    other = sd.inverse_dynamics(sd.soft.SoftRobot([rods[1]]), jet @ change.T)
    agree(other @ change, tau, 1e-11)


def test_constant_bend_and_stretch_are_the_arc_of_constant_curvature():
    strains = ['bend_x', 'bend_y', 'stretch']
    rod = sd.soft.ConstantStrain(
        LENGTH, 0.02, 0.4, strains=strains, stiffness=(0.1, 0.1, 1, 1, 1, 20.0), damping=0.1
    )
    arc = sd.soft.ConstantCurvature(LENGTH, 0.02, 0.4, 0.1, 20.0, 0.1)
    jet = np.random.default_rng(6).uniform(-0.2, 0.2, (5, 3))
    expected = sd.inverse_dynamics(sd.soft.SoftRobot([arc]), jet)
    other = np.stack([-jet[:, 1], jet[:, 0], jet[:, 2]], axis=1)  # q2 turns about -x
    got = sd.inverse_dynamics(sd.soft.SoftRobot([rod]), other)
    got = np.stack([got[:, 1], -got[:, 0], got[:, 2]], axis=1)
    agree(got, expected, 1e-10)  # eight against twelve Gauss points
    with pytest.raises(sd.ScrewDynamicsError, match='at most once'):
        sd.soft.ConstantStrain(LENGTH, 0.02, 0.4, strains=['twist', 'twist'])
