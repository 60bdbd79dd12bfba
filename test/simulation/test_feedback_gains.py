# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Gains of loops: analytic cases, poles against simulated loops, and what feedback is worth."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import yaml
from scipy.linalg import expm

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.simulation import motor_gains, state_feedback
from screw_dynamics.simulation.feedback_gains import scheduled_feedback, write_gains
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points

HANGING = [-1.3, 0.4]


def elastic(stiffness=400.0, rotor=0.3):
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    drive = sd.JointDrive(sd.LinearSpring(stiffness), sd.Motor(rotor, viscous_friction=0.2))
    return sd.Robot(model, sd.Drives({name: drive for name in model.joint_names}))


def block(inertia):
    """Return a prismatic joint along x, which gravity does not move."""
    body = sd.lie.inertia_matrix(inertia, np.zeros(3), np.zeros((3, 3)))
    return sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]], [body])


def test_a_pd_of_a_rigid_joint_has_the_poles_of_the_book():
    omega, damping = 2.0 * np.pi * 3.0, 0.6
    loop = motor_gains(block(2.5), [0.0], 3.0, damping=damping)
    np.testing.assert_allclose(loop.gains, [[2.5 * omega**2, 2.0 * damping * omega * 2.5]])
    expected = omega * (-damping + 1j * np.sqrt(1.0 - damping**2) * np.array([-1.0, 1.0]))
    np.testing.assert_allclose(np.sort_complex(loop.poles), expected, rtol=1e-12)


def test_the_regulator_of_a_rigid_joint_has_the_poles_of_the_book():
    """The symmetric root locus of a double integrator with an integral."""
    omega = 2.0 * np.pi * 3.0
    loop = state_feedback(block(2.5), [0.0], 3.0)
    # 1 / w^4 + 1 / s^4 - (w / 3)^2 / s^6 = 0, the half of its roots that is stable
    roots = np.sqrt(np.roots([1.0, 0.0, omega**4, -(omega**6) / 9.0]).astype(complex))
    expected = np.where(roots.real < 0.0, roots, -roots)
    np.testing.assert_allclose(
        np.sort_complex(loop.poles), np.sort_complex(expected), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize('kind', [motor_gains, state_feedback])
@pytest.mark.parametrize('late', [0, 2, 6])
def test_poles_are_those_of_the_sampled_loop(kind, late):
    """
    Of a loop whose commands are held for h, and late by some h: a delay of half of h more.

    The poles of the model of the delay are those of the sampled loop up to squares of w h, 1e-3.
    """
    robot, h = elastic(), 1e-3
    loop = kind(robot, HANGING, 3.0, delay=(late + 0.5) * h)
    a, b = at_rest(robot, HANGING)
    s = len(a)
    used = 2 * int(loop.integral_gains.any())
    whole = np.zeros((s + used + 2, s + used + 2))
    whole[:s, :s], whole[s : s + used, :used] = a, np.eye(used)
    whole[:s, -2:] = b
    held = expm(h * whole)
    gains = np.hstack((loop.gains, loop.integral_gains[:, :used]))
    size = s + used
    sampled = np.zeros((size + 2 * late, size + 2 * late))
    sampled[:size, :size] = held[:size, :size]
    if late:
        sampled[:size, -2:] = held[:size, -2:]
        sampled[size : size + 2, :size] = -gains
        sampled[size + 2 :, size:-2] = np.eye(2 * (late - 1))
    else:
        sampled[:size, :size] -= held[:size, -2:] @ gains
    slowest = np.log(np.abs(np.linalg.eigvals(sampled)).max()) / h
    assert slowest == pytest.approx(loop.poles.real.max(), rel=5e-3)


def test_loops_that_are_not_stable_are_refused():
    robot = elastic()
    with pytest.raises(
        InputError, match=r'frequency: expected a loop that is stable at q .* pole'
    ):
        motor_gains(robot, HANGING, 20.0, delay=0.1)
    with pytest.raises(InputError, match='delay of 0.2 s'):
        state_feedback(robot, HANGING, 6.0, delay=0.2)
    # upright, and too soft for its weight
    with pytest.raises(InputError, match='0.1 Hz'):
        motor_gains(robot, [1.57, 0.0], 0.1)


def test_gains_along_a_motion_hold_where_those_of_its_middle_do_not():
    """At rest, at poses between those of the gains, on an iiwa 14 that stretches out."""
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    values = [*[(850.0, 3.0)] * 4, *[(300.0, 0.8)] * 3]
    drives = [sd.JointDrive(sd.LinearSpring(k), sd.Motor(b)) for k, b in values]
    names = model.joint_names
    robot = sd.Robot(model, sd.Drives(dict(zip(names, drives, strict=True))))
    ends = [[0.0, -1.5, 0.0, -0.2, 0.0, 0.4, 0.0], [2.9, 1.9, -2.5, -1.9, 2.5, -1.2, 0.5]]
    curve = smooth_trajectory(waypoints_from_points(names, list(enumerate(ends)), names))
    poses, loops = scheduled_feedback(robot, curve, 8.0, 0.0)
    assert len(poses) > 5
    np.testing.assert_allclose(poses[[0, -1]], ends, atol=1e-12)
    constant = state_feedback(robot, np.mean(ends, axis=0), 8.0)
    assert growth(robot, ends[0], *constant[:2]) > 1.0
    for k, share in product(range(len(poses) - 1), (0.25, 0.5, 0.75)):
        weights = np.array([1.0 - share, share])
        near = loops[k : k + 2]
        gains = np.tensordot(weights, [loop.gains for loop in near], 1)
        integral_gains = np.tensordot(weights, [loop.integral_gains for loop in near], 1)
        assert growth(robot, weights @ poses[k : k + 2], gains, integral_gains) < 0.0


def test_gains_of_a_motion_are_for_poses_from_its_begin_to_its_end():
    """A motion of several points, which begins later than at 0."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    drive = sd.JointDrive(sd.LinearSpring(4000.0), sd.Motor(0.5))
    robot = sd.Robot(model, sd.Drives(dict.fromkeys(model.joint_names, drive)))
    points = [[-1.0, 0.2], [-1.2, 0.3], [-1.3, 0.1], [-1.1, 0.0]]
    curve = sd.trajectory.through(model, [1.0, 2.0, 3.0, 4.0], points)
    poses, _ = scheduled_feedback(robot, curve, 3.0, 0.0)
    begin, end = curve.breaks[[0, -1]]
    np.testing.assert_allclose(poses[:5], curve.jets(np.linspace(begin, end, 5))[:, 0], atol=1e-9)


def test_the_file_of_gains_has_the_parameters_of_both_nodes(tmp_path):
    """The second joint is rigid: its gains are those of the link."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    first = sd.JointDrive(sd.LinearSpring(4000.0), sd.Motor(0.5))
    joints = {'joint_1': first, 'joint_2': sd.JointDrive(motor=sd.Motor(0.3))}
    robot = sd.Robot(model, sd.Drives(joints))
    curve = sd.trajectory.through(model, [1.0, 3.0], [[-1.0, 0.2], [-1.3, 0.1]])
    write_gains(robot, curve, 3.0, 0.002, tmp_path / 'gains.yaml')
    nodes = yaml.safe_load((tmp_path / 'gains.yaml').read_text())
    feedback, drives = (nodes[name]['ros__parameters'] for name in nodes)
    feedback = {name: np.array(values) for name, values in feedback['feedback'].items()}
    poses, loops = scheduled_feedback(robot, curve, 3.0, 0.002)
    close = {'rtol': 1e-6, 'atol': 1e-9}
    np.testing.assert_allclose(feedback['poses'], poses.ravel(), **close)
    gains = np.zeros((len(poses), 2, 8))  # by q, q', theta, theta', all of two joints
    gains[..., [0, 1, 2, 3, 4, 6]] = [loop.gains for loop in loops]
    np.testing.assert_allclose(feedback['gains'], gains.ravel(), **close)
    integral = np.ravel([loop.integral_gains for loop in loops])
    np.testing.assert_allclose(feedback['integral_gains'], integral, **close)
    halfway = motor_gains(robot, curve.jets([2.0])[0, 0], 3.0, delay=0.002)
    names = halfway.state_names
    for key, symbol in (('kp', ''), ('kd', "'")):
        columns = [names.index(f'theta{symbol} joint_1'), names.index(f'q{symbol} joint_2')]
        np.testing.assert_allclose(drives[key], halfway.gains[[0, 1], columns], **close)
    assert repr(halfway).startswith('FeedbackGains(2 motors, 6 states, without integral; slowest')


def growth(robot, q, gains, integral_gains):
    """Return the largest real part of the poles of a loop at rest [1/s]."""
    a, b = at_rest(robot, q)
    links = np.eye(robot.n, len(a) + robot.n)
    loop = np.vstack((np.hstack((a - b @ gains, -b @ integral_gains)), links))
    return np.linalg.eigvals(loop).real.max()


def at_rest(robot, q):
    """Return the linear dynamics A, B at rest."""
    rest = np.zeros((5, robot.n))
    rest[0] = q
    motors = sd.elastic_feedforward(robot, rest)
    return sd.linearized_dynamics(
        robot, q, rest[1], motors.motor_effort, motor_position=motors.motor_position
    )[:2]
