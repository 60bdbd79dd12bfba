# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts with spinning rotors on the links against 60-digit mechanics of rotors with mass."""

import numpy as np
import pytest
from oracles.comparison import relative_errors
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_model, random_wrench_jets
from oracles.rotor_robot import locked, random_rotor, spinning

import screw_dynamics as sd
from screw_dynamics.drives.rotors import rotor_axis
from screw_dynamics.errors import InputError, ShapeError, SpringRangeError

CHAIN = [BodyRecipe()] * 4
PRISMATIC_CARRIER = [BodyRecipe(), BodyRecipe('prismatic'), BodyRecipe(), BodyRecipe('helical')]
TREE = [BodyRecipe(), BodyRecipe(), BodyRecipe(), BodyRecipe(parent_back=2), BodyRecipe()]
MIMIC = [BodyRecipe(), BodyRecipe(), BodyRecipe(mimics=1), BodyRecipe()]
PARALLEL = [BodyRecipe(coordinate_axis=True, parallel_home=True)] * 4
ROBOTS = {
    'chain': CHAIN,
    'prismatic carrier': PRISMATIC_CARRIER,
    'tree': TREE,
    'mimic': MIMIC,
    'coordinate axes': PARALLEL,
}


def solid_rotors(rng, links):
    """Return one rotor per joint on the link before it, spinning about the joint axis."""
    return [random_rotor(rng, j, *rotor_axis(links, j, sd.Rotor())) for j in range(links.n)]


def elastic_joints(model, rotors, springs, viscous=0.0):
    """Return the joints with rotors at their places; a spring of None is a rigid joint."""
    frictions = np.broadcast_to(viscous, model.n)
    drives = {}
    for rotor, spring in zip(rotors, springs, strict=True):
        carrier = 'base' if rotor.carrier < 0 else f'body_{rotor.carrier + 1}'
        drives[model.joint_names[rotor.coordinate]] = sd.JointDrive(
            spring,
            sd.Motor(rotor_inertia=rotor.spin_inertia, gear_ratio=rotor.gear_ratio),
            rotor=sd.Rotor(rotor.axis, carrier),
            friction=sd.JointFriction(frictions[rotor.coordinate]),
        )
    return sd.Drives(drives, rotor_coupling=True)


def check(links, rotors, springs, rng, order=2, wrenches=(), stiffness=None, viscous=0.0):
    """Compare the links' and motors' rows of every order with those of rotors with mass."""
    model = locked(links, rotors)
    drives = elastic_joints(model, rotors, springs, viscous)
    rows = sd.Robot(model, drives).required_rows + order
    jet = rng.normal(size=(rows, model.n))
    wrenches = {name: rng.normal(size=(rows - 2, 6)) for name in wrenches}
    stiffness = {name: np.append(200.0, 20.0 * rng.normal(size=rows)) for name in stiffness or ()}
    result = sd.elastic_feedforward(
        sd.Robot(model, drives), jet, wrenches, stiffness_jets=stiffness
    )
    assert result.motor_effort_jet.shape == (order + 1, model.n)
    reference = reference_efforts(
        spinning(links, rotors),
        np.hstack([jet[: order + 3], result.motor_jet[: order + 3]]),
        {name: wrench[: order + 1] for name, wrench in wrenches.items()},
    )
    transmitted = result.effort_jet[: order + 1]
    efforts = transmitted - viscous * jet[1 : order + 2]
    # what the rotor feels beside the spring
    motors = result.motor_effort_jet - transmitted
    assert (relative_errors(np.hstack([efforts, motors]), reference) < 1e-12).all()
    error = np.abs(motors - reference.efforts[:, model.n :]).max(axis=1)
    assert (error < 1e-12 * np.abs(reference.efforts[:, model.n :]).max(axis=1)).all()
    phi = result.deflection_jet
    for j, spring in enumerate(springs):
        if spring is None:
            assert not phi[:, j].any()
        elif spring.type in ('cubic', 'linear'):
            np.testing.assert_allclose(
                float(spring.effort(phi[0, j])), transmitted[0, j], rtol=1e-12, atol=1e-12
            )
    return sd.Robot(model, drives).coupling


def linear(n):
    return [sd.LinearSpring(300.0)] * n


@pytest.mark.parametrize('robot', ROBOTS)
def test_both_sides_of_the_springs_obey_mechanics(robot, rng):
    links = random_model(rng, ROBOTS[robot])
    check(links, solid_rotors(rng, links), linear(links.n), rng)


@pytest.mark.parametrize('robot', ROBOTS)
def test_rotors_may_sit_anywhere_before_their_joint(robot, rng):
    links = random_model(rng, ROBOTS[robot])
    rotors = []
    for j in range(links.n):
        before = [int(links.parents[np.flatnonzero(links.coordinates == j)[0]])]
        while before[-1] >= 0:
            before.append(int(links.parents[before[-1]]))
        rotors.append(random_rotor(rng, j, int(rng.choice(before))))
    check(links, rotors, linear(links.n), rng, wrenches=random_wrench_jets(rng, links))


def test_springs_transmit_friction_of_the_joints_too(rng):
    links = random_model(rng, TREE)
    viscous = 2.0 * np.arange(1.0, links.n + 1.0)
    check(links, solid_rotors(rng, links), linear(links.n), rng, viscous=viscous)


def test_rigid_joints_among_elastic_ones(rng):
    links = random_model(rng, TREE)
    spring = sd.LinearSpring(300.0)
    for springs in ([spring, None, spring, None, spring], [None, spring, None, spring, None]):
        check(links, solid_rotors(rng, links), springs, rng)


def test_nonlinear_springs_and_stiffness_trajectories(rng):
    links = random_model(rng, CHAIN)
    springs = [
        sd.CubicSpring(300.0, 2000.0),
        sd.VariableStiffness(200.0),
        sd.ExponentialSpring(300.0, 2.0),
        sd.CubicSpring(200.0, 500.0),
    ]
    check(links, solid_rotors(rng, links), springs, rng, stiffness=['joint_2'])


def test_rigid_robot_with_spinning_rotors_needs_no_more_rows_than_without(rng):
    links = random_model(rng, CHAIN)
    coupling = check(links, solid_rotors(rng, links), [None] * links.n, rng)
    assert coupling.rows == 3


def test_rigid_joint_may_move_the_rotor_of_its_own_motor(rng):
    links = random_model(rng, CHAIN)
    rotors = solid_rotors(rng, links)
    rotors[1] = random_rotor(rng, 1, 1)
    springs = [sd.LinearSpring(300.0), None, sd.LinearSpring(300.0), sd.LinearSpring(300.0)]
    check(links, rotors, springs, rng)
    model = locked(links, rotors)
    with pytest.raises(InputError, match="got 'joint_2' which moves the rotor of 'joint_2'"):
        _ = sd.Robot(model, elastic_joints(model, rotors, linear(4))).coupling


def test_joints_that_move_each_others_rotors_are_refused(rng):
    links = random_model(rng, CHAIN)
    rotors = [random_rotor(rng, 3, 2), random_rotor(rng, 1, 3)]
    model = locked(links, rotors)
    with pytest.raises(InputError, match='rotor coupling: expected every elastic joint'):
        _ = sd.Robot(model, elastic_joints(model, rotors, linear(2))).coupling


def test_dampers_are_refused(rng):
    links = random_model(rng, CHAIN)
    rotors = solid_rotors(rng, links)
    springs = [*linear(2), sd.LinearSpring(300.0, damping=1.0), *linear(1)]
    drives = elastic_joints(links, rotors, springs)
    with pytest.raises(InputError, match="joint 'joint_3': expected a spring without damper"):
        sd.elastic_feedforward(sd.Robot(links, drives), np.zeros((11, 4)))


def test_the_joint_beyond_the_stroke_of_its_spring_is_named():
    model = random_model(np.random.default_rng(3), CHAIN)
    motor = sd.Motor(rotor_inertia=1e-3, gear_ratio=10.0)
    gas = sd.GasSpring(200.0, 0.5, 0.2, (0, 0, 1.0), (0, 0, -1.0))
    drives = {name: sd.JointDrive(sd.LinearSpring(1e3), motor) for name in model.joint_names}
    drives['joint_3'] = sd.JointDrive(sd.LinearSpring(1e3), motor, parallel_spring=gas)
    elastic = sd.Drives(drives, rotor_coupling=True)
    jet = np.zeros((sd.Robot(model, elastic).required_rows, 4))
    with pytest.raises(SpringRangeError, match="joint 'joint_3': parallel spring: .* 0.3 to 0.5"):
        sd.elastic_feedforward(sd.Robot(model, elastic), jet)


def test_too_few_rows_name_the_order_needed(rng):
    links = random_model(rng, CHAIN)
    drives = elastic_joints(links, solid_rotors(rng, links), linear(4))
    with pytest.raises(ShapeError, match=r'r >= 11: rows q to q\^\(10\).*got \(10, 4\)'):
        sd.elastic_feedforward(sd.Robot(links, drives), np.zeros((10, 4)))
    assert sd.elastic_feedforward(
        sd.Robot(links, drives), np.zeros((11, 4))
    ).motor_effort_jet.shape == (1, 4)


def test_too_few_rows_of_stiffness_name_the_order_needed(rng):
    links = random_model(rng, CHAIN)
    springs = [*linear(2), sd.VariableStiffness(100.0), *linear(1)]
    drives = elastic_joints(links, solid_rotors(rng, links), springs)
    jet = np.zeros((11, 4))
    with pytest.raises(ShapeError, match='up to order 6'):
        sd.elastic_feedforward(
            sd.Robot(links, drives), jet, stiffness_jets={'joint_3': np.ones(6)}
        )


def test_batches_are_their_samples(rng):
    links = random_model(rng, CHAIN)
    drives = elastic_joints(links, solid_rotors(rng, links), linear(4))
    jets, wrenches = rng.normal(size=(3, 12, 4)), rng.normal(size=(3, 10, 6))
    batch = sd.elastic_feedforward(sd.Robot(links, drives), jets, {'tool_4': wrenches})
    for t in range(3):
        one = sd.elastic_feedforward(sd.Robot(links, drives), jets[t], {'tool_4': wrenches[t]})
        for name in ('effort_jet', 'deflection_jet', 'motor_jet', 'motor_effort_jet'):
            np.testing.assert_allclose(
                getattr(batch, name)[t], getattr(one, name), rtol=1e-11, atol=1e-9
            )
    out = sd.Robot(links, drives).buffers(12)
    assert sd.elastic_feedforward(sd.Robot(links, drives), jets[0], out=out) is out


def arm(axes):
    """Return a stretched arm of unit links that turn about the named axes."""
    screws = [[*np.eye(3)['xyz'.index(axis)], 0, 0, 0] for axis in axes]
    home = np.eye(4)
    home[0, 3] = 1.0
    return sd.ScrewModel.from_screws(
        np.arange(len(axes)) - 1, [home] * len(axes), screws, [np.eye(6)] * len(axes)
    )


@pytest.mark.parametrize(
    ('axes', 'orders'),
    [
        ('zzz', [2, 4, 6]),  # planar: each rotor acts on every joint before it
        ('zyy', [2, 2, 4]),  # elbow arm: rotors 2 and 3 are never about the first axis
        ('zyx', [2, 2, 4]),  # S_13 = -r J sin q2; joint 2 feels rotor 3 by its gyroscopic torque
        ('zyz', [2, 2, 4]),  # S_13 = r J cos q2
        ('zyyx', [2, 2, 4, 5]),
        ('xyx', [2, 2, 4]),
    ],
)
def test_only_felt_rotors_cost_derivatives(axes, orders):
    model = arm(axes)
    joint = sd.JointDrive(sd.LinearSpring(300.0), sd.Motor(0.01, 10.0))
    drives = sd.Drives(dict.fromkeys(model.joint_names, joint), rotor_coupling=True)
    np.testing.assert_array_equal(sd.Robot(model, drives).coupling.orders, orders)
    assert sd.Robot(model, drives).required_rows == max(orders) + 3
