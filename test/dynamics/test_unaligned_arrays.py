# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Views into byte buffers (messages, packed records) whose doubles sit at odd addresses."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_joint_jet, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError


def unaligned(array: np.ndarray) -> np.ndarray:
    buffer = np.zeros(array.nbytes + 1, dtype=np.uint8)
    view = np.frombuffer(buffer.data, dtype=np.float64, offset=1).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


@pytest.fixture
def model(rng: np.random.Generator) -> sd.ScrewModel:
    return random_model(rng, [BodyRecipe(), BodyRecipe(joint_type='prismatic')])


def test_jets_are_taken(model, rng):
    jet = random_joint_jet(rng, model.n, 2)
    expected = sd.inverse_dynamics(model, jet)
    assert (sd.inverse_dynamics(model, unaligned(jet)) == expected).all()
    jets = np.array([jet] * 3)
    expected = sd.inverse_dynamics(model, jets)
    assert (sd.inverse_dynamics(model, unaligned(jets)) == expected).all()


@pytest.mark.parametrize(
    'function',
    [
        lambda model, q: sd.mass_matrix(model, q),
        lambda model, q: sd.coriolis_matrix(model, q, q),
        lambda model, q: sd.gravity_forces(model, q),
        lambda model, q: sd.bias_forces(model, q, q),
        lambda model, q: sd.forward_dynamics(model, q, q, q),
        lambda model, q: sd.frame_pose(model, q, 'tool_1'),
        lambda model, q: sd.frame_jacobian(model, q, 'tool_1'),
    ],
)
def test_coordinates_are_taken(model, rng, function):
    q = rng.normal(size=model.n)
    assert (function(model, unaligned(q)) == function(model, q)).all()


def test_an_unaligned_out_is_named(model):
    with pytest.raises(InputError, match='aligned, C-contiguous .* aligned False'):
        sd.inverse_dynamics(model, np.zeros((3, 2)), out=unaligned(np.zeros((1, 2))))
