# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Forwarded trajectories of motor positions, for robots that take positions only."""

import numpy as np
import pytest
from helpers.planar_sea import NAMES, STIFFNESS, gravity_efforts, link_efforts
from helpers.receiving_node import MS, Node
from helpers.rig import joint_state

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.motor_positions import links_at_rest, require_motor_positions
from screw_dynamics.errors import InputError

MOTORS = {
    'trajectory_positions': 'motor',
    'drives_path': 'joints.yaml',
    'outputs': ('joint_trajectory_effort',),
}
MEASURED = np.array([0.35, -0.6])  # links at rest


def springs(**options):
    return sd.Drives(
        {
            name: sd.JointDrive(sd.LinearSpring(stiffness, **options), sd.Motor(0.1))
            for name, stiffness in zip(NAMES, STIFFNESS, strict=True)
        }
    )


@pytest.fixture
def node(planar):
    """Return a node whose joint_states have measured motors at rest."""
    made = Node(planar, springs(), **MOTORS)
    motors = MEASURED + gravity_efforts(MEASURED) / STIFFNESS
    made.measured.update(joint_state(NAMES, motors, made.now), made.now)
    return made


def motor_positions(node, instant):
    """Return the motors (2,) of the reference at an instant, by equations of motion by hand."""
    jet = node.jet(int(instant))
    return jet[0] + link_efforts(*jet[:3]) / STIFFNESS


def test_first_point_is_where_the_motors_are(node):
    """A motion from rest starts at the links that rest on the measured motors, to rounding."""
    node.follow([0.0, 0.0], [0.5, 0.4], times=[0.4, 1.2])
    np.testing.assert_allclose(node.jet(node.reference.newest.begin)[0], MEASURED, atol=1e-11)
    found = node.samples()
    measured = node.measured.positions(node.now, 1.0)
    np.testing.assert_allclose(found.jets[0, 0], measured, rtol=0.0, atol=1e-10)
    assert (np.abs(found.jets[0, 1:]) < 1e-9).all()


def test_points_are_those_of_the_motors(node):
    """
    Positions are q + tau/K by hand; velocity and acceleration are their differences.

    Central differences over 0.2 ms err by some 1e-5 of the values here.
    """
    node.follow([0.0, 0.0], [0.5, 0.4], times=[0.4, 1.2])
    found = node.samples()
    start = node.reference.newest.anchor
    step = 200_000  # ns
    inner = [i for i in range(3, len(found.times) - 3, 7)]
    for i in inner:
        instant = start + found.times[i] - round(SECOND * node.reference.newest.anchor_time)
        here = [motor_positions(node, instant + k * step) for k in (-1, 0, 1)]
        np.testing.assert_allclose(found.jets[i, 0], here[1], rtol=0.0, atol=1e-9)
        rate = (here[2] - here[0]) / (2e-9 * step)
        acceleration = (here[2] - 2.0 * here[1] + here[0]) / (1e-9 * step) ** 2
        np.testing.assert_allclose(found.jets[i, 1], rate, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(found.jets[i, 2], acceleration, rtol=1e-3, atol=2e-2)
        jet = node.jet(instant)
        efforts = sd.inverse_dynamics(node.robot.model, jet[:3])[0]
        np.testing.assert_allclose(found.efforts[i], efforts, rtol=1e-9, atol=1e-9)


def test_motion_that_continues_leads_in_by_motors(node):
    """Points of the motion before are those of motors, too."""
    node.follow([0.0, 0.0], [0.5, 0.4], times=[0.4, 1.2])
    node.now += 300 * MS
    node.receive([0.3, -0.2], times=[1.0])
    node.plan(30 * MS)
    assert node.join(20 * MS)
    found = node.samples()
    instants = found.stamp + found.times
    assert instants[0] == node.now
    for jet, instant in zip(found.jets[:5], instants[:5], strict=True):
        expected = motor_positions(node, instant)
        np.testing.assert_allclose(jet[0], expected, rtol=0.0, atol=1e-8)


def test_links_forward_links(planar):
    """By default positions are those of the links, and measured ones are not converted."""
    node = Node(planar, springs(), drives_path='joints.yaml')
    node.follow([0.1, 0.2], [0.5, 0.4])
    begin = node.reference.newest.begin
    np.testing.assert_array_equal(node.samples().jets[0, 0], node.jet(begin)[0])


@pytest.mark.parametrize('options', [{}, {'damping': 3.0}], ids=['spring', 'damped'])
def test_links_at_rest(planar, options):
    """Motors at rest are q + g(q)/K by hand; a damper does not count."""
    robot = sd.Robot(sd.read_urdf(planar), springs(**options))
    motors = MEASURED + gravity_efforts(MEASURED) / STIFFNESS
    np.testing.assert_allclose(links_at_rest(robot, motors), MEASURED, rtol=0.0, atol=1e-11)
    assert np.isnan(links_at_rest(robot, np.array([0.1, np.nan]))).all()


def test_springs_that_hold_no_links(planar):
    """Springs weaker than gravity have no links at rest near the motors."""
    weak = {name: sd.JointDrive(sd.LinearSpring(2.0), sd.Motor(0.1)) for name in NAMES}
    robot = sd.Robot(sd.read_urdf(planar), sd.Drives(weak))
    assert np.isnan(links_at_rest(robot, np.array([1.5, 0.3]))).all()


def test_robots_without_such_positions(planar):
    """Errors name what is missing."""
    model = sd.read_urdf(planar)
    with pytest.raises(InputError, match='without drives'):
        FeedforwardParameters(**MOTORS).require_joints(sd.Robot(model))
    pair = sd.JointDrive(
        sd.AntagonisticPair('quadratic', 5000.0, quadratic_stiffness=2000.0), sd.Motor(0.1)
    )
    with pytest.raises(InputError, match='two motors'):
        require_motor_positions(sd.Robot(model, sd.Drives({'joint_1': pair})))
    variable = sd.JointDrive(sd.VariableStiffness(50.0), sd.Motor(0.1))
    with pytest.raises(InputError, match='variable stiffness'):
        require_motor_positions(sd.Robot(model, sd.Drives({'joint_1': variable})))


@pytest.mark.parametrize(
    ('changes', 'reason'),
    [
        ({'drives_path': ''}, 'without drives_path'),
        ({'outputs': ()}, 'without follow_joint_trajectory'),
        ({'interpolation': 'jtc'}, 'with interpolation: jtc'),
    ],
)
def test_parameters_that_do_not_fit(changes, reason):
    """Motor positions need drives, a receiver and a smooth motion."""
    FeedforwardParameters(**MOTORS).check()
    with pytest.raises(InputError, match=f"'trajectory_positions': expected link {reason}"):
        FeedforwardParameters(**{**MOTORS, **changes}).check()
