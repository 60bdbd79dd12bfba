# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of single states and of batches, output arrays, and `control_terms`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import closed_form
from oracles.random_models import BodyRecipe, random_model
from oracles.strategies import models, seeds

import screw_dynamics as sd
from screw_dynamics.dynamics import ControlTerms
from screw_dynamics.dynamics.state_terms import State, state_terms
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ShapeError,
    SingularMassMatrixError,
    UnknownNameError,
)

# sums of some dozens of products, fused or not
ROUNDING = 1e-13

TERMS = {
    'mass_matrix': (sd.mass_matrix, 1, ()),
    'coriolis_matrix': (sd.coriolis_matrix, 2, ()),
    'gravity_forces': (sd.gravity_forces, 1, ()),
    'bias_forces': (sd.bias_forces, 2, ()),
    'forward_dynamics': (sd.forward_dynamics, 3, ()),
    'frame_pose': (sd.frame_pose, 1, ('tool_1',)),
    'frame_jacobian': (sd.frame_jacobian, 1, ('tool_1', 'mixed')),
}
TYPES = ['revolute', 'prismatic', 'helical', 'revolute', 'helical', 'prismatic', 'revolute']


@pytest.fixture
def tree(rng) -> sd.ScrewModel:
    """Two arms, with all types of joints and a mimic joint."""
    recipes = [BodyRecipe(t, parent_back=1 + i % 3) for i, t in enumerate(TYPES)]
    return random_model(rng, [*recipes, BodyRecipe(mimics=0)])


@pytest.fixture
def simple(rng) -> sd.ScrewModel:
    """The same without mimic joints, whose accelerations are those of articulated bodies."""
    return random_model(rng, [BodyRecipe(t, parent_back=1 + i % 3) for i, t in enumerate(TYPES)])


@pytest.mark.parametrize('name', TERMS)
@pytest.mark.parametrize('samples', [1, 9])
def test_every_length_of_a_batch_gives_its_samples(tree, rng, name, samples):
    function, inputs, rest = TERMS[name]
    states = rng.normal(size=(inputs, samples, tree.n))
    batch = function(tree, *states, *rest)
    assert len(batch) == samples
    for t in range(samples):
        one = function(tree, *states[:, t], *rest)
        np.testing.assert_allclose(batch[t], one, rtol=0.0, atol=1e-11 * np.abs(one).max())


@pytest.mark.parametrize('name', TERMS)
@pytest.mark.parametrize('shape', [(), (5,)])
def test_an_array_to_fill_is_returned(simple, rng, name, shape):
    function, inputs, rest = TERMS[name]
    states = rng.normal(size=(inputs, *shape, simple.n))
    expected = function(simple, *states, *rest)
    out = np.full_like(expected, np.nan)
    assert function(simple, *states, *rest, out=out) is out
    np.testing.assert_array_equal(out, expected)
    # other types are converted first
    out[...] = np.nan
    assert function(simple, *states.tolist(), *rest, out=out) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize('name', TERMS)
def test_an_array_that_cannot_be_filled_is_named(simple, rng, name):
    function, inputs, rest = TERMS[name]
    states = rng.normal(size=(inputs, simple.n))
    expected = function(simple, *states, *rest)
    with pytest.raises(ShapeError, match=r'^out: expected shape \('):
        function(simple, *states, *rest, out=np.empty((3, *expected.shape)))
    with pytest.raises(InputError, match=r'^out: .* got dtype float32'):
        function(simple, *states, *rest, out=expected.astype(np.float32))
    with pytest.raises(InputError, match=r'^out: .* writable False'):
        expected.flags.writeable = False
        function(simple, *states, *rest, out=expected)
    with pytest.raises(InputError, match=r'^out: expected a float64 array, got list'):
        function(simple, *states, *rest, out=[0.0])
    for empty in ([], [[]], set()):
        with pytest.raises(InputError, match=r'^out: expected a float64 array, got (list|set)$'):
            function(simple, *states, *rest, out=empty)


def unaligned(array):
    """Return a view into a byte buffer, as of a message, whose doubles sit at odd addresses."""
    buffer = np.zeros(array.nbytes + 1, dtype=np.uint8)
    view = np.frombuffer(buffer.data, dtype=np.float64, offset=1).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


@pytest.mark.parametrize('name', TERMS)
def test_any_array_is_taken(simple, rng, name):
    function, inputs, rest = TERMS[name]
    states = np.round(rng.normal(size=(inputs, simple.n)), 1)
    expected = function(simple, *states, *rest)
    strided = np.repeat(states, 2, axis=1)[:, ::2]
    for views in (unaligned(states), strided):
        np.testing.assert_array_equal(function(simple, *views, *rest), expected)
    integers = np.arange(inputs * simple.n).reshape(inputs, -1)
    expected = function(simple, *integers.astype(float), *rest)
    np.testing.assert_array_equal(function(simple, *integers, *rest), expected)


@pytest.mark.parametrize('shape', [(3,), (5, 3)])
def test_unaligned_jets_are_taken_and_not_filled(simple, rng, shape):
    jet = rng.normal(size=(*shape, simple.n))
    expected = sd.inverse_dynamics(simple, jet)
    np.testing.assert_array_equal(sd.inverse_dynamics(simple, unaligned(jet)), expected)
    with pytest.raises(InputError, match='aligned, C-contiguous .* aligned False'):
        sd.inverse_dynamics(simple, jet, out=unaligned(expected))


@pytest.mark.parametrize('name', TERMS)
def test_wrong_shapes_are_named(simple, name):
    function, inputs, rest = TERMS[name]
    n, right = simple.n, np.zeros((2, simple.n))
    for wrong in (np.zeros(n + 1), np.zeros((2, 1, n - 1)), np.zeros(())):
        with pytest.raises(
            ShapeError, match=rf'^q: expected shape \({n},\) or \(..., {n}\), got \('
        ):
            function(simple, wrong, *[right] * (inputs - 1), *rest)
    for k, argument in enumerate(('q', 'qd', 'tau')[:inputs]):
        states = [right] * inputs
        states[k] = right[0] if k else np.zeros((2, n + 2))
        with pytest.raises(ShapeError, match=f'^{argument}: expected shape'):
            function(simple, *states, *rest)


def test_memory_of_an_argument_is_not_filled(simple, rng):
    q, qd = rng.normal(size=(2, 6, simple.n))
    with pytest.raises(InputError, match='^out: expected memory of its own'):
        sd.gravity_forces(simple, q, out=q)
    with pytest.raises(InputError, match='^out: expected memory of its own'):
        sd.bias_forces(simple, q, qd, out=qd)


@pytest.mark.parametrize('name', TERMS)
def test_numbers_that_are_not_finite_are_named_in_samples_and_batches(simple, rng, name):
    function, inputs, rest = TERMS[name]
    for k, argument in enumerate(('q', 'qd', 'tau')[:inputs]):
        states = rng.normal(size=(inputs, 6, simple.n))
        function(simple, *states[:, 0], *rest)
        states[k, 5, 1] = np.nan
        with pytest.raises(NotFiniteError, match=rf'^{argument}\[5, 1\]'):
            function(simple, *states, *rest)
        with pytest.raises(NotFiniteError, match=rf'^{argument}\[1\]'):
            function(simple, *states[:, 5], *rest)


@settings(max_examples=25)
@given(models(scales=False), seeds, st.sampled_from([(), (3,)]))
def test_accelerations_solve_the_equations_of_motion(model, seed, shape):
    states = np.random.default_rng(seed).normal(size=(3, *shape, model.n))
    q, qd, tau = states
    try:
        accelerations = sd.forward_dynamics(model, q, qd, tau)
    except SingularMassMatrixError:
        return
    jets = np.stack([q, qd, accelerations], axis=-2)
    efforts = sd.inverse_dynamics(model, jets)[..., 0, :]
    mass = max(closed_form.mass_matrix_scale(model, x) for x in q.reshape(-1, model.n))
    loads = np.abs(sd.bias_forces(model, q, qd)).max() + np.abs(tau).max()
    # a backward stable solution leaves rounding of M q'' and of the other efforts
    scale = model.n * mass * np.abs(accelerations).max() + loads
    assert np.abs(efforts - tau).max() <= ROUNDING * scale


@pytest.mark.parametrize('shape', [(), (6,)])
@pytest.mark.parametrize('form', ['body', 'spatial', 'hybrid', 'mixed'])
def test_control_terms_are_those_of_the_functions(tree, rng, shape, form):
    q, qd = rng.normal(size=(2, *shape, tree.n))
    expected = ControlTerms(
        sd.mass_matrix(tree, q),
        sd.bias_forces(tree, q, qd),
        sd.gravity_forces(tree, q),
        sd.frame_pose(tree, q, 'tool_1'),
        sd.frame_jacobian(tree, q, 'tool_1', form),
    )
    terms = sd.control_terms(tree, q, qd, 'tool_1', form)
    for got, wanted in zip(terms, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0.0, atol=ROUNDING * np.abs(wanted).max())
    filled = ControlTerms(*(np.full_like(x, np.nan) for x in expected))
    again = sd.control_terms(tree, q, qd, 'tool_1', form, out=filled)
    for got, wanted, array in zip(again, terms, filled, strict=True):
        assert got is array
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize('shape', [(), (6,)])
@pytest.mark.parametrize('form', ['body', 'spatial', 'hybrid', 'mixed'])
def test_twist_and_rate_are_those_of_the_kernel_of_any_order(tree, rng, shape, form):
    # the series of a jet with one row more are computed by another algorithm
    jet = rng.normal(size=(*shape, 4, tree.n))
    expected = sd.frame_twist(tree, jet, 'tool_1', form)[..., :2, :]
    out = np.full_like(expected, np.nan)
    got = sd.frame_twist(tree, jet[..., :3, :].copy(), 'tool_1', form, out=out)
    assert got is out
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=ROUNDING * np.abs(expected).max())
    if not shape:
        again = sd.frame_twist(tree, jet[:3].tolist(), 'tool_1', form)
        np.testing.assert_array_equal(again, got)


@pytest.mark.parametrize('form', ['body', 'spatial', 'hybrid', 'mixed'])
def test_a_frame_of_the_base_does_not_move(tree, rng, form):
    jet = rng.normal(size=(3, tree.n))
    jacobians = sd.frame_jacobian_jet(tree, jet, 'base', form)
    np.testing.assert_array_equal(jacobians, np.zeros((3, 6, tree.n)))
    np.testing.assert_array_equal(sd.frame_twist(tree, jet, 'base', form), np.zeros((2, 6)))
    np.testing.assert_array_equal(sd.frame_jacobian(tree, jet[0], 'base', form), 0.0)
    np.testing.assert_array_equal(sd.frame_pose(tree, jet[0], 'base'), np.eye(4))


def test_arguments_of_control_terms_are_named(tree, rng):
    q, qd = rng.normal(size=(2, tree.n))
    sd.control_terms(tree, q, qd, 'tool_1')
    with pytest.raises(UnknownNameError, match="unknown frame 'hand'"):
        sd.control_terms(tree, q, qd, 'hand')
    with pytest.raises(InputError, match='^representation: expected one of body, '):
        sd.control_terms(tree, q, qd, 'tool_1', 'world')
    with pytest.raises(InputError, match='^out: expected ControlTerms, got ndarray'):
        sd.control_terms(tree, q, qd, 'tool_1', out=q)
    with pytest.raises(NotFiniteError, match=r'^qd\[2\]'):
        qd[2] = np.inf
        sd.control_terms(tree, q, qd, 'tool_1')
    with pytest.raises(InputError, match='^model: expected a ScrewModel, got str'):
        sd.control_terms('robot', q, q, 'tool_1')


def test_large_angles_keep_their_digits(simple, rng):
    # beyond 1e5 the sines of the C library replace the polynomials
    q = rng.uniform(1e6, 1e7, size=(2, simple.n))
    turns = [t != 'prismatic' and t != 'helical' for t in simple.joint_types]
    near = np.where(turns, np.remainder(q, 2.0 * np.pi), q)
    expected = sd.mass_matrix(simple, near)
    # reduced angles differ by the rounding of 2 pi in 1e7
    np.testing.assert_allclose(
        sd.mass_matrix(simple, q), expected, rtol=0.0, atol=1e-8 * np.abs(expected).max()
    )


def test_terms_of_a_state_add_up_to_its_efforts(tree, rng):
    jet = rng.normal(size=(5, tree.n))
    terms = {
        term.name: term.values for term in state_terms(tree, State(jet, None, 2, None, 'body'))
    }
    coriolis, gravity, *efforts = terms['efforts'].T
    parts = [terms['mass_matrix'] @ jet[2], coriolis, gravity]
    bounds = {'rtol': 0.0, 'atol': ROUNDING * np.abs(parts).max()}
    np.testing.assert_allclose(coriolis, terms['coriolis_matrix'] @ jet[1], **bounds)
    np.testing.assert_allclose(gravity, sd.gravity_forces(tree, jet[0]), **bounds)
    np.testing.assert_allclose(efforts[0], np.sum(parts, axis=0), **bounds)
    np.testing.assert_array_equal(efforts, sd.inverse_dynamics(tree, jet))
