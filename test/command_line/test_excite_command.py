# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics excite`: a trajectory file, and the bands that it will reach."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.command_line.main import main
from screw_dynamics.trajectory import read_trajectory, smooth_trajectory, waypoints_from_points

OPTIONS = ['--trials', '3', '--duration', '8', '--points', '6']


def test_motion_and_bands(folder, capsys):
    drive = sd.JointDrive(sd.LinearSpring(300.0), sd.Motor(rotor_inertia=0.1))
    sd.Drives({'joint_1': drive, 'joint_2': drive}).to_yaml('springs.yaml')
    files = ['--elastic', 'springs.yaml', '--csv', 'motion.csv']
    limits = ['--begin', 'joint_2=0.4', '--workspace', 'tool=-3,-3,-3,3,3,3']
    code = main(['excite', 'my_robot.urdf', *OPTIONS, *files, *limits, '--load', 'tool'])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    for text in ('joint_1.stiffness', 'payload.m', 'delay', 'feasible', 'written: motion.csv'):
        assert text in captured.out
    # a receiver makes the same motion of the file
    file = read_trajectory('motion.csv')
    curve = smooth_trajectory(
        waypoints_from_points(file.joint_names, file.points, ('joint_1', 'joint_2'))
    )
    assert curve.duration == 8.0
    assert curve.jets([0.0, 8.0], rows=2)[:, 0] == pytest.approx(np.array([[0.0, 0.4]] * 2))
    model = sd.read_urdf('my_robot.urdf')
    jets = curve.jets(np.arange(0.0, 8.0, 1e-3), rows=3)
    assert (np.abs(jets[:, 1]) <= 0.8 * model.limits.velocity).all()


def test_standard_output_has_the_points_alone(folder, capsys):
    assert main(['excite', 'my_robot.urdf', *OPTIONS, '--csv', '-']) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith('time,joint_1,joint_2\n') and 'coulomb' in captured.err


@pytest.mark.parametrize(
    'options, text',
    [
        (['--workspace', 'tool=1,2'], 'LINK=X,Y,Z,X,Y,Z'),
        (['--share', '1.5'], 'share: expected a number up to 1'),
        (['--load', 'hand'], 'hand'),
    ],
)
def test_options_that_are_refused(folder, capsys, options, text):
    assert main(['excite', 'my_robot.urdf', *OPTIONS, *options]) in (1, 2)
    assert text in capsys.readouterr().err
