# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Every reason to reject a trajectory, with its text; the motion before it goes on."""

import re

import numpy as np
import pytest
from helpers.node_processes import trajectory
from helpers.receiving_node import NOW, Node

from screw_dynamics import inverse_dynamics, read_urdf
from screw_dynamics.common.times import set_stamp
from screw_dynamics.errors import ScrewDynamicsError, TrajectoryError
from screw_dynamics.model.urdf import read_description
from screw_dynamics.nodes.shared.loaded_robot import uncontrolled_joints

SECOND = 10**9
NAN = float('nan')


@pytest.fixture
def node(gripper):
    """Return a node with a motion under way."""
    text = gripper.read_text()
    node = Node(gripper, others=uncontrolled_joints(read_description(text), read_urdf(text)))
    rest = np.zeros(len(node.names))
    node.accept(trajectory(node.names, rest, rest + 0.01, rest))
    return node


def changed(message, change):
    change(message)
    return message


def set_first(field, value):
    def change(message):
        setattr(message.points[0], field, value)

    return change


def set_time(point, sec):
    def change(message):
        message.points[point].time_from_start.sec = sec

    return change


def set_position(point, joint, value):
    def change(message):
        message.points[point].positions[joint] = value

    return change


def set_name(joint, name):
    def change(message):
        message.joint_names[joint] = name

    return change


def old_stamp(message):
    set_stamp(message.header.stamp, NOW - 5 * SECOND)


REJECTED = {
    'no points': (lambda m: m.points.clear(), r'Empty trajectory received\.'),
    'no joints': (lambda m: m.joint_names.clear(), 'Empty joint names on incoming trajectory'),
    'unknown joint': (set_name(1, 'elbow_9'), "Incoming joint elbow_9 doesn't match the joints"),
    'joint twice': (lambda m: set_name(1, m.joint_names[0])(m), 'named twice on incoming'),
    'positions short': (
        set_first('positions', [0.0]),
        r'Mismatch between joint_names size \(\d+\) and positions \(1\) at point #0\.',
    ),
    'no positions': (set_first('positions', []), 'Point #0 has no positions'),
    'times equal': (
        set_time(1, 0),
        'Time between points 0 and 1 is not strictly increasing, it is 0.000000 and 0.000000',
    ),
    'nan': (
        set_position(1, 2, NAN),
        r'positions of joint \w+ at point #1: expected a finite .*nan',
    ),
    'inf': (set_position(0, 0, float('inf')), r'positions of joint \w+ at point #0: .*inf'),
    'past': (
        old_stamp,
        r'Received trajectory with non-zero start time \(1699999995.0+\) that ends in the past',
    ),
}


@pytest.mark.parametrize('case', REJECTED)
def test_rejected_and_the_old_motion_goes_on(node, case):
    change, text = REJECTED[case]
    rest = np.zeros(len(node.names))
    before = node.reference.state(NOW + SECOND // 2)
    with pytest.raises(TrajectoryError, match=text):
        node.accept(changed(trajectory(node.names, rest, rest + 0.02, rest), change))
    np.testing.assert_array_equal(node.reference.state(NOW + SECOND // 2), before)


def test_velocity_at_the_end(node):
    rest = np.zeros(len(node.names))
    message = trajectory(node.names, rest, rest + 0.01, velocities=[rest, rest + 0.5])
    with pytest.raises(
        TrajectoryError, match=r'Velocity of last trajectory point of joint \w+ is not zero: 0.5'
    ):
        node.accept(message)
    node.accept(message, allow_nonzero_velocity_at_end=True)


def test_joints_that_cannot_be_commanded_are_explained(node):
    kinds = {reason.split(' (')[0]: name for name, reason in node.others.items()}
    assert {'a fixed joint', 'a mimic joint'} <= kinds.keys()
    for kind, name in kinds.items():
        message = trajectory([*node.names[:-1], name], np.zeros(len(node.names)))
        with pytest.raises(TrajectoryError, match=f'{name} cannot be commanded: it is {kind}'):
            node.accept(message)


def test_limits(node):
    far = np.full(len(node.names), 100.0)
    message = trajectory(node.names, np.zeros(len(node.names)), far, times=[0.0, 50.0])
    node.accept(message)
    with pytest.raises(TrajectoryError, match=r'at point #1: expected within \['):
        node.accept(message, limits='reject')


def test_limits_between_the_points(planar):
    """Positions that overshoot, velocities, efforts: the worst in one line."""
    node = Node(planar)
    message = trajectory(node.names, [0.0, 0.0], [1.5, 0.0], times=[0.0, 0.6])
    with pytest.raises(ScrewDynamicsError, match='limit exceeded: joint_1: effort') as caught:
        node.accept(message, limits='reject')
    assert node.reference.empty
    node.accept(message)
    jets = node.reference.newest.curve.jets(np.linspace(0.0, 0.6, 121))
    worst = np.abs(inverse_dynamics(node.robot.model, jets[:, :3])[:, 0, 0]).max()
    assert worst > node.robot.model.limits.effort[0]
    pattern = r'limit exceeded: joint_1: effort (\S+) N m at t = (\S+) s, limit (\S+) N m \(and'
    found = re.match(pattern, str(caught.value))
    assert found, caught.value
    value, time, limit = map(float, found.groups())
    assert abs(value) == pytest.approx(worst, rel=1e-3)
    assert abs(limit) == node.robot.model.limits.effort[0]
    jet = node.reference.newest.curve.jets([time])
    assert inverse_dynamics(node.robot.model, jet[0, :3])[0, 0] == pytest.approx(value, rel=1e-3)


def test_first_point(planar):
    """It is the start of a trajectory without a point at time 0."""
    node = Node(planar, start_state='first_point')
    node.accept(trajectory(node.names, [1.0, 1.0], times=[2.0]))
    np.testing.assert_array_equal(node.jet(NOW)[0], [1.0, 1.0])


def test_lead_time_joins_at_the_instant_sampled_next(planar):
    node = Node(planar)
    node.accept(trajectory(node.names, [0.0, 0.0], [1.0, 1.0]))
    node.now += SECOND // 4
    sampled = node.now + SECOND // 10
    seen = node.jet(sampled)
    node.accept(trajectory(node.names, [2.0, 2.0], [0.0, 0.0]), lead_time=0.1)
    np.testing.assert_allclose(node.jet(sampled), seen, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(node.jet(node.now + 2 * SECOND)[0], [0.0, 0.0])
