# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of recorded trajectories: where each begins and ends, and the new bag of them."""

import numpy as np
import pytest
from helpers.bag_messages import JOINTS, SECOND, START, joint_trajectory

import screw_dynamics as sd
from screw_dynamics.errors import BagError, InputError, RecordingWarning
from screw_dynamics.recordings.bags import Bag
from screw_dynamics.recordings.results.results_from_bag import read_bag

FIRST = [(0.0, [0.0, 0.0]), (1.0, [1.0, -1.0])]
POINTS = [(0.0, [0.0, 0.0]), (0.6, [0.4, -0.6]), (1.2, [0.0, 0.5])]


def joined(found):
    """Return stamps from the begin of the bag and times from the starts (T,) [ns], and jets."""
    stamps = np.concatenate([origin.stamps for _, origin in found.parts])
    from_start = np.concatenate([origin.from_start for _, origin in found.parts])
    return stamps - START, from_start, found.results.joint_jet


def replaced():
    """Return a trajectory and one that replaces it, in another order, with a stamp of its own."""
    later = [(0.5, [0.2, 0.1]), (1.2, [0.5, 0.0])]
    return [
        ('/t', SECOND // 10, joint_trajectory(JOINTS, POINTS)),
        ('/t', SECOND // 2, joint_trajectory(JOINTS[::-1], later, START + SECOND)),
    ]


def test_trajectories_are_followed_and_replaced(efforts_of, arm):
    found = efforts_of(replaced(), rate=500.0)
    stamps, from_start, motion = joined(found)
    # the first from its reception on, until the second begins at its own start
    assert stamps[0] == SECOND // 10 and (np.diff(stamps) > 0).all()
    second = from_start == stamps - SECOND
    assert second.any() and (stamps[second] >= SECOND).all() and (stamps[~second] < SECOND).all()
    assert stamps[-1] == SECOND + round(1.2 * SECOND)
    np.testing.assert_allclose(found.results.times, (stamps - stamps[0]) / SECOND, atol=1e-12)
    # nothing jumps where one replaces the other: position to snap go on
    at = int(np.argmax(second))
    assert 0.0 < np.abs(motion[at, 1]).max(), 'it replaces a motion, not a rest'
    gap = (stamps[at] - stamps[at - 1]) / SECOND
    expected = motion[at - 1, :4] + gap * motion[at - 1, 1:]
    np.testing.assert_allclose(motion[at, :4], expected, atol=20 * gap)
    efforts = sd.inverse_dynamics(arm, motion)
    np.testing.assert_allclose(found.results.effort_jet, efforts, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ('after', 'first_point', 'begins_at'),
    [
        (0.5, 0.0, [0.5, -0.5]),  # on its way, halfway for symmetry: a point at 0 gives way
        (0.5, 0.4, [0.5, -0.5]),
        (3.0, 0.0, [0.2, 0.3]),  # long at rest: it may begin anywhere
        (3.0, 0.4, [1.0, -1.0]),  # from the end of the first one
    ],
)
def test_it_begins_where_the_robot_is(efforts_of, after, first_point, begins_at):
    points = [(first_point, [0.2, 0.3]), (2.0, [0.0, 0.0])]
    begin = int(after * SECOND)
    rows = [('/t', 0, joint_trajectory(JOINTS, FIRST))]
    rows += [('/t', begin, joint_trajectory(JOINTS, points))]
    stamps, from_start, jets = joined(efforts_of(rows, rate=100.0))
    i = int(np.flatnonzero(stamps >= begin)[0])
    assert (stamps[i], from_start[i]) == (begin, 0)
    np.testing.assert_allclose(jets[i, 0], begins_at, atol=1e-12)
    np.testing.assert_array_equal(jets[-1, 0], [0.0, 0.0])


def test_what_was_sent_early_begins_at_its_stamp(efforts_of):
    later = [(0.0, [1.0, -1.0]), (1.0, [0.0, 0.0])]
    rows = [('/t', 0, joint_trajectory(JOINTS, later, START + 2 * SECOND))]
    rows += [('/t', SECOND // 2, joint_trajectory(JOINTS, FIRST))]
    stamps, _, jets = joined(efforts_of(rows, rate=100.0))
    assert (np.diff(stamps) > 0).all()
    assert (stamps[0], stamps[-1]) == (SECOND // 2, 3 * SECOND)
    np.testing.assert_array_equal(jets[[0, -1], 0], np.zeros((2, 2)))


def test_each_of_many_trajectories_ends_where_the_next_begins(efforts_of):
    rows = [('/t', 0, joint_trajectory(JOINTS, [(0.0, [0, 0])]))]
    for i in range(50):
        points = [(0.1, [np.sin(i / 10), 0.1]), (0.5, [np.sin(i / 10 + 0.5), 0.2])]
        rows.append(('/t', 10_000_000 * i, joint_trajectory(JOINTS, points)))
    found = efforts_of(rows, rate=1000.0)
    stamps, from_start, _ = joined(found)
    assert (np.diff(stamps) > 0).all() and len(found.followed) == 51
    expected = np.minimum(stamps // 10_000_000, 49) * 10_000_000
    np.testing.assert_array_equal(stamps - from_start, expected)


def test_what_a_controller_would_reject_is_left_out(efforts_of, tmp_path):
    wrong = joint_trajectory(['joint_1', 'elbow'], FIRST)
    rows = [('/t', i, wrong) for i in range(7)]
    with pytest.warns(RecordingWarning) as told:
        efforts_of([*rows, ('/t', 9, joint_trajectory(JOINTS, FIRST))])
    texts = [str(warning.message) for warning in told]
    assert texts[0].startswith('left out: /t, message received at') and 'elbow' in texts[0]
    assert len(texts) == 6 and texts[5] == 'and 2 more'
    (tmp_path / 'a_bag').rename(tmp_path / 'before')
    with (
        pytest.warns(RecordingWarning, match='left out'),
        pytest.raises(BagError, match='no trajectory can be followed: /t, message'),
    ):
        efforts_of(rows[:1])


def test_points_in_degrees_are_asked_about(efforts_of):
    with pytest.raises(InputError, match="/t, .*joint 'joint_1'.*are they in degrees?"):
        efforts_of([('/t', 0, joint_trajectory(JOINTS, [(0.0, [0, 0]), (9.0, [90.0, 0.0])]))])


def test_the_new_bag_has_efforts_motors_and_trajectories(efforts_of, elastic, tmp_path):
    robot = elastic()
    found = efforts_of(replaced(), robot)
    with Bag(tmp_path / 'a_bag') as old:
        found.write(tmp_path / 'new', 'text of the robot', '/x', old)
        with Bag(tmp_path / 'new') as bag:
            assert bag.topics['/t'] == old.topics['/t']
            assert list(bag.raw_messages(['/t'])) == list(old.raw_messages(['/t']))
            (described,) = bag.messages(['/robot_description'])
            filled = [item.message for item in bag.messages(['/x/joint_trajectory_effort'])]
    assert described.message.data == 'text of the robot'
    shown, results = read_bag(tmp_path / 'new', '/x/feedforward'), found.results
    for name in ('joint_jet', 'effort_jet'):
        np.testing.assert_array_equal(getattr(shown, name), getattr(results, name))
    np.testing.assert_array_equal(shown.motors.values, results.motors.values)
    motors = sd.elastic_feedforward(robot, results.joint_jet).motor_effort
    np.testing.assert_allclose(shown.motors.values[:, 3], motors, rtol=1e-12, atol=1e-9)
    # the trajectories come with efforts, whole, in the model's order of joints
    for message in filled:
        assert message.joint_names == list(JOINTS)
        times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in message.points]
        assert times[-1] == pytest.approx(1.2, abs=1e-9) and (np.diff(times) > 0).all()
        jets = np.array([[p.positions, p.velocities, p.accelerations] for p in message.points])
        effort = np.array([p.effort for p in message.points])
        expected = sd.inverse_dynamics(robot.model, jets)[:, 0]
        np.testing.assert_allclose(effort, expected, rtol=1e-12, atol=1e-12)
    assert [message.header.stamp.sec for message in filled] == [0, START // SECOND + 1]
    np.testing.assert_allclose(filled[1].points[-1].positions, [0.0, 0.5], atol=1e-12)
    with (
        Bag(tmp_path / 'new') as copied,
        pytest.raises(BagError, match='it has a topic /x/feedforward already: choose another'),
    ):
        found.write(tmp_path / 'newer', '', '/x', copied)
