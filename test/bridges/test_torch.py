# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients in PyTorch, against its differences and those of other functions."""

import numpy as np
import pytest
from oracles.random_models import random_model
from test_derivatives import TREE

import screw_dynamics as sd

torch = pytest.importorskip('torch', reason='PyTorch is not installed: pip install torch')
pytestmark = pytest.mark.filterwarnings('ignore:`torch.jit.script` is deprecated')
MODEL = random_model(np.random.default_rng(1), TREE)
PARAMETERS = torch.tensor(sd.inertial_parameters(MODEL))


def drawn(*shape, seed=2):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape), requires_grad=True)


@pytest.mark.parametrize('order', range(3))
def test_efforts(order):
    jet = drawn(2, 3, order + 3, MODEL.n)
    parameters = PARAMETERS.clone().requires_grad_()
    for inputs in ((jet,), (jet, parameters)):
        assert torch.autograd.gradcheck(
            lambda *x: sd.torch.inverse_dynamics(MODEL, *x), inputs, check_forward_ad=True
        )


def test_accelerations_and_poses():
    q, qd, tau = (drawn(2, MODEL.n, seed=seed) for seed in range(3))
    inputs = q, qd, tau, PARAMETERS.clone().requires_grad_()
    for count in (3, 4):
        assert torch.autograd.gradcheck(
            lambda *x: sd.torch.forward_dynamics(MODEL, *x), inputs[:count], check_forward_ad=True
        )
    assert torch.autograd.gradcheck(
        lambda x: sd.torch.frame_pose(MODEL, x, 'tool_3'), (q,), check_forward_ad=True
    )


def test_jacobians_by_function_transforms_are_the_matrices():
    jets = drawn(3, 4, MODEL.n).detach()
    expected = sd.effort_partials(MODEL, jets.numpy()).swapaxes(2, 3)
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        got = torch.func.vmap(jacobian(lambda x: sd.torch.inverse_dynamics(MODEL, x)))(jets)
        np.testing.assert_allclose(got, expected, atol=1e-11 * np.abs(expected).max())
    per_sample = torch.func.vmap(
        torch.func.grad(lambda x, p: sd.torch.inverse_dynamics(MODEL, x, p).sum(), argnums=1),
        in_dims=(0, None),
    )
    expected = sd.regressor(MODEL, jets.numpy()).sum(axis=(1, 2))
    np.testing.assert_allclose(per_sample(jets, PARAMETERS), expected, atol=1e-11)


def test_numbers_keep_their_type_and_second_derivatives_raise():
    jet = drawn(3, MODEL.n)
    assert sd.torch.inverse_dynamics(MODEL, jet.float()).dtype == torch.float32
    (gradient,) = torch.autograd.grad(
        sd.torch.inverse_dynamics(MODEL, jet).sum(), jet, create_graph=True
    )
    with pytest.raises(NotImplementedError, match='first derivatives only'):
        gradient.sum().backward()
    with pytest.raises(sd.errors.InputError, match='q: expected real numbers'):
        sd.torch.frame_pose(MODEL, torch.zeros(MODEL.n, dtype=torch.complex128), 'tool_3')
    for bad in (None, 'jet', [[1.0], []]):
        with pytest.raises(sd.errors.InputError, match='joint_jet: expected real numbers, got'):
            sd.torch.inverse_dynamics(MODEL, bad)
    with pytest.raises(sd.errors.ShapeError, match='joint_jet: expected shape'):
        sd.torch.inverse_dynamics(MODEL, jet[:2])
    with pytest.raises(sd.errors.ShapeError, match='leading axes of one batch'):
        sd.torch.forward_dynamics(MODEL, drawn(2, MODEL.n), drawn(3, MODEL.n), drawn(MODEL.n))
