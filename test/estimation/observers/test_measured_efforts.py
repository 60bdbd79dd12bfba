# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What measured efforts hold, and efforts by the deflection of springs."""

import numpy as np
import pytest
from oracles.random_models import random_joint_jet

import screw_dynamics as sd
from screw_dynamics.drives import transmitted_efforts
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, SpringRangeError

CONTENTS = ('full', 'without_gravity', 'external')


def poses(arm, seed, count):
    limits = arm.limits
    return np.random.default_rng(seed).uniform(0.6 * limits.lower, 0.6 * limits.upper, (count, 7))


def at_rest(arm, q, content, load=0.0):
    """Return what an arm reports at rest under efforts `load` of external loads ON it."""
    full = sd.gravity_forces(arm, q) - load
    return {
        'full': full,
        'without_gravity': full - sd.gravity_forces(arm, q),
        'external': np.zeros(7) + load,
    }[content]


def rest(observer, arm, content, seed=0, count=4, change=1.0, load=0.0):
    """Let an arm rest in some poses, 0.5 s in each, and return the external efforts found."""
    noise, time = np.random.default_rng(seed), 0.0
    for q in poses(arm, seed, count):
        observer.reset()
        for _ in range(100):
            time += 0.005
            measured = change * at_rest(arm, q, content, load) + 0.05 * noise.normal(size=7)
            found = observer.update(time, q, np.zeros(7), measured)
    return found


@pytest.mark.parametrize('content', CONTENTS)
@pytest.mark.parametrize('seed', range(2))
def test_a_load_is_found_in_efforts_of_every_content(arm, content, seed):
    load = np.array([1.0, 5.0, -2.0, 3.0, 0.5, 1.0, -0.3])
    observer = sd.LoadObserver(arm, bandwidth=30.0, effort_content=content)
    np.testing.assert_allclose(rest(observer, arm, content, seed, load=load), load, atol=0.15)
    assert not observer.doubt


@pytest.mark.parametrize(
    'stated, content',
    [
        ('full', 'without_gravity'),
        ('full', 'external'),
        ('without_gravity', 'full'),
        ('external', 'full'),
    ],
)
@pytest.mark.parametrize('seed', range(3))
def test_another_content_is_doubted_in_one_pose_and_refused_in_three(arm, stated, content, seed):
    observer = sd.LoadObserver(arm, effort_content=stated)
    expected = 'without_gravity' if content == 'external' else content  # the same at rest
    text = f"effort_content '{stated}', got some that effort_content '{expected}' would explain"
    rest(observer, arm, content, seed, count=2)
    assert text in observer.doubt
    with pytest.raises(InputError, match=f'in 3 poses expected.*{text}'):
        rest(observer, arm, content, seed + 10, count=2)
    # in motion too, and until another observer begins
    with pytest.raises(InputError, match=text):
        observer.update(1e3, np.zeros(7), np.ones(7), np.zeros(7))
    rest(sd.LoadObserver(arm, effort_content=stated, check=False), arm, content, seed)


def test_the_opposite_sign_of_every_joint(arm):
    observer = sd.LoadObserver(arm)
    with pytest.raises(InputError, match='the opposite effort_sign of every joint would explain'):
        rest(observer, arm, 'full', change=-1.0)
    turned = sd.LoadObserver(arm, effort_content=sd.EffortFormat('full', sign=[-1.0] * 7))
    np.testing.assert_allclose(rest(turned, arm, 'full', change=-1.0), 0.0, atol=0.1)


def test_a_brake_in_one_pose_is_no_verdict(arm):
    observer = sd.LoadObserver(arm)
    rest(observer, arm, 'without_gravity', count=1)
    assert 'something holds the robot' in observer.doubt
    np.testing.assert_allclose(rest(observer, arm, 'full', seed=1, count=5), 0.0, atol=0.1)


@pytest.mark.parametrize('seed', range(20))
def test_heavy_loads_are_no_other_content(arm, seed):
    """A load of up to 14 kg, what the arm is made for, which the model does not have."""
    rng = np.random.default_rng(seed)
    loaded = arm.with_payload('flange', rng.uniform(1.0, 14.0), [0.0, 0.05, 0.1], np.zeros((3, 3)))
    observer = sd.LoadObserver(arm)
    for k, q in enumerate(poses(arm, seed, 5)):
        observer.update(float(k), q, np.zeros(7), sd.gravity_forces(loaded, q))


@pytest.mark.parametrize('content', ['without_gravity', 'external'])
@pytest.mark.parametrize('seed', range(20))
def test_loads_as_heavy_as_the_arm_are_no_gravity(arm, content, seed):
    """Loads that the robot does not know of weigh on its joints much as its own links do."""
    rng = np.random.default_rng(seed)
    loaded = arm.with_payload('flange', rng.uniform(5.0, 9.0), [0.0, 0.0, 0.1], np.zeros((3, 3)))
    observer = sd.LoadObserver(arm, effort_content=content)
    sense = -1.0 if content == 'external' else 1.0
    for k, q in enumerate(poses(arm, seed, 5)):
        load = sd.gravity_forces(loaded, q) - sd.gravity_forces(arm, q)
        observer.update(float(k), q, np.zeros(7), sense * load)


@pytest.mark.parametrize('part', [0.9, 1.0, 1.02])
def test_springs_that_balance_gravity_are_no_other_content(part):
    """Motors of a balanced pendulum have next to nothing to hold."""
    link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    spring = sd.BalancingSpring(part * 9.81 / 0.2**2, (0, 0, 0.2), (0.2, 0, 0))
    drives = sd.Drives({pendulum.joint_names[0]: sd.JointDrive(parallel_spring=spring)})
    observer = sd.LoadObserver(sd.Robot(pendulum, drives))
    for k, q in enumerate([0.3, -0.4, 1.0, -1.0]):
        held = (1.0 - part) * 9.81 * np.cos(q) + 0.05 * (-1.0) ** k
        external = observer.update(float(k), [q], [0.0], [held])
    assert not observer.doubt and abs(external[0]) < 0.2
    observer = sd.LoadObserver(sd.Robot(pendulum, drives))
    with pytest.raises(InputError, match="that effort_content 'without_gravity' would explain"):
        for k, q in enumerate([0.3, -0.4, 1.0, -1.0]):
            observer.update(float(k), [q], [0.0], [-part * 9.81 * np.cos(q)])


def test_motion_follows_the_content(arm):
    """In motion efforts of every content lead to the same external efforts, to rounding."""
    rng = np.random.default_rng(3)
    full, bare = sd.LoadObserver(arm), sd.LoadObserver(arm, effort_content='without_gravity')
    for k in range(50):
        q, qd, effort = rng.normal(size=(3, 7))
        expected = full.update(0.01 * k, q, qd, effort)
        found = bare.update(0.01 * k, q, qd, effort - sd.gravity_forces(arm, q))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


MOTOR = sd.Motor(rotor_inertia=1e-5, gear_ratio=100.0)
FRICTION = sd.JointFriction(viscous=1.5, coulomb=0.7, load=0.1)
SPRINGS = {
    'linear': sd.LinearSpring(4000.0),
    'damped': sd.LinearSpring(4000.0, damping=20.0),
    'cubic': sd.CubicSpring(4000.0, 5e5),
    'pair': sd.AntagonisticPair('exponential', 4000.0, spring_stiffness=50.0, rate=20.0),
}


@pytest.mark.parametrize('kind', SPRINGS)
@pytest.mark.parametrize('seed', range(3))
def test_efforts_are_those_that_the_springs_transmit(arm, kind, seed):
    rng = np.random.default_rng(seed)
    # every other joint is rigid
    drives = sd.Drives(
        {
            name: sd.JointDrive(SPRINGS[kind] if i % 2 else None, MOTOR, friction=FRICTION)
            for i, name in enumerate(arm.joint_names)
        }
    )
    jet = random_joint_jet(rng, arm.n, 2)
    feedforward = sd.elastic_feedforward(sd.Robot(arm, drives), jet)
    efforts = sd.inverse_dynamics(arm, jet[:4].copy())
    expected = transmitted_efforts(sd.Robot(arm, drives), jet, efforts)[0]
    found = sd.measured_spring_efforts(
        sd.Robot(arm, drives), jet[:2], feedforward.motor_jet[:2], expected
    )
    scale = abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * scale)


def test_whole_turns_of_continuous_joints_are_left_out(arm):
    model = sd.read_urdf(
        sd.share_path('urdf/planar_2r.urdf').read_bytes().replace(b'"revolute"', b'"continuous"')
    )
    springs = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(100.0))})
    robot, motors = sd.Robot(model, springs), [[0.12 + 4 * np.pi, 0.0], [0, 0]]
    found = sd.measured_spring_efforts(robot, [[0.1, 0.0], [0, 0]], motors, [0.0, 0.0])
    np.testing.assert_allclose(found, [2.0, 0.0], atol=1e-10)


@pytest.mark.parametrize('apart, effort', [(0.008, 0.0), (0.03, 2.0), (-0.03, -2.0)])
def test_a_spring_behind_a_backlash_transmits_what_is_beyond_it(planar, apart, effort):
    drive = sd.JointDrive(sd.LinearSpring(100.0), backlash=0.02)
    robot = sd.Robot(planar, sd.Drives({'joint_1': drive}))
    found = sd.measured_spring_efforts(robot, np.zeros((2, 2)), [[apart, 0], [0, 0]], [0, 0])
    np.testing.assert_allclose(found, [effort, 0.0], atol=1e-12)


def test_a_push_is_found_by_the_deflection_of_springs(arm):
    drives = sd.Drives(
        {name: sd.JointDrive(sd.LinearSpring(4000.0), MOTOR) for name in arm.joint_names}
    )
    q, rest = np.full(7, 0.4), np.zeros(7)
    push = sd.frame_jacobian(arm, q, 'flange').T @ [0.5, -1.0, 0.3, 20.0, -30.0, 15.0]
    held = sd.gravity_forces(arm, q) - push
    observer = sd.LoadObserver(sd.Robot(arm, drives), bandwidth=100.0)
    for i in range(100):
        motors = [q + held / 4000.0, rest]
        effort = sd.measured_spring_efforts(sd.Robot(arm, drives), [q, rest], motors, rest)
        found = observer.update(0.005 * i, q, rest, effort)
    np.testing.assert_allclose(found, push, atol=1e-9)


def test_bad_arguments_are_named(arm):
    table = sd.TabulatedSpring(deflections=[-0.1, 0.0, 0.1], efforts=[-10.0, 0.0, 10.0])
    drives = sd.Drives({'joint_2': sd.JointDrive(table)})
    links, motors = np.zeros((2, 7)), np.zeros((2, 7))
    motors[0, 1] = 0.3
    with pytest.raises(SpringRangeError, match='joint_2'):
        sd.measured_spring_efforts(sd.Robot(arm, drives), links, motors, np.zeros(7))
    with pytest.raises(ShapeError, match=r'motor_jet: expected shape \(2, 7\)'):
        sd.measured_spring_efforts(sd.Robot(arm, drives), links, motors[:1], np.zeros(7))
    with pytest.raises(ShapeError, match=r'memory: expected shape \(3, 7\)'):
        sd.measured_spring_efforts(
            sd.Robot(arm, drives), links, links, np.zeros(7), np.zeros((2, 7))
        )
    with pytest.raises(NotFiniteError, match='joint_jet'):
        sd.measured_spring_efforts(sd.Robot(arm, drives), links + np.nan, motors, np.zeros(7))
