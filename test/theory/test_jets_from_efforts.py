# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint jets from efforts and from task motions."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.random_models import TREE, BodyRecipe, random_joint_jet, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError, SingularJacobianError
from screw_dynamics.model.records import REPRESENTATIONS
from screw_dynamics.series import jet_of_series, series_of_jet
from screw_dynamics.theory.forward_dynamics import any_order, articulated_body
from screw_dynamics.theory.kinematics import body_fixed, inverse_kinematics, task_space
from screw_dynamics.theory.tree import Tree


@given(data=st.data(), order=st.integers(0, 5))
def test_the_way_back_of_inverse_dynamics(data, order):
    """Efforts of the jet that efforts cause are those efforts."""
    model = data.draw(models(scales=False, max_bodies=5))
    jet = data.draw(joint_jets(model.n, order))
    mass = sd.mass_matrix(model, jet[0])
    condition = np.linalg.cond(mass)
    assume(condition < 1e3)
    efforts = sd.inverse_dynamics(model, jet)
    weight = np.abs(model.gravity).max() * np.abs(model.inertias).max() * model.body_count
    got = any_order.forward_dynamics(model, jet[0], jet[1], efforts)
    again = sd.inverse_dynamics(model, got)
    for k, row in enumerate(efforts):
        # the errors of every order enter those above it
        size = weight + np.abs(efforts[: k + 1]).max()
        size += np.abs(mass).max() * np.abs(jet[: k + 3]).max()
        np.testing.assert_allclose(again[k], row, rtol=0, atol=1e-12 * size * 30.0**k * condition)


@settings(max_examples=10)
@given(data=st.data())
def test_articulated_bodies(data):
    model = data.draw(models(scales=False, mimic=False))
    jet = data.draw(joint_jets(model.n, 0))
    mass = sd.mass_matrix(model, jet[0])
    assume(np.linalg.cond(mass) < 1e6)
    efforts = sd.inverse_dynamics(model, jet)[0]
    got = articulated_body.forward_dynamics(model, jet[0], jet[1], efforts)
    size = np.abs(efforts).max() + np.abs(mass).max() * np.abs(jet).max() ** 2
    size += np.abs(model.gravity).max() * np.abs(model.inertias).max() * model.body_count
    np.testing.assert_allclose(mass @ (got - jet[2]), 0.0, rtol=0, atol=1e-11 * size)


def test_what_cannot_be_used_is_named(rng):
    model = random_model(rng, [BodyRecipe(), BodyRecipe(mimics=0)])
    with pytest.raises(InputError, match='model: expected one without mimic joints'):
        articulated_body.forward_dynamics(model, [0.0], [0.0], [0.0])
    with pytest.raises(ShapeError, match=r'effort_jet: expected shape \(k \+ 1, 1\), got \(1,\)'):
        any_order.forward_dynamics(model, [0.0], [0.0], [0.0])
    with pytest.raises(ShapeError, match=r'qd: expected shape \(1,\), got \(2,\)'):
        any_order.forward_dynamics(model, [0.0], [0.0, 1.0], [[0.0]])
    chain = random_model(rng, 3)
    with pytest.raises(ShapeError, match=r'efforts: expected shape \(3,\), got \(5,\)'):
        articulated_body.forward_dynamics(chain, np.zeros(3), np.zeros(3), np.zeros(5))
    with pytest.raises(ShapeError, match=r'q: expected shape \(3,\), got \(2,\)'):
        articulated_body.forward_dynamics(chain, np.zeros(2), np.zeros(3), np.zeros(3))


representations = pytest.mark.parametrize('representation', REPRESENTATIONS)


def assert_close(got, expected, tolerance=1e-12):
    size = np.abs(expected).max(initial=1e-30)
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * size)


def pose_series(model, jet, frame):
    """Return the pose of a frame as series in time, by exponentials alone."""
    tree = Tree(model, series_of_jet(jet)[None])
    return tree.poses[model.frames[frame].body] @ model.frames[frame].pose


@representations
def test_task_motions_are_derivatives_of_poses(representation, rng):
    order = 4
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, order - 1)
    pose = pose_series(model, jet, 'tool_4')
    rates = np.vectorize(
        lambda x: type(x)([k * a for k, a in enumerate(x.coefficients)][1:]), otypes=[object]
    )(pose[:3])
    spinning, moved = pose[:3, :3].T @ rates[:, :3], rates[:, 3]
    body = np.array([spinning[2, 1], spinning[0, 2], spinning[1, 0]])
    turned = pose[:3, :3] @ body
    at_base = moved + np.cross(pose[:3, 3], turned)
    angular, linear = {
        'body': (body, pose[:3, :3].T @ moved),
        'spatial': (turned, at_base),
        'hybrid': (turned, moved),
        'mixed': (body, moved),
    }[representation]
    expected = jet_of_series(np.concatenate((angular, linear)), order)
    found = task_space.task_jet(model, jet, 'tool_4', representation)
    for got, row in zip(found, expected[: len(found)].astype(float), strict=True):
        assert_close(got, row)


@representations
def test_there_and_back(representation, rng):
    """The frame moves as asked, whatever the redundancy."""
    model = random_model(rng, 7)
    q, task = rng.normal(size=model.n), rng.normal(size=(5, 6))
    weights = rng.uniform(0.5, 2.0, model.n)
    jet = task_space.joint_jet(model, q, task, 'tool_7', representation, weights=weights)
    again = task_space.task_jet(model, jet, 'tool_7', representation)
    jacobian = task_space.jacobian_jet(model, jet[:1], 'tool_7', representation)[0]
    # each order is solved with the Jacobian once more than the one below
    for k, (got, row) in enumerate(zip(again, task, strict=True)):
        size = np.abs(jet[k + 1]).max() * np.linalg.cond(jacobian) ** 2
        np.testing.assert_allclose(got, row, rtol=0, atol=1e-14 * size)


@pytest.mark.parametrize('damping', [0.0, 0.3])
def test_derivatives_of_the_weighted_solution(damping, rng):
    """The formula of the rates, of series in time, has the derivatives of the joint jet."""
    model = random_model(rng, 7)
    weights, task = rng.uniform(0.5, 2.0, 7), rng.normal(size=(5, 6))

    def solved(positions, rows):
        arguments = (model, positions, rows, 'tool_7', 'hybrid', range(6), weights)
        return task_space.joint_jet(*arguments, damping=damping)

    jet = solved(rng.normal(size=7), task)
    rates = solved(series_of_jet(jet[:5]), series_of_jet(task)[None])[1]
    for got, row in zip(jet[1:], jet_of_series(rates, 4).astype(float), strict=True):
        assert_close(got, row, 1e-9)  # of condition numbers up to 1e2, squared


def test_components(rng):
    model = random_model(rng, 4)
    task = rng.normal(size=(3, 3))
    jet = task_space.joint_jet(model, rng.normal(size=4), task, 'tool_4', 'hybrid', [3, 4, 5])
    again = task_space.task_jet(model, jet, 'tool_4', 'hybrid')[:, 3:]
    np.testing.assert_allclose(again, task, rtol=1e-9, atol=1e-9)


def test_joint_motion_of_all_twists(rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, 3)
    found = inverse_kinematics.joint_jet(model, jet[0], body_fixed.twists(model, jet))
    assert_close(found, jet)


def test_singular_and_bad_arguments(rng):
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    with pytest.raises(SingularJacobianError, match="Jacobian of frame 'flange' is singular"):
        task_space.joint_jet(model, np.zeros(7), np.ones((1, 6)), 'flange')
    damped = task_space.joint_jet(model, np.zeros(7), np.ones((2, 6)), 'flange', damping=0.1)
    assert np.isfinite(damped).all()
    with pytest.raises(InputError, match='representation: expected one of body'):
        task_space.jacobian_jet(model, np.zeros((1, 7)), 'flange', 'world')
    with pytest.raises(InputError, match="frame 'base_link': expected one on a moving link"):
        task_space.jacobian_jet(model, np.zeros((1, 7)), 'base_link')
    with pytest.raises(InputError, match=r'components: expected numbers from 0 to 5, got \[6\]'):
        task_space.joint_jet(model, np.zeros(7), np.ones((1, 1)), 'flange', components=[6])
    with pytest.raises(ShapeError, match='twist_jet'):
        task_space.joint_jet(model, np.zeros(7), np.ones((1, 5)), 'flange')
    with pytest.raises(ShapeError, match='twists'):
        inverse_kinematics.joint_jet(model, np.zeros(7), np.ones((1, 6)))


@representations
@pytest.mark.parametrize('damping', [0.0, 0.2])
def test_the_compiled_function_agrees(representation, damping, rng):
    model = random_model(rng, 7)
    weights, q = rng.uniform(0.5, 2.0, 7), rng.normal(size=7)
    task = rng.normal(size=(4, 3))
    readable = task_space.joint_jet(
        model, q, task, 'tool_7', representation, [3, 4, 5], weights, damping
    )
    compiled = sd.task_to_joint_jet(
        model,
        q,
        task,
        'tool_7',
        representation,
        components='linear',
        weights=weights,
        damping=damping,
    )
    for row, expected in zip(compiled, readable, strict=True):
        assert_close(row, expected, 1e-11)  # solved four times, with condition numbers of ten
