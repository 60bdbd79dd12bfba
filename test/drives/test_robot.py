# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Robot` and the records of its drives as values."""

import copy
import pickle

import numpy as np
import pytest
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics import Robot
from screw_dynamics.drives.robot import as_robot
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.limits.quantities import motor_limits

ARM = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
SPRING = sd.JointDrive(sd.LinearSpring(200.0), sd.Motor(rotor_inertia=0.1, max_velocity=0.5))
DRIVES = sd.Drives({'joint_2': SPRING})


def test_a_model_alone_is_a_robot_without_drives():
    t = np.linspace(0.0, 1.0, 9)
    jets = np.zeros((9, 5, ARM.n))
    jets[:, 0, 1], jets[:, 1, 1] = 2.0 * t, 2.0
    report = sd.check_feasibility(ARM, jets, t)
    assert sd.check_feasibility(Robot(ARM), jets, t) == report
    assert report.feasible
    assert not sd.check_feasibility(Robot(ARM, DRIVES), jets, t).feasible


def test_a_robot_has_a_record_and_a_motor_for_every_coordinate():
    robot = Robot(ARM, DRIVES)
    assert robot.joint_drives == (sd.JointDrive(), SPRING)
    assert robot.motors is robot.motors == Robot(ARM, DRIVES).motors
    assert (robot.n, robot.joint_names) == (ARM.n, ARM.joint_names)
    rigid = Robot(ARM)
    assert rigid.joint_drives == (sd.JointDrive(),) * 2
    assert np.isinf(rigid.motors.max_efforts).all()
    assert rigid.with_model(ARM.with_payload('tool', 1.0)) != rigid


def test_the_table_of_a_robot_has_its_drives():
    lines = [line.split() for line in str(Robot(ARM, DRIVES)).splitlines()]
    assert lines[-2:] == [['joint_1', '-', '0', '1'], ['joint_2', 'LinearSpring', '0.1', '1']]
    assert 'LinearSpring' not in str(Robot(ARM))


def test_motors_of_rigid_joints_keep_the_limits_of_their_joints():
    entry = sd.JointDrive(motor=sd.Motor(max_effort=1e3), max_effort_rate=70.0)
    robot = Robot(ARM, sd.Drives({'joint_1': entry, 'joint_2': SPRING}))
    table = robot.motors
    limited = robot.with_limited_motors()
    assert limited == Robot(ARM, robot.drives, limits_motors=True) != robot
    assert limited.motors is table
    efforts = [min(1e3, ARM.limits.effort[0]), np.inf]
    np.testing.assert_array_equal(motor_limits(limited)['motor effort'], efforts)
    np.testing.assert_array_equal(motor_limits(limited)['motor effort rate'], [70.0, np.inf])
    np.testing.assert_array_equal(motor_limits(robot)['motor effort'], [1e3, np.inf])
    np.testing.assert_array_equal(motor_limits(robot)['motor effort rate'], np.inf)


def test_other_objects_are_refused():
    robot = Robot(ARM, DRIVES)
    assert as_robot(robot) is robot
    with pytest.raises(InputError, match='model: expected a ScrewModel, got str'):
        Robot('arm')
    with pytest.raises(InputError, match='drives: expected Drives, got dict'):
        Robot(ARM, {})
    with pytest.raises(UnknownNameError, match="unknown joint 'joint_9'"):
        Robot(ARM, sd.Drives({'joint_9': sd.JointDrive()}))


ONE = {'jet': np.zeros((5, ARM.n)), 'efforts': np.zeros((3, ARM.n))}


@pytest.mark.parametrize(
    ('function', 'arguments'),
    [
        (sd.elastic_feedforward, ('jet',)),
        (sd.drives.feedforward_from_efforts, ('jet', 'efforts')),
        (sd.drives.link_efforts, ('jet',)),
        (sd.drives.transmitted_efforts, ('jet', 'efforts')),
        (sd.drives.spring_deflections, ('efforts',)),
        (sd.drives.motor_efforts, ('jet', 'efforts', 'efforts')),
        (sd.actuator_efforts, ('jet',)),
        (sd.DeflectionFilter, ()),
        (sd.measured_spring_efforts, ('jet', 'jet', 'jet')),
    ],
    ids=lambda value: getattr(value, '__name__', None),
)
def test_functions_of_drives_name_a_robot_without_them(function, arguments):
    for robot in (ARM, Robot(ARM)):
        with pytest.raises(
            InputError, match=r'robot: expected one with drives, as Robot\(model, dr'
        ):
            function(robot, *(ONE[name] for name in arguments))


TABLE = sd.TabulatedSpring([-0.1, 0.0, 0.2], [-3.0, 0.0, 5.0])
PAIR = sd.AntagonisticPair('quadratic', 10.0, quadratic_stiffness=5.0)
JOINTS = {
    'a': sd.JointDrive(TABLE, sd.Motor(0.1), rotor=sd.Rotor((0, 0, 1), 'body_1')),
    'b': sd.JointDrive(PAIR),
    'c': sd.JointDrive(),
}


def test_equal_records_have_equal_hashes():
    record = sd.Drives(JOINTS)
    other = sd.Drives(dict(reversed(JOINTS.items())))
    assert record == other and hash(record) == hash(other)
    assert len({record, other, sd.Drives(JOINTS, True), sd.Drives({})}) == 3


@pytest.mark.parametrize(
    'again', [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_are_read_only_and_equal(again, rng):
    model = random_model(rng, 3)
    record = sd.Drives(dict(zip(model.joint_names, JOINTS.values(), strict=True)))
    table = sd.Robot(model, record).motors
    hash(table)
    for original in (record, table, TABLE, PAIR):
        assert again(original) == original and hash(again(original)) == hash(original)
    arrays = [again(TABLE).coefficients]
    arrays += [x for x in vars(again(table)).values() if isinstance(x, np.ndarray)]
    assert len(arrays) > 8
    for array in arrays:
        assert not array.flags.writeable
