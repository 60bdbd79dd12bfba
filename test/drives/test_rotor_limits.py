# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotors on moving links: numbers, limits of the model, rotors that are not felt, motion."""

from dataclasses import replace

import numpy as np
import pytest
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_model
from oracles.rotor_robot import locked, random_rotor, spinning
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from screw_dynamics.drives.rotors import rotor_axis
from screw_dynamics.errors import SpringRangeError, UnknownNameError
from screw_dynamics.lie import inertia_matrix, pose


def planar_arm():
    """Return the 2R arm of the numbers: gravity along -y, joints about z."""
    links = [
        inertia_matrix(2.0, np.array([0.25, 0.0, 0.0]), np.diag([0.0, 0.0, 0.05])),
        inertia_matrix(1.0, np.array([0.2, 0.0, 0.0]), np.diag([0.0, 0.0, 0.02])),
    ]
    homes = [np.eye(4), pose(np.eye(3), np.array([0.5, 0.0, 0.0]))]
    screws = [[0, 0, 1, 0, 0, 0]] * 2
    return sd.ScrewModel.from_screws([-1, 0], homes, screws, links, gravity=(0, -9.81, 0))


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


def test_known_numbers_of_a_planar_arm():
    model = planar_arm()
    drives = linear_joints(model, (200.0, 100.0), (sd.Motor(1e-3, 10.0), sd.Motor(5e-4, 10.0)))
    jet = np.array(
        [[0.3, 0.7, 1.3, -2.1, 4.7, -3.7, 8.3], [-0.5, -1.1, 0.9, 3.3, -5.9, 7.1, -9.7]]
    ).T
    result = sd.elastic_feedforward(sd.Robot(model, drives), jet)
    theta_1 = [0.36137555332192276, 0.68272021328727298, 1.2700798292885521]
    theta_2 = [-0.47854515492621341, -1.104713230289372, 0.90724529002966551]
    np.testing.assert_allclose(result.motor_jet.T, [theta_1, theta_2], rtol=1e-13)
    efforts = [12.402118647313406, 2.1973467718801419]
    np.testing.assert_allclose(result.motor_effort, efforts, rtol=1e-13)


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


def test_stiff_springs_approach_the_rigid_robot_with_spinning_rotors(rng):
    links, rotors, model, motors = chain_with_rotors(rng)
    jet = rng.normal(size=(9, 3))
    rigid = sd.elastic_feedforward(
        sd.Robot(model, linear_joints(model, [None] * 3, motors)), jet[:3]
    ).motor_effort
    # (M + S + S^T + B) q'' + c + g: all bodies with theta = q
    reference = reference_efforts(spinning(links, rotors), np.hstack([jet[:3], jet[:3]])).efforts
    np.testing.assert_allclose(rigid, reference[0, :3] + reference[0, 3:], rtol=1e-12)
    errors = []
    for stiffness in (1e6, 1e7, 1e8):
        drives = linear_joints(model, [stiffness] * 3, motors)
        elastic = sd.elastic_feedforward(sd.Robot(model, drives), jet).motor_effort
        errors.append(np.abs(elastic - rigid).max())
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=1e-2)
    assert errors[1] / errors[2] == pytest.approx(10.0, rel=1e-2)


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


def test_rotors_are_gyrostats_on_their_carriers(rng):
    # torque -(h' s + omega x h s) on the carrier, h = r J theta'
    _, rotors, model, motors = chain_with_rotors(rng)
    jet = rng.normal(size=(9, 3))
    result = sd.elastic_feedforward(
        sd.Robot(model, linear_joints(model, [300.0] * 3, motors)), jet
    )
    wrenches = {}
    reactions = np.zeros(3)
    for rotor in rotors[1:]:
        j, name = rotor.coordinate, f'body_{rotor.carrier + 1}'
        along = rotor.spin_inertia * rotor.gear_ratio
        turn = sd.frame_jacobian(model, jet[0], name)[:3]
        omega = turn @ jet[1]
        torque = along * (
            result.motor_acceleration[j] * rotor.axis
            + np.cross(omega, result.motor_velocity[j] * rotor.axis)
        )
        wrenches[name] = wrenches.get(name, np.zeros((1, 6)))
        wrenches[name][0, :3] -= torque
        # (s . omega)': the axis is fixed in the carrier, so only omega changes; by differences
        h = 1e-6
        rates = [
            rotor.axis
            @ sd.frame_jacobian(model, jet[0] + x * jet[1] + x * x / 2 * jet[2], name)[:3]
            @ (jet[1] + x * jet[2])
            for x in (-h, h)
        ]
        reactions[j] = along * (rates[1] - rates[0]) / (2 * h)
    efforts = sd.inverse_dynamics(model, jet[:3], wrenches)[0]
    np.testing.assert_allclose(result.effort, efforts, rtol=0, atol=1e-12 * np.abs(efforts).max())
    inertias = np.array([motor.joint_inertia for motor in motors])
    motor_efforts = efforts + inertias * result.motor_acceleration + reactions
    np.testing.assert_allclose(result.motor_effort, motor_efforts, rtol=1e-8)


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


STIFFNESS = np.array([300.0, 250.0, 200.0])
SIZE, RATE, PHASE = np.array([0.5, 0.4, 0.6]), np.array([5.0, 4.0, 6.0]), np.array([0.1, 1.0, 2.0])


def hanging_arm():
    """Return links that hang along -z from joints about z, y and x, without rotors."""
    link = inertia_matrix(1.5, np.array([0.05, 0.02, -0.2]), np.diag([0.03, 0.03, 0.02]))
    homes = [pose(np.eye(3), np.array([0.0, 0.0, z])) for z in (0.0, -0.1, -0.4)]
    screws = [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    return sd.ScrewModel.from_screws([-1, 0, 1], homes, screws, [link] * 3)


def motion(t, rows):
    return np.array(
        [SIZE * RATE**d * np.sin(RATE * t + PHASE + d * np.pi / 2) for d in range(rows)]
    )


def tracking_error(model, robot, drives, tolerance):
    """Return max |q - q_ref| over half a second with nothing but the motors' feedforward."""
    rows = sd.Robot(model, drives).required_rows

    def commands(t):
        return sd.elastic_feedforward(sd.Robot(model, drives), motion(t, rows))

    def derivative(t, state):
        q, theta, rates = state[:3], state[3:6], state[6:]
        spring = STIFFNESS * (theta - q)
        efforts = np.concatenate([spring, commands(t).motor_effort - spring])
        return np.concatenate([rates, sd.forward_dynamics(robot, state[:6], rates, efforts)])

    # exact initial state, also for the uncoupled commands
    coupled = sd.Drives(drives.joints, rotor_coupling=True)
    start = sd.elastic_feedforward(
        sd.Robot(model, coupled), motion(0.0, sd.Robot(model, coupled).required_rows)
    )
    q = motion(0.0, 2)
    state = np.concatenate([q[0], start.motor_position, q[1], start.motor_velocity])
    times = np.linspace(0.0, 0.5, 26)
    solution = solve_ivp(
        derivative, (0.0, 0.5), state, 'DOP853', times, rtol=tolerance, atol=tolerance / 100
    )
    return np.abs(solution.y[:3].T - [motion(t, 1)[0] for t in times]).max()


@pytest.mark.long
def test_coupled_commands_track_to_the_integrators_tolerance(rng):
    links = hanging_arm()
    rotors = [random_rotor(rng, j, *rotor_axis(links, j, sd.Rotor())) for j in range(3)]
    model, robot = locked(links, rotors), spinning(links, rotors)
    drives = {
        name: sd.JointDrive(
            sd.LinearSpring(STIFFNESS[j]), sd.Motor(rotors[j].spin_inertia, rotors[j].gear_ratio)
        )
        for j, name in enumerate(model.joint_names)
    }
    coupled = sd.Drives(drives, rotor_coupling=True)
    errors = [tracking_error(model, robot, coupled, tolerance) for tolerance in (1e-6, 1e-9)]
    assert errors[0] < 1e-5 and errors[1] < 1e-8
    assert errors[1] < 1e-2 * errors[0]
    apart = tracking_error(model, robot, sd.Drives(drives), 1e-9)
    assert apart > 1e-3
