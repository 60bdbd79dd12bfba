# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""retime_trajectory: the path, the limits, and requests that cannot be answered."""

import numpy as np
import pytest
from helpers.node_processes import trajectory
from helpers.services import SERVICES, asker

import screw_dynamics as sd
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points

KIND = SERVICES['retime_trajectory']
LIMITS = {'velocity': [2.0, 3.0], 'effort': [60.0, 30.0], 'effort_rate': [400.0, 200.0]}
POINTS = [(0.5, [0.0, 0.0]), (2.0, [0.9, -0.6]), (3.5, [0.2, 0.7])]


@pytest.fixture(scope='module')
def model(planar):
    return sd.read_urdf(planar)


@pytest.fixture(scope='module')
def ask(model):
    retimed = asker(sd.Robot(model))

    def ask(order=(0, 1), points=POINTS, **fields):
        names = [f'joint_{i + 1}' for i in order]
        rows = [np.array(q)[list(order)] for _, q in points]
        message = trajectory(names, *rows, times=[t for t, _ in points])
        message.header.frame_id = 'kept'
        return retimed('retime_trajectory', trajectory=message, **fields)

    return ask


def limits_of(order):
    return {f'max_{name}': [values[i] for i in order] for name, values in LIMITS.items()}


@pytest.mark.parametrize('order', [pytest.param((0, 1), marks=pytest.mark.long), (1, 0)])
def test_the_motion_is_faster_on_its_path_within_the_limits(ask, model, order):
    response = ask(order, **limits_of(order))
    assert response.success, response.message
    fast = response.trajectory
    assert (fast.header.frame_id, fast.joint_names) == ('kept', [f'joint_{i + 1}' for i in order])
    back = np.argsort(order)
    times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in fast.points]
    motion = np.array([[p.positions, p.velocities, p.accelerations] for p in fast.points])
    motion = motion[:, :, back]
    assert times[0] == 0.0 and times[-1] < 1.5
    assert response.message == f'3 s before, {times[-1]:.6g} s now'
    points = [(t - 0.5, q) for t, q in POINTS]
    given = smooth_trajectory(waypoints_from_points(model.joint_names, points, model.joint_names))
    path = given.jets(np.linspace(0.0, 3.0, 200_001), rows=1)[:, 0]
    for q in motion[:, 0]:
        assert np.abs(path - q).max(axis=1).min() < 1e-5  # half the distance of two instants
    efforts = np.array([p.effort for p in fast.points])[:, back]
    np.testing.assert_allclose(efforts, sd.inverse_dynamics(model, motion)[:, 0], rtol=1e-12)
    # what a receiver makes of the points
    points = [(t, *rows) for t, rows in zip(times, motion, strict=True)]
    curve = smooth_trajectory(waypoints_from_points(model.joint_names, points, model.joint_names))
    jets = curve.jets(np.linspace(0.0, times[-1], 20_001))
    tau = sd.inverse_dynamics(model, jets)
    largest = {'velocity': jets[:, 1], 'effort': tau[:, 0], 'effort_rate': tau[:, 1]}
    share = {k: np.abs(v).max(axis=0) / LIMITS[k] for k, v in largest.items()}
    assert max(x.max() for x in share.values()) <= 1.0 + 1e-9
    assert max(x.max() for x in share.values()) > 0.99  # some limit is reached


@pytest.mark.long
def test_limits_are_those_of_the_robot_unless_named(ask, model):
    own = ask().trajectory.points[-1].time_from_start
    none = ask(max_velocity=[0.0, 0.0]).trajectory.points[-1].time_from_start
    assert own == none
    slow = ask(max_velocity=[0.5, 0.0]).trajectory.points[-1].time_from_start
    assert slow.sec >= 1 + 0.9 / 0.5 - 1.0
    points = ask(max_acceleration=[0.0, 0.8], max_jerk=[5.0, 0.0]).trajectory.points
    accelerations = np.array([point.accelerations for point in points])
    assert 0.7 < np.abs(accelerations[:, 1]).max() <= 0.8
    assert points[-1].time_from_start.sec > own.sec


@pytest.mark.parametrize(
    'fields, code, text',
    [
        ({'max_effort': [1.0]}, 'INVALID_REQUEST', 'max_effort: expected shape (2,), or empty'),
        (
            {'max_velocity': [1.0, -2.0]},
            'INVALID_REQUEST',
            "max_velocity: joint 'joint_2': expected 0 or more, got -2",
        ),
        (
            {'max_effort': [0.001, 0.0]},
            'LIMIT_EXCEEDED',
            'expected a motion that is feasible when slow, got',
        ),
        (
            {'points': [(0.1 * i, [0.0, 0.1 * i]) for i in range(1001)]},
            'INVALID_REQUEST',
            'trajectory.points: expected at most 1000, got 1001',
        ),
        ({'points': [(0.0, [0.0, np.nan])]}, 'NOT_FINITE', 'got nan'),
    ],
)
def test_what_cannot_be_answered_is_named(ask, fields, code, text):
    response = ask(**fields)
    assert not response.success and not response.trajectory.points
    assert response.error_code == getattr(KIND.Response, code), response.message
    assert text in response.message
