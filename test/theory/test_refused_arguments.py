# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that the theory cannot use are named, with what is expected and what was given."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InertiaError, InputError
from screw_dynamics.theory.acceleration_energy.differential_matrices import differential_matrix
from screw_dynamics.theory.geometric_integration.absolute_coordinates import AbsoluteCoordinates
from screw_dynamics.theory.kinematics import body_fixed, hybrid, mixed, spatial, task_space
from screw_dynamics.theory.lagrange.christoffel import christoffel_symbols
from screw_dynamics.theory.sensitivities.tangent import effort_tangent

REPRESENTATIONS = [body_fixed, hybrid, mixed, spatial]
WRONG = [9, 3, -1, 1.0, True, 'body_1', None, np.int64(-1)]


@pytest.fixture
def model(rng: np.random.Generator) -> sd.ScrewModel:
    return random_model(rng, 3)


def refusal(name: str) -> str:
    return rf'^{name}: expected the number of a body, 0 to 2, got '


@pytest.mark.parametrize('wrong', WRONG, ids=repr)
@pytest.mark.parametrize('module', REPRESENTATIONS, ids=lambda module: module.__name__[-10:])
def test_partial_derivatives_name_bodies_and_joints_that_do_not_exist(model, module, wrong):
    q = np.zeros(3)
    with pytest.raises(InputError, match=refusal('body')):
        module.partial_derivative(model, q, wrong, 0, [0])
    with pytest.raises(InputError, match=refusal('joint')):
        module.partial_derivative(model, q, 2, wrong, [0])
    with pytest.raises(InputError, match=refusal(r'by\[1\]')):
        module.partial_derivative(model, q, 2, 0, [0, wrong])


@pytest.mark.parametrize('wrong', WRONG, ids=repr)
def test_partial_derivatives_of_poses_name_them_too(model, wrong):
    q = np.zeros(3)
    for place, name in enumerate(('body', 'other', 'joint')):
        numbers = [0, 0, 0]
        numbers[place] = wrong
        with pytest.raises(InputError, match=refusal(name)):
            body_fixed.partial_of_relative_pose(model, q, *numbers)
    with pytest.raises(InputError, match=refusal('body')):
        differential_matrix(model, q, wrong, [0])
    with pytest.raises(InputError, match=refusal(r'by\[0\]')):
        differential_matrix(model, q, 0, [wrong])
    still = np.zeros((3, 3))
    for name in ('homes', 'screws'):
        with pytest.raises(InputError, match=refusal(name)):
            effort_tangent(model, still, still, **{name: {wrong: np.zeros(6)}})


def test_numbers_of_numpy_are_numbers_of_bodies(model, rng):
    q = rng.normal(size=3)
    found = body_fixed.partial_derivative(model, q, np.int64(2), np.int8(0), np.array([1]))
    np.testing.assert_array_equal(found, body_fixed.partial_derivative(model, q, 2, 0, [1]))


@pytest.mark.parametrize('wrong', [['body'], {'body': 1}, None, 3])
def test_choices_that_are_not_texts_are_refused(model, wrong):
    jet, wrench = np.zeros((3, 3)), {'body_1': np.zeros((1, 6))}
    with pytest.raises(InputError, match='^wrench_representation: expected '):
        sd.recursive_body_fixed(model, jet, wrench, wrench_representation=wrong)
    with pytest.raises(InputError, match='^representation: expected body, spatial'):
        task_space.jacobian_jet(model, jet, 'body_3', wrong)
    with pytest.raises(InputError, match='^form: expected brackets, matrices, binet, got '):
        christoffel_symbols(model, jet[0], wrong)


@pytest.mark.parametrize('weight', [0.0, -1.0])
def test_weights_of_joints_are_positive(model, weight):
    weights = [1.0, weight, 1.0]
    with pytest.raises(
        InputError, match=rf'^weights\[1\]: expected a number above 0, got .*{weight}'
    ):
        task_space.joint_jet(
            model, np.zeros(3), np.zeros((1, 1)), 'body_3', components=[0], weights=weights
        )


@pytest.mark.parametrize('points', [1, 2])
def test_point_masses_and_rods_have_no_twist_of_a_momentum(rng, points):
    singular = AbsoluteCoordinates(random_model(rng, [BodyRecipe(), BodyRecipe(points=points)]))
    poses, twists = singular.state(rng.normal(size=2), rng.normal(size=2))
    text = r"^body 'body_2': expected a rotational inertia .* above .* about every axis, got "
    with pytest.raises(InertiaError, match=text):
        singular.momentum_form()
    with pytest.raises(InertiaError, match=text):
        singular.twists(poses, singular.momenta(poses, twists))


def test_a_massless_body_has_none_either(rng):
    recipes = [BodyRecipe(mass_scale=0.0), BodyRecipe()]
    with pytest.raises(InertiaError, match="^body 'body_1'"):
        AbsoluteCoordinates(random_model(rng, recipes)).momentum_form()
