# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Coupled rotors: those that nobody feels, and springs among them that fail."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics.errors import SpringRangeError

SPRING = sd.LinearSpring(300.0)
MOTOR = sd.Motor(0.01, 10.0)


@pytest.mark.parametrize(
    ('weightless', 'orders'), [(0, [2, 4, 6]), (1, [2, 2, 4]), (2, [2, 4, 2])]
)
def test_rotors_without_inertia_cost_nothing(weightless, orders):
    # a planar arm: each rotor with inertia is felt by every joint before it
    home = np.eye(4)
    home[0, 3] = 1.0
    model = sd.ScrewModel.from_screws(
        [-1, 0, 1], [home] * 3, [[0, 0, 1, 0, 0, 0]] * 3, [np.eye(6)] * 3
    )
    records = [sd.ElasticJoint(SPRING, MOTOR)] * 3
    records[weightless] = sd.ElasticJoint(SPRING, sd.Motor(0.0, 10.0))
    joints = sd.ElasticJoints(
        dict(zip(model.joint_names, records, strict=True)), rotor_coupling=True
    )
    np.testing.assert_array_equal(joints.coupling(model).orders, orders)
    assert joints.required_rows(model) == max(orders) + 3


def test_the_joint_whose_spring_fails_is_named(rng):
    model = random_model(rng, 3)
    weak = sd.TabulatedSpring([-1.0, 0.0, 1.0], [-1e-9, 0.0, 1e-9])
    joints = dict.fromkeys(model.joint_names, sd.ElasticJoint(SPRING, MOTOR))
    name = model.joint_names[1]
    joints[name] = sd.ElasticJoint(weak, MOTOR)
    coupled = sd.ElasticJoints(joints, rotor_coupling=True)
    jets = rng.normal(size=(2, 9, 3))
    with pytest.raises(SpringRangeError, match=f"joint '{name}' at sample 0: effort") as caught:
        sd.elastic_feedforward(model, coupled, jets)
    assert (caught.value.joint, caught.value.sample) == (name, 0)
