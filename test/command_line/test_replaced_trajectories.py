# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: start of a trajectory that replaces another one."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from recordings import SECOND, START, description, joint_trajectory, write_bag  # noqa: E402

from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.results.results_csv import read_csv  # noqa: E402

JOINTS = ('joint_1', 'joint_2')
FIRST = [(0.0, [0.0, 0.0]), (1.0, [1.0, -1.0])]


@pytest.mark.parametrize(
    ('after', 'first_point', 'begins_at'),
    [
        (0.5, 0.0, [0.5, -0.5]),  # on its way, halfway for symmetry: a point at 0 gives way
        (0.5, 0.4, [0.5, -0.5]),
        (3.0, 0.0, [0.2, 0.3]),  # long at rest: it may begin anywhere
        (3.0, 0.4, [1.0, -1.0]),  # from the end of the first one
    ],
)
def test_it_begins_where_the_robot_is(run, folder, after, first_point, begins_at):
    points = [(first_point, [0.2, 0.3]), (2.0, [0.0, 0.0])]
    rows = [
        description(folder / 'my_robot.urdf'),
        ('/t', 0, joint_trajectory(JOINTS, FIRST)),
        ('/t', int(after * SECOND), joint_trajectory(JOINTS, points)),
    ]
    write_bag(folder / 'two', rows)
    code, _, err = run('evaluate', 'two', '--bag', 'new', '--rate', 100)
    assert code == 0, err
    with Bag('new') as bag:
        torque = bag.arrays('/offline/feedforward')
    stamps = torque['header.stamp'] - START
    i = int(np.flatnonzero(stamps >= int(after * SECOND))[0])
    assert stamps[i] == int(after * SECOND)
    assert torque['reference.time_from_start'][i] == 0
    np.testing.assert_allclose(torque['reference.positions'][i], begins_at, atol=1e-12)
    np.testing.assert_array_equal(torque['reference.positions'][-1], [0.0, 0.0])


def test_what_was_sent_early_begins_at_its_stamp(run, folder):
    later = [(0.0, [1.0, -1.0]), (1.0, [0.0, 0.0])]
    rows = [
        description(folder / 'my_robot.urdf'),
        ('/t', 0, joint_trajectory(JOINTS, later, START + 2 * SECOND)),
        ('/t', SECOND // 2, joint_trajectory(JOINTS, FIRST)),
    ]
    write_bag(folder / 'early', rows)
    code, _, err = run('evaluate', 'early', '--bag', 'new', '--rate', 100)
    assert code == 0, err
    with Bag('new') as bag:
        torque = bag.arrays('/offline/feedforward')
    stamps = torque['header.stamp'] - START
    assert (np.diff(stamps) > 0).all()
    assert (stamps[0], stamps[-1]) == (SECOND // 2, 3 * SECOND)
    np.testing.assert_array_equal(torque['reference.positions'][0], [0.0, 0.0])
    np.testing.assert_array_equal(torque['reference.positions'][-1], [0.0, 0.0])


def test_motors_of_all_trajectories_are_in_the_table(run, trajectory_bag):
    code, _, err = run(
        'evaluate',
        trajectory_bag,
        '--bag',
        'new',
        '--csv',
        'new.csv',
        '--drives',
        'my_springs.yaml',
    )
    assert code == 0, err
    table = read_csv(Path('new.csv'))
    assert table.motors is not None
    with Bag('new') as bag:
        motors = bag.arrays('/offline/motor_feedforward')
    assert len(table.times) == len(motors['header.stamp'])
    np.testing.assert_array_equal(table.motors.values[:, 0], motors['motor_position'])


def test_a_reference_rests_at_both_ends(run, folder):
    points = [
        {'time_from_start': t, 'positions': q, 'velocities': [0, 0], 'accelerations': [3.0, 2.0]}
        for t, q in FIRST
    ]
    (folder / 'ends.yaml').write_text(repr({'joint_names': list(JOINTS), 'points': points}))
    code, _, err = run('evaluate', 'my_robot.urdf', 'ends.yaml', '--bag', 'new')
    assert code == 0, err
    with Bag('new') as bag:
        torque = bag.arrays('/feedforward/feedforward')
    assert (torque['reference_continuity'] == 4).all()
    np.testing.assert_array_equal(torque['reference.accelerations'][[0, -1]], np.zeros((2, 2)))
