# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""When a trajectory was followed in a bag, and the robot that a bag describes."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.bag_messages import (
    JOINTS,
    SECOND,
    START,
    description,
    joint_state,
    joint_trajectory,
    write_bag,
)

import screw_dynamics as sd
from screw_dynamics.errors import BagError, InputError, RecordingWarning
from screw_dynamics.recordings.bags import Bag
from screw_dynamics.recordings.bags.writer import BagWriter
from screw_dynamics.recordings.motions import read_recording, recorded_runs
from screw_dynamics.recordings.motions.joint_states import observed_samples
from screw_dynamics.recordings.motions.recording import recorded_robot
from screw_dynamics.recordings.results.results import Origin
from screw_dynamics.recordings.results.results_bag import ResultsWriter
from screw_dynamics.trajectory.reference.reference import Source

MILLISECOND = 1_000_000
POINTS = [(0.0, [0.0, 0.0]), (1.0, [0.4, -0.6])]
ARM = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
CURVE = sd.trajectory.through(ARM, [0.0, 1.0], [q for _, q in POINTS])


@pytest.fixture
def runs_in(tmp_path):
    """Return a function that finds runs in a bag of trajectories, beside 12 s of states."""

    def find(*trajectories):
        rows = [('/t', at, joint_trajectory(JOINTS, *sent)) for at, *sent in trajectories]
        for i in range(600):  # a position says when it was measured
            at = i * SECOND // 50
            state = joint_state(JOINTS, [1e-3 * i / 50, 0.0], START + at)
            rows.append(('/joint_states', at, state))
        path = write_bag(tmp_path / 'runs', sorted(rows, key=lambda row: row[1]))
        with Bag(path) as bag:
            return recorded_runs(bag, CURVE, ARM, tolerance=1e-3)

    return find


def test_a_run_begins_at_its_stamp_and_ends_where_the_next_motion_begins(runs_in):
    """Other motions are none, and of 3 s around a motion the robot rests."""
    shifted = [(t, np.add(q, 0.01)) for t, q in POINTS]
    sent = (2 * SECOND, POINTS, START + 4 * SECOND), (5 * SECOND, shifted, START + 6 * SECOND)
    first, second = runs_in(*sent, (8 * SECOND, POINTS, START + 9 * SECOND))
    for run, begin, last in ((first, 4.0, 2.0), (second, 9.0, 2.98)):
        np.testing.assert_allclose(run.times[[0, -1]], [-3.0, last], atol=1e-9)
        np.testing.assert_allclose(run.positions[:, 0], 1e-3 * (run.times + begin), atol=1e-12)


def test_without_a_stamp_a_run_begins_at_its_reception(runs_in):
    with pytest.warns(RecordingWarning, match='no stamp: the motion is taken to begin at its rec'):
        (run,) = runs_in((5 * SECOND, POINTS))
    assert run.positions[np.searchsorted(run.times, -1e-9), 0] == pytest.approx(5e-3)


def test_another_trajectory_is_no_run(runs_in):
    shifted = [(t, np.add(q, -0.01)) for t, q in POINTS]
    text = 'follows the trajectory within 0.001 rad or m, got 1, the nearest 0.01 off'
    with pytest.raises(BagError, match=text):
        runs_in((5 * SECOND, shifted, START + 5 * SECOND), (6 * SECOND, [(0.0, [0.0])]))


def test_samples_of_a_motion_tell_when_it_began(tmp_path):
    """Of FeedforwardTorque messages, with motions of another begin or end between two runs."""
    results = sd.evaluate(ARM, CURVE)
    stamps = START + np.round(results.times * SECOND).astype(np.int64)
    since = stamps - START
    with BagWriter(tmp_path / 'runs') as writer:
        output = ResultsWriter(writer)
        others = np.stack([results.joint_jet] * 2)
        others[0, 0, 0, 0] = others[1, -1, 0, 1] = 0.01
        away = [replace(results, joint_jet=jet) for jet in others]
        for begin, motion in zip((0, 4, 6, 9), (results, *away, results), strict=True):
            origin = Origin(stamps + begin * SECOND, since, 4, Source.TRAJECTORY)
            output.write(motion, origin, ARM if begin == 9 else None)
    with Bag(tmp_path / 'runs') as bag:
        first, second = recorded_runs(bag, CURVE, ARM, tolerance=1e-6)
        with pytest.raises(BagError, match='within 1e-06 rad or m, got 4, the nearest 1.6 off'):
            recorded_runs(bag, sd.trajectory.through(ARM, [0.0, 1.0], [[0, 0], [0, 1]]), ARM, 1e-6)
    assert not len(first.times)  # the links are recorded in the last one only
    np.testing.assert_allclose(second.positions, results.joint_jet[:, 0], atol=1e-12)
    np.testing.assert_allclose(second.times, results.times, atol=1e-9)


def test_efforts_of_springs_come_from_their_deflections(tmp_path):
    spring = sd.JointDrive(sd.LinearSpring(200.0), sd.Motor(0.1))
    robot = sd.Robot(ARM, sd.Drives({'joint_2': spring}))
    rows = [description(sd.share_path('urdf/planar_2r.urdf'))]  # with which the bag begins
    for i in range(5):
        at = (3 + i) * MILLISECOND
        links = joint_state(JOINTS, [0.1, 0.01 * i], START + at)
        links.velocity, links.effort = np.zeros(2), np.array([5.0, 6.0])
        motors = joint_state(JOINTS, [7.0, 0.02 * i], START + at)
        motors.velocity = np.zeros(2)
        rows += [('/links', at, links), ('/motors', at, motors)]
    with Bag(write_bag(tmp_path / 'bag', rows)) as bag:
        sources = {'topic': '/links', 'motor_states': '/motors'}
        found = observed_samples(bag, robot, sd.EffortFormat(), **sources)
        alone = observed_samples(bag, robot, sd.EffortFormat(), topic='/links')
        for drives, effort_format, text in (
            (None, sd.EffortFormat(), '--motor-states: expected the springs, too: --drives'),
            (robot.drives, sd.EffortFormat('external'), 'expected full efforts beside --motor-st'),
        ):
            with pytest.raises(InputError, match=text):
                observed_samples(bag, sd.Robot(ARM, drives), effort_format, **sources)
    expected = np.column_stack([np.full(5, 5.0), 200.0 * 0.01 * np.arange(5)])
    np.testing.assert_allclose(found.efforts, expected, atol=1e-12)
    np.testing.assert_array_equal(alone.efforts, [[5.0, 6.0]] * 5)
    for samples in (found, alone):
        np.testing.assert_allclose(samples.times, 1e-3 * np.arange(3, 8), atol=1e-12)


def test_a_bag_describes_one_robot(tmp_path):
    topic, _, text = description(sd.share_path('urdf/planar_2r.urdf'))
    other = replace(text, data=text.data.replace('joint_1', 'joint_a'))
    state = '/states', 1, joint_state(JOINTS, [0.0, 0.0], START)

    def robot_of(name, *rows):
        with Bag(write_bag(tmp_path / name, [*rows, state])) as bag:
            return recorded_robot(bag)

    twice = [(f'/{arm}/robot_description', 0, text) for arm in ('left', 'right')]
    assert robot_of('twice', *twice)[0] == text.data
    newest, origin = robot_of('newest', (topic, 0, other), (topic, 5, text))
    assert newest == text.data and origin.endswith("newest: topic '/robot_description'")
    with pytest.raises(BagError, match='robots differ on /left/robot_description, /right/robot_d'):
        robot_of('differ', twice[0], ('/right/robot_description', 0, other))
    with pytest.raises(BagError, match='no robot_description was recorded: give the robot by'):
        robot_of('none')


def test_motor_states_are_interpolated_at_the_states_of_the_links(tmp_path):
    """Of one motor, between whose first and last state there are some samples of the links."""
    rows = []
    for i in range(14):
        state = joint_state(JOINTS, [0.0, 0.01 * i], START + i * MILLISECOND)
        state.effort = np.array([5.0, 6.0])
        rows.append(('/links', i * MILLISECOND, state))
    for i in range(3):
        at = (2 + 3 * i) * MILLISECOND
        state = joint_state(JOINTS[1:], [0.1 * i * i], START + at)
        state.effort = np.array([float(i)])
        rows.append(('/motors', at, state))
    write_bag(tmp_path / 'bag', rows)
    options = {'topic': '/links', 'motor_states': '/motors', 'of_motors': True}
    recording, report = read_recording(tmp_path / 'bag', ARM, **options)
    assert report.startswith('7 samples') and report.endswith('or a stamp: 7')
    steps = np.arange(7) / 3
    positions = np.interp(steps, range(3), [0.0, 0.1, 0.4])
    np.testing.assert_allclose(recording.motor_positions[:, 1], positions, atol=1e-12)
    assert np.isnan(recording.motor_positions[:, 0]).all()
    np.testing.assert_allclose(recording.motor_efforts[:, 1], steps, atol=1e-12)
    np.testing.assert_array_equal(recording.positions[:, 1], 0.01 * np.arange(2, 9))
