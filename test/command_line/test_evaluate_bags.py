# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: recorded trajectories and joint states to efforts, in a new bag."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from helpers.bag_messages import description, joint_state, joint_trajectory, write_bag

from screw_dynamics.recordings.bags import Bag
from screw_dynamics.recordings.results.results_csv import read_csv


def test_files_have_the_same_numbers(run, trajectory_bag):
    files = '--bag', 'new', '--csv', 'new.csv', '--drives', 'my_springs.yaml'
    code, out, err = run('evaluate', trajectory_bag, *files, '--rate', 500)
    assert code == 0, err
    for text in ('max |effort_ddot|', 'max |motor_effort|', 'written: new'):
        assert text in out
    table = read_csv(Path('new.csv'))
    with Bag('new') as bag:
        torque = bag.arrays('/offline/feedforward')
        motors = bag.arrays('/offline/motor_feedforward')
        assert bag.topics['/offline/joint_trajectory_effort'].count == 2
    assert len(table.times) > 900
    np.testing.assert_array_equal(table.effort_jet[:, 2], torque['effort_ddot'])
    np.testing.assert_array_equal(table.motors.values[:, 0], motors['motor_position'])
    np.testing.assert_array_equal(motors['gear_ratio'][0], [100.0, 100.0])


def test_everything_else_is_copied(run, measured_bag):
    options = '--copy', '--rate', 50, '--order', 1, '--namespace', 'x'
    part = '--start', 0.2, '--end', 1.2, '--smoothing-time', 0.1
    code, out, err = run('evaluate', measured_bag, '--bag', 'new', *options, *part)
    assert code == 0 and 'repeated: 5, without all joints or a stamp: 5' in out, err
    with Bag(measured_bag) as old, Bag('new') as new:
        for topic, about in old.topics.items():
            assert new.topics[topic] == about
        names = list(old.topics)
        assert list(old.raw_messages(names)) == list(new.raw_messages(names))
        assert set(new.topics) - set(old.topics) == {'/x/feedforward', '/x/feedforward_deviation'}
        torque = new.arrays('/x/feedforward')
    assert torque['effort_ddot'].shape == (51, 0) and set(torque['source']) == {2}


ERRORS = [
    (['nowhere', '--bag', 'new'], 'nowhere: expected a bag'),
    (['measured_bag', '--bag', 'new', '--topic', '/x'], 'no messages on --topic /x; it holds'),
    (['measured_bag', '--topic', '/robot_description'], 'got std_msgs/msg/String'),
    (['measured_bag', '--bag', 'my_springs.yaml'], 'my_springs.yaml: it exists already'),
    (['measured_bag', '--bag', 'new', '--start', '1.99'], 'expected samples at 12 instants'),
    (['measured_bag', '--joints', 'elbow'], "in joints: 'elbow': expected one of"),
    (['measured_bag', '--bag', 'new', '--drives', 'none.yaml'], 'none.yaml'),
    (['bare', '--bag', 'new'], 'give the robot by --urdf'),
    (['my_robot.urdf', 'two', '--bag', 'new'], 'choose by --topic one of'),
    (['my_robot.urdf', 'bad', '--bag', 'new'], 'no trajectory can be followed: /t, message'),
]


def test_errors_are_one_line(run, measured_bag, folder):
    one = joint_state(['joint_1'], [0.0], 5)
    write_bag(folder / 'bare', [('/a', 0, one)])
    write_bag(folder / 'two', [('/a', 0, one), ('/b', 0, one)])
    write_bag(folder / 'bad', [('/t', 0, joint_trajectory(['elbow'], [(0.0, [0.0])]))])
    for arguments, text in ERRORS:
        code, out, err = run('evaluate', *arguments)
        errors = [line for line in err.splitlines() if not line.startswith('warning: ')]
        assert code == 1 and len(errors) == 1, err
        assert errors[0].startswith('screw_dynamics evaluate: ') and text in errors[0], errors[0]
        assert 'written' not in out and not (folder / 'new').exists()


def test_numbers_without_a_new_bag(run, trajectory_bag):
    code, out, err = run('evaluate', trajectory_bag)
    assert code == 0 and not err and 'max |effort|' in out and 'written' not in out
    assert run('evaluate', trajectory_bag, '--csv', 'alone.csv')[0] == 0
    run('evaluate', trajectory_bag, '--bag', 'new', '--csv', 'beside.csv')
    assert Path('alone.csv').read_bytes() == Path('beside.csv').read_bytes()
    code, _, err = run('evaluate', trajectory_bag, '--copy', '--csv', 'copy.csv')
    assert code == 2 and 'argument --copy: expected the name of the new bag' in err
    assert not Path('copy.csv').exists()


@pytest.mark.parametrize('text', ['<robot name="x"><link/></robot>', 'my_robot.urdf', ''])
def test_a_recorded_robot_that_is_not_one(run, folder, text):
    Path('bad.urdf').write_text(text)
    motion = joint_trajectory(['joint_1', 'joint_2'], [(0.0, [0.0, 0.0])])
    write_bag(folder / 'bad', [description(folder / 'bad.urdf'), ('/t', 1, motion)])
    code, _, err = run('evaluate', 'bad')
    assert code == 1 and err.count('\n') == 1
    assert err.startswith("screw_dynamics evaluate: bad: topic '/robot_description': "), err
    assert run('evaluate', 'my_robot.urdf', 'bad')[0] == 0


@pytest.mark.parametrize(
    ('given', 'topic'),
    [('left/arm', '/left/arm/feedforward'), ('/', '/feedforward'), ('/x/', '/x/feedforward')],
)
def test_namespaces(run, trajectory_bag, given, topic):
    assert run('evaluate', trajectory_bag, '--bag', 'new', '--namespace', given)[0] == 0
    with Bag('new') as bag:
        assert topic in bag.topics


@pytest.mark.parametrize('given', ['a b', '/a//b', '1a', 'ä'])
def test_namespaces_that_ros_refuses(run, trajectory_bag, given):
    code, _, err = run('evaluate', trajectory_bag, '--bag', 'new', '--namespace', given)
    assert code == 2 and 'expected a namespace such as /left/arm, got' in err


def test_files_of_sqlite_are_bags_too(run, trajectory_bag, folder):
    from rosbags.rosbag2 import Reader, StoragePlugin, Writer

    with (
        Reader(trajectory_bag) as old,
        Writer(folder / 'lite', version=9, storage_plugin=StoragePlugin.SQLITE3) as new,
    ):
        for source in old.connections:
            target = new.add_connection(
                source.topic, source.msgtype, msgdef=source.msgdef.data, rihs01=source.digest
            )
            for _, time, data in old.messages([source]):
                new.write(target, time, data)
    _, expected, _ = run('evaluate', 'my_robot.urdf', trajectory_bag)
    for place in ('lite', 'lite/lite.db3'):
        code, out, err = run('evaluate', 'my_robot.urdf', place)
        assert code == 0 and out == expected, err


def test_message_and_topic_are_for_bags(run):
    for option in (['--message', 1], ['--topic', '/t']):
        code, _, err = run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', *option)
        assert code == 1 and 'choose from a bag, this is a file' in err


def test_rotors_on_moving_links_need_more_derivatives(run):
    """Of trajectories; measured motions have not as many."""
    text = Path('my_springs.yaml').read_text()
    Path('my_springs.yaml').write_text(f'{text}rotor_coupling: true\n')
    files = '--drives', 'my_springs.yaml', '--csv', 'new.csv'
    code, _, err = run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', *files)
    assert code == 0 and 'need a curve that is C' in err
    assert read_csv(Path('new.csv')).joint_jet.shape[1] == 5
