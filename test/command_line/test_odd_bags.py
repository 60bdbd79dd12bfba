# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings as they come: clocks mixed, gaps, springs at the end of their range, many parts."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from recordings import (  # noqa: E402
    JOINTS,
    NOISE,
    SECOND,
    START,
    description,
    joint_state,
    joint_trajectory,
    true_jets,
    write_bag,
)

from screw_dynamics.recordings.bags import Bag
from screw_dynamics.recordings.bags.writer import BagWriter
from screw_dynamics.recordings.results.results_csv import read_csv  # noqa: E402


@pytest.fixture
def states(folder, rng):
    """Return a function that writes a bag of joint states, their stamps changed."""

    def write(stamp_of, kept=lambda i: True):
        rows = [description(folder / 'my_robot.urdf')]
        for i in range(600):
            time = 3_000_000_000 + 4_000_000 * i
            position = true_jets(np.array([time / SECOND]))[0, 0] + NOISE * rng.normal(size=2)
            if kept(i):
                message = joint_state(JOINTS, position, stamp_of(i, time))
                rows.append(('/joint_states', time, message))
        return write_bag(folder / 'odd', rows)

    return write


@pytest.mark.parametrize(
    ('stamp_of', 'left_out'),
    [
        (lambda i, time: 0, 0),  # nobody stamps: the times of reception
        (lambda i, time: 4_000_000 * i, 1),  # a simulation's clock, which begins at 0
        (lambda i, time: 0 if i % 50 == 7 else START + time, 12),  # one of two drivers stamps
    ],
    ids=['none', 'simulated', 'some'],
)
def test_stamps_of_two_clocks_are_not_mixed(run, states, stamp_of, left_out):
    code, out, err = run(
        'evaluate', states(stamp_of), '--bag', 'new', '--order', 0, '--csv', 'new.csv'
    )
    assert code == 0, err
    assert f'or a stamp: {left_out}' in out
    assert f'{600 - left_out} samples' in out
    times = read_csv(Path('new.csv')).times
    assert times[-1] == pytest.approx(0.004 * 599, abs=0.005)


def test_a_recording_that_was_cut_off(run, states, monkeypatch):
    write = BagWriter.write

    def write_a_chunk(self, *message):
        write(self, *message)
        self.flush()

    monkeypatch.setattr(BagWriter, 'write', write_a_chunk)
    monkeypatch.setattr(os, 'fsync', lambda _: None)  # which is not what is cut off here
    folder = states(lambda i, time: START + time)
    (folder / 'metadata.yaml').unlink()
    file = folder / 'odd.mcap'
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 3])
    code, out, err = run('evaluate', folder, '--bag', 'new', '--order', 0)
    assert code == 0, err
    (warning, *_) = err.splitlines()
    intact = r'warning: .*odd.mcap: cut off .*: \d+ bytes after .*; (\d+) messages are intact'
    count = int(re.match(intact, warning).group(1)) - 1  # of which one describes the robot
    assert 0 < count < 600 and f'{count} samples' in out


def test_a_gap_is_told_as_start_and_end_count(run, states):
    states(lambda i, time: START + time, kept=lambda i: not 100 <= i < 597)
    code, _, err = run('evaluate', 'odd', '--bag', 'new')
    assert code == 1 and 'nothing was recorded for 1.992 s after 3.396000 s' in err
    assert 'choose it by --start and --end' in err
    code, out, err = run('evaluate', 'odd', '--bag', 'new', '--end', 3.3965)
    assert code == 0 and '100 samples' in out, err


def smoothed(q):
    from scipy.signal import lfilter  # which takes a second

    return lfilter([0.5], [1.0, -0.5], q, axis=0)


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        (lambda q: q, None),
        (smoothed, 'neighbouring samples err alike'),
        (lambda q: q + [[0.0], [0.5]] * (len(q) // 2), 'do two sources send on this topic?'),
    ],
    ids=['white', 'filtered', 'two robots'],
)
def test_samples_that_the_bands_do_not_fit_are_told(run, folder, rng, change, text):
    times = np.arange(1000) * 4_000_000
    noisy = change(true_jets(times / SECOND)[:, 0] + NOISE * rng.normal(size=(1000, 2)))
    rows = [description(folder / 'my_robot.urdf')]
    for time, position in zip(times.tolist(), noisy, strict=True):
        rows.append(('/joint_states', time, joint_state(JOINTS, position, START + time)))
    write_bag(folder / 'odd', rows)
    code, _, err = run('evaluate', 'odd', '--bag', 'new', '--order', 0)
    assert code == 0
    if text is None:
        assert not err
    else:
        told = [line for line in err.splitlines() if line.startswith('warning: ')]
        assert told[0].startswith('warning: joint_1: ')
        assert len(told) == 2 and all(text in line for line in told)
    for correlation, factor in re.findall(
        r'correlation ([0-9.]+)\), .* least ([0-9.]+) times', err
    ):
        r = float(correlation)
        assert float(factor) == pytest.approx(np.sqrt((1 + r) / (1 - r)), abs=0.1)


def test_turns_of_continuous_joints_are_undone(run, folder, rng):
    text = (folder / 'my_robot.urdf').read_text().replace('"revolute"', '"continuous"')
    (folder / 'turning.urdf').write_text(text)
    times = np.arange(600) * 4_000_000
    turning = np.outer(times / SECOND, [5.0, -3.0]) + NOISE * rng.normal(size=(600, 2))
    rows = [description(folder / 'turning.urdf')]
    for time, position in zip(
        times.tolist(), (turning + np.pi) % (2 * np.pi) - np.pi, strict=True
    ):
        rows.append(('/joint_states', time, joint_state(JOINTS, position, START + time)))
    write_bag(folder / 'odd', rows)
    code, _, err = run('evaluate', 'odd', '--bag', 'new', '--order', 0, '--csv', 'new.csv')
    assert code == 0 and not err
    jets = read_csv(Path('new.csv')).joint_jet
    np.testing.assert_allclose(jets[:, 1], np.tile([5.0, -3.0], (600, 1)), atol=0.05)


def test_a_smoothing_time_that_is_too_long_is_told(run, measured_bag):
    code, _, err = run(
        'evaluate', measured_bag, '--bag', 'new', '--order', 0, '--smoothing-time', 1.5
    )
    assert code == 0 and err.count('or --smoothing-time too long') == 2


def test_springs_whose_range_ends_within_the_band(run, states, folder):
    states(lambda i, time: START + time)
    springs = (folder / 'my_springs.yaml').read_text()
    table = 'type: tabulated, deflections: [-0.1, 0.0, 0.1], efforts: [-{0}, 0.0, {0}]'
    (folder / 'my_springs.yaml').write_text(
        springs.replace('type: linear, stiffness: 400.0', table.format(30.0))
    )
    arguments = ['evaluate', 'odd', '--drives', 'my_springs.yaml', '--order', 0, '--csv']
    assert run(*arguments, 'a.csv', '--bag', 'a')[0] == 0
    whole = read_csv(folder / 'a.csv')
    assert whole.motors.deviations is not None
    largest = float(np.abs(whole.effort_jet[:, 0, 0]).max())
    # the estimate is within the range, one standard deviation beside it is not
    text = (folder / 'my_springs.yaml').read_text().replace('30.0', repr(largest + 1e-7))
    (folder / 'my_springs.yaml').write_text(text)
    code, _, err = run(*arguments, 'b.csv', '--bag', 'b')
    assert code == 0, err
    assert err.startswith('warning: no standard deviations of the motors: ') and 'joint_1' in err
    part = read_csv(folder / 'b.csv')
    assert part.motors.deviations is None
    np.testing.assert_allclose(part.motors.values[:, 3], whole.motors.values[:, 3], rtol=0.05)
    np.testing.assert_allclose(part.effort_deviations, whole.effort_deviations, rtol=1e-6)
    # and beyond it the error names the time
    text = text.replace(repr(largest + 1e-7), repr(largest - 0.01))
    (folder / 'my_springs.yaml').write_text(text)
    code, _, err = run(*arguments, 'c.csv', '--bag', 'c')
    assert code == 1 and "evaluate: joint 'joint_1' at " in err and ' s: effort: expected' in err


def test_each_of_many_trajectories_ends_where_the_next_begins(run, folder):
    rows = [description(folder / 'my_robot.urdf')]
    for i in range(50):
        points = [(0.1, [np.sin(i / 10), 0.1]), (0.5, [np.sin(i / 10 + 0.5), 0.2])]
        rows.append(('/t', 10_000_000 * i, joint_trajectory(JOINTS, points)))
    rows.insert(1, ('/t', 0, joint_trajectory(JOINTS, [(0.0, [0, 0])])))
    write_bag(folder / 'many', rows)
    code, _, err = run('evaluate', 'many', '--bag', 'new', '--rate', 1000)
    assert code == 0, err
    with Bag('new') as bag:
        torque = bag.arrays('/offline/feedforward')
        assert bag.topics['/offline/joint_trajectory_effort'].count == 51
    stamps = torque['header.stamp'] - START
    assert (np.diff(stamps) > 0).all()
    start = stamps - torque['reference.time_from_start']
    expected = np.minimum(stamps // 10_000_000, 49) * 10_000_000
    np.testing.assert_array_equal(start, expected)


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
