# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots from and for Pinocchio: efforts of its `rnea` on either side of the conversion."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from oracles.comparison import TOLERANCE
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.robots import bundled_urdfs
from oracles.silence import silenced
from oracles.strategies import seeds

import screw_dynamics as sd
from screw_dynamics.dynamics import frame_jacobian_jet

KINDS = ('revolute', 'prismatic', 'helical')


def drawn_robot(seed):
    """A tree of joints of all types, in which some mimic others, with limits and frictions."""
    rng = np.random.default_rng(seed)
    recipes = [
        BodyRecipe(
            joint_type=str(rng.choice(KINDS[: 2 + (mimics is None)])),
            parent_back=int(rng.integers(1, 4)),
            mimics=mimics,
            coordinate_axis=bool(rng.random() < 0.5),
        )
        for mimics in rng.choice([None, None, None, 0, 1, 2], rng.integers(1, 9))
    ]
    model = random_model(rng, recipes)
    types = [
        'continuous' if kind == 'revolute' and rng.random() < 0.4 else kind
        for kind in model.joint_types
    ]
    endless = np.array([types[i] == 'continuous' for i in model.joint_of_coordinate])
    bounds = rng.uniform(0.1, 3.0, (4, model.n))
    lower, upper = np.where(endless, np.inf, bounds[:2])
    limits = sd.JointLimits(-lower, upper, *bounds[2:])
    damping, friction = rng.random((2, model.n))
    order = rng.permutation(model.n)  # coordinates need not be numbered as their joints
    position = np.argsort(order)
    return replace(
        model,
        joint_types=tuple(types),
        joint_names=tuple(model.joint_names[j] for j in order),
        coordinates=position[model.coordinates],
        limits=sd.JointLimits(*(getattr(limits, x)[order] for x in LIMITS)),
        damping=damping,
        friction=friction,
    )


LIMITS = ('lower', 'upper', 'velocity', 'effort')


def pinocchio_efforts(model, jet, pin_model):
    """The efforts of Pinocchio in the order of the model."""
    q, qd, qdd = jet[:3, sd.joint_order(model, pin_model)]
    configuration = pin.integrate(pin_model, pin.neutral(pin_model), q)
    tau = pin.rnea(pin_model, pin_model.createData(), configuration, qd, qdd)
    return tau[sd.joint_order(pin_model, model)]


def assert_close(got, expected):
    """Efforts are sums of loads that may cancel: rounding is relative to the largest."""
    assert np.abs(got - expected).max() <= TOLERANCE * max(np.abs(expected).max(), 1.0)


@given(seed=seeds)
def test_drawn_trees_have_the_efforts_of_pinocchio_there_and_back(seed):
    model = drawn_robot(seed)
    pin_model = sd.to_pinocchio(model)
    assert set(list(pin_model.names)[1:]) == set(model.tree_joint_names)
    jet = random_joint_jet(np.random.default_rng(seed), model.n)
    efforts = sd.inverse_dynamics(model, jet)
    assert_close(pinocchio_efforts(model, jet, pin_model), efforts[0])
    back = sd.from_pinocchio(pin_model)
    order = sd.joint_order(model, back)
    assert set(back.joint_names) == set(model.joint_names)
    assert_close(sd.inverse_dynamics(back, jet[:, order]), efforts[:, order])
    types = dict(zip(back.body_names, back.joint_types, strict=True))
    for i, name in enumerate(model.body_names):
        alone = (model.coordinates == model.coordinates[i]).sum() == 1
        kind = model.joint_types[i]
        assert types[name] == (kind if alone else kind.replace('continuous', 'revolute'))
    for name in model.frames:
        pose = sd.frame_pose(model, jet[0], name)
        assert_close(sd.frame_pose(back, jet[0, order], name), pose)
    for name in LIMITS:
        assert (getattr(back.limits, name) == getattr(model.limits, name)[order]).all(), name
    assert (back.damping == model.damping[order]).all()
    assert (back.friction == model.friction[order]).all()


@pytest.mark.parametrize('path', bundled_urdfs(), ids=lambda path: path.stem)
def test_a_robot_that_pinocchio_read_is_the_one_that_is_read_here(path):
    mimic = path.stem == 'panda'  # Pinocchio has no joint that mimics one that mimics another
    model = sd.read_urdf(path, mimic='reduce' if mimic else 'independent')
    with silenced():
        pin_model = pin.buildModelFromXML(path.read_text(), mimic=mimic)
    assert pin_model.nv == model.n
    converted = sd.from_pinocchio(pin_model)
    order = sd.joint_order(model, converted)
    jet = random_joint_jet(np.random.default_rng(1), model.n)
    assert_close(
        sd.inverse_dynamics(converted, jet[:, order]), sd.inverse_dynamics(model, jet)[:, order]
    )
    assert set(converted.body_names) == set(model.body_names)
    assert converted.base_link == model.base_link
    for name in model.frames:
        pose = sd.frame_pose(model, jet[0], name)
        assert_close(sd.frame_pose(converted, jet[0, order], name), pose)


def composite():
    joint = pin.JointModelComposite()
    joint.addJoint(pin.JointModelRX(), pin.SE3.Random())
    joint.addJoint(pin.JointModelTranslation(), pin.SE3.Random())
    joint.addJoint(pin.JointModelPrismaticUnaligned(np.array([0.0, 0.6, 0.8])))
    return joint


# the joint, and the rows of the twist [angular; linear] that are its velocity; None: rates
SEVERAL = {
    'free flyer': (pin.JointModelFreeFlyer, [3, 4, 5, 0, 1, 2]),
    'planar': (pin.JointModelPlanar, [3, 4, 2]),
    'spherical': (pin.JointModelSpherical, [0, 1, 2]),
    'Euler angles': (pin.JointModelSphericalZYX, None),
    'translation': (pin.JointModelTranslation, None),
    'universal': (
        lambda: pin.JointModelUniversal(np.array([0.6, 0.8, 0.0]), np.array([0.8, -0.6, 0.0])),
        None,
    ),
    'composite': (composite, None),
}


@pytest.mark.parametrize('kind', SEVERAL)
def test_joints_of_several_degrees_of_freedom_are_chains(kind):
    """Velocities of Pinocchio are v = S(q) q', so the efforts are S^T of its own."""
    joint, rows = SEVERAL[kind]
    pin.seed(3)
    pin_model = pin.Model()
    at = 0
    for name, record in (('base', joint()), ('arm', pin.JointModelRY())):
        at = pin_model.addJoint(at, record, pin.SE3.Random(), name)
        pin_model.appendBodyToJoint(at, pin.Inertia.Random(), pin.SE3.Identity())
        pin_model.addBodyFrame(f'{name}_link', at, pin.SE3.Identity(), 0)
    model = sd.from_pinocchio(pin_model)
    assert model.n == pin_model.nv and model.base_link == 'universe'
    jet = random_joint_jet(np.random.default_rng(2), model.n, 0)
    configuration, rates = jet[0], np.array([np.eye(model.n), np.zeros((model.n, model.n))])
    if rows is not None:
        jacobians = frame_jacobian_jet(model, jet, 'base_link')[:2]
        rates[:, :-1] = jacobians[:, rows]
        placed = pin_model.jointPlacements[1].inverse().homogeneous
        moved = placed @ sd.frame_pose(model, jet[0], 'base_link')
        turn = pin.Quaternion(moved[:3, :3]).coeffs()
        angle = jet[0, 2]
        start = {
            'free flyer': [*moved[:3, 3], *turn],
            'planar': [*moved[:2, 3], np.cos(angle), np.sin(angle)],
            'spherical': turn,
        }[kind]
        configuration = np.array([*start, jet[0, -1]])
    velocity = rates[0] @ jet[1]
    acceleration = rates[0] @ jet[2] + rates[1] @ jet[1]
    tau = pin.rnea(pin_model, pin_model.createData(), configuration, velocity, acceleration)
    assert_close(sd.inverse_dynamics(model, jet)[0], rates[0].T @ tau)
    if rows is None:
        assert sd.joint_order(pin_model, model).tolist() == list(range(model.n))
    else:
        assert sd.joint_order(pin_model, ['arm']).tolist() == [model.n - 1]
        with pytest.raises(sd.errors.UnknownNameError, match=r"'base/.*base\[0\]"):
            sd.joint_order(pin_model, model)


def test_motors_become_armatures_and_armatures_motors():
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    motor = sd.Motor(rotor_inertia=2e-4, gear_ratio=50.0)
    robot = sd.Robot(model, sd.Drives({'joint_2': sd.JointDrive(motor=motor)}))
    pin_model = sd.to_pinocchio(robot)
    assert pin_model.rotorInertia.tolist() == [0.0, 2e-4]
    assert pin_model.rotorGearRatio.tolist() == [1.0, 50.0]
    jet = random_joint_jet(np.random.default_rng(1), 2)
    expected = sd.actuator_efforts(robot, jet)[0]
    assert_close(pinocchio_efforts(model, jet, pin_model), expected)
    assert sd.from_pinocchio(pin_model, drives=True) == robot
    with pytest.warns(sd.errors.ModelWarning, match='left out, joints: joint_2'):
        assert sd.from_pinocchio(pin_model) == model


def test_a_coordinate_without_a_joint_of_its_own_is_a_joint_without_a_body():
    model = random_model(np.random.default_rng(1), [BodyRecipe(), BodyRecipe(mimics=0)])
    model = replace(model, joint_names=('both',), multipliers=[2.0, -1.0], offsets=[0.1, 0.0])
    jet = random_joint_jet(np.random.default_rng(2), 1)
    efforts = pinocchio_efforts(model, jet, sd.to_pinocchio(model))
    assert_close(efforts, sd.inverse_dynamics(model, jet)[0])


def test_a_joint_that_moves_what_it_mimics_is_named():
    model = random_model(np.random.default_rng(1), [BodyRecipe(), BodyRecipe()])
    model = replace(
        model,
        joint_names=('joint_2',),
        coordinates=[0, 0],
        multipliers=[2.0, 1.0],
        limits=sd.JointLimits.none(1),
        damping=[0.0],
        friction=[0.0],
    )
    with pytest.raises(sd.errors.ModelError, match="'joint_1'.* moves the joint which it mimics"):
        sd.to_pinocchio(model)
    model = random_model(np.random.default_rng(1), [BodyRecipe(), BodyRecipe('helical', mimics=0)])
    with pytest.raises(sd.errors.UnsupportedJointError, match="'joint_2': expected no helical"):
        sd.to_pinocchio(model)


def test_what_is_no_model_is_named():
    with pytest.raises(sd.errors.InputError, match='expected a pinocchio.Model, got str'):
        sd.from_pinocchio('robot.urdf')
    ellipsoid = pin.Model()
    ellipsoid.addJoint(0, pin.JointModelEllipsoid(1.0, 1.0, 1.0), pin.SE3.Identity(), 'hip')
    with pytest.raises(sd.errors.UnsupportedJointError, match="'hip'.*ellipsoid"):
        sd.from_pinocchio(ellipsoid)
    finger = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.03, 0.85)])
    with pytest.raises(sd.errors.InputError, match='expected a ScrewModel, got SoftRobot'):
        sd.to_pinocchio(finger)


def test_joint_order_of_names_messages_and_robots():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    state = SimpleNamespace(name=['joint_2', 'gripper', 'joint_1'], position=[1.0, 2.0, 3.0])
    trajectory = SimpleNamespace(joint_names=['joint_2', 'joint_1'])
    assert np.array(state.position)[sd.joint_order(state, arm)].tolist() == [3.0, 1.0]
    assert sd.joint_order(sd.Robot(arm), trajectory).tolist() == [1, 0]
    with pytest.raises(sd.errors.UnknownNameError, match="joint_order: unknown joint 'gripper'"):
        sd.joint_order(arm, state)
    with pytest.raises(sd.errors.InputError, match="target: expected every joint once, got 'a'"):
        sd.joint_order(arm, ['a', 'a'])
    for value in ('joint_1', 3, [1, 2], None):
        with pytest.raises(sd.errors.InputError, match='source: expected names of joints'):
            sd.joint_order(value, arm)


def test_poses_of_pinocchio_are_poses():
    """Those of other libraries with `homogeneous`, too."""
    arm = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    start, tip = arm.random_configuration(seed=1), arm.body_names[-1]
    pose = sd.frame_pose(arm, start, tip)
    for value in (pin.SE3(pose), SimpleNamespace(homogeneous=pose)):
        assert np.array_equal(sd.inverse_kinematics(arm, tip, value, start), start)
    waypoints = sd.PoseWaypoints(tip, [0.0, 1.0], [pin.SE3(pose), pin.SE3(pose)])
    assert_close(waypoints.positions, np.array([pose[:3, 3]] * 2))
    assert_close(waypoints.rotations, np.array([pose[:3, :3]] * 2))
