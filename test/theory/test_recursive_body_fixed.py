# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The arguments of the readable recursion; its numbers are compared in test/agreement."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import random_joint_jet, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError


@pytest.fixture
def model(rng: np.random.Generator) -> sd.ScrewModel:
    return random_model(rng, 3)


def test_one_wrench_holds_for_a_whole_batch(model, rng):
    jets = np.array([random_joint_jet(rng, model.n, 1) for _ in range(3)])
    wrench = {model.body_names[-1]: rng.normal(size=(2, 6))}
    efforts = sd.recursive_body_fixed(model, jets, wrench)
    expected = sd.inverse_dynamics(model, jets, wrench)
    np.testing.assert_allclose(efforts, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_unusable_arguments_are_named(model):
    jet, body = np.zeros((4, model.n)), model.body_names[0]
    with pytest.raises(InputError, match='^model: expected a ScrewModel, got str$'):
        sd.recursive_body_fixed('robot.urdf', jet)
    with pytest.raises(InputError, match=r'^wrench_jets: expected a mapping .*, got list$'):
        sd.recursive_body_fixed(model, jet, [np.zeros((2, 6))])
    with pytest.raises(ShapeError, match=r'expected shape \(2, 6\), got \(1, 6\)'):
        sd.recursive_body_fixed(model, jet, {body: np.zeros((1, 6))})
    with pytest.raises(ShapeError, match=r'expected shape \(2, 6\) or \(5, 2, 6\), got \(4, 2, 6'):
        sd.recursive_body_fixed(model, np.array([jet] * 5), {body: np.zeros((4, 2, 6))})
