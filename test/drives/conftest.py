# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A robot with every kind of joint and of spring."""

from __future__ import annotations

import pytest
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd

MOTOR = sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0)
RECIPES = [
    BodyRecipe(),
    BodyRecipe(joint_type='prismatic'),
    BodyRecipe(mimics=0),
    BodyRecipe(parent_back=2),
    BodyRecipe(joint_type='helical'),
    BodyRecipe(),
]


@pytest.fixture
def model(rng) -> sd.ScrewModel:
    return random_model(rng, RECIPES, length=0.3)


@pytest.fixture
def mixed(model) -> sd.Drives:
    """A rigid joint, a damped one, a hardening one, a pair and one with a stiffness motor."""
    springs = [
        None,
        sd.LinearSpring(300.0, 9.0),
        sd.CubicSpring(200.0, 5e4),
        sd.AntagonisticPair('exponential', 2000.0, spring_stiffness=50.0, rate=4.0),
        sd.VariableStiffness(500.0),
    ]
    parts = [sd.JointDrive(spring, MOTOR) for spring in springs]
    return sd.Drives(dict(zip(model.joint_names, parts, strict=True)))
