# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Partial derivatives of efforts and accelerations against complex steps and perturbed robots."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.random_models import TREE, random_joint_jet, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.lie import adjoint, exp_se3, twist_cross
from screw_dynamics.simulation import natural_frequencies
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.inverse_dynamics import body_fixed
from screw_dynamics.theory.lagrange.energies import kinetic_energy
from screw_dynamics.theory.sensitivities import regressors
from screw_dynamics.theory.sensitivities.acceleration_partials import (
    forward_dynamics_partials,
    linearised_motion,
)
from screw_dynamics.theory.sensitivities.effort_partials import effort_partials
from screw_dynamics.theory.sensitivities.matrix_partials import MatrixPartials
from screw_dynamics.theory.sensitivities.tangent import (
    effort_tangent,
    geometric_partials,
    home_twists,
)

STEP = 1e-30  # of complex steps, which do not cancel


def slopes(function, values):
    """Return the derivatives of a function by each entry of an array, along the first axis."""
    result = []
    for index in np.ndindex(values.shape):
        moved = values.astype(complex)
        moved[index] += 1j * STEP
        result.append(function(moved).imag / STEP)
    return np.array(result)


def assert_close(got, expected, size=None):
    size = np.abs(expected).max(initial=1e-30) if size is None else size
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * size)


def stepped_partials(model, jet):
    """Return the partials of all efforts by all rows of a jet, by complex steps."""
    steps = slopes(lambda values: body_fixed.inverse_dynamics(model, values), jet)
    return steps.reshape(*jet.shape, len(jet) - 2, model.n).transpose(2, 0, 3, 1)


@settings(max_examples=10)
@given(data=st.data(), order=st.integers(0, 3))
def test_partials_of_random_trees(data, order):
    model = data.draw(models(scales=False, max_bodies=3))
    jet = data.draw(joint_jets(model.n, order))
    # terms of a robot of the size 10 that moves as far and as fast as the jet; they may cancel
    reach = 1.0 + np.abs(jet).max() * (1.0 + np.abs(model.multipliers).max())
    size = max(np.abs(model.inertias).max(), 1e-30) * model.body_count * reach ** (order + 3)
    assert_close(effort_partials(model, jet), stepped_partials(model, jet), 1e2 * size)


def test_tangent_is_the_sum_of_the_partials(rng):
    order = 2
    model = random_model(rng, TREE)
    jet, variation = (random_joint_jet(rng, model.n, order) for _ in range(2))
    expected = np.einsum('dsij,sj->di', effort_partials(model, jet), variation)
    assert_close(effort_tangent(model, jet, variation), expected)


def differences(efforts):
    """Return the derivative of efforts(h) at 0, of differences extrapolated to ten digits."""
    first, second = ((efforts(h) - efforts(-h)) / (2 * h) for h in (1e-3, 5e-4))
    return (4 * second - first) / 3


def test_geometric_partials_are_those_of_other_robots(rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, 2)
    by_homes, by_screws = geometric_partials(model, jet)
    for body in range(model.body_count):
        twist = rng.normal(size=6)
        axis = model.screws[body, :3] if body != 2 else np.zeros(3)
        pitch = np.concatenate((np.zeros(3), axis))

        def moved(field, values, body=body):
            rows = getattr(model, field).copy()
            rows[body] = values
            return sd.inverse_dynamics(replace(model, **{field: rows}), jet)

        home, screw = model.home_poses[body], model.screws[body]
        cases = {
            'home': (
                by_homes[:, :, body] @ twist,
                lambda h, home=home, u=twist: moved('home_poses', home @ exp_se3(h * u)),
            ),
            'axis': (
                by_screws[:, :, body] @ (twist_cross(twist) @ screw),
                lambda h, x=screw, u=twist: moved('screws', adjoint(exp_se3(h * u)) @ x),
            ),
        }
        if model.joint_types[body] == 'helical':
            cases['pitch'] = (
                by_screws[:, :, body] @ pitch,
                lambda h, x=screw, p=pitch: moved('screws', x + h * p),
            )
        for got, efforts in cases.values():
            expected = differences(efforts)
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_partials_of_a_home_pose_with_several_parameters(rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, 1)
    twists, values, body = rng.normal(size=(3, 6)), rng.normal(size=3), 2

    def robot(parameters):
        homes = model.home_poses.copy()
        for twist, parameter in zip(twists, parameters, strict=True):
            homes[body] = homes[body] @ exp_se3(twist * parameter)
        return replace(model, home_poses=homes)

    by_homes = geometric_partials(robot(values), jet)[0][:, :, body]
    for twist, unit in zip(home_twists(twists, values), np.eye(3), strict=True):
        expected = differences(
            lambda h, unit=unit: sd.inverse_dynamics(robot(values + h * unit), jet)
        )
        bound = 1e-9 * np.abs(expected).max()
        np.testing.assert_allclose(by_homes @ twist, expected, rtol=0, atol=bound)


def test_partials_of_matrices(rng):
    model = random_model(rng, TREE)
    q = rng.normal(size=model.n)
    partials = MatrixPartials(model, q)

    def stepped(matrix):
        return slopes(lambda x: matrix(SystemMatrices(model, np.stack([x, 0 * x]))), q)

    assert_close(partials.A_partials, stepped(lambda system: system.A))
    assert_close(partials.J_partials, stepped(lambda system: system.J))
    assert_close(partials.U_partials, stepped(lambda system: system.U))
    assert_close(partials.mass_matrix_partials, stepped(lambda system: system.mass_matrix))
    inverse = np.linalg.inv(sd.mass_matrix(model, q))
    # of M M^-1 = 1; the inverse has lost the digits of the condition of M
    product = sd.mass_matrix(model, q) @ partials.inverse_mass_matrix_partials
    product += partials.mass_matrix_partials @ inverse
    size = np.linalg.cond(inverse) * np.abs(inverse @ partials.mass_matrix_partials).max()
    assert_close(product, 0 * product, size)


def test_efforts_are_linear_in_the_inertia_parameters(rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, 4)
    found = regressors.regressor(model, jet) @ regressors.parameters(model)
    expected = sd.inverse_dynamics(model, jet)
    for got, row in zip(found, expected, strict=True):
        assert_close(got, row)
    # of a robot with other inertias, too
    other = random_model(rng, TREE)
    other = replace(model, inertias=other.inertias)
    found = regressors.regressor(model, jet) @ regressors.parameters(other)
    assert_close(found, sd.inverse_dynamics(other, jet))


def test_accelerations(rng):
    model = random_model(rng, TREE)
    q, qd, tau = random_joint_jet(rng, model.n, 0)
    by_position, by_rate, by_effort = forward_dynamics_partials(model, q, qd, tau)
    rates = sd.forward_dynamics(model, q, qd, tau)
    # along a direction dq, dq', dtau the acceleration changes so that the efforts are those
    directions = random_joint_jet(rng, model.n, 0)
    change = by_position @ directions[0] + by_rate @ directions[1] + by_effort @ directions[2]
    jet = np.stack([q, qd, rates]) + 1j * STEP * np.stack([*directions[:2], change])
    assert_close(body_fixed.inverse_dynamics(model, jet)[0].imag / STEP, directions[2])


def test_linearised_motion(rng):
    model = random_model(rng, TREE)
    state = random_joint_jet(rng, model.n, 0)
    by_position, by_rate, by_effort = forward_dynamics_partials(model, *state)
    a, b = linearised_motion(model, *state)
    zero, one = np.zeros((3, 3)), np.eye(3)
    np.testing.assert_array_equal(a, np.block([[zero, one], [by_position, by_rate]]))
    np.testing.assert_array_equal(b, np.vstack([zero, by_effort]))


def test_natural_frequencies_are_those_of_the_linearised_motion(rng):
    """Eigenvalues at rest without gravity, against the function for elastic joints."""
    model = random_model(rng, TREE, gravity=np.zeros(3))
    q, rest = rng.normal(size=model.n), np.zeros(model.n)
    springs, rotors = rng.uniform(50.0, 200.0, model.n), rng.uniform(0.1, 0.4, model.n)
    a, b = linearised_motion(model, q, rest, rest, springs, rotors)
    drives = {
        name: sd.JointDrive(sd.LinearSpring(stiffness), sd.Motor(rotor_inertia=rotor))
        for name, stiffness, rotor in zip(model.joint_names, springs, rotors, strict=True)
    }
    expected = natural_frequencies(sd.Robot(model, sd.Drives(drives)), q)
    found = np.sort(np.linalg.eigvals(a).imag)[-model.n :]
    # the rigid motions have the eigenvalue 0 twice, which perturbs by the root of the rounding
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(b[-model.n :], np.diag(1 / rotors), rtol=1e-15)


def test_bad_arguments(rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, 0)
    with pytest.raises(ShapeError, match=r'joint_jet'):
        effort_partials(model, jet[:2])
    with pytest.raises(ShapeError, match=r'joint_jet'):
        regressors.regressor(model, jet[:2])
    with pytest.raises(ShapeError, match=r'variation'):
        effort_tangent(model, jet, jet[:2])
    for wrong in (jet[0], jet[:2], jet[:, 1:]):
        with pytest.raises(ShapeError, match=r'joint_jet: expected shape \(k \+ 3, 3\)'):
            effort_tangent(model, wrong, wrong)
    with pytest.raises(ShapeError, match=r'parameters'):
        home_twists(np.zeros((2, 6)), np.zeros(3))
    with pytest.raises(ShapeError, match=r'^twists'):
        home_twists(np.zeros(6), np.zeros(1))
    with pytest.raises(InputError, match=r'rotor_inertias'):
        linearised_motion(model, *jet, stiffness=np.ones(model.n))


def test_robots_without_joints_have_empty_terms():
    stone = sd.read_urdf('<robot name="stone"><link name="a"/></robot>')
    still = np.zeros((4, 0))
    assert SystemMatrices(stone, still).mass_matrix.shape == (0, 0)
    np.testing.assert_array_equal(effort_partials(stone, still), sd.effort_partials(stone, still))
    assert kinetic_energy(stone, still[0], still[1]) == 0.0
