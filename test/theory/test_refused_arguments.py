# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that the theory refuses, and prints that errata correct."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.errata import ERRATA, MovingRobot, residual
from oracles.errata.__main__ import PAGE, page
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InertiaError, InputError, NotFiniteError, ShapeError
from screw_dynamics.theory.acceleration_energy import energies, equations, tensors
from screw_dynamics.theory.acceleration_energy.differential_matrices import differential_matrix
from screw_dynamics.theory.geometric_integration.absolute_coordinates import AbsoluteCoordinates
from screw_dynamics.theory.kinematics import body_fixed, hybrid, mixed, spatial, task_space
from screw_dynamics.theory.lagrange.christoffel import christoffel_symbols
from screw_dynamics.theory.lagrange.energies import potential_energy
from screw_dynamics.theory.sensitivities.acceleration_partials import linearised_motion
from screw_dynamics.theory.sensitivities.matrix_partials import MatrixPartials
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


@pytest.mark.parametrize(
    'function',
    [
        tensors.EnergyTensors,
        MatrixPartials,
        christoffel_symbols,
        potential_energy,
        lambda model, q: differential_matrix(model, q, 0, [0]),
        lambda model, q: spatial.partial_derivative(model, q, 0, 0, [0]),
        lambda model, q: AbsoluteCoordinates(model).state(q, np.zeros(3)),
    ],
)
def test_positions_are_named_as_the_argument(model, function):
    with pytest.raises(ShapeError, match=r'^q: expected shape \(3,\), got \(2,\)'):
        function(model, [0.0, 0.0])
    with pytest.raises(NotFiniteError, match=r'^q\[1\]: expected a finite number, got nan'):
        function(model, [0.0, np.nan, 0.0])


@pytest.mark.parametrize('wrong', ['1', 1.5, 2.0, True, None, [1], 0])
def test_orders_of_energies_and_equations_are_whole_numbers(model, wrong):
    jet = np.zeros((6, 3))
    for name, least, call in (
        ('k', 1, lambda k: equations.inertia_forces(model, jet, k, 3)),
        ('m', 2, lambda m: equations.inertia_forces(model, jet, 1, m)),
        ('m', 2, lambda m: equations.gibbs_appell(model, jet, m)),
        ('m', 1, lambda m: equations.mangeron_tsenov(model, jet, m)),
        ('p', 1, lambda p: tensors.energy_from_tensors(model, jet, p)),
        ('p', 1, lambda p: tensors.EnergyTensors(model, jet[0]).remainder(jet, p)),
        ('order', 1, tensors.EnergyTensors(model, jet[0]).matrices),
    ):
        with pytest.raises(InputError, match=f'^{name}: expected a whole number of {least} or'):
            call(wrong)
    for call in (equations.catalan_number, lambda p: energies.acceleration_energy(model, jet, p)):
        with pytest.raises(InputError, match='^p: expected a whole number of 0 or more, got '):
            call(-1 if wrong == 0 else wrong)


def test_twists_of_bodies_are_checked(model):
    jet = np.zeros((3, 3))
    for name in ('homes', 'screws'):
        for twists, error, text in (
            ([np.zeros(6)], InputError, f'^{name}: expected a mapping of numbers of bodies'),
            ({1: [1.0, 2.0]}, ShapeError, rf'^{name}\[1\]: expected shape \(6,\), got \(2,\)'),
            ({1: [np.inf] * 6}, NotFiniteError, rf'^{name}\[1\]\[0\]: expected a finite'),
            ({1: 'axis'}, InputError, rf'^{name}\[1\]: expected real numbers'),
        ):
            with pytest.raises(error, match=text):
                effort_tangent(model, jet, jet, **{name: twists})


def test_joints_to_differentiate_by_are_a_sequence(model):
    with pytest.raises(InputError, match='^by: expected numbers of bodies, got 1'):
        differential_matrix(model, np.zeros(3), 0, 1)


@pytest.mark.parametrize('wrong', [0.0, -1.0])
def test_springs_and_rotors_are_positive(model, wrong):
    ones, mixed = np.ones(3), [1.0, 1.0, wrong]
    with pytest.raises(InputError, match=rf'^stiffness\[2\]: .* above 0, got {wrong}$'):
        linearised_motion(model, *np.zeros((3, 3)), mixed, ones)
    with pytest.raises(InputError, match=rf'^rotor_inertias\[2\]: .* above 0, got {wrong}$'):
        linearised_motion(model, *np.zeros((3, 3)), ones, mixed)


def test_numbers_of_numpy_are_numbers_of_bodies(model, rng):
    q = rng.normal(size=3)
    found = body_fixed.partial_derivative(model, q, np.int64(2), np.int8(0), np.array([1]))
    np.testing.assert_array_equal(found, body_fixed.partial_derivative(model, q, 2, 0, [1]))


@pytest.mark.parametrize('wrong', [['body'], {'body': 1}, None, 3])
def test_choices_that_are_not_texts_are_refused(model, wrong):
    jet, wrench = np.zeros((3, 3)), {'body_1': np.zeros((1, 6))}
    with pytest.raises(InputError, match='^wrench_representation: expected '):
        sd.recursive_body_fixed(model, jet, wrench, wrench_representation=wrong)
    with pytest.raises(InputError, match='^representation: expected one of body, spatial'):
        task_space.jacobian_jet(model, jet, 'body_3', wrong)
    with pytest.raises(InputError, match='^form: expected one of brackets, matrices, binet, got '):
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


EVALUATED = [erratum for erratum in ERRATA if erratum.evaluate]
# twelve digits: roundings of sums of some hundred terms
CORRECT = 1e-12
# far beyond rounding; the smallest of the printed residuals is 0.004
PRINTED_WRONG = 1e-3


@pytest.mark.parametrize('erratum', EVALUATED, ids=lambda erratum: erratum.place)
def test_residuals(erratum):
    printed, correct, truth = erratum.evaluate(MovingRobot(0))
    assert residual(correct, truth) < CORRECT
    assert residual(printed, truth) > PRINTED_WRONG


def test_the_page_is_that_of_the_records():
    assert PAGE.read_text(encoding='utf-8') == page()
