# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The option --soft-segments against the library."""

from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.recordings.results.results_csv import read_csv

FINGER = sd.share_path('config/soft_finger.yaml')


@pytest.fixture
def moving_finger(folder):
    (folder / 'my_trajectory.csv').write_text(
        'time,joint_1,joint_2,finger/curve_x,finger/curve_y\n0,0,0,0,0\n0.8,0.4,-0.6,0.7,0.2\n'
    )
    return folder


def test_efforts_of_a_trajectory_of_all_coordinates(run, moving_finger):
    code, out, err = run(
        'evaluate', 'my_robot.urdf', 'my_trajectory.csv', '--soft-segments', FINGER,
        '--csv', 'efforts.csv', '--rate', '50',
    )  # fmt: skip
    assert code == 0, err
    assert 'finger/curve_x' in out
    results = read_csv(Path('efforts.csv'))
    robot = sd.soft.append_segments(sd.read_urdf('my_robot.urdf'), FINGER)
    assert results.joint_names == robot.joint_names and len(results.times) == 41
    expected = sd.inverse_dynamics(robot, results.joint_jet)
    bound = 1e-12 * np.abs(expected).max()
    np.testing.assert_allclose(results.effort_jet, expected, rtol=0, atol=bound)


def test_limits_of_segments_are_checked(run, moving_finger):
    arguments = ('evaluate', 'my_robot.urdf', 'my_trajectory.csv', '--limits', '--soft-segments')
    code, out, _ = run(*arguments, FINGER)
    assert (code, 'finger/curve_x' in out) == (0, True)
    tight = FINGER.read_text().replace('upper: 2.0', 'upper: 0.5', 1)
    (moving_finger / 'tight.yaml').write_text(tight)
    code, out, _ = run(*arguments, 'tight.yaml')
    assert code != 0
    assert 'infeasible' in out or 'finger/curve_x' in out


def test_a_model_with_segments_is_shown(run, moving_finger):
    code, out, err = run('model', 'my_robot.urdf', '--soft-segments', FINGER)
    assert code == 0, err
    (row,) = (line.split() for line in out.splitlines() if 'thread_1' in line)
    # density times volume
    mass = 1070.0 * np.pi * 0.01**2 * 0.12
    assert row[:2] == ['finger', 'constant_curvature'] and float(row[2]) == pytest.approx(
        mass, rel=1e-4
    )
    limits = next(line.split() for line in out.splitlines() if line.startswith('finger/curve_y'))
    assert limits[1:] == ['-2', '2', 'inf', 'inf']
    assert 'joint_2' in out
    code, _, err = run('model', 'my_robot.urdf', '--soft-segments', FINGER, '--yaml', 'out.yaml')
    assert code != 0
    assert '--yaml: expected none beside --soft-segments' in err


def test_springs_beside_segments_and_bad_files_are_refused(run, moving_finger):
    arguments = ('evaluate', 'my_robot.urdf', 'my_trajectory.csv', '--soft-segments')
    code, _, err = run(*arguments, FINGER, '--drives', 'my_springs.yaml')
    assert code != 0
    assert '--soft-segments: expected no file beside --drives' in err
    code, _, err = run(*arguments, 'none.yaml')
    assert code != 0
    assert 'none.yaml: expected a readable soft segments file' in err
