# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Partial derivatives of efforts and accelerations against the theory and Pinocchio."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import TREE, BodyRecipe, random_joint_jet, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, SingularMassMatrixError
from screw_dynamics.lie import pose
from screw_dynamics.theory.sensitivities import acceleration_partials, effort_partials

LARGER = [*TREE, BodyRecipe('revolute', parent_back=9)]


def assert_close(got, expected, size=None, tolerance=1e-12):
    size = np.abs(expected).max(initial=1e-30) if size is None else size
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * size)


def test_a_high_order(rng):
    order = 3
    model = random_model(rng, LARGER)
    jet = random_joint_jet(rng, model.n, order)
    expected = effort_partials.effort_partials(model, jet)
    found = sd.effort_partials(model, jet)
    assert found.shape == (order + 1, order + 3, model.n, model.n)
    for got, rows in zip(found, expected, strict=True):
        assert_close(got, rows)


@given(data=st.data(), order=st.integers(0, 1))
def test_random_trees(data, order):
    model = data.draw(models(max_bodies=3))
    jet = data.draw(joint_jets(model.n, order))
    got, expected = sd.effort_partials(model, jet), effort_partials.effort_partials(model, jet)
    # terms of a robot as large as its home poses and screws, which moves as the jet; they cancel
    length = 1.0 + max(np.abs(model.home_poses).max(), np.abs(model.screws).max())
    reach = 1.0 + np.abs(jet).max() * (1.0 + np.abs(model.multipliers).max())
    mass = max(np.abs(model.inertias).max(), 1e-300)
    size = mass * (model.body_count * length) ** 2 * reach ** (order + 3)
    assert_close(got, expected, size)


@given(data=st.data())
def test_order_0_beside_the_series(data):
    """The kernels of order 0, for one state and for batches, against the series of order 1."""
    model = data.draw(models(max_bodies=4))
    jet = data.draw(joint_jets(model.n, 1))
    series = sd.effort_partials(model, jet)[:1, :3]
    first = sd.effort_partials(model, np.ascontiguousarray(jet[:3]))
    np.testing.assert_array_equal(sd.effort_partials(model, jet[np.newaxis, :3])[0], first)
    length = 1.0 + max(np.abs(model.home_poses).max(), np.abs(model.screws).max())
    reach = 1.0 + np.abs(jet[:3]).max() * (1.0 + np.abs(model.multipliers).max())
    mass = max(np.abs(model.inertias).max(), 1e-300)
    size = mass * (model.body_count * length) ** 2 * reach**3
    assert_close(first, series, size)


def test_pinocchio(rng):
    pinocchio = pytest.importorskip('pinocchio')
    path = sd.share_path('urdf/iiwa14.urdf')
    model, robot = sd.read_urdf(path), pinocchio.buildModelFromUrdf(str(path))
    data = robot.createData()
    jet = random_joint_jet(rng, model.n, 0)
    expected = pinocchio.computeRNEADerivatives(robot, data, *jet)
    by_position, by_rate, mass = sd.effort_partials(model, jet)[0]
    assert_close(by_position, expected[0])
    assert_close(by_rate, expected[1])
    assert_close(np.triu(mass), np.triu(expected[2]))
    tau = rng.normal(size=model.n)
    expected = pinocchio.computeABADerivatives(robot, data, jet[0], jet[1], tau)
    found = sd.forward_dynamics_partials(model, jet[0], jet[1], tau)
    for got, matrix, full in zip(found, expected, (True, True, False), strict=True):
        # solved with a mass matrix whose condition number is 1e3
        assert_close(
            got if full else np.triu(got), matrix if full else np.triu(matrix), None, 1e-10
        )


def test_a_far_base_costs_no_digits(rng):
    """A robot a thousand kilometres away has the partials of the one here."""
    model = random_model(rng, LARGER[:4])
    homes = model.home_poses.copy()
    homes[0] = pose(np.eye(3), np.array([1e6, -2e6, 5e5])) @ homes[0]
    jet = random_joint_jet(rng, model.n, 2)
    far = sd.effort_partials(replace(model, home_poses=homes), jet)
    assert_close(far, sd.effort_partials(model, jet))


@pytest.mark.parametrize('mimics', [None, 2])
def test_coordinates_in_any_order(mimics, rng):
    """Chains, branches and coordinates that other bodies share, numbered as the bodies or not."""
    recipes = [BodyRecipe()] * 7 + [BodyRecipe(parent_back=4)] + [BodyRecipe()] * 5
    model = random_model(rng, [*recipes, BodyRecipe(parent_back=3, mimics=mimics)])
    order = rng.permutation(model.n)
    jet = random_joint_jet(rng, model.n, 0)
    moved = np.empty_like(jet)
    moved[:, order] = jet
    other = replace(model, coordinates=order[model.coordinates])
    expected = sd.effort_partials(model, jet)
    found = sd.effort_partials(other, moved)
    assert_close(found[..., order[:, np.newaxis], order], expected)
    np.testing.assert_array_equal(sd.effort_partials(other, moved[np.newaxis])[0], found)
    for got, matrix in zip(expected[0], effort_partials.first_partials(model, jet), strict=True):
        assert_close(got, matrix)


def test_batches(rng):
    model = random_model(rng, LARGER)
    columns = random_joint_jet(rng, model.n, 0)
    expected = sd.effort_partials(model, columns)
    np.testing.assert_array_equal(sd.effort_partials(model, np.asfortranarray(columns)), expected)
    np.testing.assert_array_equal(sd.effort_partials(model, columns.tolist()), expected)
    jets = np.stack([[random_joint_jet(rng, model.n, 1) for _ in range(3)] for _ in range(2)])
    partials = sd.effort_partials(model, jets)
    assert partials.shape == (2, 3, 2, 4, model.n, model.n)
    np.testing.assert_array_equal(partials[1, 2], sd.effort_partials(model, jets[1, 2]))
    assert sd.effort_partials(model, jets[:0]).shape == (0, 3, 2, 4, model.n, model.n)
    q, qd, tau = rng.normal(size=(3, 5, model.n))
    found = sd.forward_dynamics_partials(model, q, qd, tau)
    for got, one in zip(
        found, sd.forward_dynamics_partials(model, q[3], qd[3], tau[3]), strict=True
    ):
        np.testing.assert_allclose(got[3], one, rtol=1e-12, atol=1e-12 * np.abs(one).max())


def test_accelerations(rng):
    model = random_model(rng, LARGER)
    q, qd, tau = random_joint_jet(rng, model.n, 0)
    expected = acceleration_partials.forward_dynamics_partials(model, q, qd, tau)
    condition = np.linalg.cond(sd.mass_matrix(model, q))
    for got, matrix in zip(sd.forward_dynamics_partials(model, q, qd, tau), expected, strict=True):
        assert_close(got, matrix, tolerance=1e-15 * max(condition, 100.0) * model.n)


@pytest.mark.parametrize('order', [0, 2])
def test_out_is_filled(order, rng):
    model = random_model(rng, LARGER)
    jets = np.stack([random_joint_jet(rng, model.n, order) for _ in range(5)])
    for motion in (jets[0], jets):
        expected = sd.effort_partials(model, motion)
        out = np.full(expected.shape, np.nan)
        assert sd.effort_partials(model, motion, out=out) is out
        np.testing.assert_array_equal(out, expected)
    shape = rf'out: expected shape \({order + 1}, {order + 3}, {model.n}, {model.n}\)'
    with pytest.raises(ShapeError, match=shape):
        sd.effort_partials(model, jets[0], out=np.empty((3, model.n, model.n)))
    memory = np.zeros(expected.size)
    own = memory[: jets.size].reshape(jets.shape)
    with pytest.raises(InputError, match='out: expected memory of its own'):
        sd.effort_partials(model, own, out=memory.reshape(expected.shape))


def test_bad_arguments(rng):
    model = random_model(rng, 2)
    with pytest.raises(ShapeError, match=r'joint_jet: expected shape .*k \+ 3, 2'):
        sd.effort_partials(model, np.zeros((2, 2)))
    with pytest.raises(NotFiniteError, match='joint_jet'):
        sd.effort_partials(model, np.full((3, 2), np.nan))
    with pytest.raises(InputError, match='joint_jet: expected real numbers'):
        sd.effort_partials(model, np.zeros((3, 2), dtype=complex))
    with pytest.raises(NotFiniteError, match='overflow'):
        sd.effort_partials(model, np.full((3, 2), 1e200))
    with pytest.raises(InputError, match='model: expected a ScrewModel'):
        sd.effort_partials('robot', np.zeros((3, 2)))
    massless = replace(model, inertias=np.zeros_like(model.inertias))
    with pytest.raises(SingularMassMatrixError):
        sd.forward_dynamics_partials(massless, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
