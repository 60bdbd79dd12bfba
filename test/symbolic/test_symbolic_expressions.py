# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions of robots: those of MK2021, identities, and numbers of random trees."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy
from exact_values import values
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.strategies import models, seeds

import screw_dynamics as sd
from paper_experiments import planar_2r
from screw_dynamics.symbolic import SYMBOLS, Expressions, SymbolicModel
from screw_dynamics.theory.sensitivities.regressors import parameters

NAMES = {'m_1': 'm1', 'm_2': 'm2', 'c_1x': 'L1', 'l_2x': 'L1', 'c_2x': 'L2', 'p_tool_x': 'L2'}
# the digits that doubles have left after the sums of a tree of three bodies; the expressions are
# evaluated in thirty digits
BOUND = 1e-12


def test_a_model_can_be_pickled():
    model = SymbolicModel.from_model(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')), SYMBOLS)
    again = pickle.loads(pickle.dumps(model))
    assert type(again) is SymbolicModel and again == model


def vanishes(expression: sympy.Expr) -> bool:
    return sympy.expand(sympy.expand_trig(expression).rewrite(sympy.exp)) == 0


def paper_model(**selection: object) -> SymbolicModel:
    path = sd.share_path('urdf/planar_2r.urdf')
    return SymbolicModel.from_model(sd.read_urdf(path, **selection), SYMBOLS, NAMES)


@pytest.fixture(scope='module')
def arm() -> Expressions:
    # the frames of the paper
    return Expressions(paper_model(base_link='plane', gravity=(0.0, -9.81, 0.0)))


def parameters_of(arm: Expressions) -> planar_2r.Parameters:
    by_name = {symbol.name: symbol for symbol in arm.model.values}
    return planar_2r.Parameters(*(by_name[name] for name in ('L1', 'L2', 'm1', 'm2', 'g')))


def test_efforts_of_the_planar_arm_are_those_that_mk2021_prints(arm):
    printed = planar_2r.printed(parameters_of(arm), arm.model.joint_jet(5), sympy)
    for found, row in zip(arm.inverse_dynamics(2), printed, strict=True):
        for entry, expected in zip(found, row, strict=True):
            assert sympy.simplify(entry - expected) == 0
            # identical term by term, too: no identity of sines and cosines is needed
            assert sympy.expand(entry - expected) == 0


def test_matrices_of_the_planar_arm_look_as_in_textbooks(arm):
    L1, L2, m1, m2, g = parameters_of(arm)
    q1, q2, d1, d2 = arm.model.joint_jet(2).ravel()
    M = arm.mass_matrix()
    assert M[0, 0] == m1 * L1**2 + m2 * L1**2 + m2 * L2**2 + 2 * m2 * L1 * L2 * sympy.cos(q2)
    assert M[0, 1] == M[1, 0] == m2 * L2 * (L2 + L1 * sympy.cos(q2))
    assert M[1, 1] == m2 * L2**2
    gravity = arm.gravity_forces()
    assert gravity[1] == m2 * g * L2 * sympy.cos(q1 + q2)
    h = m2 * L1 * L2 * sympy.sin(q2)
    expected = sympy.Matrix([[-h * d2, -h * (d1 + d2)], [h * d1, 0]])
    assert (arm.coriolis_matrix() - expected).expand() == sympy.zeros(2)


def test_the_vertical_plane_of_the_urdf_is_recognised(arm):
    assert Expressions(paper_model()).mass_matrix() == arm.mass_matrix()
    assert Expressions(paper_model()).gravity_forces() == arm.gravity_forces()


@pytest.fixture(scope='module')
def spatial_tree() -> Expressions:
    """Return a branched robot with all joint types, coordinate axes and symbolic masses."""
    recipes = [
        BodyRecipe(coordinate_axis=True, parallel_home=True),
        BodyRecipe('helical', coordinate_axis=True, parallel_home=True),
        BodyRecipe('prismatic', parent_back=2, coordinate_axis=True, parallel_home=True),
    ]
    model = random_model(np.random.default_rng(5), recipes, gravity=np.array([0.0, 0.0, -9.81]))
    return Expressions(SymbolicModel.from_model(model, ['masses', 'gravity']))


def rate(expression: sympy.Expr, jet: np.ndarray) -> sympy.Expr:
    """Return the time derivative by the chain rule of SymPy."""
    return sympy.Add(
        *(
            expression.diff(symbol) * after
            for row, following in zip(jet, jet[1:], strict=False)
            for symbol, after in zip(row, following, strict=True)
        )
    )


def test_terms_fit_together(spatial_tree):
    _, qd, qdd = spatial_tree.model.joint_jet(3)
    M, tau = spatial_tree.mass_matrix(), spatial_tree.inverse_dynamics()[0]
    gravity = spatial_tree.gravity_forces()
    M_rate = M.applyfunc(lambda entry: rate(entry, spatial_tree.model.joint_jet(2)))
    for form, skew in (('christoffel', True), ('C', False), ('Cbar', True)):
        C = spatial_tree.coriolis_matrix(form)
        rest = M @ sympy.Matrix(qdd) + C @ sympy.Matrix(qd) + gravity - tau
        assert all(map(vanishes, rest))
        defect = M_rate - 2 * C
        assert all(map(vanishes, defect + defect.T)) == skew
    assert vanishes(
        (sympy.Matrix([qd]) @ M @ sympy.Matrix(qd))[0] / 2 - spatial_tree.kinetic_energy()
    )
    pi = sympy.Matrix(parameters(spatial_tree.model))
    assert all(map(vanishes, spatial_tree.regressor()[0] @ pi - tau))


def test_expressions_have_exact_numbers_only(spatial_tree):
    for matrix in (spatial_tree.mass_matrix(), *spatial_tree.inverse_dynamics(1)):
        assert not matrix.atoms(sympy.Float)


@pytest.mark.long
@settings(max_examples=15)
@given(models(max_bodies=3), seeds)
def test_numbers_of_random_trees(model, seed):
    jet = random_joint_jet(np.random.default_rng(seed), model.n, 1)
    of = Expressions(model)

    def agree(expression: object, expected: np.ndarray, scale: float = 0.0) -> None:
        found = values(of.model, jet, expression).reshape(expected.shape)
        size = max(scale, float(np.abs(expected).max(initial=0.0)))
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=BOUND * size)

    agree(of.mass_matrix(), sd.mass_matrix(model, jet[0]))
    efforts = sd.inverse_dynamics(model, jet)
    moved = np.abs(efforts[0]).max(initial=0.0) + np.abs(sd.gravity_forces(model, jet[0])).max()
    agree(of.gravity_forces(), sd.gravity_forces(model, jet[0]), moved)
    for d, row in enumerate(of.inverse_dynamics(1)):
        agree(row, efforts[d], moved)
    agree(of.coriolis_matrix(), sd.coriolis_matrix(model, jet[0], jet[1]), moved)


@pytest.mark.parametrize('representation', ['body', 'spatial', 'hybrid', 'mixed'])
def test_poses_and_jacobians_of_random_trees(rng, representation):
    recipes = [BodyRecipe('helical'), BodyRecipe(), BodyRecipe('prismatic', parent_back=2)]
    model = random_model(rng, recipes)
    of, jet = Expressions(model), random_joint_jet(rng, model.n, 0)
    for frame in ('tool_2', 'tool_3'):
        pose = sd.frame_pose(model, jet[0], frame)
        np.testing.assert_allclose(values(of.model, jet, of.frame_pose(frame)), pose, atol=1e-14)
        jacobian = sd.frame_jacobian(model, jet[0], frame, representation)
        found = values(of.model, jet, of.frame_jacobian(frame, representation))
        np.testing.assert_allclose(found, jacobian, atol=1e-13)
    base = of.frame_pose('base')
    np.testing.assert_array_equal(values(of.model, jet, base), np.eye(4))


@settings(max_examples=10)
@given(st.sets(st.sampled_from(SYMBOLS)), seeds)
def test_symbols_of_parameters_have_the_numbers_of_the_robot(symbols, seed):
    rng = np.random.default_rng(seed)
    axes = {'coordinate_axis': True, 'parallel_home': True}
    model = random_model(rng, [BodyRecipe(**axes), BodyRecipe('helical', **axes)])
    of = Expressions(SymbolicModel.from_model(model, symbols))
    assert bool(of.model.values) == bool(symbols)
    jet = random_joint_jet(rng, model.n, 0)
    (tau,) = of.inverse_dynamics()
    assert tau.free_symbols - set(of.model.joint_jet(3).ravel()) <= set(of.model.values)
    expected = sd.inverse_dynamics(model, jet)[0]
    found = values(of.model, jet, tau)
    np.testing.assert_allclose(found, expected, rtol=0, atol=BOUND * np.abs(expected).max())


@pytest.mark.parametrize('multiplier', [-2.0, 1.37])
def test_mimic_joints_turn_by_multiples(multiplier):
    robot = f"""<robot name="pair"><link name="a"/>
    <joint name="one" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    </joint><link name="b"><inertial><origin xyz="0.3 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="two" type="continuous"><parent link="b"/><child link="c"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><mimic joint="one" multiplier="{multiplier}"
    offset="0.7"/></joint><link name="c"><inertial><origin xyz="0.2 0.1 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    model = sd.read_urdf(robot)
    of, jet = Expressions(model), np.array([[0.4], [-1.2], [2.0], [0.5]])
    expected = sd.inverse_dynamics(model, jet)
    for row, numbers in zip(of.inverse_dynamics(1), expected, strict=True):
        np.testing.assert_allclose(values(of.model, jet, row), numbers, rtol=1e-13)
