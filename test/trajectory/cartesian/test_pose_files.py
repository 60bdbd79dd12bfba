# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of poses: both formats, and texts of their errors; the page about them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.trajectory.cartesian import parse_poses, read_poses
from screw_dynamics.trajectory.cartesian.pose_files import has_poses

PAGE = (Path(__file__).resolve().parents[3] / 'docs/cartesian.md').read_text(encoding='utf-8')
YAML = """frame: tool
start: {a: 0.5, b: -1e-1}
poses:
  - {time_from_start: 0.5, position: [1, 2, 3], orientation: [0, 0, 0, 1]}
  - time_from_start: {sec: 1, nanosec: 500000000}
    position: [1.5, 2, 3]
    orientation: [0, 0, 0.6, 0.8]
"""
CSV = 'time,x,y,z,qx,qy,qz,qw\n0.5,1,2,3,0,0,0,1\n\n1.5, 1.5,2,3,0,0,0.6,0.8\n'


@pytest.mark.parametrize(('name', 'text'), [('p.yaml', YAML), ('P.CSV', CSV)])
def test_both_formats_have_the_same_content(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = read_poses(tmp_path / name, frame='tool')
    waypoints = found.waypoints
    assert (waypoints.frame, found.components) == ('tool', 'all')
    assert waypoints.times.tolist() == [0.5, 1.5]
    assert waypoints.positions.tolist() == [[1, 2, 3], [1.5, 2, 3]]
    assert waypoints.orientations.tolist() == [[0, 0, 0, 1], [0, 0, 0.6, 0.8]]
    assert found.start == ({'a': 0.5, 'b': -0.1} if name == 'p.yaml' else {})


def test_a_given_frame_replaces_that_of_the_file():
    assert parse_poses(YAML, 'hand').waypoints.frame == 'hand'
    assert parse_poses(YAML).waypoints.frame == 'tool'


def test_files_of_poses_are_told_from_those_of_points():
    assert has_poses(YAML)
    assert has_poses('{frame: tool, "poses": []}')
    assert not has_poses('# poses: none\njoint_names: [a]\npoints: []\n')
    assert not has_poses('poses: [')
    assert not has_poses(CSV)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('{}', "expected the keys 'frame' and 'poses'"),
        ('{frame: tool, poses: [}', 'expected YAML: '),
        ('{frame: tool, poses: []}', 'expected at least one pose, got none'),
        ('{frame: tool, poses: 1}', "expected a list 'poses' and, if given, a mapping 'start'"),
        ('{poses: [{time_from_start: 0, position: [0, 0, 0]}]}', 'frame: expected the name of a'),
        (
            '{frame: t, poses: [], pints: 1}',
            'the file: expected the keys frame, start, poses, got',
        ),
        ('{frame: t, poses: [1]}', 'pose #0: expected a mapping, got 1'),
        ('{frame: t, poses: [{position: [0, 0, 0]}]}', "pose #0: expected the key 'time_from_"),
        (
            '{frame: t, poses: [{time_from_start: 0, point: []}]}',
            'pose #0: expected the keys time',
        ),
        (
            '{frame: t, poses: [{time_from_start: 0, position: [0, 0]}]}',
            'pose #0, position: expected 3 numbers, got 2',
        ),
        (
            '{frame: t, poses: [{time_from_start: 0, position: [0, 0, up]}]}',
            'pose #0, position: expected numbers, got',
        ),
        (
            YAML + '  - {time_from_start: 2, position: [0, 0, 0]}',
            'pose #2: expected an orientation, as of pose #0, or none at all, got none',
        ),
        (YAML.replace('-1e-1', 'up'), 'start, b: expected numbers, got'),
        (YAML.replace('-1e-1', '.nan'), 'start, b: expected a finite number, got nan'),
        (YAML.replace('0.8', '0.9'), 'pose #1 (at 1.5 s): orientation: expected a quaternion'),
    ],
)
def test_what_is_wrong_in_yaml_is_named(text, reason):
    with pytest.raises(TrajectoryError) as caught:
        parse_poses(text)
    assert str(caught.value).startswith(reason)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', 'columns: expected time,x,y,z and, if any, qx,qy,qz,qw, got an empty file'),
        ('time,x,y\n', "columns: expected time,x,y,z and, if any, qx,qy,qz,qw, got 'time,x,y'"),
        ('time,x,y,z\n', 'expected at least one pose, got none'),
        ('time,x,y,z\n0,1,2\n', 'row 2: expected 4 cells, got 3'),
        ('time,x,y,z\n0,1,2,up\n', 'row 2, position: expected numbers, got'),
        ('time,x,y,z\n0,1,2,3\nnow,1,2,3\n', 'row 3, time_from_start: expected numbers, got'),
    ],
)
def test_what_is_wrong_in_csv_is_named(text, reason):
    with pytest.raises(TrajectoryError) as caught:
        parse_poses(text, 'tool', csv=True)
    assert str(caught.value).startswith(reason)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(TrajectoryError, match=r'no\.yaml: No such file'):
        read_poses(tmp_path / 'no.yaml')


def test_the_page_about_poses_holds(capsys):
    names: dict[str, object] = {}
    for block in re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL)[:2]:
        exec(block, names)
    distance, angle = map(float, capsys.readouterr().out.split())
    assert max(distance, angle) <= 1e-9
    assert names['efforts'].shape == (750, 3, 7)
    file = parse_poses(re.search(r'```yaml\n(.*?)```', PAGE, re.DOTALL)[1])
    model, given = names['model'], names['waypoints']
    assert np.allclose(file.waypoints.positions, given.positions)
    start = [file.start.get(name, 0.0) for name in model.joint_names]
    assert start == names['start']
    found = sd.cartesian_trajectory(model, file.waypoints, start)
    assert (found.curve.end == names['found'].curve.end).all()
