# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint states, trajectories and poses as arrays and back, without ROS."""

from array import array
from types import SimpleNamespace

import numpy as np
import pytest

from screw_dynamics.errors import InputError, ShapeError, TrajectoryError
from screw_dynamics.recordings.messages import joints
from screw_dynamics.recordings.messages.poses import path_waypoints

NAMES = ('a', 'b', 'c')


def stamp(seconds):
    sec, nanosec = divmod(round(1e9 * seconds), 10**9)
    return SimpleNamespace(sec=sec, nanosec=nanosec)


def state(name, position=(), velocity=(), effort=()):
    return SimpleNamespace(name=name, position=position, velocity=velocity, effort=effort)


def test_double_arrays_are_row_major():
    result = joints.double_array(np.arange(6).reshape(2, 3).T)
    assert result == array('d', [0, 3, 1, 4, 2, 5])


def test_joint_order():
    order = joints.joint_order(['c', 'a', 'b'], NAMES)
    np.testing.assert_array_equal(np.array(['c', 'a', 'b'])[order], NAMES)
    np.testing.assert_array_equal(joints.joint_order([], NAMES), [0, 1, 2])


@pytest.mark.parametrize(
    'names, message',
    [
        (['a', 'b', 'x'], r"joint_names\[2\]: unknown joint 'x', expected one of a, b, c"),
        (['a', 'b', 'b'], r"joint_names\[2\]: joint 'b' is named twice, first at place 1"),
        (['c', 'a'], r'expected all 3 joints \(a, b, c\), got 2; missing: b'),
    ],
)
def test_bad_joint_names(names, message):
    with pytest.raises(joints.JointNamesError, match=message):
        joints.joint_order(names, NAMES)


def test_request_rows():
    order = joints.joint_order(['c', 'a', 'b'], NAMES)
    np.testing.assert_array_equal(joints.request_row('q', [3.0, 1.0, 2.0], order), [1, 2, 3])
    np.testing.assert_array_equal(joints.request_row('q', [], order), np.zeros(3))
    with pytest.raises(ShapeError, match=r'q: expected shape \(3,\), one value per joint, got'):
        joints.request_row('q', [1.0], order)


@pytest.mark.parametrize('count', [3, 20_000])
def test_arrays_of_messages_are_copies(count):
    rows = np.arange(2.0 * count).reshape(2, count)
    found = joints.double_array(rows[:, ::-1])
    assert found.typecode == 'd' and found.tolist() == rows[:, ::-1].ravel().tolist()
    rows[:] = 0.0
    assert found[0] == count - 1.0


def test_states_of_any_order_with_further_joints():
    positions, velocities = joints.joint_state_rows(state(['x', 'c', 'a'], [9.0, 3.0, 1.0]), NAMES)
    np.testing.assert_array_equal(positions, [1.0, np.nan, 3.0])
    assert np.isnan(velocities).all()
    twice = state(['x', 'x', 'a'], [9.0, 8.0, 1.0], [0.0, 0.0, 2.0])
    assert joints.joint_state_rows(twice, ['a'])[1].tolist() == [2.0]
    found = joints.state_row(state(['c', 'a', 'x'], [3.0, 1.0, np.nan]), 'position', ['a', 'c'])
    assert found.tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ('call', 'text'),
    [
        (
            lambda: joints.joint_state_rows(state(['a', 'b'], [1.0]), NAMES),
            "expected 2 values in 'position' .* or none, got 1",
        ),
        (
            lambda: joints.joint_state_rows(state(['a', 'a'], [1.0, 2.0]), NAMES),
            'joint_states: expected each of a once, got a, a; twice: a',
        ),
        (
            lambda: joints.state_row(state(['a'], [1.0]), 'velocity', ['a']),
            'velocity: expected 1 values, one per name, got 0',
        ),
        (
            lambda: joints.state_row(state([]), 'position', ['a']),
            'name: expected each of a once, got none; missing: a',
        ),
        (
            lambda: joints.require_usable('q', NAMES, np.array([0.0, 1e300, 0.0])),
            'q of b: expected at most .* in size, got 1e',
        ),
        (
            lambda: joints.require_usable('q', ['a'], np.array([np.nan])),
            'q of a: expected a finite number, got none, or nan',
        ),
    ],
)
def test_states_that_cannot_be_used_are_named(call, text):
    with pytest.raises(InputError, match=text):
        call()


def test_points_of_trajectories():
    jets = np.arange(12.0).reshape(2, 3, 2)
    sent = joints.effort_points(
        [500_000_000, 1_250_000_000],
        jets,
        -jets[:, 0],
        lambda **fields: SimpleNamespace(**fields),
        lambda **fields: SimpleNamespace(**fields),
    )
    assert [point.effort for point in sent] == [array('d', [0, -1]), array('d', [-6, -7])]
    read = joints.trajectory_points(SimpleNamespace(points=sent))
    assert [point.time_from_start for point in read] == [0.5, 1.25]
    for point, jet in zip(read, jets, strict=True):
        given = point.positions, point.velocities, point.accelerations
        assert [list(row) for row in given] == jet.tolist()


def path(*times, frames=('base',), start=3.0):
    """Return a Path with stamps so long after that of the message."""
    header = SimpleNamespace(stamp=stamp(start), frame_id=frames[0])
    turn = SimpleNamespace(x=0.0, y=0.0, z=0.6, w=0.8)
    frames = (*frames[1:], *[''] * len(times))
    poses = [
        SimpleNamespace(
            header=SimpleNamespace(stamp=stamp(start + time), frame_id=frame_id),
            pose=SimpleNamespace(position=SimpleNamespace(x=1.0, y=2.0, z=3.0), orientation=turn),
        )
        for time, frame_id in zip(times, frames, strict=False)
    ]
    return SimpleNamespace(header=header, poses=poses)


def test_poses_have_times_from_the_stamp_of_their_path():
    found = path_waypoints(path(0.0, 0.5, 1e7, frames=('base', '', 'base')), 'tool', 'base')
    assert found.frame == 'tool' and found.times.tolist() == [0.0, 0.5, 1e7]
    assert found.positions.tolist() == [[1.0, 2.0, 3.0]] * 3
    assert found.orientations.tolist() == [[0.0, 0.0, 0.6, 0.8]] * 3


@pytest.mark.parametrize(
    ('message', 'text'),
    [
        (path(), 'poses: expected at least one, got none'),
        (path(0.0, frames=('world',)), "^header.frame_id: expected base, .* got 'world'"),
        (path(0.0, 1.0, frames=('base', '', 'tool')), '^pose #1, header.frame_id: expected base'),
        (path(0.0, -1e-9), 'pose #1, header.stamp: expected 0 to 10000000 s .* got -1e-09 s'),
        (path(1.1e7), 'pose #0, header.stamp: expected 0 to 10000000 s'),
    ],
)
def test_poses_that_cannot_be_followed_are_named(message, text):
    with pytest.raises(TrajectoryError, match=text):
        path_waypoints(message, 'tool', 'base')
