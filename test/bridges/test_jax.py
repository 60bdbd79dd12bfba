# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients in JAX, against its differences and its derivatives of an independent recursion."""

import numpy as np
import pytest
from oracles.random_models import random_model
from test_derivatives import TREE, assert_close

import screw_dynamics as sd

jax = pytest.importorskip('jax', reason='JAX is not installed: pip install jax')
jnp = jax.numpy
MODEL = random_model(np.random.default_rng(1), TREE)
PARAMETERS = sd.inertial_parameters(MODEL)


@pytest.fixture(autouse=True)
def double_precision():
    jax.config.update('jax_enable_x64', True)
    yield
    jax.config.update('jax_enable_x64', False)


def drawn(*shape, seed=2):
    return np.random.default_rng(seed).normal(size=shape)


def efforts(*inputs):
    return sd.jax.inverse_dynamics(MODEL, *inputs)


def accelerations(*inputs):
    return sd.jax.forward_dynamics(MODEL, *inputs)


def pose(q):
    return sd.jax.frame_pose(MODEL, q, 'tool_3')


def test_differences():
    from jax.test_util import check_grads

    for function, inputs in (
        (efforts, (drawn(2, 5, MODEL.n), PARAMETERS)),
        (accelerations, (*drawn(3, 2, MODEL.n), PARAMETERS)),
        (pose, (drawn(2, MODEL.n),)),
    ):
        check_grads(function, inputs, order=1, modes=('fwd', 'rev'))


@pytest.mark.long
def test_values_and_jacobians_are_those_of_an_independent_recursion():
    """tau, tau', tau'' and all their derivatives: JAX differentiates the recursion for both."""
    from oracles import jax_recursion as recursion

    model = random_model(np.random.default_rng(1), [TREE[0], TREE[1], TREE[3]])
    parameters = sd.inertial_parameters(model)
    q, qd, tau = drawn(3, model.n)
    for name, independent, inputs, frame in (
        ('inverse_dynamics', recursion.effort_jet, (drawn(5, model.n), parameters), ()),
        ('forward_dynamics', recursion.accelerations, (q, qd, tau, parameters), ()),
        ('frame_pose', recursion.frame_pose, (q,), ('tool_3',)),
    ):

        def function(*x, name=name, frame=frame):
            return getattr(sd.jax, name)(model, *x, *frame)

        def both(*x, independent=independent, frame=frame):
            value = independent(model, *x, *frame)
            return value, value

        arguments = tuple(range(len(inputs)))
        expected, values = jax.jit(jax.jacrev(both, arguments, has_aux=True))(*inputs)
        assert_close(function(*inputs), values)
        for jacobian in (jax.jacfwd, jax.jacrev):
            for got, one in zip(jacobian(function, arguments)(*inputs), expected, strict=True):
                assert_close(got, one)


def test_batches_by_leading_axes_by_vmap_and_compiled_are_equal():
    jets = drawn(2, 3, 4, MODEL.n)
    expected = sd.inverse_dynamics(MODEL, jets)
    for function in (efforts, jax.vmap(efforts), jax.jit(jax.vmap(jax.vmap(efforts)))):
        assert_close(function(jets), expected)
    per_sample = jax.vmap(jax.grad(lambda x, p: efforts(x, p).sum(), 1), (0, None))
    assert_close(per_sample(jets[0], PARAMETERS), sd.regressor(MODEL, jets[0]).sum(axis=(1, 2)))
    scaled = drawn(3, 1, seed=3) * PARAMETERS
    mapped = jax.vmap(efforts, (None, 0))(jets[0, 0], scaled)
    assert_close(mapped, drawn(3, 1, seed=3)[:, None] * expected[0, 0])


def test_numbers_keep_their_type_and_second_derivatives_raise():
    jet = drawn(3, MODEL.n)
    assert efforts(jet.astype(np.float32)).dtype == np.float32
    with pytest.raises(NotImplementedError, match='first derivatives only'):
        jax.hessian(lambda x: efforts(x).sum())(jet)
    assert pose(np.zeros(MODEL.n, dtype=int)).dtype == np.float64
    with pytest.raises(sd.errors.InputError, match='q: expected real numbers'):
        pose(np.zeros(MODEL.n, dtype=complex))
    for bad in (None, 'jet', [[1.0], []]):
        with pytest.raises(sd.errors.InputError, match='joint_jet: expected real numbers, got'):
            efforts(bad)
    with pytest.raises(sd.errors.ShapeError, match='joint_jet: expected shape'):
        efforts(jet[:2])
    with pytest.raises(jax.errors.JaxRuntimeError, match=r'joint_jet\[0, 0, 0\]: expected a fin'):
        efforts(np.nan * jet).block_until_ready()
