# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Options --effort-*: efforts as the robot takes them, in files."""

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.recordings.results.results_csv import read_csv  # noqa: E402

OPTIONS = (
    '--effort-content', 'without_gravity', '--effort-sign', 'joint_2=-1',
    '--effort-scale', 'joint_1=0.5', '--effort-offset', 'joint_2=0.25',
)  # fmt: skip
TAKEN = sd.EffortFormat('without_gravity', [1.0, -1.0], [0.5, 1.0], [0.0, 0.25])
DRIVES = 'drives:\n  joint_1: {motor: {viscous_friction: 2.0}}\n'
PAIR = 'drives:\n  joint_1: {spring: {type: antagonistic_pair, stiffness: 100.0}}\n'


@pytest.mark.parametrize('drives', [False, True])
def test_efforts_and_motor_efforts(run, folder, drives):
    (folder / 'drives.yaml').write_text(DRIVES)
    more = ('--drives', 'drives.yaml') if drives else ()
    command = ('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', *more)
    results = {}
    for name, options in (('full.csv', ()), ('taken.csv', OPTIONS)):
        code, _, err = run(*command, *options, '--csv', name)
        assert code == 0, err
        results[name] = read_csv(folder / name)
    full, taken = results['full.csv'], results['taken.csv']
    model = sd.read_urdf(folder / 'my_robot.urdf')
    jets = full.joint_jet
    expected = TAKEN.convert(model, jets, full.effort_jet)
    np.testing.assert_allclose(taken.effort_jet, expected, rtol=1e-12, atol=1e-12)
    if drives:
        motor_effort = full.motors.values[:, 3:4]
        expected = TAKEN.convert(model, jets[:, :3].copy(), motor_effort)
        found = taken.motors.values[:, 3:4]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        # positions and deflections do not depend on what a drive takes
        np.testing.assert_array_equal(taken.motors.values[:, :3], full.motors.values[:, :3])


@pytest.mark.parametrize(
    'options, text',
    [
        (('--effort-sign', 'joint_2=0.5'), '--effort-sign: expected 1 or -1 for each joint, got'),
        (('--effort-scale', 'elbow=2'), "--effort-scale: joint 'elbow'"),
        (('--effort-scale', 'joint_1'), 'expected NAME=VALUE'),
        (('--effort-content', 'gravity'), "invalid choice: 'gravity'"),
    ],
)
def test_bad_options(run, folder, options, text):
    code, _, err = run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', *options)
    assert code != 0
    assert text in err
