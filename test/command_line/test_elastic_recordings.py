# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`--drives` on measured motions: bands of motor commands; and rotors on moving links."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from recordings import SECOND, START, true_jets  # noqa: E402

import screw_dynamics as sd  # noqa: E402
from screw_dynamics import trajectory  # noqa: E402
from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.results.results_csv import read_csv  # noqa: E402
from screw_dynamics.recordings.results.results_from_bag import read_bag  # noqa: E402

ARGUMENTS = ('--drives', 'my_springs.yaml', '--bag', 'new', '--csv', 'new.csv')
POINTS = [(0.0, [0.0, 0.0]), (0.6, [0.4, -0.6]), (1.2, [0.0, 0.5])]


def test_bands_of_motor_commands_cover_the_truth(run, measured_bag):
    code, _, err = run('evaluate', measured_bag, *ARGUMENTS)
    assert code == 0, err
    table = read_csv(Path('new.csv'))
    assert table.motors is not None and table.motors.deviations is not None
    with Bag('new') as bag:
        first = bag.arrays('/offline/feedforward')['header.stamp'][0] - START
    model = sd.read_urdf('my_robot.urdf')
    drives = sd.Drives.from_yaml('my_springs.yaml')
    truth = sd.elastic_feedforward(
        sd.Robot(model, drives), true_jets(table.times + first / SECOND)
    )
    expected = [truth.motor_position, truth.motor_velocity, truth.motor_acceleration]
    expected += [truth.motor_effort, truth.deflection]
    score = (table.motors.values - np.stack(expected, axis=1)) / table.motors.deviations
    assert (np.abs(score) < 2.0).mean(axis=(0, 2)).min() > 0.9
    assert np.sqrt((score**2).mean(axis=(0, 2))).min() > 0.2
    shown = read_bag(Path('new'), None).motors
    assert shown is not None
    np.testing.assert_array_equal(shown.values, table.motors.values)
    np.testing.assert_array_equal(shown.deviations, table.motors.deviations)
    # a linear spring: the deflection is as uncertain as the effort
    np.testing.assert_allclose(
        table.motors.deviations[:, 4], table.effort_deviations[:, 0] / [400.0, 200.0], rtol=1e-6
    )


def test_dampers_remember_so_their_motors_have_no_bands(run, measured_bag):
    text = Path('my_springs.yaml').read_text()
    Path('my_springs.yaml').write_text(text.replace('400.0}', '400.0, damping: 2.0}'))
    code, _, err = run('evaluate', measured_bag, *ARGUMENTS)
    assert code == 0, err
    table = read_csv(Path('new.csv'))
    assert table.motors is not None and table.motors.deviations is None
    assert table.effort_deviations is not None and table.effort_deviations.min() > 0.0


def coupled_springs() -> None:
    """Put the rotor of the second joint on the first link."""
    text = Path('my_springs.yaml').read_text()
    Path('my_springs.yaml').write_text(f'{text}rotor_coupling: true\n')


def test_rotors_on_moving_links_need_more_than_is_measured(run, measured_bag):
    coupled_springs()
    code, _, err = run('evaluate', measured_bag, *ARGUMENTS)
    assert code == 1 and 'rotor_coupling: expected false' in err
    assert not Path('new').exists()


def test_trajectories_give_the_derivatives_that_rotors_on_moving_links_need(run):
    coupled_springs()
    code, _, err = run(
        'evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--drives', 'my_springs.yaml',
        '--csv', 'new.csv',
    )  # fmt: skip
    assert code == 0, err
    model = sd.read_urdf('my_robot.urdf')
    drives = sd.Drives.from_yaml('my_springs.yaml')
    rows = sd.Robot(model, drives).required_rows
    assert rows > 5
    assert f'need a curve that is C{rows - 1}' in err
    waypoints = trajectory.waypoints_from_points(model.joint_names, POINTS, model.joint_names)
    jets = trajectory.smooth_trajectory(waypoints).jets(np.arange(301) / 250.0, rows)
    expected = sd.elastic_feedforward(sd.Robot(model, drives), jets)
    table = read_csv(Path('new.csv'))
    assert table.motors is not None and table.joint_jet.shape[1] == 5
    np.testing.assert_allclose(
        table.motors.values[:, 3], expected.motor_effort, rtol=1e-10, atol=1e-9
    )
