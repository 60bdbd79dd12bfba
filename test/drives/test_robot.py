# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Robot`: links and drives in one record, accepted beside the pair."""

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.errors import InputError

ARM = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
SPRING = sd.JointDrive(sd.LinearSpring(200.0), sd.Motor(rotor_inertia=0.1, max_velocity=0.5))
DRIVES = sd.Drives({'joint_2': SPRING})


def test_feasibility_of_a_robot_is_that_of_the_pair():
    t = np.linspace(0.0, 1.0, 9)
    jets = np.zeros((9, 5, ARM.n))
    jets[:, 0, 1], jets[:, 1, 1] = 2.0 * t, 2.0
    for drives in (None, DRIVES):
        report = sd.check_feasibility(sd.Robot(ARM, drives), jets, t)
        assert sd.check_feasibility(Robot(ARM, drives), jets, t) == report
        assert report.feasible == (drives is None)
    slow = sd.slow_down(Robot(ARM, DRIVES), jets, t)
    assert slow.factor == sd.slow_down(sd.Robot(ARM, DRIVES), jets, t).factor > 1.0


def test_a_robot_has_a_record_and_a_motor_for_every_coordinate():
    robot = Robot(ARM, DRIVES)
    assert robot.joint_drives == (sd.JointDrive(), SPRING)
    assert robot.motors is sd.Robot(ARM, DRIVES).motors
    assert (robot.n, robot.joint_names) == (ARM.n, ARM.joint_names)
    rigid = Robot(ARM)
    assert rigid.joints == (sd.JointDrive(),) * 2
    assert np.isinf(rigid.motors.max_efforts).all()
    assert rigid.with_model(ARM.with_payload('tool', 1.0)) != rigid


def test_a_robot_and_drives_beside_it_are_rejected():
    robot = Robot(ARM, DRIVES)
    assert as_robot(robot) is robot
    assert as_robot(ARM, DRIVES) == robot
    with pytest.raises(InputError, match='joints: expected None beside a Robot'):
        as_robot(robot, DRIVES)
    with pytest.raises(InputError, match='model: expected a ScrewModel, got str'):
        Robot('arm')
    with pytest.raises(InputError, match='joints: expected Drives, got dict'):
        sd.check_feasibility(sd.Robot(ARM, {}), np.zeros((1, 3, 2)), [0.0])
