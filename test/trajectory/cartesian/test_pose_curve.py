# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Curves through poses, and rotations with their derivatives."""

from math import factorial

import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator
from scipy.spatial.transform import Rotation

from screw_dynamics.errors import ShapeError, TrajectoryError
from screw_dynamics.lie import dexp_so3, exp_so3, log_so3
from screw_dynamics.series import jet_of_series, series_of_jet
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points
from screw_dynamics.trajectory.cartesian import PoseCurve, PoseWaypoints
from screw_dynamics.trajectory.cartesian.rotations import (
    angular_velocities,
    rotation_matrices,
    rotation_vectors,
)

TIMES = np.array([0.0, 0.8, 2.0, 2.7, 4.0])


def quaternions(seed, count, angle):
    """Return orientations, each turned from the one before by `angle` about a random axis."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(count, 3))
    found = [Rotation.random(random_state=seed)]
    for axis in axes[1:]:
        found.append(Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)) * found[-1])
    return np.array([rotation.as_quat() for rotation in found])


def random_poses(seed, angle=1.0, times=TIMES):
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(len(times), 3))
    return PoseWaypoints('tool', times, positions, quaternions(seed, len(times), angle))


@pytest.mark.parametrize('angle', [1e-9, 0.5, 2.0, np.radians(178.9)])
def test_it_passes_through_every_pose_and_rests_at_the_ends(angle):
    waypoints = random_poses(1, angle)
    curve = PoseCurve(waypoints)
    poses, twists = curve.sample(np.append(TIMES, TIMES[-1] + 1.0))
    expected = Rotation.from_quat(waypoints.orientations).as_matrix()
    # logarithm and exponential near 180 degrees lose some units of rounding
    assert np.abs(poses[:-1, :3, :3] - expected).max() <= 1e-13
    assert (poses[:-1, :3, 3] == waypoints.positions).all()
    assert (poses[-1] == poses[-2]).all()
    assert not twists[[0, -2, -1]].any()


@pytest.mark.parametrize('angle', [0.5, 2.0, 3.0])
def test_no_derivative_of_the_twist_up_to_the_third_jumps_at_a_pose(angle):
    curve = PoseCurve(random_poses(2, angle))
    scale = np.abs(curve.sample(np.linspace(0.0, 4.0, 400))[1]).max(axis=(0, 2))
    for time in TIMES[1:-1]:
        _, (before, after) = curve.sample(np.array([np.nextafter(time, 0.0), time]))
        # rounding of coefficients is amplified by their factors, up to 9 * 8 * 7 * 6
        assert (np.abs(after - before).max(axis=1) <= 1e-10 * scale).all()


@pytest.mark.parametrize('time', [0.3, 1.1, 2.4, 3.5])
def test_twists_are_the_derivatives_of_poses(time):
    curve = PoseCurve(random_poses(3, 2.0))
    # polynomials through 11 Chebyshev nodes: derivatives are off by the 11th power of 0.05
    nodes = time + 0.05 * np.cos(np.pi * np.arange(11) / 10)
    poses, twists = curve.sample(nodes)
    pose, twist = (found[0] for found in curve.sample(np.array([time])))

    def rate(values):
        return BarycentricInterpolator(nodes, values).derivative(time)

    turning = rate(poses[:, :3, :3]) @ pose[:3, :3].T
    found = [turning[2, 1], turning[0, 2], turning[1, 0], *rate(poses[:, :3, 3])]
    assert np.allclose(found, twist[0], rtol=0.0, atol=1e-8)
    for k in range(3):
        scale = np.abs(twists[:, k + 1]).max()
        assert np.allclose(rate(twists[:, k]), twist[k + 1], rtol=0.0, atol=1e-7 * scale)


def test_a_rotation_about_a_fixed_axis_is_interpolated_as_its_angle():
    axis, angles = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 3.0, 2.5, 5.0])
    turns = Rotation.from_rotvec(axis * angles[:, None]).as_quat()
    curve = PoseCurve(PoseWaypoints('tool', TIMES, np.zeros((5, 3)), turns))
    points = [(t, [angle]) for t, angle in zip(TIMES, angles, strict=True)]
    # the coordinates of the vector are interpolated; they are multiples of one curve
    expected = smooth_trajectory(waypoints_from_points(['a'], points, ['a']))
    times = np.linspace(0.0, 4.0, 101)
    poses, twists = curve.sample(times)
    jets = expected.jets(times)[..., 0]
    matrices = Rotation.from_rotvec(jets[:, :1] * axis).as_matrix()
    assert np.abs(poses[:, :3, :3] - matrices).max() <= 1e-12
    assert np.allclose(twists[:, :, :3], jets[:, 1:, None] * axis, rtol=0.0, atol=1e-9)


def test_the_motion_is_that_of_the_body_and_not_of_the_axes_chosen_on_it():
    waypoints, other = random_poses(4, 1.5), Rotation.random(random_state=9)
    turned = (Rotation.from_quat(waypoints.orientations) * other).as_quat()
    times = np.linspace(0.0, 4.0, 50)
    poses, twists = PoseCurve(waypoints).sample(times)
    same = PoseCurve(PoseWaypoints('tool', TIMES, waypoints.positions, turned))
    poses_of_other, twists_of_other = same.sample(times)
    assert np.abs(poses_of_other[:, :3, :3] - poses[:, :3, :3] @ other.as_matrix()).max() <= 1e-12
    assert np.allclose(twists_of_other, twists, rtol=1e-9, atol=1e-9)


def test_it_continues_a_motion_at_its_begin():
    waypoints, rng = random_poses(5), np.random.default_rng(0)
    start, twist = np.eye(4), rng.normal(size=(4, 6))
    start[:3, :3] = Rotation.from_rotvec([0.1, 0.2, 0.3]).as_matrix() @ waypoints.rotations[1]
    start[:3, 3] = waypoints.positions[1] + 0.1
    curve = PoseCurve(waypoints, start, twist, 1.0)
    poses, twists = curve.sample(np.append(1.0, TIMES[2:]))
    assert np.abs(poses[0] - start).max() <= 1e-15
    assert np.abs(twists[0] - twist).max() <= 1e-12
    assert np.abs(poses[1:, :3, :3] - waypoints.rotations[2:]).max() <= 1e-13
    assert [curve.name(i) for i in range(4)] == ['the start', 'pose #2', 'pose #3', 'pose #4']


UNIT = [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ('times', 'positions', 'orientations', 'text'),
    [
        (
            [0, 1],
            [[0, 0, 0], [1, 0, 0]],
            [UNIT, [0, 0, 0, 1.02]],
            'pose #1 (at 1 s): orientation: expected a quaternion x, y, z, w of length 1, got '
            '[0.0, 0.0, 0.0, 1.02] of length 1.02',
        ),
        (
            [0, 1],
            [[0, 0, 0], [1, 0, 0]],
            [UNIT, [0, 0, 0, 0]],
            'pose #1 (at 1 s): orientation: expected a quaternion x, y, z, w of length 1, got '
            '[0.0, 0.0, 0.0, 0.0] of length 0',
        ),
        (
            [0, 1],
            [[0, 0, 0], [np.nan, 0, 0]],
            [UNIT, UNIT],
            'pose #1 (at 1 s): position: expected finite numbers of at most 1e+06 in size, got '
            '[nan, 0.0, 0.0]',
        ),
        (
            [0, 2],
            [[0, 0, 0], [1, 0, 0]],
            [UNIT, [1.0, 0.0, 0.0, 0.0]],
            'pose #0 to pose #1 (at 2 s): expected a turn of at most 179 degrees, got 180: its '
            'direction is ambiguous, add a pose between them',
        ),
        (
            [0, 0],
            [[0, 0, 0], [1, 0, 0]],
            [UNIT, UNIT],
            'Time between points 0 and 1 is not strictly increasing, it is 0.000000 and 0.000000 '
            'respectively',
        ),
    ],
    ids=['length', 'zero', 'finite', 'turn', 'times'],
)
def test_an_invalid_pose_is_named(times, positions, orientations, text):
    with pytest.raises(TrajectoryError) as caught:
        PoseWaypoints('tool', times, positions, orientations)
    assert str(caught.value) == text


def test_shapes_and_frame_are_checked():
    with pytest.raises(ShapeError, match=r'orientations: expected shape \(1, 4\), got \(1, 3\)'):
        PoseWaypoints('tool', [0.0], [[0, 0, 0]], [[0, 0, 1]])
    with pytest.raises(TrajectoryError, match="frame: expected the name of a link, got ''"):
        PoseWaypoints('', [0.0], [[0, 0, 0]], [UNIT])


def test_a_start_that_is_turned_too_far_is_named():
    waypoints = PoseWaypoints('tool', [1.0], [[0, 0, 0]], [[1.0, 0.0, 0.0, 0.0]])
    with pytest.raises(
        TrajectoryError, match=r'^the start to pose #0 \(at 1 s\): expected a turn'
    ):
        PoseCurve(waypoints, np.eye(4))


@pytest.mark.parametrize('angle', [0.0, 1e-200, 1e-9, 0.1, 2.9999, 3.0001, np.pi - 1e-9])
def test_exponential_and_logarithm_are_those_of_single_rotations(angle):
    axes = np.random.default_rng(0).normal(size=(20, 3))
    vectors = angle * axes / np.linalg.norm(axes, axis=1)[:, None]
    matrices = rotation_matrices(vectors)
    single = np.array([exp_so3(vector) for vector in vectors])
    assert np.abs(matrices - single).max() <= 1e-15  # some units of rounding
    found = rotation_vectors(single)
    assert np.allclose(found, [log_so3(matrix) for matrix in single], rtol=1e-14, atol=1e-14)
    # at 3 rad the sine is 0.14: rounding grows tenfold
    assert np.allclose(found, vectors, rtol=1e-14, atol=1e-14 if angle < 3.1 else 1e-7)


@pytest.mark.parametrize('angle', [0.0, 1.0, 3.14])
def test_angular_velocities_are_those_of_series(angle):
    rng = np.random.default_rng(1)
    jets = rng.normal(size=(5, 4, 3))
    jets[0] *= angle / np.linalg.norm(jets[0], axis=1)[:, None]
    coefficients = np.array([row / factorial(d) for d, row in enumerate(jets)])
    found = angular_velocities(coefficients)
    for t in range(4):
        x = series_of_jet(jets[:, t])
        rate = series_of_jet(jets[1:, t])
        expected = jet_of_series(dexp_so3(x) @ rate, 3).astype(float)
        scale = np.abs(expected).max()
        for d in range(4):
            assert np.abs(factorial(d) * found[d, t] - expected[d]).max() <= 1e-13 * scale
