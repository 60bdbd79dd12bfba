# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories from YAML and CSV."""

import pytest

from screw_dynamics.errors import TrajectoryError
from screw_dynamics.trajectory import parse_trajectory, read_trajectory

YAML = """
joint_names: [a, b]
points:
  - {time_from_start: 0, positions: [0, 1]}
  - {time_from_start: 1.5, positions: [1, 2.5], velocities: [0, 0], accelerations: [0, 1]}
"""
CSV = 'time,a,a.velocity,b.position,b.velocity\n0,1,2,3,4\n0.5,5,6,7,8\n'


def test_yaml():
    trajectory = parse_trajectory(YAML)
    assert trajectory.joint_names == ('a', 'b')
    assert trajectory.points[0] == (0.0, [0.0, 1.0], [], [])
    assert trajectory.points[1] == (1.5, [1.0, 2.5], [0.0, 0.0], [0.0, 1.0])


def test_csv():
    trajectory = parse_trajectory(CSV, csv=True)
    assert trajectory.joint_names == ('a', 'b')
    assert trajectory.points[1] == (0.5, [5.0, 7.0], [6.0, 8.0], [])


def test_times_as_ros_prints_them():
    point = '{time_from_start: {sec: 1, nanosec: 500000000}, positions: [1]}'
    trajectory = parse_trajectory(f'{{joint_names: [a], points: [{point}]}}')
    assert trajectory.points[0].time_from_start == 1.5


def test_a_message_as_ros_prints_it():
    text = """header:
  stamp: {sec: 0, nanosec: 0}
  frame_id: ''
joint_names:
- a
points:
- positions:
  - 1.0
  velocities: []
  accelerations: []
  effort: [3.0]
  time_from_start:
    sec: 0
    nanosec: 500000000
"""
    assert parse_trajectory(text).points == ((0.5, [1.0], [], []),)


@pytest.mark.parametrize('name, text', [('t.yaml', YAML), ('t.csv', CSV), ('T.CSV', CSV)])
def test_files(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert len(read_trajectory(str(path)).points) == 2


@pytest.mark.parametrize(
    'csv, text, message',
    [
        (False, '[', '^expected YAML: '),
        (False, '[joint_names, points]', "expected the keys 'joint_names' and 'points'$"),
        (False, 'joint_names', "expected the keys 'joint_names' and 'points'$"),
        (
            False,
            'joint_names: [a]\npoints: []\npoints: [{time_from_start: 0, positions: [1]}]\n',
            "^line 3: expected every entry once, got 'points' again after line 2",
        ),
        (
            False,
            'joint_names: [a]\npoints: [{time_from_start: 0, positions: [1], positions: [2]}]\n',
            r"^line 2, points\[0\]: expected every entry once, got 'positions' again",
        ),
        (
            False,
            '{joint_name: [a], points: []}',
            "expected the keys 'joint_names' and 'points'; did you mean joint_names",
        ),
        (False, '{joint_names: a, points: []}', 'expected lists'),
        (False, '{joint_names: [a], points: [{positions: [1]}]}', 'point #0: expected the key'),
        (
            False,
            '{joint_names: [a], points: [{time_from_start: 0, position: [1]}]}',
            "point #0: expected the keys .* got 'position'; did you mean positions",
        ),
        (
            False,
            '{joint_names: [a], points: [{time_from_start: 0, positions: [x]}]}',
            'point #0, positions: expected numbers',
        ),
        (False, '{joint_names: [a], points: []}', 'at least one point, got none'),
        (
            False,
            '{joint_names: [a], points: [{time_from_start: 1:30, positions: [1]}]}',
            r'^line 1, points\[0\].time_from_start: expected a decimal number, .* got 1:30',
        ),
        (False, '{joint_names: [1.5], points: []}', r'joint_names\[0\]: expected text, got 1.5'),
        (False, '{joint_names: [], points: [{time_from_start: 0, positions: []}]}', 'one joint'),
        (True, 'time\n0\n1\n', 'columns: expected the positions of joints .* got time$'),
        (True, 'time,a.velocity\n0,1\n', 'positions of joints .* got time, a.velocity$'),
        (True, 'time,a,a\n0,1,2\n', 'column 3: expected one position of a, got two'),
        (True, 'time,a\n', 'at least one point, got none'),
        (True, 'time,a\n0,1\ninf,1\n', 'point #1, time_from_start: .* got inf'),
        (True, 'time,a\nnan,1\n', 'point #0, time_from_start: .* got nan'),
        (True, 'time,a\n-1,1\n', 'point #0, time_from_start: .* got -1'),
        (True, 'time,a\n3e9,1\n', 'expected 0 to 2147483647 s, got 3e'),
        (True, '', "first column is 'time', as in 'time,joint_1,joint_2', got an empty file"),
        (True, 't,a\n0,1\n', "first column is 'time', as in 'time,joint_1,joint_2', got 't,a'"),
        (True, 'time;a\n0;0,5\n', "got 'time;a': separate columns by commas, and write numbers"),
        (True, '0,1,2\n1,2,3\n', "got the numbers '0,1,2': write the header above them"),
        (True, 'time,a\n0,5,1,2\n', 'row 2: expected 2 cells, got 4: write numbers with a point'),
        (True, 'time,a\n0\n', 'row 2: expected 2 cells, got 1'),
        (True, 'time,a\n0,x\n', 'row 2, positions: expected numbers'),
        (True, 'time,a\n0,1_0\n', 'row 2, positions: expected numbers'),
        (True, 'time,a\n0,0\n\n\n1\n', 'row 5: expected 2 cells, got 1'),
    ],
)
def test_unusable_texts_are_named(csv, text, message):
    with pytest.raises(TrajectoryError, match=message):
        parse_trajectory(text, csv=csv)


def test_a_missing_file_is_named():
    with pytest.raises(TrajectoryError, match='missing.yaml'):
        read_trajectory('missing.yaml')


@pytest.mark.parametrize('path', ['a\0b', None, 3])
def test_what_is_no_path_is_named(path):
    with pytest.raises(TrajectoryError):
        read_trajectory(path)
    with pytest.raises(TrajectoryError, match='^expected text, got None$'):
        parse_trajectory(None)


def test_the_mark_that_spreadsheets_write_is_skipped(tmp_path):
    (tmp_path / 'marked.csv').write_text(CSV, encoding='utf-8-sig')
    assert read_trajectory(str(tmp_path / 'marked.csv')).joint_names == ('a', 'b')
