# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bounds of the certificate: never below the truth, and near it; what is sampled says so."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.limited_motions import MOTORS, drawn_case, largest
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics import trajectory
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.limits import certify
from screw_dynamics.limits.enclosures import LinkEnclosures
from screw_dynamics.trajectory import PiecewisePolynomial

LINK = """<link name="{}"><inertial><origin xyz="{} 0 0"/><mass value="1"/>
<inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>"""
JOINT = """<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/>
<axis xyz="0 1 0"/><limit effort="{}" velocity="100"/></joint>"""


@pytest.fixture(scope='module')
def planar():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


def judge(seed):
    """Compare the bounds of a drawn case with the truth; return the number of loose ones."""
    case = drawn_case(seed)
    if case is None:
        return 0
    robot, curve = case
    checks = certify(robot, curve).checks
    found = largest(robot, curve, [check.time for check in checks])
    loose = 0
    for check in checks:
        motors = check.quantity in MOTORS
        names = robot.motors.names if motors else robot.joint_names
        truth = found[check.quantity][names.index(check.joint)]
        size = max(truth, abs(check.limit))
        # evaluations of large efforts differ by their rounding
        assert abs(check.worst) >= truth - 1e-9 * size, (seed, check, truth)
        assert not (check.feasible and truth > abs(check.limit) + 2e-9 * size), (seed, check)
        assert not check.sampled
        loose += abs(check.limit) < 1.2 * truth and not abs(check.worst) <= 1.02 * truth
    return loose


def test_bounds_of_drawn_robots():
    """Trees of all joints, frictions, springs and curves; a bound near a limit is within 2 %."""
    assert sum(map(judge, range(50))) == 0


@pytest.mark.parametrize('seed', [846, 939, 1057])
def test_bounds_behind_friction_under_load(seed):
    """Springs and motors, where the effort passes 0: they need large discs on short intervals."""
    assert judge(seed) == 0


@pytest.mark.long
@pytest.mark.parametrize('block', range(20))
def test_bounds_of_many_drawn_robots(block):
    """Knees far narrower than a motion resolves leave bounds loose in few draws."""
    assert sum(judge(seed) > 0 for seed in range(500 * block, 500 * (block + 1))) <= 2


def test_narrow_friction():
    """The joint passes the velocity of the friction within 5 ms of 2 s."""
    body = sd.lie.inertia_matrix(1.0, np.zeros(3), 0.01 * np.eye(3))
    one = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [body])
    friction = sd.JointFriction(coulomb=3.0)
    drive = sd.JointDrive(friction=friction, max_effort_rate=16.67)
    robot = sd.Robot(one, sd.Drives({'joint_1': drive}))
    curve = trajectory.through(one, [0.0, 2.0], [[0.0], [1.0]])
    (check,) = certify(robot, curve).checks
    rates = sd.actuator_efforts(robot, curve.jets(np.linspace(0.0, 2.0, 200_001)[:-1], 4))[:, 1]
    assert not check.feasible
    assert np.abs(rates).max() <= abs(check.worst) <= 1.002 * np.abs(rates).max()


def test_whole_turns_between_samples():
    """Joints that turn four times at constant speed look still at quarters of the motion."""
    links, joints = (('a', -0.5), ('b', 0.5)), (('j1', 'o', 'a', 4), ('j2', 'a', 'b', 100))
    parts = [LINK.format(*link) for link in links] + [JOINT.format(*joint) for joint in joints]
    arm = sd.read_urdf(f'<robot name="r"><link name="o"/>{"".join(parts)}</robot>')
    turns = 8.0 * np.pi
    turn = np.array([[[0.0, 0.0], [0.0, turns]]])
    curve = PiecewisePolynomial(np.array([0.0, 1.0]), turn, np.array([0.0, turns]), continuity=0)
    report = certify(arm, curve)
    (first,) = (c for c in report.checks if (c.quantity, c.joint) == ('effort', 'j1'))
    assert not report.feasible
    assert abs(first.worst) == pytest.approx(9.81, rel=1e-9) and abs(first.worst) >= 9.81


def test_many_turns_within_one_segment(planar):
    """A second of 300 turns, in which efforts have their largest value hundreds of times."""
    turn = np.zeros((1, 2, 2))
    turn[0, 1] = 600.0 * np.pi, 400.0 * np.pi
    curve = PiecewisePolynomial(np.array([0.0, 1.0]), turn, turn[0, 1], continuity=0)
    efforts = sd.inverse_dynamics(planar, curve.jets(np.linspace(0.0, 1.0, 400_000)[:-1], 3))[:, 0]
    for check in certify(planar, curve).checks:
        if check.quantity == 'effort':
            truth = np.abs(efforts[:, planar.joint_names.index(check.joint)]).max()
            assert truth <= abs(check.worst) <= 1.002 * truth


def test_limits_of_different_size(planar):
    """The nearest limit counts in parts of it, not in rad; its peak is between breaks."""
    bump = np.zeros((1, 4, 2))
    bump[0, 2:, 0] = 6.75, -6.75  # 1 rad at two thirds
    curve = PiecewisePolynomial(np.array([0.0, 1.0]), bump, np.zeros(2), continuity=1)
    limits = replace(planar.limits, lower=np.array([-0.1, -1.0]), upper=np.array([1.12, 1.0]))
    (check,) = (
        c
        for c in certify(replace(planar, limits=limits), curve).checks
        if (c.quantity, c.joint) == ('position', 'joint_1')
    )
    assert check.limit == 1.12 and 1.0 <= check.worst <= 1.001


def test_the_rest_before_a_curve_counts(planar):
    """The effort of the begin, where acceleration helps from the first instant on."""
    held = sd.gravity_forces(planar, np.zeros(2))
    falling = np.zeros((1, 3, 2))
    falling[0, 2, 0] = -0.1 * np.sign(held[0])
    curve = PiecewisePolynomial(np.array([0.0, 1.0]), falling, falling[0, 2], continuity=0)
    effort = np.array([0.999 * abs(held[0]), np.inf])
    free = np.full(2, np.inf)
    limits = replace(planar.limits, lower=-free, upper=free, velocity=free, effort=effort)
    report = certify(replace(planar, limits=limits), curve)
    assert not report.feasible and abs(report.binding.worst) == pytest.approx(abs(held[0]))


@pytest.mark.parametrize('seed', range(6))
def test_majorants_are_above_efforts_on_the_disc(seed):
    """Terms beyond an order on the disc, by a Taylor series of efforts of order 30."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, 4)
    degree, order = 5, 30
    positions = (
        rng.normal(size=(degree + 1, model.n)) * 0.1 ** np.arange(degree + 1)[:, np.newaxis]
    )
    factorials = np.cumprod(np.append(1.0, np.arange(1.0, order + 3)))
    jet = np.zeros((order + 3, model.n))
    jet[: degree + 1] = positions * factorials[: degree + 1, np.newaxis]
    efforts = sd.inverse_dynamics(model, jet) / factorials[: order + 1, np.newaxis]
    links = LinkEnclosures(model)
    for links.order in (1, 4, 8, 10):
        radii, tails = links.discs(positions[np.newaxis], np.ones(1))
        assert (links.moved * size_of(positions, radii[0])).max() <= 0.5 or radii[0] == 5.0
        scaled = np.abs(efforts) * radii[0] ** np.arange(order + 1)[:, np.newaxis]
        assert (tails[0, 0] >= scaled[links.order + 1 :].sum(axis=0)).all()
        assert (tails[0, 1] >= 1e-13 * scaled.sum(axis=0)).all()


def size_of(positions, radius):
    powers = radius ** np.arange(1.0, len(positions))
    return (np.abs(positions[1:]) * powers[:, np.newaxis]).sum(axis=0)


def sampled(robot, curve):
    return {(c.quantity, c.joint) for c in certify(robot, curve).checks if c.sampled}


def test_what_is_sampled_says_so(planar):
    """Motors behind springs with memory; all efforts with coupled rotors; soft robots."""
    curve = trajectory.through(planar, [0.0, 1.0], [[0.0, 0.0], [0.5, -0.5]])
    motor = sd.Motor(rotor_inertia=0.1, max_effort=0.1)
    damped = sd.JointDrive(sd.LinearSpring(400.0, damping=2.0), motor)
    exact = sd.JointDrive(sd.LinearSpring(400.0), motor)
    robot = sd.Robot(planar, sd.Drives({'joint_1': damped, 'joint_2': exact}))
    assert sampled(robot, curve) == {('motor effort', 'joint_1')}
    coupled = sd.Drives({'joint_1': exact, 'joint_2': exact}, rotor_coupling=True)
    found = sampled(sd.Robot(planar, coupled), curve)
    assert ('effort', 'joint_2') in found and ('velocity', 'joint_1') not in found
    report = certify(robot, curve)
    (violation,) = (v for v in report.violations if v.joint == 'joint_1')
    assert '(sampled)' in str(violation) and '(sampled)' in str(report)
    finger = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.03, 0.85)])
    soft = trajectory.through(finger, [0.0, 1.0], np.zeros((2, finger.n)))
    assert all(c.sampled == (c.quantity == 'effort') for c in certify(finger, soft).checks)


def test_sampled_bounds_are_near(planar):
    """Hysteresis and a damper, against samples 20 times as dense."""
    curve = trajectory.through(planar, [0.0, 0.5, 1.2], [[0.0, 0.0], [0.8, -0.5], [0.2, 0.4]])
    motor = sd.Motor(rotor_inertia=0.1, max_effort=1e3, max_velocity=1e3)
    for drive in (
        sd.JointDrive(sd.LinearSpring(400.0, damping=2.0), motor, max_deflection=1.0),
        sd.JointDrive(sd.LinearSpring(400.0), motor, max_deflection=1.0, hysteresis=1e-3),
    ):
        robot = sd.Robot(planar, sd.Drives(dict.fromkeys(planar.joint_names, drive)))
        times = np.linspace(0.0, 1.2, 20_000)[:-1]
        motion = sd.elastic_feedforward(robot, curve.jets(times, 5), times=times)
        values = {
            'deflection': motion.deflection,
            'motor velocity': motion.motor_velocity,
            'motor effort': motion.motor_effort,
        }
        checks = [c for c in certify(robot, curve).checks if c.quantity in values]
        assert len(checks) == 6
        for check in checks:
            column = robot.motors.names.index(check.joint)
            truth = np.abs(values[check.quantity][:, column]).max()
            assert check.sampled and abs(check.worst) == pytest.approx(truth, rel=1e-3)


def test_arguments_that_are_refused(planar):
    with pytest.raises(InputError, match='curve: expected a PiecewisePolynomial, got None'):
        certify(planar, None)
    other = PiecewisePolynomial(np.array([0.0]), np.empty((0, 2, 3)), np.zeros(3), 4)
    with pytest.raises(ShapeError, match='curve'):
        certify(planar, other)
