# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: recorded trajectories and joint states to efforts, in a new bag."""

from dataclasses import replace
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

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.results.results_csv import read_csv  # noqa: E402


@pytest.fixture
def model(folder):
    return sd.read_urdf(folder / 'my_robot.urdf')


def test_trajectories_are_followed_and_replaced(run, trajectory_bag, model):
    code, out, err = run(
        'evaluate', trajectory_bag, '--bag', 'new', '--csv', 'new.csv', '--rate', 500
    )
    assert code == 0, err
    assert 'max |effort_ddot|' in out and 'written: new' in out
    with Bag('new') as bag:
        torque = bag.arrays('/offline/feedforward')
        filled = [item.message for item in bag.messages(['/offline/joint_trajectory_effort'])]
    # the first from its reception on, until the second begins at its own start
    stamps = torque['header.stamp'] - START
    assert stamps[0] == SECOND // 10 and (np.diff(stamps) > 0).all()
    second = torque['reference.time_from_start'] == stamps - SECOND
    assert second.any() and (stamps[second] >= SECOND).all() and (stamps[~second] < SECOND).all()
    assert stamps[-1] == SECOND + round(1.2 * SECOND)
    # nothing jumps where one replaces the other: position to snap go on
    motion = np.stack(
        [
            torque['reference.positions'],
            torque['reference.velocities'],
            torque['reference.accelerations'],
            torque['reference_jerk'],
            torque['reference_snap'],
        ],
        axis=1,
    )
    at = int(np.argmax(second))
    assert 0.0 < np.abs(motion[at, 1]).max(), 'it replaces a motion, not a rest'
    gap = (stamps[at] - stamps[at - 1]) / SECOND
    expected = motion[at - 1, :4] + gap * motion[at - 1, 1:]
    np.testing.assert_allclose(motion[at, :4], expected, atol=20 * gap)
    # all three orders belong to the motion
    efforts = np.stack([torque[f'effort{end}'] for end in ('', '_dot', '_ddot')], axis=1)
    np.testing.assert_allclose(efforts, sd.inverse_dynamics(model, motion), rtol=1e-12, atol=1e-12)
    table = read_csv(trajectory_bag.parent / 'new.csv')
    np.testing.assert_array_equal(table.effort_jet, efforts)
    np.testing.assert_allclose(table.times, (stamps - stamps[0]) / SECOND, atol=1e-12)
    # and the trajectories come with efforts, whole, in the model's order of joints
    assert len(filled) == 2
    for message, length in zip(filled, (1.2, 1.2), strict=True):
        assert message.joint_names == ['joint_1', 'joint_2']
        times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in message.points]
        assert times[-1] == pytest.approx(length, abs=1e-9) and (np.diff(times) > 0).all()
        jets = np.array([[p.positions, p.velocities, p.accelerations] for p in message.points])
        effort = np.array([p.effort for p in message.points])
        np.testing.assert_allclose(
            effort, sd.inverse_dynamics(model, jets)[:, 0], rtol=1e-12, atol=1e-12
        )
    assert filled[1].header.stamp.sec == START // SECOND + 1
    np.testing.assert_allclose(filled[1].points[-1].positions, [0.0, 0.5], atol=1e-12)


def test_measured_positions_give_efforts_with_bands(run, measured_bag, model):
    code, out, err = run(
        'evaluate', measured_bag, '--bag', 'new', '--csv', 'new.csv', '--order', 1
    )
    assert code == 0, err
    assert 'repeated: 10, without all joints or a stamp: 11' in out
    noise = [float(line.split()[1]) for line in out.splitlines() if line.startswith('joint_')][:2]
    np.testing.assert_allclose(noise, NOISE, rtol=0.1)
    table = read_csv(measured_bag.parent / 'new.csv')
    assert len(table.times) == 1000 and table.effort_jet.shape == (1000, 2, 2)
    with Bag('new') as bag:
        torque = bag.arrays('/offline/feedforward')
        spread = bag.arrays('/offline/feedforward_deviation')
    first = torque['header.stamp'][0] - START
    truth = true_jets(table.times + first / SECOND)
    for d in range(5):
        gap = np.abs(table.joint_jet[:, d] - truth[:, d]) / table.joint_deviations[:, d]
        assert (gap < 2.0).mean() > 0.9, d
    error = table.effort_jet - sd.inverse_dynamics(model, truth[:, :4].copy())
    assert (np.abs(error) < 2 * table.effort_deviations).mean(axis=(0, 2)).min() > 0.9
    np.testing.assert_array_equal(torque['effort'], table.effort_jet[:, 0])
    np.testing.assert_array_equal(spread['effort_dot'], table.effort_deviations[:, 1])
    assert torque['effort_ddot'].shape == (1000, 0)
    assert set(torque['source']) == {2}


@pytest.mark.parametrize('kind', ['/arm/joint_trajectory', '/joint_states'])
def test_positions_that_look_like_degrees_are_asked_about(run, folder, kind):
    times = np.arange(100) / 50
    degrees = np.degrees(true_jets(times)[:, 0])
    if kind == '/joint_states':
        messages = [
            joint_state(JOINTS, q, START + round(t * SECOND))
            for t, q in zip(times, degrees, strict=True)
        ]
    else:
        messages = [joint_trajectory(JOINTS, [(0.0, degrees[0]), (2.0, degrees[20])])]
    rows = [description(folder / 'my_robot.urdf')]
    rows += [(kind, (i + 1) * SECOND // 50, message) for i, message in enumerate(messages)]
    write_bag(folder / 'degrees', rows)
    code, _, err = run('evaluate', 'degrees')
    assert code == 1 and err.count('\n') == 1 and kind in err, err
    assert "joint 'joint_" in err and 'are they in degrees?' in err


def test_everything_else_is_copied(run, measured_bag):
    code, _, err = run(
        'evaluate', measured_bag, '--bag', 'new', '--copy', '--rate', 50, '--namespace', 'x'
    )
    assert code == 0, err
    with Bag(measured_bag) as old, Bag('new') as new:
        for topic, about in old.topics.items():
            assert new.topics[topic] == about
        names = list(old.topics)
        assert list(old.raw_messages(names)) == list(new.raw_messages(names))
        assert set(new.topics) - set(old.topics) == {'/x/feedforward', '/x/feedforward_deviation'}
        assert new.topics['/x/feedforward'].count == 101


def test_motor_commands(run, trajectory_bag, folder, model):
    code, out, err = run('evaluate', trajectory_bag, '--bag', 'new', '--drives', 'my_springs.yaml')
    assert code == 0, err
    assert 'max |motor_effort|' in out
    with Bag('new') as bag:
        motor = bag.arrays('/offline/motor_feedforward')
        torque = bag.arrays('/offline/feedforward')
    np.testing.assert_array_equal(motor['header.stamp'], torque['header.stamp'])
    stiffness, inertia = np.array([400.0, 200.0]), 1e-5 * 100.0**2
    np.testing.assert_allclose(motor['deflection'], torque['effort'] / stiffness, atol=1e-14)
    np.testing.assert_allclose(
        motor['motor_position'],
        torque['reference.positions'] + torque['effort'] / stiffness,
        atol=1e-13,
    )
    acceleration = torque['reference.accelerations'] + torque['effort_ddot'] / stiffness
    np.testing.assert_allclose(
        motor['motor_effort'], torque['effort'] + inertia * acceleration, atol=1e-11
    )
    np.testing.assert_array_equal(motor['gear_ratio'][0], [100.0, 100.0])


def test_a_part_of_the_recording(run, measured_bag):
    code, out, _ = run('evaluate', measured_bag, '--bag', 'new', '--start', 0.5, '--end', 1.5)
    assert code == 0
    with Bag('new') as bag:
        stamps = bag.arrays('/offline/feedforward')['header.stamp'] - START
    assert 0.49 * SECOND < stamps[0] < 0.51 * SECOND and 1.49 * SECOND < stamps[-1] < 1.51 * SECOND


def test_what_a_controller_would_reject_is_left_out(run, folder):
    good = joint_trajectory(['joint_1', 'joint_2'], [(0.0, [0, 0]), (1.0, [1, 1])])
    wrong = joint_trajectory(['joint_1', 'elbow'], [(0.0, [0, 0]), (1.0, [1, 1])])
    write_bag(folder / 'mixed', [('/t', 0, wrong), ('/t', 5, good)])
    code, _, err = run('evaluate', 'my_robot.urdf', 'mixed', '--bag', 'new')
    assert code == 0
    assert 'warning: left out: /t, message received at' in err and 'elbow' in err
    write_bag(folder / 'bad', [('/t', 0, wrong)])
    code, _, err = run('evaluate', 'my_robot.urdf', 'bad', '--bag', 'new2')
    assert code == 1 and 'no trajectory can be followed: /t, message' in err
    assert not (folder / 'new2').exists()


def test_one_robot_described_on_two_topics(run, folder):
    _, _, text = description(folder / 'my_robot.urdf')
    trajectory = joint_trajectory(['joint_1', 'joint_2'], [(0.0, [0, 0]), (1.0, [1, 1])])
    rows = [(f'/{arm}/robot_description', 0, text) for arm in ('left', 'right')]
    write_bag(folder / 'twice', [*rows, ('/t', 5, trajectory)])
    assert run('evaluate', 'twice', '--bag', 'new')[0] == 0


ERRORS = [
    (['nowhere', '--bag', 'new'], 'nowhere: expected a bag'),
    (['measured_bag', '--bag', 'new', '--topic', '/x'], 'no messages on --topic /x; it holds'),
    (
        ['measured_bag', '--bag', 'new', '--topic', '/robot_description'],
        'got std_msgs/msg/String',
    ),
    (['measured_bag', '--bag', 'my_springs.yaml'], 'my_springs.yaml: it exists already'),
    (
        ['measured_bag', '--bag', 'new', '--start', '99'],
        'no messages between --start and --end; the bag has',
    ),
    (['measured_bag', '--bag', 'new', '--start', '1.99'], 'expected samples at 12 instants'),
    (
        ['measured_bag', '--bag', 'new', '--joints', 'elbow'],
        "in joints: 'elbow': expected one of",
    ),
    (['measured_bag', '--bag', 'new', '--drives', 'none.yaml'], 'none.yaml'),
    (
        ['measured_bag', '--bag', 'new', '--smoothing-time', '50'],
        'smoothing_time: expected 0.002',
    ),
    (['bare', '--bag', 'new'], 'give the robot by --urdf'),
    (['robots', '--bag', 'new'], 'robots differ on /left/robot_description, /right/robot_des'),
    (['my_robot.urdf', 'two', '--bag', 'new'], 'choose by --topic one of'),
    (['my_robot.urdf', 'other', '--bag', 'new'], 'joint_2 are not among joint_1'),
]


def test_errors_are_one_line(run, measured_bag, folder):
    one = joint_state(['joint_1'], [0.0], 5)
    write_bag(folder / 'bare', [('/a', 0, one)])
    write_bag(folder / 'other', [('/a', 0, one)])
    write_bag(folder / 'two', [('/a', 0, one), ('/b', 0, one)])
    _, _, left = description(folder / 'my_robot.urdf')
    right = replace(left, data=left.data.replace('joint_1', 'joint_a'))
    descriptions = ('/left/robot_description', 0, left), ('/right/robot_description', 0, right)
    write_bag(folder / 'robots', [*descriptions, ('/a', 1, one)])
    for arguments, text in ERRORS:
        code, out, err = run('evaluate', *arguments)
        errors = [line for line in err.splitlines() if not line.startswith('warning: ')]
        assert code == 1 and len(errors) == 1, err
        assert errors[0].startswith('screw_dynamics evaluate: ') and text in errors[0], errors[0]
        assert 'written' not in out


def test_numbers_without_a_new_bag(run, trajectory_bag, folder):
    code, out, err = run('evaluate', trajectory_bag)
    assert code == 0 and not err and 'max |effort|' in out and 'written' not in out
    assert run('evaluate', trajectory_bag, '--csv', 'alone.csv')[0] == 0
    run('evaluate', trajectory_bag, '--bag', 'new', '--csv', 'beside.csv')
    assert Path('alone.csv').read_bytes() == Path('beside.csv').read_bytes()
    code, _, err = run('evaluate', trajectory_bag, '--copy', '--csv', 'copy.csv')
    assert code == 2 and 'argument --copy: expected the name of the new bag' in err
    assert not Path('copy.csv').exists()


@pytest.mark.parametrize('text', ['<robot name="x"><link/></robot>', 'my_robot.urdf', ''])
def test_a_recorded_robot_that_is_not_one(run, folder, recordings, text):
    Path('bad.urdf').write_text(text)
    motion = recordings.joint_trajectory(recordings.JOINTS, [(0.0, [0.0, 0.0])])
    recordings.write_bag(
        folder / 'bad', [recordings.description(folder / 'bad.urdf'), ('/t', 1, motion)]
    )
    code, _, err = run('evaluate', 'bad')
    assert code == 1 and err.count('\n') == 1
    assert err.startswith("screw_dynamics evaluate: bad: topic '/robot_description': "), err
    assert run('evaluate', 'my_robot.urdf', 'bad')[0] == 0


def test_measured_efforts_are_drawn_beside_those_of_the_model(run, folder, model, monkeypatch):
    figure = pytest.importorskip('matplotlib.figure').Figure
    save, drawn = figure.savefig, []
    monkeypatch.setattr(
        figure, 'savefig', lambda self, *to, **how: (drawn.append(self), save(self, *to, **how))
    )
    times = np.arange(300) / 200
    jets = true_jets(times)
    measured = 1.2 * sd.inverse_dynamics(model, jets)[:, 0]
    rows = [description(folder / 'my_robot.urdf')]
    for t, q, efforts in zip(times, jets[:, 0], measured, strict=True):
        message = joint_state(JOINTS, q, START + round(t * SECOND))
        message.effort = efforts
        rows.append(('/joint_states', round(t * SECOND) + 1000, message))
    rows[9][2].effort = np.empty(0)  # one message without
    write_bag(folder / 'forces', rows)
    code, _, err = run('evaluate', 'forces', '--plot', 'a.png', '--smoothing-time', '0.05')
    assert code == 0, err
    (axis,) = (axis for axis in drawn[0].axes if axis.get_title(loc='left') == 'torque')
    for line, expected in zip(axis.lines[1:4:2], measured.T, strict=True):
        found = line.get_ydata()
        np.testing.assert_array_equal(np.delete(found, 8), np.delete(expected, 8))
        assert np.isnan(found[8]) and axis.get_ylim()[1] >= expected.max()
