# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Coupled rotors without effect on any joint, and springs among them that fail."""

from __future__ import annotations

from dataclasses import replace

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
    # a planar arm: each rotor with inertia acts on every joint before it
    home = np.eye(4)
    home[0, 3] = 1.0
    model = sd.ScrewModel.from_screws(
        [-1, 0, 1], [home] * 3, [[0, 0, 1, 0, 0, 0]] * 3, [np.eye(6)] * 3
    )
    records = [sd.JointDrive(SPRING, MOTOR)] * 3
    records[weightless] = sd.JointDrive(SPRING, sd.Motor(0.0, 10.0))
    drives = sd.Drives(dict(zip(model.joint_names, records, strict=True)), rotor_coupling=True)
    np.testing.assert_array_equal(sd.Robot(model, drives).coupling.orders, orders)
    assert sd.Robot(model, drives).required_rows == max(orders) + 3


@pytest.mark.parametrize(('tilt', 'orders'), [(0.0, [2, 2]), (1e-12, [2, 2]), (1e-6, [2, 4])])
def test_a_rotor_that_is_hardly_tilted_is_felt(tilt, orders):
    model = sd.ScrewModel.from_screws(
        [-1, 0], [np.eye(4)] * 2, [[0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]], [np.eye(6)] * 2
    )
    tilted = sd.JointDrive(SPRING, MOTOR, rotor=sd.Rotor((1.0, 0.0, tilt)))
    drives = sd.Drives(
        {'joint_1': sd.JointDrive(SPRING, MOTOR), 'joint_2': tilted}, rotor_coupling=True
    )
    np.testing.assert_array_equal(sd.Robot(model, drives).coupling.orders, orders)


def test_links_may_be_called_as_rotors_are(rng):
    model = random_model(rng, 3)
    drives = sd.Drives(
        dict.fromkeys(model.joint_names, sd.JointDrive(SPRING, MOTOR)), rotor_coupling=True
    )
    jet = rng.normal(size=(9, 3))
    expected = sd.elastic_feedforward(sd.Robot(model, drives), jet)
    names = dict(
        zip(model.frames, (f'rotor of {joint}' for joint in model.joint_names), strict=False)
    )
    renamed = replace(
        model,
        body_names=tuple(names.get(name, name) for name in model.body_names),
        frames={names.get(name, name): frame for name, frame in model.frames.items()},
        base_link=names.get(model.base_link, model.base_link),
    )
    assert 'rotor of joint_2' in renamed.frames
    result = sd.elastic_feedforward(sd.Robot(renamed, drives), jet)
    np.testing.assert_array_equal(result.motor_effort, expected.motor_effort)


def test_a_robot_without_joints_has_nothing_to_couple():
    base = sd.ScrewModel.from_screws(
        [], np.zeros((0, 4, 4)), np.zeros((0, 6)), np.zeros((0, 6, 6))
    )
    drives = sd.Drives({}, rotor_coupling=True)
    assert sd.elastic_feedforward(sd.Robot(base, drives), np.zeros((3, 0))).motor_jet.shape == (
        3,
        0,
    )


def test_the_joint_whose_spring_fails_is_named(rng):
    model = random_model(rng, 3)
    weak = sd.TabulatedSpring([-1.0, 0.0, 1.0], [-1e-9, 0.0, 1e-9])
    drives = dict.fromkeys(model.joint_names, sd.JointDrive(SPRING, MOTOR))
    name = model.joint_names[1]
    drives[name] = sd.JointDrive(weak, MOTOR)
    coupled = sd.Drives(drives, rotor_coupling=True)
    jets = rng.normal(size=(2, 9, 3))
    with pytest.raises(SpringRangeError, match=f"joint '{name}' at sample 0: effort") as caught:
        sd.elastic_feedforward(sd.Robot(model, coupled), jets)
    assert (caught.value.joint, caught.value.sample) == (name, 0)
