# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motions of results, bags and contacts as they are drawn."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.bag_messages import (
    JOINT_STATE,
    SECOND,
    START,
    TYPES,
    header,
    joint_trajectory,
    write_bag,
)

import screw_dynamics as sd
from screw_dynamics.estimation.observers.recorded_loads import recorded_loads
from screw_dynamics.recordings.motions.joint_states import JointSamples
from screw_dynamics.recordings.results.results import MotorResults, Results
from screw_dynamics.viewer.motion import motion_of_results
from screw_dynamics.viewer.recorded_motion import observed_motion, recorded_motion

PLANAR = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


def states(stamp, positions, efforts):
    names = ['joint_2', 'gripper', 'joint_1']
    rows = np.array([positions, efforts], float)
    return TYPES[JOINT_STATE](header(stamp), names, rows[0], np.empty(0), rows[1])


def load(stamp, force, torque):
    """Return a wrench at the tool, along x and about z."""
    types, head = (lambda name: TYPES[f'geometry_msgs/msg/{name}']), header(stamp)
    head.frame_id = 'tool'
    vectors = [types('Vector3')(*rows) for rows in ((force, 0.0, 0.0), (0.0, 0.0, torque))]
    return types('WrenchStamped')(head, types('Wrench')(*vectors))


def test_bags_have_joint_states_with_the_last_wrenches(tmp_path):
    rows = []
    for k in range(4):
        stamp = k * SECOND // 10
        rows.append(('/joint_states', stamp, states(START + stamp, [k, 9, -k], [2 * k, 9, 3])))
    rows.append(('/load', SECOND, load(START + 15 * SECOND // 100, 3.0, 1.0)))
    motion = recorded_motion(write_bag(tmp_path / 'states.mcap', rows), sd.Robot(PLANAR))
    k = np.arange(4.0)
    np.testing.assert_allclose(motion.times, 0.1 * k)
    np.testing.assert_array_equal(motion.positions, np.column_stack([-k, k]))
    np.testing.assert_array_equal(motion.efforts[:, 0], np.column_stack([0.0 * k + 3.0, 2.0 * k]))
    expected = np.outer([0, 0, 1, 1], [0, 0, 1.0, 3.0, 0, 0])
    np.testing.assert_array_equal(motion.wrenches['tool'], expected)
    rows[2][2].effort[:] = np.nan
    motion = recorded_motion(write_bag(tmp_path / 'unknown.mcap', rows[:4]), sd.Robot(PLANAR))
    assert motion.efforts is None and not motion.wrenches
    trajectory = joint_trajectory(PLANAR.joint_names, [(0.0, [0.0, 0.0]), (1.0, [1.0, 1.0])])
    path = write_bag(tmp_path / 'planned.mcap', [('/trajectory', 0, trajectory)])
    assert recorded_motion(path, sd.Robot(PLANAR)) is None


def test_results_are_motions_in_the_order_of_the_robot(rng):
    names, times = ('joint_2', 'gripper', 'joint_1'), np.arange(4.0)
    jets, efforts = rng.normal(size=(2, 4, 3, 3))
    efforts[1, 1, 2] = np.nan  # rates are not known everywhere
    motors = MotorResults(('joint_2', 'joint_1'), np.ones(2), rng.normal(size=(4, 5, 2)))
    results = Results(names, times, jets, efforts, motors=motors)
    spring = sd.JointDrive(sd.LinearSpring(200.0))
    robot = sd.Robot(PLANAR, sd.Drives(dict.fromkeys(PLANAR.joint_names, spring)))
    motion = motion_of_results(results, robot)
    np.testing.assert_array_equal(motion.positions, jets[:, 0, [2, 0]])
    np.testing.assert_array_equal(motion.efforts, efforts[:, :1, [2, 0]])
    np.testing.assert_array_equal(motion.motor_positions, motors.values[:, 0, ::-1])
    np.testing.assert_array_equal(motion.motor_efforts, motors.values[:, 3, ::-1])
    other = replace(motors, names=('joint_2', 'elbow'))
    assert motion_of_results(replace(results, motors=other), robot).motor_positions is None
    efforts[:] = np.nan
    assert motion_of_results(results, robot).efforts is None
    with pytest.raises(sd.errors.UnknownNameError, match="'joint_1'"):
        motion_of_results(replace(results, joint_names=('joint_2', 'gripper', 'a')), robot)


def test_drawn_wrenches_are_those_of_the_contacts():
    """Of an arm at rest, pushed at one link and then at the tool."""
    arm = PLANAR
    times = 4e-3 * np.arange(750)
    positions, rest = np.tile([0.3, -0.4], (750, 1)), np.zeros((750, 2))
    efforts = sd.gravity_forces(arm, positions)
    for begin, link, force in ((1.0, 'link_1', [0, 8.0]), (2.0, 'tool', [0, 0, 0, 0, 0, -30.0])):
        jacobian = sd.frame_jacobian(arm, positions[0], link, 'hybrid')
        touched = (times >= begin) & (times < begin + 0.3)
        efforts[touched] -= jacobian[: len(force)].T @ force
    detector = sd.ContactDetector(sd.LoadObserver(arm, bandwidth=200.0), floor=1.0)
    loads = recorded_loads(detector, times, positions, rest, efforts)
    stamps = (times * 1e9).astype(np.int64)
    samples = JointSamples(times, positions, rest, efforts, stamps, 0, 0, False)
    motion = observed_motion(samples, loads, sd.Robot(arm))
    assert [contact.link for contact, _ in loads.contacts] == ['link_1', 'link_2']
    for contact, end in loads.contacts:
        body = arm.body_names.index(contact.link)
        mass, moment, _ = sd.lie.inertia_parameters(arm.inertias[body])
        centre = sd.Frame(body, sd.lie.pose(np.eye(3), moment / mass))
        marked = replace(arm, frames={**arm.frames, 'centre': centre})
        rows = motion.wrenches[contact.link]
        inside = (times >= contact.begin) & (times < end)
        assert inside.any() and not rows[~inside].any()
        # the same efforts, by the Jacobian of the centre in axes of the base
        expected = sd.frame_jacobian(marked, positions[0], 'centre', 'hybrid').T @ contact.wrench
        found = rows[inside] @ sd.frame_jacobian(arm, positions[0], contact.link)
        np.testing.assert_allclose(found, np.tile(expected, (len(found), 1)), atol=1e-12)
