# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotors on moving links: numbers, limits of the model, rotors that are not felt, motion."""

from dataclasses import replace

import numpy as np
import pytest
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_model
from oracles.rotor_robot import locked, random_rotor, spinning

import screw_dynamics as sd
from screw_dynamics.drives.rotors import rotor_axis
from screw_dynamics.errors import SpringRangeError, UnknownNameError


def linear_joints(model, stiffness, motors, **rotor):
    return sd.Drives(
        {
            name: sd.JointDrive(
                None if k is None else sd.LinearSpring(k), motor, rotor=sd.Rotor(**rotor)
            )
            for name, k, motor in zip(model.joint_names, stiffness, motors, strict=True)
        },
        rotor_coupling=True,
    )


def chain_with_rotors(rng):
    """Return a 3-joint chain with locked rotors, and the motors of these."""
    links = random_model(rng, 3)
    rotors = [random_rotor(rng, j, *rotor_axis(links, j, sd.Rotor())) for j in range(3)]
    motors = [sd.Motor(rotor.spin_inertia, rotor.gear_ratio) for rotor in rotors]
    return links, rotors, locked(links, rotors), motors


def test_rotors_on_the_base_are_those_of_the_reduced_model(rng):
    model = random_model(rng, 3)
    motors = [sd.Motor(0.02, 5.0)] * 3
    drives = linear_joints(model, (200.0,) * 3, motors, axis=[0, 0, 1], carrier='base')
    jet = rng.normal(size=(7, 3))
    apart = sd.elastic_feedforward(sd.Robot(model, sd.Drives(drives.joints)), jet)
    coupled = sd.elastic_feedforward(sd.Robot(model, drives), jet)
    for name in ('effort_jet', 'motor_jet', 'motor_effort_jet'):
        expected = getattr(apart, name)
        np.testing.assert_allclose(
            getattr(coupled, name), expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max()
        )


def test_friction_is_that_of_the_motors_speed(rng):
    _, _, model, motors = chain_with_rotors(rng)
    jet = rng.normal(size=(9, 3))
    smooth = sd.elastic_feedforward(
        sd.Robot(model, linear_joints(model, [300.0] * 3, motors)), jet
    )
    rough = [
        sd.Motor(m.rotor_inertia, m.gear_ratio, 0.01, 0.2, coulomb_velocity=0.5) for m in motors
    ]
    result = sd.elastic_feedforward(sd.Robot(model, linear_joints(model, [300.0] * 3, rough)), jet)
    ratios = np.array([motor.gear_ratio for motor in motors])
    spin = ratios * smooth.motor_velocity
    expected = smooth.motor_effort + ratios * (0.01 * spin + 0.2 * np.tanh(spin / 0.5))
    np.testing.assert_allclose(result.motor_effort, expected, rtol=1e-12)
    np.testing.assert_array_equal(result.motor_jet, smooth.motor_jet)


def test_both_rotors_of_a_pair_are_felt(rng):
    links = random_model(rng, 3)
    places = [rotor_axis(links, j, sd.Rotor()) for j in range(3)]
    rotors = [random_rotor(rng, j, *places[j]) for j in (0, 1, 2, 2)]
    model = locked(links, rotors)
    motors = [sd.Motor(rotor.spin_inertia, rotor.gear_ratio) for rotor in rotors]
    pair = sd.AntagonisticPair('exponential', stiffness=900.0, spring_stiffness=50.0, rate=6.0)
    records = [
        sd.JointDrive(sd.LinearSpring(300.0), motors[0]),
        sd.JointDrive(sd.LinearSpring(300.0), motors[1]),
        sd.JointDrive(pair, motors[2], motors[3]),
    ]
    drives = sd.Drives(dict(zip(model.joint_names, records, strict=True)), rotor_coupling=True)
    jet = 0.3 * rng.normal(size=(sd.Robot(model, drives).required_rows + 1, 3))
    result = sd.elastic_feedforward(sd.Robot(model, drives), jet)
    reference = reference_efforts(
        spinning(links, rotors), np.hstack([jet[:4], result.motor_jet[:4]])
    ).efforts
    scale = np.abs(reference).max(axis=1, keepdims=True)
    np.testing.assert_allclose(result.effort_jet[:2] / scale, reference[:, :3] / scale, atol=1e-12)
    forces = pair.efforts(*result.deflection[2:])
    springs = [result.effort[0], result.effort[1], *(float(force) for force in forces)]
    np.testing.assert_allclose(
        (result.motor_effort - springs) / scale[0], reference[0, 3:] / scale[0], atol=1e-12
    )


def test_the_rotor_turns_about_the_joint_axis_on_the_link_before_it(rng):
    model = random_model(rng, [BodyRecipe(), BodyRecipe('prismatic'), BodyRecipe()])
    for j in range(3):
        carrier, axis = rotor_axis(model, j, sd.Rotor())
        assert carrier == j - 1
        at_zero = np.eye(4)
        if carrier >= 0:
            at_zero = sd.frame_pose(model, np.zeros(3), f'body_{carrier + 1}')
        screw = model.spatial_screws[j]
        in_base = screw[3:] if j == 1 else screw[:3]
        np.testing.assert_allclose(at_zero[:3, :3] @ axis, in_base, atol=1e-14)
        # on another link, the same direction at q = 0
        _, there = rotor_axis(model, j, sd.Rotor(carrier='tool_1'))
        body = sd.frame_pose(model, np.zeros(3), 'body_1')
        np.testing.assert_allclose(body[:3, :3] @ there, in_base, atol=1e-14)
    # a given axis is in the axes of the named frame
    _, axis = rotor_axis(model, 2, sd.Rotor(axis=[0, 0, 5], carrier='tool_1'))
    np.testing.assert_allclose(axis, model.frames['tool_1'].pose[:3, 2], atol=1e-15)
    with pytest.raises(UnknownNameError, match="unknown frame 'nowhere'"):
        rotor_axis(model, 0, sd.Rotor(carrier='nowhere'))


def test_the_motor_of_a_coordinate_sits_at_the_joint_of_its_name(rng):
    # coordinate 0 is led by the second body; the first, on the base, follows it
    model = random_model(rng, [BodyRecipe(), BodyRecipe(mimics=0), BodyRecipe(mimics=0)])
    follower, leader = model.tree_joint_names[:2]
    model = replace(model, joint_names=(leader,), multipliers=np.array([3.0, 1.0, 2.0]))
    carrier, axis = rotor_axis(model, 0, sd.Rotor())
    assert carrier == int(model.parents[1])
    expected = model.home_poses[1][:3, :3] @ model.screws[1][:3]
    np.testing.assert_allclose(axis, expected, atol=1e-15)
    # without a joint of its name: the first follower, in its sense
    for multiplier, sense in ((3.0, 1.0), (-3.0, -1.0)):
        model = replace(
            model, joint_names=('drive',), multipliers=np.array([multiplier, 1.0, 2.0])
        )
        carrier, axis = rotor_axis(model, 0, sd.Rotor())
        assert carrier == int(model.parents[0])
        expected = sense * model.home_poses[0][:3, :3] @ model.screws[0][:3]
        np.testing.assert_allclose(axis, expected, atol=1e-15)
        _, there = rotor_axis(model, 0, sd.Rotor(carrier='tool_1'))
        at_zero = sd.frame_pose(model, np.zeros(1), 'body_1')[:3, :3]
        in_base = sense * model.spatial_screws[0][:3]
        np.testing.assert_allclose(at_zero @ there, in_base, atol=1e-14)


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
