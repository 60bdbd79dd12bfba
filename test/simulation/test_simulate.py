# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`simulate` by name: rigid, elastic and soft robots."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import two_links
from scipy.special import ellipk

import screw_dynamics as sd
from screw_dynamics.errors import InputError, SimulationError
from screw_dynamics.simulation import ElasticRobot


def test_a_pendulum_is_back_after_its_period():
    link = sd.lie.inertia_matrix(2.0, np.array([0.0, 0.0, -0.4]), np.zeros((3, 3)))
    pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [link])
    start = 1.2
    period = 4.0 * np.sqrt(0.4 / 9.81) * ellipk(np.sin(start / 2.0) ** 2)
    motion = sd.simulate(robot=pendulum, times=[0.0, period / 2.0, period], q=[start])
    # some hundred steps with errors of 1e-9
    np.testing.assert_allclose(motion.position[:, 0], [start, -start, start], atol=1e-7)


def test_a_rigid_robot_keeps_its_energy_and_takes_efforts_by_time_and_state():
    model = sd.read_urdf(sd.share_path('urdf/panda.urdf'))
    q = model.random_configuration(seed=2)
    times = np.linspace(0.0, 0.5, 26)
    motion = sd.simulate(model, times, q, np.ones(model.n), rtol=1e-11)
    energies = sd.kinetic_energy(model, motion.position, motion.velocity)
    energies += sd.potential_energy(model, motion.position)
    assert np.ptp(energies) <= 1e-8 * np.abs(energies).max()
    held = sd.simulate(model, times, q, efforts=lambda t, q, qd: sd.gravity_forces(model, q))
    np.testing.assert_allclose(held.position, np.tile(q, (26, 1)), atol=1e-12)
    pushed = sd.simulate(model, times, q, efforts=sd.gravity_forces(model, q))
    np.testing.assert_allclose(pushed.position, held.position, atol=1e-12)


def test_an_elastic_robot_moves_as_its_equations_say():
    joint = sd.JointDrive(sd.LinearSpring(150.0), sd.Motor(0.1))
    robot = two_links.robot(joint, joint)
    dynamics, times = ElasticRobot(robot), np.linspace(0.0, 0.3, 4)
    start = dynamics.state([-1.4, 0.5], motor_position=[-1.45, 0.45])
    expected = dynamics.integrate(times, lambda t, state: -state[6:], start)
    found = sd.simulate(
        robot, times, [-1.4, 0.5], efforts=lambda t, q, qd, theta, rate: -rate,
        motor_position=[-1.45, 0.45],
    )  # fmt: skip
    np.testing.assert_array_equal(found.motor_position, expected.motor_position)


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'q': [1.0]}, r'q: expected shape \(2,\), got \(1,\)'),
        ({'qd': [0.0, np.nan]}, r'qd\[1\]: expected a finite number'),
        ({'efforts': [1.0]}, r'efforts: expected shape \(2,\), got \(1,\)'),
        ({'efforts': lambda *state: [0.0, np.inf]}, r'efforts\[1\]: expected a finite number'),
        ({'wrenches': {}}, r'wrenches: expected a function of time, got \{\}'),
        ({'method': 'RK54'}, "method: .*, got 'RK54'; did you mean RK45"),
    ],
)
def test_errors_name_the_arguments(arguments, text):
    joint = sd.JointDrive(sd.LinearSpring(150.0), sd.Motor(0.1))
    robot = two_links.robot(joint, joint)
    with pytest.raises(InputError, match=f'^{text}'):
        sd.simulate(robot, **{'times': [0.0, 0.1], 'q': [-1.4, 0.5]} | arguments)
    with pytest.raises(InputError, match='expected a ScrewModel, got str'):
        sd.simulate('arm', [0.0, 0.1], [-1.4, 0.5])


def test_a_robot_without_joints_stays():
    post = sd.read_urdf('<robot name="post">\n<link name="base"/></robot>')
    assert sd.simulate(post, [0.0, 0.1], []).position.shape == (2, 0)


def test_tables_have_the_ranges_of_joints_and_of_motors_behind_springs():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    slack = sd.soft.SoftRobot([sd.soft.PlanarConstantCurvature(0.5, 0.01, 0.2, 0.1, name='arc')])
    for robot, q, headline, rows in (
        (two_links.robot(), [-1.4, 0.5], 'SimulationResult(2 states, 0 to 0.1 s; 2 joints, 2', 7),
        (arm, [0.1, 0.0], 'SimulationResult(2 states, 0 to 0.1 s; 2 joints, 2 motors, ', 4),
        (slack, [0.1], 'CoordinateMotion(2 states, 0 to 0.1 s; 1 coordinates, ', 3),
    ):
        motion = sd.simulate(robot, [0.0, 0.1], q)
        first, *lines = str(motion).splitlines()
        assert first.startswith(headline) and len(lines) == rows - 1
        names = motion.joint_names * (2 if rows == 7 else 1)
        sides = [motion.position, *([motion.motor_position] if rows == 7 else [])]
        ranges = np.hstack([[side.min(axis=0), side.max(axis=0)] for side in sides]).T
        pairs = zip(names, ranges, strict=True)
        expected = [[name, f'{a:.4g}', 'to', f'{b:.4g}'] for name, (a, b) in pairs]
        assert [line.split() for line in lines if ' to ' in line] == expected
    assert 'position [rad or m]' in lines[0]
    robot = ElasticRobot(two_links.robot())
    assert repr(robot).endswith('motors=joint_1, joint_2; state of 8)')
    with pytest.raises(InputError, match='motor_position: expected none for a SoftRobot'):
        sd.simulate(slack, [0.0, 0.1], [0.1], motor_position=[0.1])


def test_an_unstable_motion_ends_with_its_time():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))

    def law(t, q, qd):
        return 1e3 * q + 50.0 * qd

    with pytest.raises(SimulationError, match=r'after 0\.0\d+ s: .* are these efforts unstable'):
        sd.simulate(arm, [0.0, 5.0], [0.1, 0.1], efforts=law)


def test_motors_of_rigid_joints_move_with_their_links():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    motion = sd.simulate(arm, [0.0, 0.1], [0.1, 0.0], motor_position=[1.0, 1.0])
    assert (motion.motor_position == motion.position).all()
    assert (motion.motor_velocity == motion.velocity).all()
