# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads by their closed lengths, polygons and finite differences; pull-only tensions."""

import numpy as np
import pytest

import screw_dynamics as sd

SOFT = sd.soft
ANGLES = 2.0 * np.pi * np.arange(3) / 3.0


def offset(angle, d=0.015):
    return (d * np.cos(angle), d * np.sin(angle))


def test_threads_of_an_arc_have_their_closed_length_and_matrix():
    arm = SOFT.SoftRobot([SOFT.Joint('revolute'), SOFT.ConstantCurvature(0.3, 0.02, 0.4)])
    jet = np.random.default_rng(0).uniform(-0.1, 0.1, (4, 4))
    columns = []
    for angle in ANGLES:
        x, y = offset(angle)
        thread = SOFT.Thread(arm, {'body_1': (x, y)})
        _, q1, q2, q3 = jet[0]
        assert np.isclose(thread.length(jet[0]), 0.3 + q3 - x * q1 - y * q2, rtol=1e-14)
        columns.append(thread.effort_jet(jet))
        assert np.abs(columns[-1][1:]).max() < 1e-14  # constant
    matrix = np.array(columns)[:, 0].T
    assert not matrix[0].any()
    expected = -1.5 * np.sqrt(3.0) * 0.015**2
    assert np.isclose(np.linalg.det(matrix[1:]), expected, rtol=1e-12)


def test_threads_of_arcs_have_the_length_of_a_rod_of_the_same_strain():
    rod = SOFT.ConstantStrain(0.3, 0.02, 0.4, strains=['bend_x', 'bend_y', 'stretch'])
    arc = SOFT.ConstantCurvature(0.3, 0.02, 0.4)
    plane = SOFT.PlanarConstantCurvature(0.3, 0.02, 0.4)
    rod, arc, plane = (SOFT.SoftRobot([part]) for part in (rod, arc, plane))
    q = np.array([0.4, -0.3, 0.02])
    lengths = [
        SOFT.Thread(robot, {'body_1': (0.01, 0.015)}).length(x)
        for robot, x in (
            (rod, [0.3, 0.4, 0.02]),
            (arc, q),
            (rod, [0.0, -0.7, 0.0]),
            (plane, [0.7]),
        )
    ]
    assert np.isclose(lengths[0], lengths[1], rtol=1e-14)
    assert np.isclose(lengths[2], lengths[3], rtol=1e-14)


def polygon(body, x, y, q, pieces=4000):
    z = np.linspace(0.0, body.length, pieces + 1)
    points = body.places(np.stack([x + 0.0 * z, y + 0.0 * z, z], axis=-1), q)
    return np.sum(np.linalg.norm(np.diff(points, axis=0), axis=1))


def test_a_thread_of_a_volume_body_has_the_length_of_a_fine_polygon():
    body = SOFT.VolumePreserving(0.1, 0.02, 0.12)
    robot = SOFT.SoftRobot([body, body])
    thread = SOFT.Thread(robot, {'body_1': (0.02, 0.0), 'body_2': (0.0, 0.02)})
    scale = np.tile([0.5, 0.2, 2.0, 0.2, 2.0, 0.5, 0.004, 0.004], 2)
    jet = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 16)) * scale
    expected = polygon(body, 0.02, 0.0, jet[0, :8]) + polygon(body, 0.0, 0.02, jet[0, 8:])
    assert np.isclose(thread.length(jet[0]), expected, rtol=1e-6)  # pieces squared
    h = 1e-4
    efforts = thread.effort_jet(jet)
    for j in range(16):
        step = h * scale[j] * np.eye(16)[j]
        slope = (thread.length(jet[0] + step) - thread.length(jet[0] - step)) / (2.0 * h)
        assert abs(slope + efforts[0, j] * scale[j]) < 1e-9
    ahead, behind = (thread.effort_jet([jet[0] + s * h * jet[1]])[0] for s in (1.0, -1.0))
    rate = (ahead - behind) / (2.0 * h)
    assert np.abs((efforts[1] - rate) * scale).max() < 1e-7


def test_a_robot_without_such_a_body_is_named():
    arm = SOFT.SoftRobot([SOFT.Joint('revolute'), SOFT.ConstantCurvature(0.3, 0.02, 0.4)])
    with pytest.raises(sd.ScrewDynamicsError, match='expected a rod or a body'):
        SOFT.Thread(arm, {'joint_1': (0.0, 0.0)})
    for offsets in ([('body_1', (0.0, 0.0))], None):
        with pytest.raises(sd.ScrewDynamicsError, match='offsets: expected a mapping'):
            SOFT.Thread(arm, offsets)
    with pytest.raises(sd.ScrewDynamicsError, match='actuators: expected a sequence'):
        SOFT.actuation_matrix(None, np.zeros((1, 4)))
    with pytest.raises(sd.ScrewDynamicsError, match='joint_jet: expected'):
        SOFT.Thread(arm, {'body_1': (0.0, 0.0)}).effort_jet(np.zeros(4))


def test_tensions_pull_and_realise_the_efforts():
    matrix = np.array([[np.cos(a), np.sin(a)] for a in ANGLES]).T
    for efforts in np.random.default_rng(2).normal(size=(20, 2)):
        tensions = SOFT.allocate_tensions(matrix, efforts, least=0.5)
        assert tensions.min() >= 0.5
        assert np.allclose(matrix @ tensions, efforts, rtol=0.0, atol=1e-12)
    with pytest.raises(sd.ScrewDynamicsError, match='by pulling'):
        SOFT.allocate_tensions([[1.0]], [-1.0])
    with pytest.raises(sd.ScrewDynamicsError, match='matrix: expected'):
        SOFT.allocate_tensions([1.0], [-1.0])


def test_no_threads_realise_no_efforts():
    assert SOFT.allocate_tensions(np.zeros((2, 0)), [0.0, 0.0]).shape == (0,)
    assert SOFT.allocate_tensions(np.zeros((0, 2)), [], least=3.0).tolist() == [3.0, 3.0]
    with pytest.raises(sd.ScrewDynamicsError, match='by pulling'):
        SOFT.allocate_tensions(np.zeros((2, 0)), [1.0, 2.0])
